import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { exact } from '../tap.ts'
import { readExpectedFile } from '../../src/config/expected-file.ts'
import { testFolder } from '../folder.ts'

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
  const bad = ['"2026-02-30"', '"2026-02-29"', '"22.1.2026"', '"2026-01-22x"', '5', '""']
  for (const date of bad) t.throws(() => rulesOf(`to = ${date}`), /expected_file/, date)
  t.throws(() => rulesOf('from = 2026-01-02\nto = 2026-01-01'), /from must not be after to/)
})
