import assert from 'node:assert/strict'
import { parseFilename } from '../../src/parse/filename.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const day = 86_400

t.test('all parts of a long name are parsed', async (t) => {
  t.strictSame(parseFilename('NYA100NOR_S_20240600730_15M_01S_MO.crx.gz'), {
    kind: 'parsed',
    version: 'r3',
    station: 'NYA100NOR',
    startSeconds: Date.UTC(2024, 1, 29, 7, 30) / 1000,
    duration: 'm',
    type: 'o',
    spanSeconds: 900,
    country: 'NOR',
    source: 'S',
    period: '15M',
    interval: '01S',
    content: 'MO',
    navigation: '',
  })
})

t.test('the interval of a long name may be absent', async (t) => {
  t.match(parseFilename('brdc00igs_r_20260220000_01d_mn.rnx.gz'), {
    station: 'BRDC00IGS',
    country: 'IGS',
    source: 'R',
    period: '01D',
    interval: '',
    content: 'MN',
  })
})

t.test('the period of a long name gives the duration and the length', async (t) => {
  const cases = [
    { period: '01M', duration: 'm', seconds: 60 },
    { period: '15M', duration: 'm', seconds: 900 },
    { period: '01H', duration: 'h', seconds: 3600 },
    { period: '06H', duration: 'h', seconds: 21_600 },
    { period: '41H', duration: 'h', seconds: 147_600 },
    { period: '01D', duration: 'd', seconds: day },
    { period: '07D', duration: 'd', seconds: 7 * day },
    { period: '01Y', duration: 'y', seconds: 366 * day },
    { period: '02Y', duration: 'y', seconds: (366 + 365) * day },
    { period: '05Y', duration: 'y', seconds: (366 + 3 * 365 + 366) * day },
    { period: '00U', duration: 'u', seconds: undefined },
    { period: '12U', duration: 'u', seconds: undefined },
  ]
  for (const { period, duration, seconds } of cases) {
    const name = `GRAZ00AUT_R_20240010000_${period}_30S_MO.rnx.gz`
    t.match(parseFilename(name), { period, duration, spanSeconds: seconds }, period)
  }
  t.match(
    parseFilename('GRAZ00AUT_R_20250010000_01Y_MN.rnx.gz'),
    { spanSeconds: 365 * day },
    'a common year',
  )
})

/** A correct value for each part, then wrong values with their reasons. */
const parts = ['GRAZ00AUT', 'R', '20260220000', '01D', '30S', 'MO']
const faults = [
  {
    part: 0,
    values: ['GRAZ00AU', 'GRAZ00AUTX', 'GRAZ0_AUT', 'GRAZA0AUT', ''],
    reason: 'bad-station',
  },
  { part: 0, values: ['GR-Z00AUT', 'GRAZ00A1T', 'GRÄZ00AUT', 'GRAZ00AUſ'], reason: 'bad-station' },
  { part: 1, values: ['X', 'r2', '_', '', '0', 'Ｒ'], reason: 'bad-source' },
  {
    part: 2,
    values: ['20260000000', '20263660000', '20263670000', '20269990000'],
    reason: 'bad-day',
  },
  { part: 2, values: ['20260222400', '20260229959'], reason: 'bad-hour' },
  { part: 2, values: ['20260220060', '20260222399'], reason: 'bad-minute' },
  {
    part: 2,
    values: ['2026022000', '202602200000', '2026022000A', '', '+2026022000'],
    reason: 'unknown-form',
  },
  {
    part: 3,
    values: ['00M', '00H', '00D', '00Y', '01S', '1D', '001D', 'D01', ''],
    reason: 'bad-period',
  },
  { part: 4, values: ['30Y', '3OS', '1S', '100Z', 'S30', '30', ''], reason: 'bad-frequency' },
  { part: 5, values: ['XO', 'OM', 'GM', 'MX', 'M', 'MON', '', 'M_', 'M0'], reason: 'bad-type' },
]

function withParts(changes: ReadonlyMap<number, string>): string {
  return `${parts.map((part, index) => changes.get(index) ?? part).join('_')}.rnx.gz`
}

t.test('the reason of a rejection names the wrong part of a long name', async (t) => {
  for (const { part, values, reason } of faults) {
    for (const value of values) {
      const name = withParts(new Map([[part, value]]))
      t.strictSame(parseFilename(name), { kind: 'rejected', reason }, name)
    }
  }
})

t.test('an underscore in the column of a part is a wrong character of this part', async (t) => {
  const cases = {
    'GRAZ00AUT_R_20260220000_01D__M.rnx.gz': 'bad-type',
    'GRAZ00AUT_R_20260220000_01D_3_S_MO.rnx.gz': 'bad-frequency',
    'GRAZ00AUT_R_20260220000_0_D_MO.rnx.gz': 'bad-period',
    '_RAZ00AUT_R_20260220000_01D_MO.rnx.gz': 'bad-station',
  }
  for (const [name, reason] of Object.entries(cases)) {
    t.strictSame(parseFilename(name), { kind: 'rejected', reason }, name)
  }
})

t.test('two wrong parts of a long name make its form unknown', async (t) => {
  for (const first of faults) {
    for (const second of faults.filter(({ part }) => part > first.part)) {
      const changes = [first, second].map(({ part, values }) => [part, values[0] ?? ''] as const)
      const name = withParts(new Map(changes))
      t.strictSame(parseFilename(name), { kind: 'rejected', reason: 'unknown-form' }, name)
    }
  }
  t.match(parseFilename('GRAZ00AUT_R_20263672460_01D_MN.rnx.gz'), { reason: 'unknown-form' })
})

const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const letters = fc.constantFrom(...alphabet)
const alphanumerics = fc.constantFrom(...alphabet, ...Array.from('0123456789'))
const twoDigits = (min: number, max: number) =>
  fc.integer({ min, max }).map((number) => String(number).padStart(2, '0'))

const anyParts = fc.record({
  station: fc
    .tuple(
      fc.string({ unit: alphanumerics, minLength: 4, maxLength: 4 }),
      twoDigits(0, 99),
      fc.string({ unit: letters, minLength: 3, maxLength: 3 }),
    )
    .map((strings) => strings.join('')),
  source: fc.constantFrom('R', 'S', 'U'),
  year: fc.integer({ min: 1900, max: 9999 }),
  dayOfYear: fc.integer({ min: 1, max: 365 }),
  hour: twoDigits(0, 23),
  minute: twoDigits(0, 59),
  period: fc.oneof(
    fc.tuple(twoDigits(1, 99), fc.constantFrom('M', 'H', 'D', 'Y', 'U')).map((p) => p.join('')),
    fc.constant('00U'),
  ),
  interval: fc.option(
    fc
      .tuple(twoDigits(0, 99), fc.constantFrom('C', 'Z', 'S', 'M', 'H', 'D', 'U'))
      .map((i) => i.join('')),
    { nil: undefined },
  ),
  content: fc.oneof(
    fc
      .tuple(fc.constantFrom(...Array.from('GREJCISM')), fc.constantFrom('O', 'N'))
      .map((c) => c.join('')),
    fc.constant('MM'),
  ),
  format: fc.constantFrom('rnx', 'crx'),
})

function secondsOf(period: string, year: number): number | undefined {
  const count = Number(period.slice(0, 2))
  const unitSeconds: Record<string, number> = { M: 60, H: 3600, D: day }
  if (period.endsWith('Y')) return (Date.UTC(year + count, 0) - Date.UTC(year, 0)) / 1000
  const seconds = unitSeconds[period.charAt(2)]
  return seconds === undefined ? undefined : count * seconds
}

t.test('the parser returns the parts of any long name, in upper, lower or mixed case', async () => {
  fc.assert(
    fc.property(anyParts, fc.infiniteStream(fc.boolean()), (written, isLower) => {
      const { station, source, year, dayOfYear, hour, minute, period, interval, content } = written
      const start = `${year}${String(dayOfYear).padStart(3, '0')}${hour}${minute}`
      const stem = [station, source, start, period, interval, content].filter((part) => part)
      const name = `${stem.join('_')}.${written.format}`
      const caseVariant = Array.from(name, (letter) =>
        isLower.next().value ? letter.toLowerCase() : letter.toUpperCase(),
      )
      const expected = {
        kind: 'parsed',
        version: 'r3',
        station,
        startSeconds: Date.UTC(year, 0, dayOfYear, Number(hour), Number(minute)) / 1000,
        duration: { '24H': 'd', '60M': 'h' }[period] ?? period.charAt(2).toLowerCase(),
        type: content.charAt(1).toLowerCase(),
        spanSeconds: secondsOf(period, year),
        country: station.slice(6),
        source,
        period,
        interval: interval ?? '',
        content,
        navigation: /[GREJCIS]N/.test(content) ? content.charAt(0) : '',
      }
      assert.deepStrictEqual(parseFilename(`${name}.gz`), expected)
      assert.deepStrictEqual(parseFilename(`${caseVariant.join('')}.gz`), expected)
    }),
    { numRuns: 1000 },
  )
})
