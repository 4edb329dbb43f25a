/** A recent directory that the indexer may not read when it starts is followed as soon as it may. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { directoriesUnsure, lacks, longestMs, startService, until } from './service.ts'
import { hourDirectory, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

/** Root reads whatever it likes, unless that is taken from it. */
const powerless = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
const wrapIndexer = process.getuid?.() === 0 ? powerless : []
const skip =
  wrapIndexer.length > 0 && lacks('setpriv for capabilities', `${powerless.join(' ')} true`)

t.setTimeout(longestMs)

t.test('what is written over in it is noticed', { skip }, async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const directory = hourDirectory()
  const path = pathIn(directory, 0)
  put(archive, path)
  put(archive, pathIn(hourDirectory(1), 0))
  chmodSync(join(archive, directory), 0)
  t.teardown(() => {
    chmodSync(join(archive, directory), 0o755)
  })
  const options = { SWEEP_INTERVAL_SECONDS: '1' }
  const service = await startService(t, folder, { wrapIndexer, options })
  const reported = async () =>
    (await service.status()).rejected.some(({ reason }) => reason === 'unreadable-directory')
  await until('it is reported', reported)
  await until('the others are followed', async () => {
    const { state, watching } = await service.status()
    return state === 'watching' && (watching?.directories ?? 0) > 0
  })
  chmodSync(join(archive, directory), 0o755)
  await until('its file is listed', async () => (await service.list()).has(path))
  // Until then sweeps come back to it.
  await until('its stamp is sure', () => directoriesUnsure(service) === 0)
  const before = (await service.list()).get(path)?.modified
  put(archive, path, gzipSync('as long as it takes to be another'))
  await until('it is noticed', async () => (await service.list()).get(path)?.modified !== before)
})
