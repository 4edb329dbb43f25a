/** A recent directory that the indexer cannot read at its start is watched as soon as it is readable. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { directoriesWithoutStamp, lacks, longestMs, startService, until } from './service.ts'
import { hourDirectory, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

/** Root can read everything without these capabilities dropped. */
const unprivileged = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
const wrapIndexer = process.getuid?.() === 0 ? unprivileged : []
const skip =
  wrapIndexer.length > 0 && lacks('setpriv for capabilities', `${unprivileged.join(' ')} true`)

t.setTimeout(longestMs)

t.test('a file overwritten in it is noticed', { skip }, async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const directory = hourDirectory()
  const path = pathIn(directory, 0)
  put(archive, path)
  put(archive, pathIn(hourDirectory(1), 0))
  chmodSync(join(archive, directory), 0)
  t.teardown(() => chmodSync(join(archive, directory), 0o755))
  const options = { SWEEP_INTERVAL_SECONDS: '1' }
  const service = await startService(t, folder, { wrapIndexer, options })
  const reported = async () =>
    (await service.status()).rejected.some(({ reason }) => reason === 'unreadable-directory')
  await until('it is reported', reported)
  await until('the others are watched', async () => {
    const { state, watching } = await service.status()
    return state === 'watching' && (watching?.directories ?? 0) > 0
  })
  chmodSync(join(archive, directory), 0o755)
  await until('its file is listed', async () => (await service.list()).has(path))
  // Until it has a stamp, sweeps read it again.
  await until('it has a stamp', () => directoriesWithoutStamp(service) === 0)
  const before = (await service.list()).get(path)?.modified
  put(archive, path, gzipSync('another size'))
  await until('it is noticed', async () => (await service.list()).get(path)?.modified !== before)
})
