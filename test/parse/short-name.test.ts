import assert from 'node:assert/strict'
import { parseFilename } from '../../src/parse/filename.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const sessionLetters = Array.from('abcdefghijklmnopqrstuvwx')

t.test('all parts of a short name are parsed', async (t) => {
  t.strictSame(parseFilename('zimm060h.24d.gz'), {
    kind: 'parsed',
    version: 'r2',
    station: 'ZIMM',
    startSeconds: Date.UTC(2024, 1, 29, 7) / 1000,
    duration: 'h',
    type: 'o',
    spanSeconds: 3600,
    country: undefined,
    source: '',
    period: '',
    interval: '',
    content: '',
    navigation: '',
  })
})

t.test('the session of a short name gives its start and its duration', async (t) => {
  const noon = Date.UTC(2026, 0, 22, 12) / 1000
  const midnight = Date.UTC(2026, 0, 22) / 1000
  const cases = [
    { session: '0', startSeconds: midnight, duration: 'd', spanSeconds: 86_400 },
    { session: 'm', startSeconds: noon, duration: 'h', spanSeconds: 3600 },
    { session: 'M', startSeconds: noon, duration: 'h', spanSeconds: 3600 },
    { session: '1', startSeconds: midnight, duration: 'u', spanSeconds: undefined },
    { session: '9', startSeconds: midnight, duration: 'u', spanSeconds: undefined },
    { session: 'm00', startSeconds: noon, duration: 'm', spanSeconds: 900 },
    { session: 'm45', startSeconds: noon + 2700, duration: 'm', spanSeconds: 900 },
    { session: 'm59', startSeconds: noon + 3540, duration: 'm', spanSeconds: 900 },
  ]
  for (const { session, ...expected } of cases) {
    t.match(parseFilename(`graz022${session}.26o.gz`), expected, session)
  }
})

t.test('every type letter has a type or the reason bad-type', async (t) => {
  const types: Record<string, string> = { o: 'o', d: 'o', m: 'm' }
  for (const letter of 'nglphqfe') types[letter] = 'n'
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const type = types[letter]
    const expected = type === undefined ? { reason: 'bad-type' } : { type }
    t.match(parseFilename(`graz0220.26${letter}.gz`), expected, letter)
    t.match(parseFilename(`GRAZ022A15.26${letter.toUpperCase()}.gz`), expected, letter)
  }
})

t.test('one wrong part of a short name is named, two make the form unknown', async (t) => {
  const cases = {
    'graz0000.26o.gz': 'bad-day',
    'graz3660.26o.gz': 'bad-day',
    'graz3670.24o.gz': 'bad-day',
    'graz366a15.26o.gz': 'bad-day',
    'graz022y.26o.gz': 'bad-session',
    'GRAZ022Z.26O.gz': 'bad-session',
    'graz022z00.26o.gz': 'bad-session',
    'graz022a60.26o.gz': 'bad-minute',
    'graz0220.26i.gz': 'bad-type',
    'graz366y.26o.gz': 'unknown-form',
    'graz0000.26i.gz': 'unknown-form',
    'graz022z60.26o.gz': 'unknown-form',
    'graz022a60.26s.gz': 'unknown-form',
  }
  for (const [name, reason] of Object.entries(cases)) {
    t.strictSame(parseFilename(name), { kind: 'rejected', reason }, name)
  }
})

t.test('a wrong kind of character in a short name makes the form unknown', async (t) => {
  for (const pattern of ['graz022a.26o', 'graz022a15.26o']) {
    for (let column = 0; column < pattern.length; column++) {
      for (const character of '_- \n\0éſ٣/:@[`{') {
        const name = `${pattern.slice(0, column)}${character}${pattern.slice(column + 1)}.gz`
        t.match(parseFilename(name), { reason: 'unknown-form' }, JSON.stringify(name))
      }
    }
  }
  for (const stem of ['graz022015.26o', 'graz0a20.26o', 'graz0220.2ao', 'graz0220.260'])
    t.match(parseFilename(`${stem}.gz`), { reason: 'unknown-form' }, stem)
})

const anyParts = fc.record({
  station: fc.string({
    unit: fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz0123456789')),
    minLength: 4,
    maxLength: 4,
  }),
  year: fc.integer({ min: 1980, max: 2079 }),
  dayOfYear: fc.integer({ min: 1, max: 365 }),
  session: fc.constantFrom('0', '5', ...sessionLetters),
  minute: fc.option(fc.integer({ min: 0, max: 59 })),
  letter: fc.constantFrom(...Array.from('odnglphqfem')),
})

t.test(
  'the parser returns the parts of any short name, in upper, lower or mixed case',
  async () => {
    fc.assert(
      fc.property(anyParts, fc.infiniteStream(fc.boolean()), (written, isUpper) => {
        const { station, year, dayOfYear, session, letter } = written
        const hour = sessionLetters.indexOf(session)
        const minute = hour < 0 ? null : written.minute
        const mm = minute === null ? '' : String(minute).padStart(2, '0')
        const ddd = String(dayOfYear).padStart(3, '0')
        const name = `${station}${ddd}${session}${mm}.${String(year).slice(2)}${letter}`
        const caseVariant = Array.from(name, (character) =>
          isUpper.next().value ? character.toUpperCase() : character,
        )
        const parsed = parseFilename(`${name}.gz`)
        assert.deepStrictEqual(parseFilename(`${caseVariant.join('')}.gz`), parsed)
        assert.ok(parsed.kind === 'parsed')
        assert.equal(parsed.station, station.toUpperCase())
        assert.equal(
          parsed.startSeconds,
          Date.UTC(year, 0, dayOfYear, Math.max(hour, 0), minute ?? 0) / 1000,
        )
        const whole = session === '0' ? 'd' : 'u'
        assert.equal(parsed.duration, hour < 0 ? whole : minute === null ? 'h' : 'm')
      }),
      { numRuns: 1000 },
    )
  },
)

t.test('the type letter of a navigation file says the system', async (t) => {
  const systems = { n: 'G', g: 'R', l: 'E', h: 'S', q: 'J', f: 'C', e: 'E', p: '', o: '', m: '' }
  for (const [letter, navigation] of Object.entries(systems))
    t.match(parseFilename(`brdc2420.18${letter}.gz`), { navigation }, letter)
})
