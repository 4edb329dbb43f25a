/** An archive in motion, the program beside it, and a mirror of its list. */
import { join } from 'node:path'
import type { Test } from 'tap'
import { openChurn } from './churn.ts'
import type { Churn } from './churn.ts'
import { openMirror } from './mirror.ts'
import type { Mirror } from './mirror.ts'
import { untilSame } from './same.ts'
import { slow, startService, stop, until } from './service.ts'
import type { Service } from './service.ts'
import { dayDirectory, hourDirectory, makeOldDays, paths, put } from './tree.ts'
import { testFolder } from '../folder.ts'

const hot = [hourDirectory(), hourDirectory(1), dayDirectory(), dayDirectory(1)]
const cold = [dayDirectory(100), dayDirectory(101)]

/** Starts the program on an archive; `large` has 100,000 files with SLOW=1. */
export async function startMirrored(t: Test, { large = false } = {}) {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const [days, perDay, recent] = large && slow ? [320, 300, 1000] : [10, 100, 300]
  makeOldDays(archive, days, perDay)
  for (const directory of hot) for (const path of paths(directory, recent)) put(archive, path)
  const service = await startService(t, folder, { options: { SWEEP_INTERVAL_SECONDS: '1' } })
  await until('the first scan ends', service.ready, 120_000)
  return { service, churn: openChurn({ archive, hot, cold, seed: 1 }), mirror: openMirror(service) }
}

/** Lets the mirror go on between the changes. */
export async function storm(churn: Churn, steps: number): Promise<void> {
  for (let done = 0; done < steps; done += 10) {
    churn.run(10)
    await new Promise(setImmediate)
  }
}

export const restarts = {
  async 'the indexer is killed'(service: Service): Promise<void> {
    await stop(service.indexer, 'SIGKILL')
    service.startIndexer()
  },
  async 'the API is killed'(service: Service): Promise<void> {
    await stop(service.api, 'SIGKILL')
    await service.startApi()
  },
  async 'the indexer is restarted'(service: Service): Promise<void> {
    await stop(service.indexer, 'SIGTERM')
    service.startIndexer()
  },
  async 'the API is restarted'(service: Service): Promise<void> {
    await stop(service.api, 'SIGTERM')
    await service.startApi()
  },
  async 'both are killed'(service: Service): Promise<void> {
    await Promise.all([stop(service.indexer, 'SIGKILL'), stop(service.api, 'SIGKILL')])
    service.startIndexer()
    await service.startApi()
  },
}

/** For a mirror that follows by itself. */
export const alone = (): Promise<void> => Promise.resolve()

export async function compare(
  t: Test,
  service: Service,
  mirror: Mirror,
  follow?: () => Promise<unknown>,
): Promise<void> {
  const tookMs = Math.round(await untilSame(service, mirror, follow))
  const { lists, changes, away } = mirror.counts
  t.pass(`${mirror.records.size} records are the same ${tookMs} ms after the last change`)
  t.comment(`whole lists: ${lists}, changes: ${changes}, times without an answer: ${away}`)
}
