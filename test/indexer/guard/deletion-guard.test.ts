import type { PersistedRemovals } from '../../../src/indexer/guard/deletion-guard.ts'
import { DeletionGuard } from '../../../src/indexer/guard/deletion-guard.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const minute = 60_000
const hour = 60 * minute

/** A guard of an archive with 10,000 files in each area. */
function open(persisted?: PersistedRemovals) {
  const guard = new DeletionGuard(persisted)
  const areaOf = (directory: string) =>
    directory.startsWith('obs') ? ('obs' as const) : ('nrt' as const)
  return {
    guard,
    /** Whether `count` files of a directory may be removed. */
    may: (directory: string, count: number, nowMs = 0, files = 10_000): boolean =>
      guard.requestRemoval({ directory, area: areaOf(directory), count, files, nowMs }),
    /** So many files of a directory were removed. */
    wrote: (directory: string, count: number, nowMs = 0): void => {
      const end = { atUs: 0, endSeconds: undefined, seq: guard.seq + count }
      guard.count([{ directory, area: areaOf(directory), count, ...end }], {}, nowMs)
    },
    withheld: () => [...guard.withheld()],
  }
}

t.test('few files may be removed at once, but not many files', async (t) => {
  const cases = [
    { title: 'the daily purge', count: 500, files: 10_000, may: true },
    { title: 'a fifth', count: 2000, files: 10_000, may: true },
    { title: 'more than a fifth', count: 2001, files: 10_000, may: false },
    { title: 'all of an area that is small', count: 1000, files: 1000, may: true },
    { title: 'all of one that is not', count: 1001, files: 1001, may: false },
  ]
  for (const { title, count, files, may } of cases)
    t.equal(open().may('obs/2026/001', count, 0, files), may, title)
})

t.test('removals within ten minutes are added up for each area', async (t) => {
  const { guard, may, wrote, withheld } = open()
  t.ok(may('obs/2026/001', 1500))
  wrote('obs/2026/001', 1500)
  t.notOk(may('obs/2026/002', 700, 9 * minute, 8500))
  t.ok(may('nrt/2026/002', 700, 9 * minute), 'the other area')
  t.ok(may('obs/2026/003', 100, 9 * minute, 8500), 'what still fits')
  wrote('obs/2026/003', 100, 9 * minute)
  t.same(withheld(), [['obs', 700]])
  t.notOk(may('obs/2026/002', 700, 11 * minute, 8400), 'waiting releases none')
  t.ok(may('obs/2026/004', 700, 11 * minute, 8400), 'the ten minutes are over')
  guard.markComplete('obs/2026/002')
  t.same(withheld(), [])
})

t.test('withheld removals are released', async (t) => {
  const openWithheld = () => {
    const opened = open()
    t.notOk(opened.may('obs/2026/001', 5000))
    t.notOk(opened.may('obs/2026/002', 4000))
    return opened
  }
  t.test('withheld removals are dropped when the files are back', async (t) => {
    const { guard, withheld } = openWithheld()
    guard.markComplete('obs/2026/001')
    t.same(withheld(), [['obs', 4000]])
  })
  t.test('withheld removals are released when the files are missing for hours', async (t) => {
    const { may } = openWithheld()
    t.notOk(may('obs/2026/001', 5000, 6 * hour))
    t.ok(may('obs/2026/001', 5000, 6 * hour + 1))
    t.ok(may('obs/2026/002', 4000, 6 * hour + 1))
  })
  t.test('confirmed removals do not count against the limit of others', async (t) => {
    const byTime = openWithheld()
    t.ok(byTime.may('obs/2026/001', 5000, 7 * hour))
    byTime.wrote('obs/2026/001', 5000, 7 * hour)
    t.ok(byTime.may('obs/2026/003', 1000, 7 * hour, 5000))
    const byAdministrator = openWithheld()
    byAdministrator.guard.permitWithheld(['obs'])
    t.ok(byAdministrator.may('obs/2026/001', 5000))
    byAdministrator.wrote('obs/2026/001', 5000)
    t.ok(byAdministrator.may('obs/2026/003', 1000, 1, 5000))
  })
  t.test('an administrator releases withheld removals once, and only where accepted', async (t) => {
    const { guard, may } = openWithheld()
    t.notOk(may('obs/2027', 3000))
    guard.permitWithheld(['obs/2026', 'nrt'])
    t.notOk(may('obs/2027', 3000), 'outside of what was accepted')
    t.ok(may('obs/2026/001', 5000))
    t.ok(may('obs/2026/001', 5000), 'also if they could not be written')
    guard.markComplete('obs/2026/001')
    t.notOk(may('obs/2026/001', 3000), 'what goes after it')
    guard.permitWithheld([])
    t.notOk(may('obs/2026/001', 3000), 'a rescan that accepts nothing')
    guard.permitWithheld(['obs/2026/001'])
    t.ok(may('obs/2026/001', 3000))
  })
})

t.test('removals of an earlier process are counted for ten minutes', async (t) => {
  const removed = [{ area: 'obs' as const, atMs: -4 * minute, count: 1500 }]
  const { guard, may, wrote } = open({ withheld: [], removed, seq: 7000 })
  t.equal(guard.seq, 7000)
  t.notOk(may('obs/2026/001', 501, 0, 8500))
  t.ok(may('obs/2026/002', 500, 0, 8500))
  wrote('obs/2026/002', 500)
  t.ok(may('nrt/2026/001', 2000), 'the other area')
  t.notOk(may('obs/2026/003', 1500, 5 * minute, 8000))
  t.ok(may('obs/2026/004', 1200, 7 * minute, 8000), 'they are over')
})

t.test(
  'within ten minutes, never more than the limit is removed without confirmation',
  async () => {
    const step = fc.record({
      directory: fc.nat(20),
      count: fc.integer({ min: 1, max: 5000 }),
      passedMs: fc.nat(5 * minute),
      written: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(100_000), (steps, start) => {
        const { may, wrote } = open()
        const removed: { atMs: number; count: number; filesBefore: number }[] = []
        let [files, nowMs] = [start, 0]
        for (const { directory, count, passedMs, written } of steps) {
          nowMs += passedMs
          const gone = Math.min(count, files)
          if (gone === 0 || !may(`obs/${directory}`, gone, nowMs, files) || !written) continue
          removed.push({ atMs: nowMs, count: gone, filesBefore: files })
          files -= gone
          wrote(`obs/${directory}`, gone, nowMs)
          const lately = removed.filter(({ atMs }) => atMs > nowMs - 10 * minute)
          const total = lately.reduce((sum, each) => sum + each.count, 0)
          const before = lately[0]?.filesBefore ?? 0
          if (total > Math.max(1000, 0.2 * before)) return false
        }
        return true
      }),
    )
  },
)
