import { createClock } from '../../src/runtime/clock.ts'
import t from '../tap.ts'

t.test('the clock is finer than a millisecond, steady, and follows the system time', async (t) => {
  const time = { wallMs: 1_700_000_000_000, steadyMs: 50 }
  t.intercept(Date, 'now', { value: () => Math.floor(time.wallMs) })
  t.intercept(performance, 'now', { value: () => time.steadyMs })
  const nowUs = createClock()
  const pass = (ms: number) => {
    time.wallMs += ms
    time.steadyMs += ms
  }
  t.equal(nowUs(), 1_700_000_000_000_000)
  pass(0.25)
  t.equal(nowUs(), 1_700_000_000_000_250)
  pass(0.5)
  t.equal(nowUs(), 1_700_000_000_000_750)
  time.wallMs += 1.5
  t.equal(nowUs(), 1_700_000_000_000_750, 'not every small step of the other')
  for (const jumpMs of [-86_400_000, 2 * 86_400_000, 3600_000, 5]) {
    time.wallMs += jumpMs
    t.equal(nowUs(), Math.floor(time.wallMs) * 1000, `set by ${jumpMs} ms`)
  }
})
