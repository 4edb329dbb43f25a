import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { testFolder } from '../folder.ts'
import { compress } from '../lzw.ts'
import { programLine } from '../program.ts'
import { epochs3, header3 } from '../rinex/texts.ts'
import t, { exact } from '../tap.ts'

const whole = Buffer.from(header3() + epochs3(120))
const short = Buffer.from(header3() + epochs3(19))
const name = 'TLSE00FRA_R_20240011800_01H_30S_MO.rnx'

function describe(folder: string, ...files: string[]) {
  const [command, args] = programLine(['describe', ...files.map((file) => join(folder, file))])
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { code: status, stderr, lines: lines.map((line) => JSON.parse(line) as unknown) }
}

t.test('it prints what is inside each file, however it is compressed', async (t) => {
  const files = {
    [`${name}.gz`]: gzipSync(whole),
    [`${name}.Z`]: compress(whole),
    [name]: whole,
  }
  const folder = testFolder(t, files)
  const { code, stderr, lines } = describe(folder, ...Object.keys(files))
  t.strictSame({ code, stderr }, { code: 0, stderr: '' })
  const said = {
    rinex_version: '3.04',
    marker: { name: 'TLSE' },
    interval_s: 30,
    time_system: 'GPS',
    systems: ['G', 'E'],
    signals: { G: ['C1C', 'L1C'], E: ['C1X', 'L1X'] },
    first: '2024-01-01T18:00:00',
    last: '2024-01-01T18:59:30',
    epochs: 120,
    expected_epochs: 120,
    share: 1,
    flags: [],
  }
  const expected = Object.keys(files).map((file) => ({ file: join(folder, file), ...said }))
  t.strictSame(lines, expected)
})

t.test('it exits with 1 if a file is flagged, damaged or cannot be read', async (t) => {
  const folder = testFolder(t, {
    'wsra0010.21m.gz': gzipSync('x'),
    [`${name}.gz`]: gzipSync(short),
    'TLSE00FRA_R_20240011900_01H_30S_MO.rnx.gz': gzipSync(short).subarray(0, -9),
    'TLSE00FRA_R_20240012000_01H_30S_MO.rnx.gz': short,
    'TLSE00FRA_R_20240012100_01H_30S_MO.rnx.gz.part': short,
  })
  mkdirSync(join(folder, 'TLSE00FRA_R_20240012300_01H_30S_MO.rnx'))
  const cases = [
    { file: `${name}.gz`, said: { epochs: 19, flags: [{ flag: 'short' }] } },
    { file: 'wsra0010.21m.gz', said: { flags: [{ flag: 'no-header' }] } },
    {
      file: 'TLSE00FRA_R_20240011900_01H_30S_MO.rnx.gz',
      said: { problem: 'incomplete', rinex_version: '3.04', flags: [] },
    },
    { file: 'TLSE00FRA_R_20240012000_01H_30S_MO.rnx.gz', said: { problem: 'broken', flags: [] } },
    { file: 'TLSE00FRA_R_20240012100_01H_30S_MO.rnx.gz.part', said: { error: /unknown-form/ } },
    { file: 'TLSE00FRA_R_20240012200_01H_30S_MO.rnx.gz', said: { error: /no such file/ } },
    { file: 'TLSE00FRA_R_20240012300_01H_30S_MO.rnx', said: { error: /cannot be read/ } },
  ]
  for (const { file, said } of cases) {
    const found = describe(folder, file)
    t.equal(found.code, 1, file)
    t.match(found.lines, exact([{ file: join(folder, file), ...said }]), file)
  }
  t.equal(describe(folder, ...cases.map(({ file }) => file)).lines.length, cases.length)
  t.match(describe(folder), {
    code: 2,
    stderr: /missing required argument 'file'/,
    lines: { length: 0 },
  })
})
