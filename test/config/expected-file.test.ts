import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOf } from '../../src/config/checks.ts'
import { readExpectedFile } from '../../src/config/expected-file.ts'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'

const table = "[[series]]\nstation = 'graz00aut'\nfile_type = 'o'\nperiod = '01H'\n"

t.test('the days of an expected series may be TOML dates or texts', async (t) => {
  const path = join(testFolder(t), 'expected.toml')
  const rulesOf = (lines: string) => {
    writeFileSync(path, table + lines)
    return readExpectedFile(path).map(({ rule }) => rule)
  }
  for (const date of ['2026-01-22', '"2026-01-22"', '2026-01-22T05:00:00Z', '"2026-022"'])
    t.match(rulesOf(`from = ${date}`), exact([{ fromDay: 20_475, toDay: undefined }]), date)
  t.match(
    rulesOf('from = 2024-02-29\nto = 2024-02-29'),
    exact([{ fromDay: 19_782, toDay: 19_782 }]),
  )
  const bad = ['"2026-02-30"', '"2026-02-29"', '"22.13.2026"', '"2026-01-22x"', '5', '""']
  for (const date of bad) t.throws(() => rulesOf(`to = ${date}`), /expected_file/, date)
  t.throws(() => rulesOf('from = 2026-01-02\nto = 2026-01-01'), /from must not be after to/)
})

/** The text of a file, and what is wrong in it. */
const wrong: readonly (readonly [text: string, faults: readonly string[]])[] = [
  ['', ['must have tables [[series]]']],
  ['series = 1', ['must have tables [[series]]']],
  ['series = ["GRAZ"]', ['must have tables [[series]]']],
  [`${table}[other]\nkey = 1`, ['has the unknown key other']],
  ['[[series]', ['cannot be read: Invalid TOML document']],
  [`${table}stations = "WTZR"`, ['[[series]] 1: unknown key stations']],
  [
    `${table.replace('01H', '01D')}hours = [12]`,
    ['[[series]] 1: hours of daily files must include 0, because they begin then'],
  ],
  [
    table.replace('graz00aut', 'graz0'),
    ['[[series]] 1: station must be codes of 4 or 9 characters'],
  ],
  [table.replace('graz00aut', ''), ['[[series]] 1: station must be codes of 4 or 9 characters']],
  [
    table.replace("'graz00aut'", '[]'),
    ['[[series]] 1: station must be codes of 4 or 9 characters'],
  ],
  [
    table.replace("'graz00aut'", '1234'),
    ['[[series]] 1: station must be codes of 4 or 9 characters'],
  ],
  [
    table.replace("'graz00aut'", "['GRAZ', 'GRÄZ']"),
    ['[[series]] 1: station must be codes of 4 or 9 characters'],
  ],
  [table.replace("'o'", "'x'"), ['[[series]] 1: file_type must be one of o, n, m']],
  [table.replace("'o'", '1'), ['[[series]] 1: file_type must be one of o, n, m']],
  [table.replace('01H', '02H'), ['[[series]] 1: period must be one of 15M, 01H, 01D']],
  ...['[]', '6', '[24]', '[-1]', '[1.5]', '["6"]', '[6, 24]'].map(
    (hours): readonly [string, readonly string[]] => [
      `${table}hours = ${hours}`,
      ['[[series]] 1: hours must be a list of whole numbers from 0 to 23'],
    ],
  ),
  [`${table}from = "soon"`, ['[[series]] 1: from must be a date such as 2026-01-31']],
  [`${table}to = true`, ['[[series]] 1: to must be a date such as 2026-01-31']],
  [
    `${table}${table}[[series]]\nhours = 6`,
    [
      '[[series]] 3: station must be codes of 4 or 9 characters',
      '[[series]] 3: file_type must be one of o, n, m',
      '[[series]] 3: period must be one of 15M, 01H, 01D',
      '[[series]] 3: hours must be a list of whole numbers from 0 to 23',
    ],
  ],
]

t.test('each fault of the file is named with its table, and all of them at once', async (t) => {
  const path = join(testFolder(t), 'expected.toml')
  const faultsIn = () => faultsOf(() => readExpectedFile(path))
  for (const [text, faults] of wrong) {
    writeFileSync(path, text)
    const expected = faults.map((fault) => `expected_file ${fault}`)
    const found = faultsIn()
    t.strictSame(
      // What the parser says about the position is its own.
      found.map(({ message }) => message.replace(/(Invalid TOML document).*/, '$1')),
      expected,
      JSON.stringify(text),
    )
    for (const { source, key } of found)
      t.strictSame({ source, key }, { source: path, key: 'expected_file' })
  }
  rmSync(path)
  t.match(faultsIn(), exact([{ message: /^expected_file cannot be read: ENOENT/ }]))
})

t.test('hours and several stations of a table are read', async (t) => {
  const path = join(testFolder(t), 'expected.toml')
  writeFileSync(path, `${table.replace("'graz00aut'", "['graz', 'WTZR00DEU']")}hours = [0, 23, 6]`)
  const read = readExpectedFile(path)
  t.strictSame(
    read.map(({ station }) => station),
    ['GRAZ', 'WTZR00DEU'],
  )
  for (const { rule } of read) t.strictSame([...(rule.hours ?? [])], [0, 23, 6])
  t.strictSame(readExpectedFile(undefined), [])
})
