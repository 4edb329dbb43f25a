/** When the file of numbers is synchronised: seen in the file system calls of a process. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'

/** Opens the numbers of a database, and commits changes as often as arguments say. */
const program = `
  const { default: Sqlite } = await import('better-sqlite3')
  const { NumbersFile } = await import(process.cwd() + '/src/catalogue/sqlite/numbers-file.ts')
  const db = new Sqlite(':memory:')
  db.exec('CREATE TABLE catalogue (one, seq, last_id); INSERT INTO catalogue VALUES (1, 0, 0)')
  db.pragma('user_version = 99')
  const sequences = new NumbersFile(db, process.argv[1])
  for (const count of process.argv.slice(2)) {
    db.exec('UPDATE catalogue SET seq = seq + ' + count)
    sequences.committed()
  }`

t.test('numbers are synchronised before half of the margin is used, at once', async (t) => {
  const folder = testFolder(t)
  const trace = join(folder, 'trace.json')
  const syncs = (...counts: readonly number[]) => {
    const options = ['--trace-event-categories=node.fs.sync', `--trace-event-file-pattern=${trace}`]
    const line = [...options, '--input-type=module', '-e', program, join(folder, 'numbers')]
    execFileSync(process.execPath, [...line, ...counts.map(String)], { env: {} })
    return readFileSync(trace, 'utf8').split('"fs.sync.fdatasync"').length - 1
  }
  // The first run creates the file.
  syncs(1)
  t.equal(syncs(500_000), 0, 'half of the margin waits for the next minute')
  t.ok(syncs(500_001) > 0, 'one more does not')
  t.ok(syncs(300_000, 300_000) > 0, 'nor do several commits together')
})
