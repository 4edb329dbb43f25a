/**
 * More file events than the kernel keeps while the indexer is stopped: no file is missing
 * afterwards.
 */
import { join } from 'node:path'
import t from '../tap.ts'
import { longestMs, timeoutMs, slow, startService, until, untilEqual } from './service.ts'
import { hourDirectory, paths, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

/** The event queue of the kernel has 16,384 entries by default. */
const files = slow ? 40_000 : 20_000
const promisedMs = slow ? 30_000 : timeoutMs

t.setTimeout(longestMs)

t.test(`${files} files that arrive while the indexer is stopped are listed`, async (t) => {
  const folder = testFolder(t)
  for (const hour of [0, 1]) put(join(folder, 'archive'), pathIn(hourDirectory(hour), 0))
  const service = await startService(t, folder)
  await until('the first scan ends', service.ready)
  const watched = async () => ((await service.status()).watching?.directories ?? 0) >= 5
  await until('the directories are watched', watched)

  service.indexer.kill('SIGSTOP')
  for (const path of paths(hourDirectory(1), files / 2, 1)) put(service.archive, path)
  for (const path of paths(hourDirectory(0), files / 2, 1)) put(service.archive, path)
  service.indexer.kill('SIGCONT')
  const tookMs = await untilEqual(service, promisedMs)
  t.pass(`equal ${Math.round(tookMs)} ms after it continued`)
  await until('it notices that events were lost', async () => {
    const { watching } = await service.status()
    const stalled = service.log.some(({ msg }) => msg.startsWith('event loop stalled'))
    return stalled || (watching?.overflows ?? 0) > 0
  })
})
