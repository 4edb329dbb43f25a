/** The folder of a demo, and what is removed at the next start. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDemoFolder } from '../../src/demo/folder.ts'
import t from '../tap.ts'

// A socket needs a short path.
const temporary = mkdtempSync(join(tmpdir(), 'test-'))
process.env['TMPDIR'] = temporary
t.teardown(() => rmSync(temporary, { recursive: true }))

const make = (name: string, files: Readonly<Record<string, string>>): string => {
  const path = join(temporary, name)
  mkdirSync(path)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

t.test('leftovers of killed programs are removed, and nothing else', async (t) => {
  const running = await makeDemoFolder()
  const mark = readFileSync(join(running.path, 'README'), 'utf8')
  const killed = make('rinex-catalogue-demo-killed', { README: mark, 'alive.sock': '', a: 'b' })
  const half = make('rinex-catalogue-demo-half', { README: mark })
  const kept = [
    running.path,
    make('rinex-catalogue-demo-mine', { README: 'My notes.' }),
    make('rinex-catalogue-demo-empty', {}),
    make('another', { README: mark }),
  ]
  symlinkSync(kept[3] ?? '', join(temporary, 'rinex-catalogue-demo-link'))
  const second = await makeDemoFolder()
  for (const path of kept) t.ok(existsSync(path), path)
  for (const path of [killed, half]) t.notOk(existsSync(path), path)
  t.ok(existsSync(join(kept[3] ?? '', 'README')), 'not through a link')
  second.close()
  t.notOk(existsSync(second.path))
  t.ok(existsSync(running.path))
  running.close()
  t.notOk(existsSync(running.path))
})

t.test('a folder without a socket does not stay', async (t) => {
  const long = join(temporary, 'a'.repeat(100))
  mkdirSync(long)
  process.env['TMPDIR'] = long
  t.teardown(() => (process.env['TMPDIR'] = temporary))
  await t.rejects(makeDemoFolder(), { code: 'EINVAL' })
  t.strictSame(readdirSync(long), [])
})
