/**
 * More file events than the kernel keeps while the indexer is stopped: no file is missing
 * afterwards.
 */
import t from '../tap.ts'
import { longestMs, slow, startScanned, timeoutMs, until, untilEqual } from './service.ts'
import { hourDirectory, pathIn, paths, put } from './tree.ts'

/** The event queue of the kernel has 16,384 entries by default. */
const files = slow ? 40_000 : 20_000
const promisedMs = slow ? 30_000 : timeoutMs

t.setTimeout(longestMs)

t.test(`${files} files that arrive while the indexer is stopped are listed`, async (t) => {
  const service = await startScanned(
    t,
    [0, 1].map((hour) => pathIn(hourDirectory(hour), 0)),
  )
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
