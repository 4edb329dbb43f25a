/**
 * An indexer that is killed at any moment of the first scan loses nothing; the next one completes
 * the scan. With SLOW=1 the tree has 100,000 files, and there are fifty kills.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { checkConsistency } from '../../src/catalogue/sqlite/consistency-check.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t from '../tap.ts'
import { longestMs, slow, until } from './service.ts'

const kills = slow ? 50 : 3
const days = slow ? 333 : 100
const filesPerDay = 300
const old = new Date('2021-01-01T00:00:00Z')

t.setTimeout(longestMs)

t.test(`after ${kills} kills during a scan the catalogue equals the tree`, async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const database = join(folder, 'catalogue.db')
  makeTree(archive)
  const uninterrupted = await scanMs(folder, 'other.db')

  let ids = new Map<string, number>()
  const killAt = async (moment: () => Promise<unknown>, name: string) => {
    const indexer = startIndexer(folder, 'catalogue.db')
    await once(indexer.stdout, 'data')
    indexer.stdout.resume()
    const ended = once(indexer, 'exit')
    await Promise.race([moment(), ended])
    indexer.kill('SIGKILL')
    await ended
    const found = contentOf(database)
    if (found === undefined) return
    t.equal(found.check, 'ok', `quick_check after ${name}`)
    const changed = [...ids].filter(([path, id]) => found.ids.get(path) !== id)
    t.same(changed, [], 'records keep their ids')
    ids = found.ids
  }
  // At moments of the whole scan.
  for (let kill = 0; kill < kills; kill++)
    await killAt(() => pause((uninterrupted * (kill + 0.5)) / kills), `kill ${kill + 1}`)
  // If the machine became slower, nothing was written before any of the kills.
  const isWritten = () => (contentOf(database)?.ids.size ?? 0) > 0
  if (ids.size === 0) await killAt(() => until('something is written', isWritten), 'one more')

  t.ok(ids.size > 0, 'a kill came during the scan')
  await scanMs(folder, 'catalogue.db')
  const tree = readdirSync(archive, { recursive: true, encoding: 'utf8' })
  const files = tree.filter((path) => path.endsWith('.gz')).sort()
  const content = contentOf(database)
  t.same([...(content?.ids.keys() ?? [])].sort(), files)
  t.same(checkConsistency(database), { differences: [], damage: [] })
})

/**
 * Starts it in the folder, where the path of the control socket is short; it logs a line when it
 * begins.
 */
function startIndexer(folder: string, database: string) {
  const args = ['index', '--once', '--archive', 'archive', '--database', database]
  return spawn(...programLine(args), { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Time of an uninterrupted scan (ms), without the start of its process. */
async function scanMs(folder: string, database: string): Promise<number> {
  const indexer = startIndexer(folder, database)
  await once(indexer.stdout, 'data')
  indexer.stdout.resume()
  const started = performance.now()
  const [code] = (await once(indexer, 'exit')) as [number]
  t.equal(code, 0, 'exit code of an uninterrupted scan')
  return performance.now() - started
}

function makeTree(archive: string): void {
  for (let day = 1; day <= days; day++) {
    const ddd = String(day).padStart(3, '0')
    const path = join(archive, 'obs/2020', ddd)
    mkdirSync(path, { recursive: true })
    // A first scan lists old files without reading their content.
    for (let station = 0; station < filesPerDay; station++) {
      const file = join(path, `s${String(station).padStart(3, '0')}${ddd}0.20d.gz`)
      writeFileSync(file, '')
      utimesSync(file, old, old)
    }
    utimesSync(path, old, old)
  }
}

/** All records in the database file; `undefined` before it has tables. */
function contentOf(database: string): { check: unknown; ids: Map<string, number> } | undefined {
  let db
  try {
    db = new Sqlite(database, { fileMustExist: true })
    const rows = db
      .prepare('SELECT d.path, f.name, f.id FROM file f JOIN directory d ON d.id = f.directory')
      .all() as { path: string; name: string; id: number }[]
    const ids = new Map(rows.map(({ path, name, id }) => [`${path}/${name}`, id]))
    if (ids.size !== rows.length) throw new Error('a path is catalogued twice')
    return { check: db.pragma('quick_check', { simple: true }), ids }
  } catch (error) {
    if (/no such table|unable to open/.test(String(error))) return undefined
    throw error
  } finally {
    db?.close()
  }
}
