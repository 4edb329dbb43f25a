import assert from 'node:assert/strict'
import { parseFilename } from '../../src/parse/filename.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const longName = 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz'
const shortName = 'zimm028a.26n.gz'

/** The result of the parser as a short text. */
function brief(name: string): string {
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') return parsed.reason
  const start = new Date(parsed.startSeconds * 1000).toISOString().slice(0, 16)
  return `${parsed.version} ${parsed.station} ${start} ${parsed.duration} ${parsed.type}`
}

t.test('unusual names of real archives are parsed or rejected', async (t) => {
  const cases = {
    '3034078M.21O.gz': 'r2 3034 2021-03-19T12:00 h o',
    'ELDC221t.26D.gz': 'r2 ELDC 2026-08-09T19:00 h o',
    'brdc2420.18n.gz': 'r2 BRDC 2018-08-30T00:00 d n',
    'hour3360.20n.gz': 'r2 HOUR 2020-12-01T00:00 d n',
    'BRDC00IGS_R_20230010000_01D_MN.rnx.gz': 'r3 BRDC00IGS 2023-01-01T00:00 d n',
    'ALGO00CAN_R_20121601000_01D_05Z_RO.rnx.gz': 'r3 ALGO00CAN 2012-06-08T10:00 d o',
    'PASA00ESP_R_20261290800_01H_10M_MM.rnx.gz': 'r3 PASA00ESP 2026-05-09T08:00 h m',
    'CKMG0090.21I.gz': 'bad-type',
    'AIRA00JPN_00001047_FRO_RX3_MO_20220105_000000_01D_30S_IGS.crx.gz': 'unknown-form',
    'TLSE00FRA_R_20220010000_01D_30S_MO.rnx_slice_0.24h.rnx.gz': 'unknown-form',
  }
  for (const [name, expected] of Object.entries(cases)) t.equal(brief(name), expected, name)
})

t.test('a name must end in .gz, in lower case', async (t) => {
  const suffixes = ['.z', '.bz2', '.GZ', '.Gz', ' gz']
  for (const suffix of suffixes) {
    for (const name of [longName, shortName]) {
      t.equal(brief(name.replace(/\.gz$/, suffix)), 'not-gz', JSON.stringify(suffix))
    }
  }
  t.equal(brief(''), 'not-gz')
  t.equal(brief('.gz'), 'unknown-form')
})

t.test('a suffix that is known, but not chosen, has a reason of its own', async (t) => {
  const reasonOf = (name: string, suffixes: readonly string[]) => {
    const parsed = parseFilename(name, suffixes)
    return parsed.kind === 'parsed' ? 'parsed' : parsed.reason
  }
  for (const name of [longName, shortName]) {
    const stem = name.slice(0, -'.gz'.length)
    for (const chosen of ['.gz', '.Z', ''])
      for (const suffix of ['.gz', '.Z', ''])
        t.equal(reasonOf(stem + suffix, [chosen]), suffix === chosen ? 'parsed' : 'suffix')
    for (const suffix of ['.gz', '.Z', ''])
      t.equal(reasonOf(stem + suffix, ['.gz', '.Z', '']), 'parsed', suffix)
  }
  t.equal(reasonOf('zimm3660.26o.Z', ['.Z']), 'bad-day')
  t.equal(reasonOf('zimm3660.26o.Z', ['.gz']), 'not-gz')
  t.equal(reasonOf('readme.txt', ['.gz']), 'not-gz')
  t.equal(reasonOf('readme.txt', ['.gz', '.Z']), 'unknown-form')
  t.equal(reasonOf('readme.txt', ['']), 'unknown-form')
  t.equal(reasonOf('zimm0010.26o.gz.Z', ['.Z']), 'unknown-form')
})

t.test('archives of files have a reason of their own', async (t) => {
  const ends = ['.zip', '.ZIP', '.tar', '.tgz', '.tar.gz', '.tar.Z', '.tar.bz2', '.7z']
  for (const end of ends) t.equal(brief(`zimm0010.26o${end}`), 'archive', end)
  t.equal(brief('zimm0010.26o.zip.gz'), 'unknown-form')
  const plain = parseFilename('a.tar', [''])
  t.match(plain, { reason: 'archive' })
})

t.test('a data file with a further suffix has an unknown form', async (t) => {
  for (const suffix of ['.md5', '.filepart', '.part', '~', '\n', '.gz', '.Xa81bC'])
    for (const name of [longName, shortName])
      t.equal(brief(name + suffix), 'unknown-form', JSON.stringify(suffix))
})

t.test('a name that begins with a dot has an unknown form', async (t) => {
  for (const start of ['.', './', '.~', '..']) {
    t.equal(brief(start + longName), 'unknown-form', start)
    t.equal(brief(start + shortName), 'unknown-form', start)
  }
})

t.test('a name that is not UTF-8 has the reason not-utf8, even with other faults', async (t) => {
  t.equal(brief('gra\uFFFD0220.26o.gz'), 'not-utf8')
  t.equal(brief('GRA\uFFFD00AUT_R_20260220000_01D_30S_MO.crx.gz'), 'not-utf8')
  t.equal(brief(`${longName}\uFFFD`), 'not-utf8')
  t.equal(brief('\uFFFD'.repeat(252) + '.gz'), 'not-utf8', 'each may replace a single byte')
})

t.test('a name of more than 255 bytes has an unknown form, even with other faults', async (t) => {
  t.equal(brief('x'.repeat(255)), 'not-gz')
  t.equal(brief('x'.repeat(256)), 'unknown-form')
  t.equal(brief('é'.repeat(127) + 'x'), 'not-gz', '255 bytes')
  t.equal(brief('é'.repeat(128)), 'unknown-form', '256 bytes')
  t.equal(brief('€'.repeat(85)), 'not-gz', '255 bytes')
  t.equal(brief('€'.repeat(86)), 'unknown-form', '258 bytes')
  t.equal(brief('🛰'.repeat(63)), 'not-gz', '252 bytes')
  t.equal(brief('🛰'.repeat(64)), 'unknown-form', '256 bytes')
  t.equal(brief('\uFFFD'.repeat(256)), 'unknown-form')
  t.equal(brief(`${longName}/`.repeat(10_000)), 'unknown-form')
})

t.test('no name takes a millisecond, whatever it repeats and however long it is', async (t) => {
  const starts = ['', 'GRAZ00AUT_', 'x_y_20260220000_', 'GRAZ00AUT_R_20260220000_01D_']
  const fillings = ['_', '.', 'x', '0', 'é', '\uFFFD', '🛰', '\n', '_x', '20260220000_', '.gz']
  const ends = ['', '.gz', '.rnx.gz', '_MO.rnx.gz', '_30S_MO.rnx.gz']
  const slow = []
  for (const start of starts)
    for (const filling of fillings)
      for (const end of ends)
        for (const length of [255, 100_000]) {
          const filled = filling.repeat(length).slice(0, length - start.length - end.length)
          const name = start + filled + end
          // The fastest of five: the machine may be busy.
          const ms = Math.min(...Array.from({ length: 5 }, () => parsingMs(name)))
          if (ms > 1) slow.push(`${name.slice(0, 60)} of ${length}: ${ms} ms`)
        }
  t.strictSame(slow, [])
})

function parsingMs(name: string): number {
  const startMs = performance.now()
  assert.equal(parseFilename(name).kind, 'rejected', JSON.stringify(name.slice(0, 300)))
  return performance.now() - startMs
}

t.test('every column of a long name is checked', async (t) => {
  for (const stem of [
    'GRAZ00AUT_R_20260220000_01D_30S_MO.crx',
    'GRAZ00AUT_R_20260220000_01D_MN.rnx',
  ]) {
    for (let column = 0; column < stem.length; column++) {
      for (const character of ['-', ',', '@', '[', '`', '{', '/', ':', '\n', 'é', 'ſ']) {
        const name = `${stem.slice(0, column)}${character}${stem.slice(column + 1)}.gz`
        t.match(parseFilename(name), { kind: 'rejected' }, JSON.stringify(name))
      }
    }
  }
})

const anyCodeUnits = fc
  .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 300 })
  .map((codes) => String.fromCharCode(...codes))

/** Characters of names, and others that resemble them. */
const nameLike = fc.string({
  unit: fc.constantFrom(
    ...Array.from('GRAZgraz0123_.-\n\0 ſKıé\uFFFD\uD83D'),
    '.gz',
    '.rnx.gz',
    '_01D_',
  ),
  maxLength: 60,
})

const edits = fc.array(fc.tuple(fc.nat(40), fc.nat(3), nameLike), { minLength: 1, maxLength: 3 })
const nearlyNames = fc
  .tuple(fc.constantFrom<string[]>(longName, shortName, 'faa1170b00.16d.gz'), edits)
  .map(([name, changes]) =>
    changes.reduce((text, [at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut), name),
  )

t.test('every string is parsed or has a reason for its rejection', async () => {
  const anything = fc.oneof(anyCodeUnits, fc.string({ unit: 'binary' }), nameLike, nearlyNames)
  fc.assert(
    fc.property(anything, (name) => {
      const parsed = parseFilename(name)
      if (parsed.kind === 'rejected')
        return /^((bad|not|unknown)-[a-z0-9]+|suffix|archive)$/.test(parsed.reason)
      return Number.isSafeInteger(parsed.startSeconds) && /^[!-~]{15,41}$/.test(name)
    }),
    { numRuns: 20_000 },
  )
})
