/** When the stamp of a directory is sure, with a file system whose clock is not ours. */
import type { Judgement } from '../../../src/indexer/state/sure-stamps.ts'
import { longestTickMs } from '../../../src/indexer/state/sure-stamps.ts'
import { confirmMs, SureStamps } from '../../../src/indexer/state/sure-stamps.ts'
import { stamp } from '../../catalogue/catalogue.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const path = 'obs/2026/001'
const changed = { ...stamp, mtimeUs: 7 }
const named = { ...stamp, namesSum: 7 }

/** Reads at these seconds, with what each must say; the catalogue stores each sure stamp. */
type Reads = readonly [
  seconds: number,
  seen: typeof stamp | undefined,
  expected: Partial<Omit<Judgement, 'againMs'>> & { readonly againS?: number },
][]

const cases: { title: string; stored?: typeof stamp; reads: Reads }[] = [
  {
    title: 'a stamp is sure when it is seen again three seconds later',
    reads: [
      [0, stamp, { againS: 3 }],
      [2.9, stamp, { againS: 3, isRepeated: true }],
      [3, stamp, { stamp }],
      [3.1, stamp, { stamp }],
    ],
  },
  {
    title: 'a read that finds another stamp begins anew',
    stored: stamp,
    reads: [
      [0, stamp, { stamp }],
      [10, changed, { againS: 13 }],
      [12, { ...changed, namesSum: 8 }, { againS: 15 }],
      [13, { ...changed, namesSum: 8 }, { againS: 15, isRepeated: true }],
      [15, { ...changed, namesSum: 8 }, { stamp: { ...changed, namesSum: 8 } }],
    ],
  },
  {
    title: 'a directory that differs at each look is looked at less and less often',
    reads: [
      [0, { ...stamp, inode: 10 }, { againS: 3 }],
      [3, { ...stamp, inode: 11 }, { againS: 9 }],
      [9, { ...stamp, inode: 12 }, { againS: 21 }],
      [21, { ...stamp, inode: 13 }, { againS: 45 }],
      [45, { ...stamp, inode: 14 }, { againS: 93 }],
      [93, { ...stamp, inode: 15 }, { againS: 153 }],
      [153, { ...stamp, inode: 16 }, { againS: 213 }],
      [160, { ...stamp, inode: 17 }, { againS: 163 }],
    ],
  },
  {
    title: 'other names under the times of a sure stamp, twice: the times tell nothing',
    stored: stamp,
    reads: [
      [0, named, { againS: 3 }],
      [3, named, { stamp: named, isSilent: true }],
      [4, named, { stamp: named }],
    ],
  },
  {
    title: 'the same if the stamp has become sure in this process',
    reads: [
      [0, stamp, { againS: 3 }],
      [3, stamp, { stamp }],
      [10, named, { againS: 13 }],
      [13, named, { stamp: named, isSilent: true }],
    ],
  },
  {
    title: 'they also tell nothing while names go on changing',
    stored: stamp,
    reads: [
      [0, named, { againS: 3 }],
      [3, { ...stamp, namesSum: 8 }, { againS: 9, isSilent: true }],
    ],
  },
  {
    title: 'times that came from a cache, or a file that came while the names were read',
    stored: stamp,
    reads: [
      [0, named, { againS: 3 }],
      [3, { ...named, mtimeUs: 7 }, { againS: 9 }],
      [9, { ...named, mtimeUs: 7 }, { stamp: { ...named, mtimeUs: 7 } }],
    ],
  },
  {
    title: 'a directory without a stamp is not looked at again',
    stored: stamp,
    reads: [
      [0, changed, { againS: 3 }],
      [1, undefined, {}],
    ],
  },
]

t.test('a stamp is judged', async (t) => {
  for (const { title, reads, stored } of cases) {
    const stamps = new SureStamps()
    let sure: typeof stamp | undefined = stored
    for (const [seconds, seen, { againS, ...expected }] of reads) {
      const ms = seconds * 1000
      const read = { stamp: seen, stored: sure, requestedMs: ms, nowMs: ms, isOld: false }
      const judged = stamps.judge(path, read)
      t.strictSame(
        judged,
        {
          stamp: undefined,
          isRepeated: false,
          isSilent: false,
          againMs: againS === undefined ? undefined : againS * 1000,
          ...expected,
        },
        `${title}: ${seconds} s`,
      )
      t.strictSame(stamps.awaited(path), againS === undefined ? undefined : seen)
      sure = judged.stamp
    }
  }
})

t.test('a walk takes an old stamp for sure, but not one that was seen to change', async (t) => {
  const stamps = new SureStamps()
  const read = { stamp, stored: undefined, requestedMs: 0, nowMs: 0, isOld: true }
  t.match(stamps.judge(path, read), { stamp, againMs: undefined })
  t.match(stamps.judge(path, { ...read, stored: changed }), { stamp: undefined, againMs: 3000 })
  t.match(stamps.judge(path, read), { stamp: undefined, isRepeated: true })
})

t.test(
  'a sure stamp that is not stored, as a part was left out, is no longer awaited',
  async (t) => {
    const stamps = new SureStamps()
    const at = (ms: number) => ({
      stamp,
      stored: undefined,
      requestedMs: ms,
      nowMs: ms,
      isOld: false,
    })
    stamps.judge(path, at(0))
    for (const ms of [3000, 4000, 90_000]) {
      t.match(stamps.judge(path, at(ms)), { stamp, againMs: undefined }, `${ms}`)
      t.equal(stamps.awaited(path), undefined, 'each sweep reads it')
    }
  },
)

t.test('whatever the clock and the ticks of a file system, no change is overlooked', async () => {
  const laterMs: number = confirmMs
  t.ok(laterMs > longestTickMs, 'the tick is over by then')
  /** What happens, and the time until then (ms). */
  const event = fc.record({
    what: fc.constantFrom('change', 'read', 'sweep'),
    afterMs: fc.oneof(fc.nat(40), fc.nat(4000)),
  })
  const setting = fc.record({
    tickMs: fc.constantFrom(1, 10, 1000, longestTickMs),
    skewMs: fc.integer({ min: -86_400_000, max: 86_400_000 }),
    events: fc.array(event, { minLength: 1, maxLength: 60 }),
  })
  fc.assert(
    fc.property(setting, ({ tickMs, skewMs, events }) => {
      const stamps = new SureStamps()
      let [nowMs, dueMs, names] = [1e9, Infinity, 0]
      let [mtimeMs, known] = [0, -1]
      let stored: typeof stamp | undefined
      const look = () => ({ mtimeUs: mtimeMs, ctimeUs: mtimeMs, inode: 1, namesSum: names })
      const read = () => {
        known = names
        const at = { requestedMs: nowMs, nowMs, isOld: false }
        const judged = stamps.judge(path, { stamp: look(), stored, ...at })
        stored = judged.stamp
        dueMs = judged.againMs ?? Infinity
      }
      const runUntil = (ms: number) => {
        while (dueMs <= ms) {
          nowMs = Math.max(nowMs, dueMs)
          read()
        }
        nowMs = ms
      }
      const sweep = () => {
        const expected = stamps.awaited(path) ?? stored
        const { mtimeUs } = look()
        if (expected?.mtimeUs !== mtimeUs) read()
      }
      for (const { what, afterMs } of events) {
        runUntil(nowMs + afterMs)
        if (what === 'read') read()
        else if (what === 'sweep') sweep()
        else {
          names++
          mtimeMs = Math.floor((nowMs + skewMs) / tickMs) * tickMs
        }
      }
      // Without further changes, the next sweeps and the reads after them find everything.
      sweep()
      runUntil(nowMs + 200_000)
      return known === names && stored?.namesSum === names
    }),
    { numRuns: 20_000 },
  )
})
