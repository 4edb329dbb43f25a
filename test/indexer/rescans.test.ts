import type { ScanResult } from '../../src/indexer/mark/scan-progress.ts'
import { Rescans } from '../../src/indexer/rescans.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'
import { emptyScan, memoryLogger, moment } from './parts.ts'

const plain = { path: undefined, acceptRemovals: false }

/** Rescans whose scans are ended by the test. */
function openOrders(result: Partial<ScanResult> = {}) {
  const scans: { roots: readonly string[]; end: (error?: Error) => void }[] = []
  const accepted: string[] = []
  const errors: unknown[] = []
  const { logger, lines } = memoryLogger()
  const scan = (roots: readonly string[]) =>
    new Promise<ScanResult>((resolve, reject) => {
      const end = (error?: Error) => {
        if (error === undefined)
          resolve({
            summary: emptyScan,
            started: moment(0),
            archiveRead: true,
            written: true,
            ...result,
          })
        else reject(error)
      }
      scans.push({ roots, end })
    })
  const rescans = new Rescans(
    {
      layout: defaultLayout,
      deletionGuard: { permitWithheld: (roots) => accepted.push(roots.join()) },
      logger,
      onFailure: (error) => errors.push(error),
    },
    { scan },
  )
  return { rescans, scans, accepted, errors, lines }
}

t.test('one rescan runs, one rescan waits, and later orders are merged into it', async (t) => {
  const { rescans, scans, accepted } = openOrders()
  t.same(rescans.numbers, { running: undefined, waiting: undefined, done: 0 })
  t.same(rescans.order({ ...plain, path: 'obs/2020' }), { number: 1, place: 'running' })
  t.same(rescans.order({ ...plain, path: 'obs/2021/001' }), { number: 2, place: 'waiting' })
  t.same(rescans.order({ ...plain, path: 'obs/2021' }), { number: 2, place: 'merged' })
  t.same(rescans.order({ ...plain, path: 'nrt', acceptRemovals: true }), {
    number: 2,
    place: 'merged',
  })
  t.same(rescans.numbers, { running: 1, waiting: 2, done: 0 })
  scans[0]?.end()
  await until('the second runs', () => scans.length === 2)
  t.match(scans, exact([{ roots: ['obs/2020'] }, { roots: ['obs/2021', 'nrt'] }]))
  t.same(accepted, ['', 'nrt'], 'removals are accepted only where they were confirmed')
  t.same(rescans.numbers, { running: 2, waiting: undefined, done: 1 })
  scans[1]?.end()
  await until('all are done', () => rescans.numbers.done === 2)
  t.same(rescans.numbers, { running: undefined, waiting: undefined, done: 2 })
  t.same(rescans.order(plain), { number: 3, place: 'running' })
  t.same(scans[2]?.roots, ['obs', 'nrt'])
})

t.test('a failed rescan is reported', async (t) => {
  const { rescans, scans, errors } = openOrders()
  rescans.order(plain)
  scans[0]?.end(new Error('broken'))
  await until('it is reported', () => errors.length > 0)
  t.equal(errors.length, 1)
})

t.test('the end of a rescan is logged with its changes', async (t) => {
  const counts = { directories: 5, files: 4, added: 3, modified: 2, removed: 1 }
  const changed = { summary: { startedUs: 0, endedUs: 2_500_000, ...counts } }
  const cases = [
    { result: changed, level: 30, msg: 'rescan ended' },
    {
      result: { ...changed, written: false },
      level: 40,
      msg: 'rescan ended: some changes could not be written and are tried again',
    },
    {
      result: { ...changed, archiveRead: false },
      level: 40,
      msg: 'rescan ended: the archive could not be read',
    },
  ]
  for (const { result, ...expected } of cases) {
    const { rescans, scans, lines } = openOrders(result)
    rescans.order(plain)
    scans[0]?.end()
    await until('the end is logged', () => lines.length > 0)
    const fields = { rescan: 1, paths: ['obs', 'nrt'], ...counts, seconds: 2.5 }
    t.match(lines, exact([{ ...fields, ...expected }]))
    const [, problem = null] = expected.msg.split(': ')
    t.strictSame(rescans.outcome(1), { added: 3, modified: 2, removed: 1, problem })
    t.equal(rescans.outcome(2), undefined, 'another has not ended')
    t.strictSame(rescans.ended, [
      {
        number: 1,
        paths: ['obs', 'nrt'],
        pathCount: 2,
        acceptedRemovals: false,
        startedUs: 0,
        endedUs: 2_500_000,
        added: 3,
        modified: 2,
        removed: 1,
        problem,
      },
    ])
  }
  const { rescans, scans, lines } = openOrders({ archiveRead: false })
  rescans.order({ ...plain, path: 'obs/2020' })
  scans[0]?.end()
  await until('the end is logged', () => lines.length > 0)
  t.match(lines, exact([{ msg: 'rescan ended', paths: ['obs/2020'] }]), 'a part of an area')
})

t.test('the outcomes of the last thousand rescans are remembered', async (t) => {
  const { rescans, scans } = openOrders()
  for (let number = 1; number <= 1001; number++) {
    rescans.order(plain)
    scans[number - 1]?.end()
    // The end of a scan is told in promises.
    while (rescans.numbers.done < number) await Promise.resolve()
  }
  t.equal(rescans.outcome(1), undefined)
  t.match(rescans.outcome(2), { problem: null })
  t.match(rescans.outcome(1001), { problem: null })
})

t.test('the last ten rescans are remembered, and ten directories of each', async (t) => {
  const { rescans, scans } = openOrders()
  for (let number = 1; number <= 12; number++) {
    rescans.order({ ...plain, path: `obs/${2000 + number}`, acceptRemovals: number === 12 })
    scans[number - 1]?.end()
    await until('it has ended', () => rescans.numbers.done === number)
  }
  t.strictSame(
    rescans.ended.map(({ number }) => number),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  )
  t.match(rescans.ended[0], { paths: exact(['obs/2012']), pathCount: 1, acceptedRemovals: true })
  rescans.order({ ...plain, path: 'obs/1999' })
  for (let year = 2001; year <= 2015; year++) rescans.order({ ...plain, path: `obs/${year}` })
  scans[12]?.end()
  await until('the others run', () => scans.length === 14)
  scans[13]?.end()
  await until('they have ended', () => rescans.numbers.done === 14)
  t.match(rescans.ended[0], { number: 14, pathCount: 15 })
  t.equal(rescans.ended[0]?.paths.length, 10)
})
