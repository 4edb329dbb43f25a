/**
 * A restore that is killed at any moment leaves the former database or the restored one, and no id
 * is given twice. With SLOW=1 it is killed fifty times.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { checkConsistency } from '../../src/catalogue/sqlite/consistency-check.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { change, newFile } from '../catalogue/change.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t from '../tap.ts'
import { longestMs, slow } from './service.ts'

const kills = slow ? 50 : 5
const days = slow ? 900 : 90

t.setTimeout(longestMs)

t.test(`each of ${kills} kills during a restore leaves a complete database`, async (t) => {
  const folder = testFolder(t)
  const [database, file] = [join(folder, 'catalogue.db'), join(folder, 'copy.db')]
  await fill(database)
  t.same(await end(start(folder, 'backup')), [0, null])
  const restored = countOf(file)
  let former = await addOne(database, 0)
  const startedMs = performance.now()
  t.same(await end(start(folder, 'restore')), [0, null])
  const tookMs = performance.now() - startedMs
  t.equal(countOf(database), restored)
  let given = former.id

  for (let kill = 1; kill <= kills; kill++) {
    former = await addOne(database, kill)
    t.ok(former.id > given, `id ${former.id} after ${given}`)
    const running = start(folder, 'restore')
    const ended = end(running)
    // Spread over the whole run, which begins with the start of the process.
    await pause((tookMs * (kill - 0.5)) / kills)
    running.kill('SIGKILL')
    await ended
    const next = await addOne(database, kill + 0.5)
    t.ok([restored + 1, former.count + 1].includes(next.count), `${next.count} files`)
    t.ok(next.id > former.id, 'no id is given twice')
    t.same(checkConsistency(database), { differences: [], damage: [] })
    given = next.id
    for (const name of readdirSync(folder).filter((name) => name.includes('replaced')))
      rmSync(join(folder, name))
    t.notOk(readdirSync(folder).includes('catalogue.db-restoring'), 'nothing unfinished is left')
  }
})

async function fill(database: string): Promise<void> {
  const writer = openWriter({ database, nowUs: () => 1 })
  for (let day = 1; day <= days; day++) {
    const stations = Array.from({ length: 300 }, (_, n) => `s${String(n).padStart(3, '0')}`)
    const added = stations.map((station) => newFile(`${station}0010.20d.gz`))
    await writer.apply([change(`obs/2020/${String(day).padStart(3, '0')}`, { added })])
  }
  writer.close()
}

/**
 * What the next start of an indexer does; it catalogues a file. @returns the id of the file, and
 * the count of all
 */
async function addOne(database: string, number: number) {
  const writer = openWriter({ database, nowUs: () => 1 })
  const path = `obs/2021/${String(Math.round(number * 2) + 1).padStart(3, '0')}`
  await writer.apply([change(path, { added: [newFile('graz0010.21d.gz')] })])
  const [known] = [...((await writer.directory(path))?.files.values() ?? [])]
  writer.close()
  return { id: known?.id ?? 0, count: countOf(database) }
}

function countOf(database: string): number {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare('SELECT count(*) FROM file').pluck().get() as number
  } finally {
    db.close()
  }
}

function start(folder: string, command: 'backup' | 'restore') {
  const args = [command, '--database', 'catalogue.db', 'copy.db']
  return spawn(...programLine(args), { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

const end = (child: ReturnType<typeof start>) => once(child, 'exit')
