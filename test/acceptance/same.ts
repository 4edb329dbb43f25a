/** Whether the tree, the catalogue, the list and a mirror of it are the same in everything. */
import { spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Mirror } from './mirror.ts'
import { walkList } from './mirror.ts'
import { until } from './service.ts'
import type { Service } from './service.ts'

/**
 * Waits until a mirror holds the list, all fields of all records, and the list the tree.
 * @param follow lets a mirror that does not do so by itself take what is new
 * @returns how long that took (ms)
 */
export async function untilSame(
  service: Service,
  mirror: Mirror,
  follow: () => Promise<unknown> = () => mirror.catchUp(),
) {
  let found: string | undefined
  const same = async (): Promise<boolean> => {
    await follow()
    found = 'another number of records'
    if ((await service.count()) !== mirror.records.size) return false
    const list = await walkList(service)
    found = difference(list, mirror.records) ?? differenceToTree(service, list)
    return found === undefined
  }
  return until('the mirror is the list and the list the tree', same).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${found}`, { cause: error })
  })
}

/** The first record in which two lists differ. */
function difference(list: ReadonlyMap<number, string>, mirror: ReadonlyMap<number, string>) {
  for (const [id, record] of list)
    if (mirror.get(id) !== record) return `listed ${record}, mirrored ${mirror.get(id)}`
  for (const [id, record] of mirror) if (!list.has(id)) return `mirrored only ${record}`
  return undefined
}

/** The first path that only the tree or only the list has, or of which the catalogue knows another size or time. */
export function differenceToTree(service: Service, list: ReadonlyMap<number, string>) {
  const find = ['.', '-type', 'f', '-name', '*.gz', '-not', '-name', '.*', '-printf', '%P\\n']
  const { stdout } = spawnSync('find', find, { cwd: service.archive, maxBuffer: 2 ** 30 })
  const tree = new Set(stdout.toString().split('\n').slice(0, -1))
  for (const record of list.values()) {
    const path = (JSON.parse(record) as Listed).download_path.split('/rinex/data/')[1] ?? ''
    if (!tree.delete(path)) return `not in the tree, or twice in the list: ${path}`
  }
  for (const path of tree) return `not in the list: ${path}`
  return outdated(service)
}

interface Listed {
  readonly download_path: string
}

interface Facts {
  readonly path: string
  readonly size: number
  readonly mtimeUs: number
}

function outdated({ archive, database }: Service): string | undefined {
  const db = new Sqlite(database, { readonly: true })
  try {
    const facts = `SELECT d.path || '/' || f.name AS path, f.size, f.mtime_us AS mtimeUs
      FROM file f JOIN directory d ON d.id = f.directory WHERE f.size IS NOT NULL`
    for (const { path, size, mtimeUs } of db.prepare(facts).all() as Facts[]) {
      const stats = lstatSync(join(archive, path), { throwIfNoEntry: false })
      if (stats?.size !== size || Math.round(stats.mtimeMs * 1000) !== mtimeUs)
        return `another size or time than in the tree: ${path}`
    }
    return undefined
  } finally {
    db.close()
  }
}
