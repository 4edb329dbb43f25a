/**
 * Recent directories that the indexer cannot read: they are reported, and watched as soon as they
 * are readable.
 */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { directoriesWithoutStamp, lacks, longestMs, startService, until } from './service.ts'
import { hourDirectory, pathIn, put } from './tree.ts'

/** Root can read everything without these capabilities dropped. */
const unprivileged = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
const wrapIndexer = process.getuid?.() === 0 ? unprivileged : []
const skip =
  wrapIndexer.length > 0 && lacks('setpriv for capabilities', `${unprivileged.join(' ')} true`)

const options = { SWEEP_INTERVAL_SECONDS: '1' }

function makeUnreadable(t: Test, directory: string): void {
  chmodSync(directory, 0)
  t.teardown(() => chmodSync(directory, 0o755))
}

async function untilReported(service: Service): Promise<void> {
  await until('it is reported', async () =>
    (await service.status()).rejected.some(({ reason }) => reason === 'unreadable-directory'),
  )
}

t.setTimeout(longestMs)

t.test('a directory that becomes readable is watched', { skip }, async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const directory = hourDirectory()
  const path = pathIn(directory, 0)
  put(archive, path)
  put(archive, pathIn(hourDirectory(1), 0))
  makeUnreadable(t, join(archive, directory))
  const service = await startService(t, folder, { wrapIndexer, options })
  await untilReported(service)
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

t.test('a directory that becomes unreadable after it was read is reported', { skip }, async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  put(archive, pathIn(hourDirectory(1), 0))
  const service = await startService(t, folder, { wrapIndexer, options })
  await until('it watches', async () => (await service.status()).state === 'watching')
  const path = pathIn(hourDirectory(), 0)
  put(archive, path)
  await until('its file is listed', async () => (await service.list()).has(path))
  makeUnreadable(t, join(archive, hourDirectory()))
  await untilReported(service)
  t.ok((await service.list()).has(path), 'its record stays')
})
