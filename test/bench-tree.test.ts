import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from './folder.ts'
import t from './tap.ts'

const shape =
  /^(obs\/\d{4}\/\d{3}|nrt\/\d{4}\/\d{3}\/\d\d)\/([A-Z][A-Z\d]{3}00[A-Z]{3}_[RS]_\d{11}_01[DH]_(30S_MO\.crx|MN\.rnx|10M_MM\.rnx)|[a-z][a-z\d]{3}\d{3}[0a-x]\.\d\d[dnm])\.gz$/

function run(out: string, ...options: string[]): { status: number | null; stderr: string } {
  const fixed = ['bench/tree.js', '--out', out, '--per-directory', '40']
  return spawnSync(process.execPath, [...fixed, ...options], { encoding: 'utf8' })
}

function entriesBelow(directory: string): { files: string[]; directories: string[] } {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const paths = (wanted: boolean) =>
    entries
      .filter((entry) => entry.isFile() === wanted)
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
      .sort()
  return { files: paths(true), directories: paths(false) }
}

t.test('the tree has the requested number of sparse files with RINEX names', async (t) => {
  const out = join(testFolder(t), 'tree')
  t.same(run(out, '--files', '1001', '--layout', 'both', '--size', '70000').stderr, '')
  const { files } = entriesBelow(out)
  t.equal(files.length, 1001)
  t.same(
    files.filter((path) => !shape.test(path)),
    [],
  )
  const stats = files.map((path) => statSync(join(out, path)))
  t.ok(stats.every(({ size, blocks }) => size === 70000 && blocks * 512 < size))
})

t.test('the generator does not change a directory that is not empty', async (t) => {
  const out = testFolder(t, { obs: {} })
  const { status, stderr } = run(out, '--files', '10')
  t.equal(status, 1)
  t.match(stderr, /is not empty/)
  t.same(readdirSync(join(out, 'obs')), [])
})
