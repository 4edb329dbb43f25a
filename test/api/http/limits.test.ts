import { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Turns } from '../../../src/api/connections/turns.ts'
import { ClientLimits, Semaphore } from '../../../src/api/http/limits.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { openService } from '../service.ts'
import { runEventLoop, startSlowly } from '../wire.ts'

/** An action, and the states of all callers after it: one letter each. */
type Step = readonly [action: 'acquire' | 'try' | 'release', states: string]

/**
 * By name: the number of permits, and the steps. `h` holds or held a permit, `w` waits, `r` got
 * none.
 */
const cases: Record<string, readonly [permits: number, ...(readonly Step[])]> = {
  'callers beyond the permits wait in order': [
    2,
    ...([
      ['acquire', 'h'],
      ['acquire', 'hh'],
      ['acquire', 'hhw'],
      ['acquire', 'hhww'],
      ['release', 'hhhw'],
      ['release', 'hhhh'],
    ] as const),
  ],
  'tryAcquire never waits': [
    1,
    ...([
      ['try', 'h'],
      ['try', 'hr'],
      ['acquire', 'hrw'],
      ['release', 'hrh'],
      ['try', 'hrhr'],
      ['release', 'hrhr'],
      ['try', 'hrhrh'],
    ] as const),
  ],
}

for (const [name, [permits, ...steps]] of Object.entries(cases))
  t.test(name, async (t) => {
    const semaphore = new Semaphore({ permits })
    const states: string[] = []
    for (const [action, expected] of steps) {
      const caller = states.length
      if (action === 'release') semaphore.release()
      else if (action === 'try') states.push(semaphore.tryAcquire() ? 'h' : 'r')
      else {
        states.push('w')
        void semaphore.acquire().then(() => (states[caller] = 'h'))
      }
      await runEventLoop()
      t.equal(states.join(''), expected, `${action} ${expected}`)
    }
  })

t.test('run releases its permit, also after an error', async (t) => {
  const semaphore = new Semaphore({ permits: 2 })
  let running = 0
  let maxRunning = 0
  const started: number[] = []
  const work = async (n: number) => {
    started.push(n)
    maxRunning = Math.max(maxRunning, ++running)
    await runEventLoop()
    running--
    if (n % 2 === 0) throw new Error(String(n))
    return n
  }
  const all = [1, 2, 3, 4, 5, 6]
  const results = await Promise.allSettled(all.map((n) => semaphore.run(() => work(n))))
  t.equal(maxRunning, 2)
  t.strictSame(started, all)
  t.strictSame(
    results.map(({ status }) => status),
    all.map((n) => (n % 2 === 0 ? 'rejected' : 'fulfilled')),
  )
  t.ok(semaphore.tryAcquire() && semaphore.tryAcquire() && !semaphore.tryAcquire())
})

t.test('a caller with a time limit stops waiting when the limit is over', async (t) => {
  const semaphore = new Semaphore({ permits: 1, full: () => new Error('none is free') })
  await semaphore.acquire()
  const waiting = semaphore.acquire()
  await t.rejects(semaphore.acquire(1), { message: 'none is free' })
  semaphore.release()
  await waiting
  t.notOk(semaphore.tryAcquire(), 'the first in the queue has the permit')
  semaphore.release()
  t.ok(semaphore.tryAcquire(), 'the caller that gave up has none')
})

t.test('a permit is held until the response is closed', async (t) => {
  const service = await openService(t)
  const semaphore = new Semaphore({ permits: 1, full: 'Too many at a time.' })
  let held = 0
  service.app.get('/hold', async (_request, reply) => {
    semaphore.holdFor(reply)
    held++
    reply.raw.write('x')
    return reply.hijack()
  })
  const port = await service.listen()
  const first = await startSlowly(port, '/hold')
  t.match(await service.app.inject('/hold'), {
    statusCode: 429,
    body: '{"detail":"Too many at a time."}',
  })
  first.destroy()
  await until('released after its client left', async () => {
    if (held === 1) (await startSlowly(port, '/hold')).destroy()
    return held === 2
  })
})

t.test('a client that has already left gets no permit', async (t) => {
  const service = await openService(t)
  const semaphore = new Semaphore({ permits: 1 })
  let step = 0
  service.app.get('/late', async (_request, reply) => {
    step++
    await until('the client leaves', () => reply.raw.destroyed)
    semaphore.holdFor(reply)
    step++
    return reply.hijack()
  })
  const port = await service.listen()
  const client = connect(port, '127.0.0.1')
  client.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n')
  await until('the request has arrived', () => step === 1)
  client.destroy()
  await until('after the client left', () => step === 2)
  t.ok(semaphore.tryAcquire())
})

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
