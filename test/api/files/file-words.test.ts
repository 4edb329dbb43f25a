/** What the pages say of a file in words. */
import {
  arrivalSentence,
  dataWords,
  faultWord,
  kindWords,
  otherFlags,
  startWords,
  trustSentence,
} from '../../../src/api/files/file-words.ts'
import type { Problem } from '../../../src/catalogue/filter.ts'
import { parseFilename } from '../../../src/parse/filename.ts'
import type { Facts, FlagName } from '../../../src/rinex/facts.ts'
import t from '../../tap.ts'

const named = (name: string) => {
  const parsed = parseFilename(name)
  if (parsed.kind !== 'parsed') throw new Error(name)
  return parsed
}

t.test('what a file has: type, period and interval, and which time', async (t) => {
  for (const [name, kind, start, data] of [
    [
      'GRAZ00AUT_R_20263280000_01D_30S_MO.crx.gz',
      'observation, day, 30 s',
      '24 Nov 2026 (328)',
      'observations, whole day 24 Nov 2026 (328)',
    ],
    [
      'GRAZ00AUT_R_20263310000_01H_01S_MO.crx.gz',
      'observation, hour, 1 s',
      '27 Nov 2026 (331) 00:00',
      'observations, the hour 00–01 of 27 Nov 2026 (331)',
    ],
    [
      'GRAZ00AUT_R_20263312300_01H_MN.rnx.gz',
      'navigation, hour',
      '27 Nov 2026 (331) 23:00',
      'navigation, the hour 23–24 of 27 Nov 2026 (331)',
    ],
    [
      'GRAZ00AUT_R_20263311345_15M_20Z_MO.crx.gz',
      'observation, 15 min, 20 Hz',
      '27 Nov 2026 (331) 13:45',
      'observations, 13:45–14:00 of 27 Nov 2026 (331)',
    ],
    [
      'HOFN00ISL_R_20263311800_06H_30S_MO.crx.gz',
      'observation, 6 hours, 30 s',
      '27 Nov 2026 (331) 18:00',
      'observations, 18:00–24:00 of 27 Nov 2026 (331)',
    ],
    [
      'HOFN00ISL_R_20263312000_06H_05M_MM.rnx.gz',
      'meteorological, 6 hours, 5 min',
      '27 Nov 2026 (331) 20:00',
      'meteorological data, 6 hours from 27 Nov 2026 (331) 20:00',
    ],
    [
      'GRAZ00AUT_R_20263310000_07D_MN.rnx.gz',
      'navigation, 7 days',
      '27 Nov 2026 (331)',
      'navigation, 7 days from 27 Nov 2026 (331)',
    ],
    [
      'graz3310.26d.gz',
      'observation, day',
      '27 Nov 2026 (331)',
      'observations, whole day 27 Nov 2026 (331)',
    ],
    [
      'graz3311.26o.gz',
      'observation, unspecified',
      '27 Nov 2026 (331)',
      'observations, from 27 Nov 2026 (331)',
    ],
  ] as const) {
    t.equal(kindWords(named(name)), kind)
    t.equal(startWords(named(name)), start, name)
    t.equal(dataWords(named(name)), data)
  }
})

t.test('whether one can trust a file', async (t) => {
  const of = (problem: Problem | undefined, isHashed: boolean, more = {}) =>
    trustSentence({
      problem,
      isHashed,
      size: 131_367,
      isWaiting: false,
      sizesBeside: [299_800, 190_200],
      ...more,
    })
  t.match(of(undefined, true), /^Complete: /)
  t.notMatch(of(undefined, true), 'neighbours')
  t.match(of(undefined, false), /not known whether it is complete\.$/)
  t.match(of(undefined, false, { isWaiting: true }), /complete; it is in the queue\.$/)
  const size = 'It has 131 kB, its neighbours 190 to 300 kB. '
  t.match(of('incomplete', true), new RegExp(`^Incomplete: .* has no end. ${size}`))
  t.match(of('broken', true), new RegExp(`^Damaged: .* before its end. ${size}`))
  t.match(of('misplaced', true), /^Misplaced: .*\. The date in its name counts. Complete: /)
  t.match(of('misplaced', false), /^Misplaced: .* of another date\. .* Not read /)
  for (const [sizesBeside, words] of [
    [[], /It has 131 kB\. /],
    [[190_000], ', its neighbour 190 kB. '],
    [[190_000, 190_100], ', its neighbours 190 kB. '],
    [[990_000, 2_000_000], ', its neighbours 990 kB to 2.0 MB. '],
  ] as const)
    t.match(of('broken', true, { sizesBeside }), words)
})

t.test('a file without a byte is empty, whatever else is known of it', async (t) => {
  const empty = {
    size: 0,
    isHashed: true,
    isWaiting: false,
    sizesBeside: [1000, 2000],
  }
  for (const problem of [undefined, 'incomplete', 'broken'] as const) {
    const sentence = trustSentence({ ...empty, problem })
    t.match(sentence, /^Empty: it has 0 bytes, its neighbours 1.0 to 2.0 kB\. /)
    t.notMatch(sentence, /checksum|end/)
    t.equal(faultWord({ size: 0, problem }), 'empty')
  }
  t.equal(faultWord({ size: 1, problem: 'broken' }), 'damaged')
  t.equal(faultWord({ size: 1, problem: undefined }), undefined)
})

t.test('what is inside a file decides whether one can trust it', async (t) => {
  const of = (
    facts: Facts | null,
    damaging: readonly FlagName[] = [],
    problem: Problem | undefined = damaging.length > 0 ? 'broken' : undefined,
  ) => ({
    facts,
    damaging,
    problem,
    size: 131_367,
    isHashed: true,
    isWaiting: false,
    sizesBeside: [],
  })
  const whole = { epochs: 2880, expected_epochs: 2880, share: 1, flags: [] }
  const known = 'Complete: it was read to its end, its checksum is known'
  t.equal(trustSentence(of(whole)), `${known}, and it holds 2,880 of 2,880 epochs.`)
  t.match(trustSentence(of(null)), /^Complete: .* is known\.$/)
  t.match(trustSentence(of({ flags: [] })), /^Complete: .* is known\.$/)
  const [cut, short, marker] = [
    { flag: 'cut', says: 'the text ends within a line' },
    { flag: 'short', says: '19 of 120 epochs, 15.8 %' },
    { flag: 'marker', says: 'the name says GRAZ, the marker is WTZR' },
  ] as const
  const odd = of({ epochs: 19, expected_epochs: 120, flags: [short, marker] })
  t.match(trustSentence(odd), /^Read to its end, .* not all is as it should be:$/)
  t.strictSame(otherFlags(odd), [short, marker])
  const damaged = of({ epochs: 19, flags: [cut, short] }, ['cut'])
  t.match(trustSentence(damaged), /^Damaged: the text ends within a line\. It has 131 kB\. Fetch/)
  t.strictSame(otherFlags(damaged), [short], 'the sentence says the other one')
  const configured = of({ flags: [cut, short] }, ['short'])
  t.match(trustSentence(configured), /^Damaged: 19 of 120 epochs, 15\.8 %\. /)
  t.strictSame(otherFlags(configured), [cut], 'another configuration')
  t.match(trustSentence(of(null, [], 'broken')), /^Damaged: the content is damaged before its end/)
  const stale = { ...of(null, [], 'broken'), isHashed: false }
  t.match(trustSentence(stale), /^Damaged: what is inside cannot be used\./)
  t.equal(faultWord(damaged), 'damaged')
  t.equal(faultWord(odd), undefined)
})

t.test('the arrival of a file after its period', async (t) => {
  const startSeconds = 1_769_040_000
  const mtimeUs = 1_769_058_367_000_008
  const of = (seconds: number, spanSeconds: number | undefined) =>
    arrivalSentence(
      { arrivalUs: (startSeconds + seconds) * 1e6 + 518_203, mtimeUs },
      { startSeconds, spanSeconds },
    )
  t.match(of(3642, 3600), 'It arrived 42 s after the end of its hour, 22 Jan 2026 01:00 UTC.')
  t.match(of(3600 + 4380, 3600), 'It arrived 73 min after the end of its hour')
  t.match(of(86_400 + 20_400, 86_400), /^It arrived 5 h 40 min.* after the end of its day/)
  t.match(of(900 + 5, 900), 'It arrived 5 s after the end of its 15 minutes')
  t.match(of(0, 3600), 'It arrived 60 min before the end of its hour')
  t.match(of(4000, 7200), 'It arrived 53 min before the end of its period')
  t.equal(of(60, undefined), 'It arrived 22 Jan 2026 00:01 UTC.')
  t.equal(
    arrivalSentence({ arrivalUs: undefined, mtimeUs }, { startSeconds, spanSeconds: 3600 }),
    'It was found, not seen arriving; the file itself is of 22 Jan 2026 05:06 UTC.',
  )
})
