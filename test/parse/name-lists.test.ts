/**
 * Compares the parser with tables of file names: one name per line, the first line names the
 * columns.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { nameRulesVersion, parseFilename } from '../../src/parse/filename.ts'
import t from '../tap.ts'

type Row = Readonly<Record<string, string | undefined>>

function readTable(path: string): Row[] {
  const [head = [], ...lines] = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return lines.map((cells) => Object.fromEntries(head.map((column, i) => [column, cells[i]])))
}

/** The result of the parser in the columns of a table. */
function toRow(name: string): Row {
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') {
    const noFields = { form: '-', station: '-', data_date: '-', file_duration: '-', file_type: '-' }
    return { name, ...noFields, rejected: parsed.reason }
  }
  return {
    name,
    form: parsed.version,
    station: parsed.station,
    data_date: new Date(parsed.startSeconds * 1000).toISOString().replace('.000Z', 'Z'),
    file_duration: parsed.duration,
    file_type: parsed.type,
    rejected: '-',
  }
}

t.test('every name of fixtures/names.tsv is parsed as listed', async (t) => {
  for (const { note, ...expected } of readTable('fixtures/names.tsv')) {
    const { name = '' } = expected
    t.strictSame(toRow(name), expected, `${name} (${note})`)
  }
})

t.test('fixtures/names.tsv has every reason for a rejection', async (t) => {
  const reasons = new Set(readTable('fixtures/names.tsv').map(({ rejected }) => rejected))
  reasons.delete('-')
  t.strictSame(Array.from(reasons).toSorted(), [
    'archive',
    'bad-day',
    'bad-frequency',
    'bad-hour',
    'bad-minute',
    'bad-period',
    'bad-session',
    'bad-source',
    'bad-station',
    'bad-type',
    'not-gz',
    'not-utf8',
    'suffix',
    'unknown-form',
  ])
})

t.test('every name of fixtures/real-names.tsv is parsed as listed', async (t) => {
  for (const { note, ...expected } of readTable('fixtures/real-names.tsv')) {
    const { name = '' } = expected
    // This list gives no reasons.
    const { rejected, ...row } = toRow(name)
    t.strictSame(row, expected, `${name} (${note ?? ''}) ${rejected ?? ''}`)
  }
})

/** The version of the rules, and which of many names they accept, as a checksum. */
const judged = [2, '014bc6e5fd99ee91']

/** Names of every form, with each other character in each place. */
function* manyNames(): Generator<string, undefined> {
  const models = [
    'graz0010.26o.gz',
    'graz001a15.26d.gz',
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'GRAZ00AUT_S_20260010000_15M_01S_MO.rnx.gz',
    'GRAZ00AUT_R_20260010000_01D_GN.rnx.gz',
  ]
  const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
  for (const model of models)
    for (let at = 0; at < model.length; at++)
      for (const other of characters) yield model.slice(0, at) + other + model.slice(at + 1)
}

t.test('the version of the rules grows when they accept other names', async (t) => {
  const verdicts = Array.from(manyNames(), (name) =>
    parseFilename(name).kind === 'parsed' ? 1 : 0,
  )
  const sum = createHash('sha256').update(verdicts.join('')).digest('hex').slice(0, 16)
  const remedy = 'raise nameRulesVersion in src/parse/name-rules.ts, and set `judged` here'
  t.strictSame([nameRulesVersion, sum], judged, remedy)
})
