import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { testFolder } from './folder.ts'

const archive = 'fixtures/archive'

/** Every label the fixtures may use, as the RINEX and CRINEX documents spell them. */
const labels = new Set([
  ...['CRINEX VERS   / TYPE', 'CRINEX PROG / DATE', 'RINEX VERSION / TYPE', 'PGM / RUN BY / DATE'],
  ...['COMMENT', 'MARKER NAME', 'MARKER TYPE', 'OBSERVER / AGENCY', 'REC # / TYPE / VERS'],
  ...['ANT # / TYPE', 'APPROX POSITION XYZ', 'ANTENNA: DELTA H/E/N', 'WAVELENGTH FACT L1/2'],
  ...['# / TYPES OF OBSERV', 'SYS / # / OBS TYPES', 'SIGNAL STRENGTH UNIT', 'INTERVAL'],
  ...['TIME OF FIRST OBS', 'LEAP SECONDS', 'SYS / PHASE SHIFT', 'GLONASS SLOT / FRQ #'],
  ...['GLONASS COD/PHS/BIS', 'ION ALPHA', 'ION BETA', 'DELTA-UTC: A0,A1,T,W'],
  ...['CORR TO SYSTEM TIME', 'IONOSPHERIC CORR', 'TIME SYSTEM CORR', 'SENSOR MOD/TYPE/ACC'],
  ...['SENSOR POS XYZ/H', 'END OF HEADER'],
])

interface Expected {
  readonly path: string
  readonly date: string
  readonly version: string
  readonly type: string
}

function rows(table: string): string[][] {
  const [, ...lines] = readFileSync(join('fixtures', table), 'utf8').trimEnd().split('\n')
  return lines.map((line) => line.split('\t'))
}

function expectedFiles(): Expected[] {
  return rows('expected.tsv').map(([path = '', date = '', , version = '', type = '']) => {
    return { path, date, version, type }
  })
}

function filesBelow(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()
}

function linesOf(path: string): string[] {
  return gunzipSync(readFileSync(join(archive, path)))
    .toString('latin1')
    .split('\n')
}

function split(lines: string[]): { header: string[]; data: string[] } {
  const end = lines.findIndex((line) => line.slice(60) === 'END OF HEADER') + 1
  return { header: lines.slice(0, end), data: lines.slice(end, -1) }
}

function toDate(fields: readonly string[]): string {
  const [year = 0, month = 1, day, hour, minute, second] = fields.map(Number)
  // RINEX 2 data lines have two digits of the year.
  const full = year < 80 ? year + 2000 : year < 100 ? year + 1900 : year
  return new Date(Date.UTC(full, month - 1, day, hour, minute, second))
    .toISOString()
    .replace('.000Z', 'Z')
}

/** The time the file itself names first: a header line of observations, the first record of the other types. */
function firstTime({ header, data }: ReturnType<typeof split>, type: string): string {
  if (type === 'm') return toDate((data[0] ?? '').trim().split(/ +/).slice(0, 6))
  if (type === 'n') {
    const record = data.find((line) => !line.startsWith('>')) ?? ''
    const time =
      record.startsWith(' ') || /^\d/.test(record) ? record.slice(3, 22) : record.slice(4, 23)
    return toDate(time.trim().split(/ +/))
  }
  const line = header.find((candidate) => candidate.slice(60) === 'TIME OF FIRST OBS') ?? ''
  return toDate(line.slice(0, 43).trim().split(/ +/))
}

t.test('generating again gives the committed bytes', async (t) => {
  const directory = testFolder(t)
  execFileSync(process.execPath, ['fixtures/generate.js', directory])
  const paths = filesBelow(directory)
  t.same(
    paths,
    [
      ...filesBelow(archive).map((path) => `archive/${path}`),
      'expected.tsv',
      'rejected.tsv',
    ].sort(),
  )
  const differing = paths.filter((path) => {
    return !readFileSync(join(directory, path)).equals(readFileSync(join('fixtures', path)))
  })
  t.same(differing, [])
})

t.test('the lists name every file of the archive once', async (t) => {
  const listed = [...rows('expected.tsv'), ...rows('rejected.tsv')].map(([path]) => path)
  t.same(listed.sort(), filesBelow(archive))
})

t.test('every gzip file inflates to text', async (t) => {
  const paths = filesBelow(archive).filter((path) => path.endsWith('.gz'))
  t.ok(paths.length > 60)
  for (const path of paths) t.match(linesOf(path).join('\n'), /^[\x20-\x7e\n]+\n$/, path)
})

t.test('headers have their labels in columns 61 to 80', async (t) => {
  for (const { path } of expectedFiles()) {
    const { header } = split(linesOf(path))
    const wrong = header.filter((line) => !labels.has(line.slice(60)))
    t.same(wrong, [], path)
    t.equal(header.at(-1)?.slice(60), 'END OF HEADER', path)
  }
})

t.test('the first line of a header fits the type and the form of the name', async (t) => {
  // RINEX 3 content that travels under a short name.
  const newer = ['nrt/2024/092/08/GEOP092I.24o.gz', 'obs/2016/060/brdm0600.16p.gz']
  for (const { path, version, type } of expectedFiles()) {
    const lines = linesOf(path)
    const hatanaka = lines[0]?.slice(60) === 'CRINEX VERS   / TYPE'
    const first = (hatanaka ? lines[2] : lines[0]) ?? ''
    t.equal(first.slice(60), 'RINEX VERSION / TYPE', path)
    const isShort = version === 'r2' && !newer.includes(path)
    const merged = path.includes('BRD400DLR')
    t.equal(first.slice(0, 20).trim(), isShort ? '2.11' : merged ? '4.00' : '3.05', path)
    // RINEX 2 marks GLONASS navigation by G, which elsewhere means GPS.
    const mark = type === 'n' && /\.\d\dg\.gz$/.test(path) ? 'G' : type.toUpperCase()
    t.equal(first[20], mark, path)
    t.equal(hatanaka, /(\.crx|\.\d\dd)\.gz$/i.test(path), path)
    if (hatanaka) t.equal(lines[0]?.slice(0, 20).trim(), isShort ? '1.0' : '3.0', path)
  }
})

t.test('the time inside a file is the time in its name', async (t) => {
  for (const { path, date, type } of expectedFiles()) {
    t.equal(firstTime(split(linesOf(path)), type), date, path)
  }
})

t.test('no line of RINEX 2 is longer than 80 columns', async (t) => {
  const paths = expectedFiles().filter(({ path }) => /\.\d\d[onmg]\.gz$/.test(path))
  for (const { path } of paths) {
    const lines = linesOf(path)
    if (lines[0]?.includes('2.11'))
      t.same(
        lines.filter((line) => line.length > 80),
        [],
        path,
      )
  }
})
