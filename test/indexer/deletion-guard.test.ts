import t from '../tap.ts'
import { DeletionGuard } from '../../src/indexer/state/deletion-guard.ts'
import { fc } from '../random.ts'

const minute = 60_000
const hour = 60 * minute

/** All changes were written. */
const none: ReadonlySet<string> = new Set()

/** A request to remove `count` of an area's 10,000 files from one directory. */
const removal = (directory: string, count: number, nowMs = 0, files = 10_000) => ({
  directory,
  area: directory.startsWith('obs') ? ('obs' as const) : ('nrt' as const),
  count,
  files,
  nowMs,
})

t.test('few files may be removed at once, but not many files', async (t) => {
  const cases = [
    { title: 'the daily purge', count: 500, files: 10_000, may: true },
    { title: 'a fifth', count: 2000, files: 10_000, may: true },
    { title: 'more than a fifth', count: 2001, files: 10_000, may: false },
    { title: 'all of an area that is small', count: 1000, files: 1000, may: true },
    { title: 'all of one that is not', count: 1001, files: 1001, may: false },
  ]
  for (const { title, count, files, may } of cases)
    t.equal(
      new DeletionGuard().requestRemoval(removal('obs/2026/001', count, 0, files)),
      may,
      title,
    )
})

t.test('removals within ten minutes are added up for each area', async (t) => {
  const deletionGuard = new DeletionGuard()
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 1500)))
  deletionGuard.confirmWritten(none)
  t.notOk(deletionGuard.requestRemoval(removal('obs/2026/002', 700, 9 * minute, 8500)))
  t.ok(deletionGuard.requestRemoval(removal('nrt/2026/002', 700, 9 * minute)), 'the other area')
  t.ok(
    deletionGuard.requestRemoval(removal('obs/2026/003', 100, 9 * minute, 8500)),
    'what still fits',
  )
  deletionGuard.confirmWritten(none)
  t.same([...deletionGuard.withheld()], [['obs', 700]])
  t.notOk(
    deletionGuard.requestRemoval(removal('obs/2026/002', 700, 11 * minute, 8400)),
    'waiting releases none',
  )
  t.ok(
    deletionGuard.requestRemoval(removal('obs/2026/004', 700, 11 * minute, 8400)),
    'the ten minutes are over',
  )
  deletionGuard.markComplete('obs/2026/002')
  t.same([...deletionGuard.withheld()], [])
})

t.test('withheld removals are released', async (t) => {
  const withheld = () => {
    const deletionGuard = new DeletionGuard()
    t.notOk(deletionGuard.requestRemoval(removal('obs/2026/001', 5000)))
    t.notOk(deletionGuard.requestRemoval(removal('obs/2026/002', 4000)))
    return deletionGuard
  }
  t.test('withheld removals are dropped when the files are back', async (t) => {
    const deletionGuard = withheld()
    deletionGuard.markComplete('obs/2026/001')
    t.same([...deletionGuard.withheld()], [['obs', 4000]])
  })
  t.test('withheld removals are released when the files are missing for hours', async (t) => {
    const deletionGuard = withheld()
    t.notOk(deletionGuard.requestRemoval(removal('obs/2026/001', 5000, 6 * hour)))
    t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 5000, 6 * hour + 1)))
    t.ok(deletionGuard.requestRemoval(removal('obs/2026/002', 4000, 6 * hour + 1)))
  })
  t.test('confirmed removals do not count against the limit of others', async (t) => {
    const byTime = withheld()
    t.ok(byTime.requestRemoval(removal('obs/2026/001', 5000, 7 * hour)))
    byTime.confirmWritten(none)
    t.ok(byTime.requestRemoval(removal('obs/2026/003', 1000, 7 * hour, 5000)))
    const byAdministrator = withheld()
    byAdministrator.permitWithheld(['obs'])
    t.ok(byAdministrator.requestRemoval(removal('obs/2026/001', 5000)))
    byAdministrator.confirmWritten(none)
    t.ok(byAdministrator.requestRemoval(removal('obs/2026/003', 1000, 1, 5000)))
  })
  t.test('an administrator releases withheld removals once, and only where accepted', async (t) => {
    const deletionGuard = withheld()
    t.notOk(deletionGuard.requestRemoval(removal('obs/2027', 3000)))
    deletionGuard.permitWithheld(['obs/2026', 'nrt'])
    t.notOk(deletionGuard.requestRemoval(removal('obs/2027', 3000)), 'outside of what was accepted')
    t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 5000)))
    t.notOk(deletionGuard.requestRemoval(removal('obs/2026/001', 3000)), 'what goes after it')
    deletionGuard.permitWithheld([])
    t.notOk(
      deletionGuard.requestRemoval(removal('obs/2026/001', 3000)),
      'a rescan that accepts nothing',
    )
    deletionGuard.permitWithheld(['obs/2026/001'])
    t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 3000)))
  })
})

t.test('removals of an earlier process are counted for ten minutes', async (t) => {
  const removed = [{ area: 'obs' as const, atMs: -4 * minute, count: 1500 }]
  const deletionGuard = new DeletionGuard({ withheld: [], removed })
  t.notOk(deletionGuard.requestRemoval(removal('obs/2026/001', 501, 0, 8500)))
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/002', 500, 0, 8500)))
  t.ok(deletionGuard.requestRemoval(removal('nrt/2026/001', 2000)), 'the other area')
  deletionGuard.confirmWritten(none)
  t.notOk(deletionGuard.requestRemoval(removal('obs/2026/003', 1500, 5 * minute, 8000)))
  t.ok(
    deletionGuard.requestRemoval(removal('obs/2026/004', 1200, 7 * minute, 8000)),
    'they are over',
  )
})

t.test('permitted removals are counted before they are written', async (t) => {
  const deletionGuard = new DeletionGuard()
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 1900)))
  t.notOk(deletionGuard.requestRemoval(removal('obs/2026/002', 101)), 'the count is that of before')
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/003', 100)))
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
        const deletionGuard = new DeletionGuard()
        const removed: { atMs: number; count: number; filesBefore: number }[] = []
        let [files, counted, nowMs] = [start, start, 0]
        for (const { directory, count, passedMs, written } of steps) {
          nowMs += passedMs
          const gone = Math.min(count, files)
          if (
            gone === 0 ||
            !deletionGuard.requestRemoval(removal(`obs/${directory}`, gone, nowMs, counted))
          )
            continue
          removed.push({ atMs: nowMs, count: gone, filesBefore: files })
          files -= gone
          if (written) {
            deletionGuard.confirmWritten(none)
            counted = files
          }
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

t.test('removals that could not be written are not counted', async (t) => {
  const deletionGuard = new DeletionGuard()
  for (let attempt = 0; attempt < 10; attempt++) {
    t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 1500)), 'they do not add up')
    deletionGuard.confirmWritten(new Set(['obs/2026/001']))
  }
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 1500)))
  deletionGuard.confirmWritten(new Set(['obs/2026/003']))
  deletionGuard.confirmWritten(new Set(['obs/2026/001']))
  t.notOk(
    deletionGuard.requestRemoval(removal('obs/2026/002', 1500, 1, 8500)),
    'what was written counts',
  )
  deletionGuard.permitWithheld(['obs'])
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/002', 1500, 2, 8500)))
  deletionGuard.confirmWritten(new Set(['obs/2026/002']))
  t.same([...deletionGuard.withheld()], [['obs', 1500]], 'they are withheld again')
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/002', 1500, 3, 8500)), 'and still accepted')
})

t.test('removals that are written in parts count as far as they were written', async (t) => {
  const deletionGuard = new DeletionGuard()
  const left = (count: number) => new Map([['obs/2026/001', count]])
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 1800)))
  deletionGuard.confirmWritten(none, left(1000))
  deletionGuard.confirmWritten(new Set(['obs/2026/001']), left(500))
  // 800 were removed, so 1,200 of the first 10,000 files may follow.
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 1000, 1, 9200)), 'the rest, again')
  deletionGuard.confirmWritten(none)
  t.notOk(deletionGuard.requestRemoval(removal('obs/2026/002', 201, 2, 8200)))
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/003', 200, 3, 8200)))
})

t.test('accepted removals stay accepted until their last part is written', async (t) => {
  const deletionGuard = new DeletionGuard()
  t.notOk(deletionGuard.requestRemoval(removal('obs/2026/001', 9000)))
  deletionGuard.permitWithheld(['obs'])
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 9000)))
  deletionGuard.confirmWritten(none, new Map([['obs/2026/001', 4000]]))
  deletionGuard.confirmWritten(new Set(['obs/2026/001']))
  t.ok(deletionGuard.requestRemoval(removal('obs/2026/001', 4000, 1, 5000)))
})
