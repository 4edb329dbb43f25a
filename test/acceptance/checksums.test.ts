/**
 * Files get correct checksums although the indexer is killed. With SLOW=1 ten thousand files and
 * twenty kills.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'
import type { Service } from './service.ts'
import { fetchAlone, longestMs, slow, startScanned, startService, until } from './service.ts'
import { hourDirectory, pathIn, paths, put } from './tree.ts'

const count = slow ? 10_000 : 300
const kills = slow ? 20 : 2

t.setTimeout(longestMs)

t.test(
  `${count} files get their checksums although the indexer is killed ${kills} times`,
  async (t) => {
    const service = await startScanned(t, [pathIn(hourDirectory(), 0)])
    await until('hashing has begun', () => Promise.resolve(hasBegun(service)))
    const all = paths(hourDirectory(), count, 1)
    for (const path of all) put(service.archive, path)
    await until('all are listed', async () => (await service.count()) === count + 1)
    const sums = () => sumsOf(service)

    let before = 0
    for (let kill = 0; kill < kills; kill++) {
      await until('more have a checksum, or all', async () => {
        const { hashed } = await sums()
        return hashed > before || hashed >= count
      })
      before = (await sums()).hashed
      service.indexer.kill('SIGKILL')
      await once(service.indexer, 'exit')
      const { text } = await sums()
      t.doesNotThrow(() => check(service, text), 'sha256sum accepts the stored checksums')
      service.startIndexer()
    }
    // The file of the first scan is hashed too, in the background.
    await until('all files have a checksum', async () => (await sums()).hashed === count + 1)
    const { text } = await sums()
    const output = check(service, text)
    t.equal(output.match(/: OK$/gm)?.length, count + 1)

    const [removed = ''] = all
    rmSync(join(service.archive, removed))
    await until('the removal is noticed', async () => (await service.count()) === count)
    t.notMatch((await sums()).text, nameOf(removed))
  },
)

t.test('with checksums = "all" old files get checksums too', async (t) => {
  const folder = testFolder(t)
  const all = paths('obs/2020/001', 50)
  for (const path of all) put(join(folder, 'archive'), path)
  const broken = join(folder, 'archive', all[0] ?? '')
  writeFileSync(broken, 'no gzip')
  // An old file is listed although it is incomplete.
  utimesSync(broken, 1e9, 1e9)
  const service = await startService(t, folder, { options: { CHECKSUMS: 'all' } })
  await until(
    'all have a checksum',
    async () => (await sumsOf(service, 'obs/2020/001')).hashed === 50,
  )
  const { text } = await sumsOf(service, 'obs/2020/001')
  t.doesNotThrow(() => check(service, text, 'obs/2020/001'))
  t.match(await service.status(), {
    checksums: { files: 50, waiting: 0, broken: { count: 1, examples: exact([all[0]]) } },
  })
})

t.test('with checksums = "none" no file is hashed', async (t) => {
  const options = { CHECKSUMS: 'none' }
  const service = await startScanned(t, [pathIn(hourDirectory(), 0)], { options })
  put(service.archive, pathIn(hourDirectory(), 1))
  await until('it is listed', async () => (await service.count()) === 2)
  t.match(await service.status(), { checksums: { files: 0, waiting: 0 } })
})

async function sumsOf({ url }: Service, directory = hourDirectory()) {
  const target = new URL(`/rinex/data/${directory}/SHA256SUMS`, url)
  const answer = await fetchAlone(target)
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
  const hashed = text.split('\n').filter((line) => /^[0-9a-f]{64} {2}\S+$/.test(line)).length
  return { text, hashed }
}

/** Files that are catalogued before that are old. */
function hasBegun({ database }: Service): boolean {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare('SELECT seq FROM hashing').pluck().get() !== null
  } finally {
    db.close()
  }
}

function check({ archive }: Service, text: string, directory = hourDirectory()): string {
  const cwd = join(archive, directory)
  return execFileSync('sha256sum', ['--check', '--strict'], {
    cwd,
    input: text,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
