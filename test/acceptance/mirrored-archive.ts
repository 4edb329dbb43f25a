/** An archive that changes, the service beside it, and a mirror of its list. */
import { spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import type { Mirror } from './mirror.ts'
import { openMirror, walkList } from './mirror.ts'
import type { RandomChanges } from './random-changes.ts'
import { openRandomChanges } from './random-changes.ts'
import type { Service } from './service.ts'
import { slow, startService, stop, until } from './service.ts'
import { dayDirectory, hourDirectory, makeOldDays, paths, put } from './tree.ts'

const hot = [hourDirectory(), hourDirectory(1), dayDirectory(), dayDirectory(1)]
const cold = [dayDirectory(100), dayDirectory(101)]

/** Starts the service on an archive; `large` has 100,000 files with SLOW=1, otherwise 2,200. */
export async function startMirrored(t: Test, { large = false } = {}) {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const big = slow ? [320, 300, 1000] : [10, 100, 300]
  const [days = 0, perDay = 0, recent = 0] = large ? big : [3, 50, 150]
  makeOldDays(archive, days, perDay)
  for (const directory of hot) for (const path of paths(directory, recent)) put(archive, path)
  const service = await startService(t, folder, { options: { SWEEP_INTERVAL_SECONDS: '1' } })
  await until('the first scan is complete', service.ready, 120_000)
  const changes = openRandomChanges({ archive, hot, cold, seed: 1 })
  return { service, changes, mirror: openMirror(service) }
}

/** Changes files; the mirror works between the batches. */
export async function changeFiles(changes: RandomChanges, steps: number): Promise<void> {
  for (let done = 0; done < steps; done += 10) {
    changes.run(10)
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

/**
 * Waits until a mirror has all fields of all records of the list, and the list has the files of the
 * tree.
 * @param running the mirror that runs by itself; without it, the mirror follows the changes here
 */
export async function untilSame(
  t: Test,
  service: Service,
  mirror: Mirror,
  running?: Promise<void>,
): Promise<void> {
  let found: string | undefined
  const isSame = async (): Promise<boolean> => {
    if (running === undefined) await mirror.catchUp()
    found = 'the numbers of records differ'
    if ((await service.count()) !== mirror.records.size) return false
    const list = await walkList(service)
    found =
      mirrorDifference(list, mirror.records) ??
      treeDifference(service, list) ??
      factsDifference(service)
    return found === undefined
  }
  const same = until('the mirror equals the list, and the list the tree', isSame)
  const explained = same.catch((error: unknown) => {
    throw new Error(`${String(error)}: ${found}`, { cause: error })
  })
  await Promise.race([explained, ...(running === undefined ? [] : [running.then(() => explained)])])
  const { lists, changes, away } = mirror.counts
  t.pass(`${mirror.records.size} records are the same`)
  t.comment(`complete lists: ${lists}, changes: ${changes}, failed requests: ${away}`)
}

function mirrorDifference(list: ReadonlyMap<number, string>, mirror: ReadonlyMap<number, string>) {
  for (const [id, record] of list)
    if (mirror.get(id) !== record) return `listed ${record}, mirrored ${mirror.get(id)}`
  for (const [id, record] of mirror) if (!list.has(id)) return `only mirrored: ${record}`
  return undefined
}

/** The first path that is only in the tree or only in the list. */
function treeDifference(service: Service, list: ReadonlyMap<number, string>) {
  const find = ['.', '-type', 'f', '-name', '*.gz', '-not', '-name', '.*', '-printf', '%P\\n']
  const { stdout } = spawnSync('find', find, { cwd: service.archive, maxBuffer: 2 ** 30 })
  const tree = new Set(stdout.toString().split('\n').slice(0, -1))
  for (const record of list.values()) {
    const { download_path } = JSON.parse(record) as { download_path: string }
    const path = download_path.split('/rinex/data/')[1] ?? ''
    if (!tree.delete(path)) return `not in the tree, or twice in the list: ${path}`
  }
  for (const path of tree) return `not in the list: ${path}`
  return undefined
}

/** The first file whose size or mtime differs in the catalogue. */
function factsDifference({ archive, database }: Service): string | undefined {
  const db = new Sqlite(database, { readonly: true })
  try {
    const facts = db.prepare<[], { path: string; size: number; mtimeUs: number }>(
      `SELECT d.path || '/' || f.name AS path, f.size, f.mtime_us AS mtimeUs
      FROM file f JOIN directory d ON d.id = f.directory WHERE f.size IS NOT NULL`,
    )
    for (const { path, size, mtimeUs } of facts.all()) {
      const stats = lstatSync(join(archive, path), { throwIfNoEntry: false })
      if (stats?.size !== size || Math.round(stats.mtimeMs * 1000) !== mtimeUs)
        return `size or mtime differs from the tree: ${path}`
    }
    return undefined
  } finally {
    db.close()
  }
}
