/** Turns of the event loop, without a server. */
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { setImmediate as nextTick } from 'node:timers/promises'
import { Turns } from '../../../src/api/connections/turns.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'

/** Takes turns for an address, and notes each that begins. */
function takeTurns(turns: Turns, address: string, count: number, begun: string[]): void {
  for (let n = 0; n < count; n++) void turns.take(address).then(() => begun.push(address))
}

t.test('one turn begins in each tick, and the addresses take turns', async (t) => {
  const turns = new Turns()
  const begun: string[] = []
  takeTurns(turns, 'a', 4, begun)
  takeTurns(turns, 'b', 2, begun)
  for (let tick = 0; begun.length < 3; tick++) {
    const before = begun.length
    await nextTick()
    t.ok(begun.length - before <= 1, `tick ${tick}`)
  }
  takeTurns(turns, 'c', 1, begun)
  await until('all have begun', () => begun.length === 7)
  t.equal(begun.join(''), 'ababaca', 'no address has two turns while another waits')
  takeTurns(turns, 'd', 1, begun)
  t.equal(begun.length, 7, 'a turn never begins at once')
  await until('but soon', () => begun.length === 8)
})

t.test('new connections are accepted before the next turn', async (t) => {
  const turns = new Turns()
  const server = new EventEmitter()
  turns.watch(server as unknown as Server)
  const begun: string[] = []
  const acceptInTicks = async (count: number): Promise<void> => {
    for (let tick = 0; tick < count; tick++) {
      server.emit('connection')
      await nextTick()
    }
  }
  takeTurns(turns, 'a', 2, begun)
  await acceptInTicks(50)
  t.equal(begun.length, 0, 'turns wait while each tick accepts a connection')
  await until('they begin when none arrives', () => begun.length === 2)
  takeTurns(turns, 'b', 1, begun)
  await acceptInTicks(110)
  t.equal(begun.length, 3, 'or after a hundred')
})

t.test('many requests of one tick take turns', async (t) => {
  const turns = new Turns()
  const begun: string[] = []
  const work = (address: string) => () => {
    begun.push(address)
    const endMs = performance.now() + 11
    while (performance.now() < endMs);
  }
  for (const address of ['a', 'a', 'a', 'a', 'b']) turns.start(address, work(address))
  t.equal(begun.join(''), 'a', 'after ten milliseconds no more')
  await until('all have begun', () => begun.length === 5)
  t.equal(begun.join(''), 'aabaa')
  turns.start('a', work('a'))
  t.equal(begun.length, 6, 'one in a later tick starts at once')
  await until('two begin in a tick that is not interrupted', () => {
    const [fresh, both] = [new Turns(), [] as string[]]
    for (const address of ['a', 'b']) fresh.start(address, () => both.push(address))
    return both.length === 2
  })
})
