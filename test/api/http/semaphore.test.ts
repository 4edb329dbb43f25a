import { connect } from 'node:net'
import t from '../../tap.ts'
import { Semaphore } from '../../../src/api/http/semaphore.ts'
import { openService } from '../service.ts'
import { runEventLoop, startSlowly } from '../wire.ts'
import { until } from '../../until.ts'

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
