/** What one address may have under way: by requests that are begun and closed by hand. */
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import { ClientLimits } from '../../../src/api/connections/client-limits.ts'
import { until } from '../wire.ts'

const requestOf = (address: string) => ({ address }) as unknown as FastifyRequest
const openShares = () =>
  new ClientLimits((request) => (request as unknown as { address: string }).address)

/** A response that closes when it is told to. */
function respond() {
  const raw = Object.assign(new EventEmitter(), { destroyed: false })
  const close = (): void => {
    raw.destroyed = true
    raw.emit('close')
  }
  return { reply: { raw } as unknown as FastifyReply, close }
}

/** Asks for so many pages; counts those whose turn has come, and those that were refused. */
function askPages(shares: ClientLimits, address: string, count: number) {
  const state = { begun: 0, refused: 0 }
  const responses = Array.from({ length: count }, () => {
    const response = respond()
    shares.page(requestOf(address), response.reply).then(
      () => state.begun++,
      () => state.refused++,
    )
    return response
  })
  return { state, responses }
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

t.test('an address has eight pages at a time, each in a turn of its own', async (t) => {
  const shares = openShares()
  const { state, responses } = askPages(shares, 'a', 20)
  for (let turn = 0, before = 0; turn < 40; turn++) {
    await nextTurn()
    t.ok(state.begun - before <= 1, 'no two in one turn')
    before = state.begun
  }
  t.equal(state.begun, 8)
  const other = askPages(shares, 'b', 1)
  await until(() => other.state.begun === 1, 'another address has its own')
  responses[0]?.close()
  await until(() => state.begun === 9, 'the next follows one that was sent')
  t.equal(state.refused, 0)
  for (const { close } of responses) close()
})

t.test('connections that arrive are accepted before the next page is made', async (t) => {
  const shares = openShares()
  const server = new EventEmitter()
  shares.watch(server as unknown as Server)
  const { state } = askPages(shares, 'a', 2)
  for (let turn = 0; turn < 50; turn++) {
    server.emit('connection')
    await nextTurn()
  }
  t.equal(state.begun, 0, 'a page waits while each turn accepts one')
  await until(() => state.begun === 2, 'and is made when none comes')
  const flooded = askPages(shares, 'b', 1)
  for (let turn = 0; turn < 110; turn++) {
    server.emit('connection')
    await nextTurn()
  }
  t.equal(flooded.state.begun, 1, 'or after a hundred')
})

t.test('who leaves gives up the place, and nothing is made for it', async () => {
  const shares = openShares()
  const { state, responses } = askPages(shares, 'a', 20)
  await until(() => state.begun === 8, 'eight are made')
  for (const { close } of responses.slice(8, 15)) close()
  await until(() => state.refused === 7, 'those that waited have left')
  for (const { close } of responses.slice(0, 8)) close()
  await until(() => state.begun === 13, 'the others follow')
  for (const { close } of responses.slice(15)) close()
  const again = askPages(shares, 'a', 8)
  await until(() => again.state.begun === 8, 'all places are free again')
})

t.test('all addresses together have eighty', async (t) => {
  const shares = openShares()
  const all = Array.from({ length: 11 }, (_, n) => askPages(shares, `address ${n}`, 8))
  const begun = () => all.reduce((sum, { state }) => sum + state.begun, 0)
  await until(() => begun() === 80, 'so many are made')
  await turns(100)
  t.equal(begun(), 80)
  for (const { responses } of all) for (const { close } of responses) close()
})

t.test('streams and waits are refused at once, and counted by themselves', async (t) => {
  const shares = openShares()
  const request = requestOf('a')
  const [streams, waits] = [4, 16].map((count) => Array.from({ length: count }, respond))
  for (const { reply } of streams ?? []) shares.stream(request, reply)
  for (const { reply } of waits ?? []) shares.wait(request, reply)
  t.throws(() => {
    shares.stream(request, respond().reply)
  }, /whole lists/)
  t.throws(() => {
    shares.wait(request, respond().reply)
  }, /waiting for changes/)
  shares.stream(requestOf('b'), respond().reply)
  streams?.[0]?.close()
  shares.stream(request, respond().reply)
  const gone = respond()
  gone.close()
  for (let n = 0; n < 20; n++) shares.wait(requestOf('c'), gone.reply)
  t.pass('a response that is closed already holds nothing')
})
