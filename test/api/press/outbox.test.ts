/** Answers of one turn are sent at its end, whatever becomes of one of them. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { openOutbox } from '../../../src/api/press/outbox.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

const openResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

t.test('all are sent at the end of the turn, in their order', async (t) => {
  const outbox = openOutbox()
  const sent: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    for (const n of [1, 2, 3])
      outbox.add(openResponse(), () => {
        sent.push(n)
      })
    await Promise.resolve()
    t.strictSame(sent, [])
    await nextTurn()
    t.strictSame(sent.splice(0), [1, 2, 3])
  }
})

t.test('those whose turn is over are sent together, and before another turn', async (t) => {
  const outbox = openOutbox()
  const sent: number[] = []
  const add = (n: number, isLate: boolean) => {
    outbox.add(openResponse(), () => sent.push(n), isLate)
  }
  for (let turn = 0; turn < 3; turn++) {
    add(1, false)
    await Promise.resolve()
    add(2, true)
    await Promise.resolve()
    add(3, true)
    t.strictSame(sent, [])
    await new Promise((resolve) => {
      process.nextTick(resolve)
    })
    t.strictSame(sent.splice(0), [1, 2, 3])
    await nextTurn()
    t.strictSame(sent, [], 'each once')
  }
})

t.test('many do not wait for each other', async (t) => {
  const outbox = openOutbox()
  const sent: number[] = []
  const all = Array.from({ length: 200 }, (_, n) => n)
  for (const n of all)
    outbox.add(openResponse(), () => {
      sent.push(n)
    })
  t.ok(sent.length > 100, 'most are gone before the turn ends')
  await nextTurn()
  t.strictSame(sent, all, 'each once')
})

t.test('one that fails ends its own connection', async (t) => {
  const outbox = openOutbox()
  const [first, broken, last] = [openResponse(), openResponse(), openResponse()]
  let sent = 0
  outbox.add(first, () => sent++)
  outbox.add(broken, () => {
    throw new Error('no')
  })
  outbox.add(last, () => sent++)
  await nextTurn()
  t.equal(sent, 2)
  t.strictSame(
    [first, broken, last].map(({ destroyed }) => destroyed),
    [false, true, false],
  )
})
