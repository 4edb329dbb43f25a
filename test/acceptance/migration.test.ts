/**
 * An indexer that is killed at any moment of a migration loses nothing; the next start completes
 * it. With SLOW=1 3.3 million records and fifty kills.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import t from '../tap.ts'
import { checkConsistency } from '../../src/catalogue/sqlite/consistency-check.ts'
import { schemaVersion } from '../../src/catalogue/selection/schema.ts'
import { versionOf } from '../../src/catalogue/sqlite/schema.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { change, newFile } from '../catalogue/change.ts'
import { makeEarlier, read } from '../catalogue/earlier-database.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import { longestMs, slow } from './service.ts'

const kills = slow ? 50 : 4
const records = slow ? 3_300_000 : 120_000
const names = ['graz0010.20d.gz', 'zimm0010.20n.gz', 'GRAZ00AUT_R_20200010000_01D_30S_MO.crx.gz']
const day = 'obs/2020/001'

t.setTimeout(longestMs)

t.test(`a migration that is killed ${kills} times loses nothing`, async (t) => {
  const folder = testFolder(t, { archive: { nrt: {} } })
  const database = join(folder, 'catalogue.db')
  mkdirSync(join(folder, 'archive', day), { recursive: true })
  for (const name of names) writeFileSync(join(folder, 'archive', day, name), gzipSync('content'))
  await makeDatabase(database)
  const before = contentOf(database)
  makeEarlier(database)
  const steps: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const indexer = startIndexer(folder)
    const ended = once(indexer, 'exit')
    // Later each time, a moment after a line of the log.
    steps.push(await lineAt(indexer.stdout, 1 + ((3 * kill) % 11)))
    await pause(kill * 7)
    indexer.kill('SIGKILL')
    await ended
  }
  const version = read(database, versionOf)
  t.ok([12, schemaVersion].includes(version), `schema ${version}`)
  const indexer = startIndexer(folder)
  const [log, ended] = await Promise.all([text(indexer.stdout), once(indexer, 'exit')])
  t.same(ended, [1, null], 'exit code, because removals are withheld')
  t.match(log, /removals in obs\/ withheld by the deletion guard/)
  t.same(checkConsistency(database), { differences: [], damage: [] }, steps.join('; '))
  const seq = before.catalogue.seq + 1
  t.same(contentOf(database), { ...before, catalogue: { ...before.catalogue, seq } })
})

/** Most of its files are not in the archive; their removal is withheld because they are many. */
async function makeDatabase(database: string): Promise<void> {
  const writer = openWriter({ database, nowUs: () => 1 })
  await writer.apply([change(day, { added: names.map((name) => newFile(name)) })])
  await writer.apply([change('obs/2020/002', { added: names.map((name) => newFile(name)) })])
  writer.close()
  const db = new Sqlite(database)
  db.exec(`INSERT INTO file (id, directory, name, station, kind, data_date, created_us, seq, change)
    WITH RECURSIVE number (n) AS (VALUES (7) UNION ALL SELECT n + 1 FROM number WHERE n < ${records})
    SELECT n, 2, n, 1 + n % 2, 1 + n % 2, data_date + n % 1000 * 86400, created_us, 6, 0
    FROM number CROSS JOIN file WHERE id = 1;
    UPDATE directory SET files = (SELECT count(*) FROM file WHERE directory = directory.id);
    UPDATE area SET files = (SELECT count(*) FROM file)`)
  db.close()
  const repairing = openWriter({ database, nowUs: () => 1 })
  await repairing.repairCounts()
  repairing.close()
}

/** Starts it in the folder, where the path of the control socket is short. */
function startIndexer(folder: string) {
  const args = ['index', '--once', '--archive', 'archive', '--database', 'catalogue.db']
  return spawn(...programLine(args), { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Waits for a number of lines of the log, or its end. @returns the message of the last line */
async function lineAt(log: Readable, count: number): Promise<string> {
  let last = ''
  for await (const line of createInterface(log)) {
    last = (JSON.parse(line) as { msg: string }).msg
    if (--count === 0) break
  }
  return last
}

function contentOf(database: string) {
  return read(database, (db) => ({
    catalogue: db.prepare('SELECT epoch, seq FROM catalogue').get() as { readonly seq: number },
    files: db.prepare('SELECT count(*), sum(id), sum(data_date), sum(created_us) FROM file').get(),
  }))
}
