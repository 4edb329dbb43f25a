/** Limits of one address, with fake requests. */
import { EventEmitter } from 'node:events'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import t from '../../tap.ts'
import { ClientLimits } from '../../../src/api/connections/client-limits.ts'
import { Turns } from '../../../src/api/connections/client-limits.ts'
import { until } from '../../until.ts'

const requestOf = (address: string) => ({ address }) as unknown as FastifyRequest
const openLimits = (waitMs?: number) =>
  new ClientLimits(
    (request) => (request as unknown as { address: string }).address,
    new Turns(),
    waitMs,
  )

/** A fake response with a function that closes it. */
function respond() {
  const raw = Object.assign(new EventEmitter(), { destroyed: false })
  const close = (): void => {
    raw.destroyed = true
    raw.emit('close')
  }
  return { reply: { raw } as unknown as FastifyReply, close }
}

/** Requests pages; counts those that may be made and those that were rejected. */
function requestPages(limits: ClientLimits, address: string, count: number) {
  const state = { started: 0, rejected: 0 }
  const responses = Array.from({ length: count }, () => {
    const response = respond()
    limits.page(requestOf(address), response.reply).then(
      () => state.started++,
      () => state.rejected++,
    )
    return response
  })
  return { state, responses }
}

const waitTicks = async (count: number): Promise<void> => {
  for (let tick = 0; tick < count; tick++) await nextTick()
}

t.test('one address may have eight pages in flight, each started in its own tick', async (t) => {
  const limits = openLimits()
  const { state, responses } = requestPages(limits, 'a', 20)
  for (let tick = 0, before = 0; tick < 40; tick++) {
    await nextTick()
    t.ok(state.started - before <= 1, 'no two in one tick')
    before = state.started
  }
  t.equal(state.started, 8)
  const other = requestPages(limits, 'b', 1)
  await until('another address has its own limit', () => other.state.started === 1)
  responses[0]?.close()
  await until('the next starts when one was sent', () => state.started === 9)
  t.equal(state.rejected, 0)
  for (const { close } of responses) close()
})

t.test('a client that leaves releases its permit, and no page is started for it', async () => {
  const limits = openLimits()
  const { state, responses } = requestPages(limits, 'a', 20)
  await until('eight have started', () => state.started === 8)
  for (const { close } of responses.slice(8, 15)) close()
  await until('the waiting ones have left', () => state.rejected === 7)
  for (const { close } of responses.slice(0, 8)) close()
  await until('the others start', () => state.started === 13)
  for (const { close } of responses.slice(15)) close()
  const again = requestPages(limits, 'a', 8)
  await until('all permits are free again', () => again.state.started === 8)
})

t.test('all addresses together may have eighty pages in flight', async (t) => {
  const limits = openLimits()
  const all = Array.from({ length: 11 }, (_, n) => requestPages(limits, `address ${n}`, 8))
  const started = () => all.reduce((sum, { state }) => sum + state.started, 0)
  await until('eighty have started', () => started() === 80)
  await waitTicks(100)
  t.equal(started(), 80)
  for (const { responses } of all) for (const { close } of responses) close()
})

t.test('a page has one time limit for both permits', async (t) => {
  const limits = openLimits(1000)
  const all = Array.from({ length: 10 }, (_, n) => requestPages(limits, `address ${n}`, 8))
  await until('no permit is free', () => all.every(({ state }) => state.started === 8))
  const rejected: string[] = []
  const request = (name: string, address: string): void => {
    limits.page(requestOf(address), respond().reply).catch(() => rejected.push(name))
  }
  request('first', 'address 0')
  const beganMs = performance.now()
  await until('some time', () => performance.now() - beganMs > 100)
  request('second', 'address 1')
  // The first now has a permit of its address, and waits for one of all addresses behind the third.
  request('third', 'new address')
  all[0]?.responses[0]?.close()
  await until('both are rejected', () => rejected.length >= 2)
  t.strictSame(rejected.slice(0, 2), ['first', 'second'])
})

t.test('streams and long polls above their own limits are rejected at once', async (t) => {
  const limits = openLimits()
  const request = requestOf('a')
  const [streams, waits] = [4, 16].map((count) => Array.from({ length: count }, respond))
  for (const { reply } of streams ?? []) limits.stream(request, reply)
  for (const { reply } of waits ?? []) limits.wait(request, reply)
  t.throws(() => limits.stream(request, respond().reply), /whole lists/)
  t.throws(() => limits.wait(request, respond().reply), /waiting for changes/)
  limits.stream(requestOf('b'), respond().reply)
  streams?.[0]?.close()
  limits.stream(request, respond().reply)
  const gone = respond()
  gone.close()
  for (let n = 0; n < 20; n++) limits.wait(requestOf('c'), gone.reply)
  t.pass('a closed response gets no permit')
})
