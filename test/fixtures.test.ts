import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { testFolder } from './folder.ts'
import t from './tap.ts'

const archive = 'fixtures/archive'

function rows(table: string): string[][] {
  const [, ...lines] = readFileSync(join('fixtures', table), 'utf8').trimEnd().split('\n')
  return lines.map((line) => line.split('\t'))
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

/** The first time in a file: a header line of observations, the first record of the other types. */
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

t.test('the generator of the fixtures makes exactly the committed bytes', async (t) => {
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

t.test('the lists of the fixtures name every file of the archive once', async (t) => {
  const listed = [...rows('expected.tsv'), ...rows('rejected.tsv')].map(([path]) => path)
  t.same(listed.sort(), filesBelow(archive))
})

t.test('every gzip file of the fixtures inflates to text', async (t) => {
  const paths = filesBelow(archive).filter((path) => path.endsWith('.gz'))
  t.ok(paths.length > 60)
  for (const path of paths) t.match(linesOf(path).join('\n'), /^[\x20-\x7e\n]+\n$/, path)
})

t.test('the time inside a file equals the time in its name', async (t) => {
  for (const [path = '', date, , , type = ''] of rows('expected.tsv'))
    t.equal(firstTime(split(linesOf(path)), type), date, path)
})
