/** What is known at once, and what is asked once in a turn of the event loop. */
import { setImmediate as turnsOver } from 'node:timers/promises'
import t from 'tap'
import { openTurnMemory, whenKnown } from '../../src/api/known.ts'
import type { Known } from '../../src/api/known.ts'

t.test('what is known is gone on with at once, the rest when it is', async (t) => {
  t.equal(
    whenKnown(1, (n) => n + 1),
    2,
  )
  const later = whenKnown(Promise.resolve(1), (n) => n + 1)
  t.ok(later instanceof Promise)
  t.equal(await later, 2)
})

t.test('what is asked once in a turn is known to who asks later in it', async (t) => {
  let asked = 0
  const ask = openTurnMemory()(() => Promise.resolve(++asked))
  const first = ask()
  t.equal(ask(), first, 'who asks meanwhile waits for the same')
  t.equal(await first, 1)
  t.equal(ask(), 1)
  await turnsOver()
  t.equal(await ask(), 2, 'another turn, another answer')
})

t.test('so is what is known without waiting, each question by itself', async (t) => {
  const oncePerTurn = openTurnMemory()
  const asked = { one: 0, other: 0 }
  const one = oncePerTurn(() => ++asked.one)
  const other = oncePerTurn(() => --asked.other)
  t.same([one(), other(), one(), other()], [1, -1, 1, -1])
  await turnsOver()
  t.same([other(), other(), one(), one()], [-2, -2, 2, 2])
})

t.test(
  'a question that fails is asked again in the next turn, or at once if it threw',
  async (t) => {
    const oncePerTurn = openTurnMemory()
    let asked = 0
    const rejects = oncePerTurn(() => {
      asked++
      return Promise.reject(new Error('away'))
    })
    await t.rejects(Promise.resolve(rejects()), /away/)
    await t.rejects(Promise.resolve(rejects()), /away/)
    t.equal(asked, 1)
    await turnsOver()
    await t.rejects(Promise.resolve(rejects()), /away/)
    t.equal(asked, 2)
    let isAway = true
    const throws = oncePerTurn((): Known<string> => {
      if (isAway) throw new Error('away')
      return 'here'
    })
    t.throws(throws, /away/)
    isAway = false
    t.equal(throws(), 'here')
  },
)
