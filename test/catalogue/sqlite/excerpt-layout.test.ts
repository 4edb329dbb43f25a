import t from 'tap'
import {
  clearSlot,
  draftOf,
  excerptSize,
  numberOf,
  readExcerpt,
  textOf,
  timesIn,
  writeSlots,
  writeTimes,
} from '../../../src/catalogue/sqlite/excerpt-layout.ts'
import type { Draft } from '../../../src/catalogue/sqlite/excerpt-layout.ts'
import { fc } from '../../random.ts'

interface Entry {
  readonly station: string
  readonly cohort: string
  readonly times: string
}

function write(draft: Draft, slot: number, { station, cohort, times }: Entry): void {
  writeSlots(draft, {
    slot,
    names: ['other0220.26d.gz', `${station}0220.26d.gz`],
    from: 1,
    codeLength: station.length,
    cohort: numberOf(draft, 'cohorts', cohort),
    times: numberOf(draft, 'times', times),
  })
}

/** The entries of a text by their slots, each as it was written. */
function entriesIn(text: string): (string | undefined)[] {
  const { slots, times, cohorts, isLive, cohortOf, timesOf, stationOf } = readExcerpt(text)
  return Array.from({ length: slots }, (_, slot) => {
    if (!isLive(slot)) return undefined
    return [stationOf(slot), cohorts[cohortOf(slot)], times[timesOf(slot)]].join()
  })
}

t.test('the lines of an excerpt', async (t) => {
  const draft = draftOf()
  const day = '17 _R_20260220000_01D_30S_MO.crx.gz'
  write(draft, 0, { station: 'FAA100BRA', cohort: day, times: '1769040000000000' })
  write(draft, 2, { station: 'ZIMM00CHE', cohort: day, times: '1769040000000000' })
  const times = '1769040000000001-1769050000000000'
  write(draft, 3, { station: 'graz', cohort: '18 0220.26d.gz', times })
  t.strictSame(textOf(draft)?.split('\n'), [
    '00FAA100BRA           00ZIMM00CHE11graz',
    '1769040000000000 1769040000000001-1769050000000000',
    day,
    '18 0220.26d.gz',
  ])
})

type Step =
  | { readonly does: 'write'; readonly slot: number; readonly entry: Entry }
  | { readonly does: 'modify'; readonly slot: number; readonly times: string }
  | { readonly does: 'clear'; readonly slot: number }
  | { readonly does: 'read again' }

const slot = fc.nat(excerptSize - 1)
const times = fc.nat().map(String)
const entry = fc.record({
  station: fc.constantFrom('graz', 'ZIMM00CHE', '0000', 'oooo99ZZZ'),
  cohort: fc
    .tuple(fc.nat(90), fc.constantFrom('0220.26d.gz', '_R_20260220000_01D_MN.rnx.gz'))
    .map((parts) => parts.join(' ')),
  times,
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ does: fc.constant('write' as const), slot, entry }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('modify' as const), slot, times }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('clear' as const), slot }) },
  { weight: 1, arbitrary: fc.constant({ does: 'read again' } as const) },
)

t.test('what was written last is what is read, however often', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const wanted = Array.from<Entry | undefined>({ length: excerptSize })
      let draft = draftOf()
      for (const step of steps) {
        if (step.does === 'read again') draft = draftOf(textOf(draft))
        else if (step.does === 'write') {
          write(draft, step.slot, step.entry)
          wanted[step.slot] = step.entry
        } else if (step.does === 'clear') {
          clearSlot(draft, step.slot)
          wanted[step.slot] = undefined
        } else {
          const before = wanted[step.slot]
          t.equal(timesIn(draft, step.slot), before?.times)
          if (before === undefined) continue
          writeTimes(draft, step.slot, numberOf(draft, 'times', step.times))
          wanted[step.slot] = { ...before, times: step.times }
        }
      }
      const last = wanted.findLastIndex((each) => each !== undefined)
      const text = textOf(draft)
      if (last < 0) t.equal(text, undefined)
      else {
        t.match(text, /^[\n -~]+$/)
        const { times, cohorts } = readExcerpt(text ?? '')
        const used = wanted.filter((each) => each !== undefined)
        t.equal(times.length, new Set(used.map((each) => each.times)).size, 'no unused times')
        t.equal(cohorts.length, new Set(used.map((each) => each.cohort)).size, 'nor cohorts')
        t.strictSame(
          entriesIn(text ?? ''),
          wanted
            .slice(0, last + 1)
            .map((each) => each && [each.station, each.cohort, each.times].join()),
        )
      }
      return t.passing()
    }),
  )
})
