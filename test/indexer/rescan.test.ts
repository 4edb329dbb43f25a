import t from 'tap'
import type { ScanSummary } from '../../src/catalogue/records.ts'
import { openRescans } from '../../src/indexer/rescan.ts'
import { until } from './until.ts'

const summary: ScanSummary = {
  ...{ startedUs: 0, endedUs: 1, directories: 0, files: 0 },
  ...{ added: 0, modified: 0, removed: 0 },
}
const plain = { path: undefined, full: false, acceptRemovals: false }

/** Rescans whose scans are ended by the test. */
function openOrders() {
  const scans: { roots: readonly string[]; full: boolean; end: (error?: Error) => void }[] = []
  const accepted: string[] = []
  const errors: unknown[] = []
  const rescans = openRescans({
    scan: (roots, full) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => {
          if (error === undefined) resolve(summary)
          else reject(error)
        }
        scans.push({ roots, full, end })
      }),
    acceptRemovals: (roots) => accepted.push(roots.join()),
  })
  rescans.broken.catch((error: unknown) => errors.push(error))
  return { rescans, scans, accepted, errors }
}

t.test('one rescan runs, one waits, and later orders are merged into it', async (t) => {
  const { rescans, scans, accepted } = openOrders()
  t.same(rescans.numbers, { running: undefined, waiting: undefined, done: 0 })
  t.same(rescans.order({ ...plain, path: 'obs/2020' }), { number: 1, place: 'running' })
  t.same(rescans.order({ ...plain, path: 'obs/2021/001' }), { number: 2, place: 'waiting' })
  t.same(rescans.order({ ...plain, path: 'obs/2021', full: true }), { number: 2, place: 'merged' })
  t.same(rescans.order({ ...plain, path: 'nrt', acceptRemovals: true }), {
    ...{ number: 2, place: 'merged' },
  })
  t.same(rescans.numbers, { running: 1, waiting: 2, done: 0 })
  scans[0]?.end()
  await until(t, 'the second runs', () => scans.length === 2)
  t.match(scans, [
    { roots: ['obs/2020'], full: false },
    { roots: ['obs/2021', 'nrt'], full: true },
  ])
  t.same(accepted, ['', 'nrt'], 'removals are accepted only where they were confirmed')
  t.same(rescans.numbers, { running: 2, waiting: undefined, done: 1 })
  scans[1]?.end()
  await until(t, 'all are done', () => rescans.numbers.done === 2)
  t.same(rescans.numbers, { running: undefined, waiting: undefined, done: 2 })
  t.same(rescans.order(plain), { number: 3, place: 'running' })
  t.same(scans[2]?.roots, ['obs', 'nrt'])
})

t.test('a failed rescan is reported', async (t) => {
  const { rescans, scans, errors } = openOrders()
  rescans.order(plain)
  scans[0]?.end(new Error('broken'))
  await until(t, 'it is reported', () => errors.length === 1)
})
