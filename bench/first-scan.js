/**
 * The first scan of an archive. The reference is `find -printf` piped into the import of the
 * `sqlite3` shell, which then makes the same columns, indexes and counts. Then restarts on the
 * unchanged tree, with the reference `find -printf`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { cpuOf, firstMatch } from './load.js'
import { measure, median, optionsOf, ratios, spread } from './measure.js'
import { generateTree } from './tree.js'

export const description = 'first scan and restart; reference: find | sqlite3 .import'

const cli = join(import.meta.dirname, '../dist/cli.js')

/**
 * Options: --files (1000000), --rounds (5), --tree DIR (an existing tree; otherwise one is made and
 * removed).
 */
export async function run({ print, args }) {
  const { files, rounds, tree } = optionsOf(args, { files: 1_000_000, rounds: 5, tree: '' })
  const folder = mkdtempSync(join(tmpdir(), 'first-scan-'))
  try {
    const archive = tree === '' ? join(folder, 'archive') : tree
    if (!existsSync(archive)) {
      print(`making a tree of ${files} files`)
      generateTree({ files, out: archive })
    }
    await compareScans({ print, rounds, archive, folder })
    await compareRestarts({ print, rounds, archive, folder })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compareScans({ print, rounds, archive, folder }) {
  const ours = []
  const theirs = []
  const imports = []
  const database = join(folder, 'ours.db')
  const reference = join(folder, 'reference.db')
  for (let round = 0; round < rounds; round++) {
    rmSync(reference, { force: true })
    // The tree is read before each, so that neither has a cold cache.
    await measure(`find ${archive} > /dev/null`)
    imports.push(await measure(importInto(reference, archive)))
    const bytes = statSync(reference).size
    const indexing = await measure(
      `sqlite3 ${reference} ${quoted(`PRAGMA synchronous = NORMAL; ${indexes}`)}`,
    )
    theirs.push(add(imports.at(-1), indexing))
    imports.at(-1).bytes = bytes
    for (const suffix of ['', '-wal', '-shm', '-numbers', '-lock'])
      rmSync(database + suffix, { force: true })
    const scan = `node ${cli} index --once --archive ${archive} --database ${database} --log-level error`
    ours.push(await measure(scan, { memoryOf: 'index' }))
  }
  const column = (runs, key) => runs.map((figures) => figures[key])
  const records = recordsOf(database)
  print(`first scan of ${records} records, ${rounds} rounds in turn: median (minimum–maximum)`)
  print(
    `  ours                wall ${spread(column(ours, 'wall'))} s   CPU ${spread(column(ours, 'cpu'))} s`,
  )
  print(
    `  find | sqlite3      wall ${spread(column(theirs, 'wall'))} s   CPU ${spread(column(theirs, 'cpu'))} s`,
  )
  print(
    `  without indexes     wall ${spread(column(imports, 'wall'))} s   CPU ${spread(column(imports, 'cpu'))} s`,
  )
  print(
    `  ratio               wall ${ratios(column(ours, 'wall'), column(theirs, 'wall'))}     CPU ${ratios(column(ours, 'cpu'), column(theirs, 'cpu'))}`,
  )
  print(`  files per second    ${Math.round(records / median(column(ours, 'wall')))}`)
  print(`  peak memory         ${spread(column(ours, 'peak'), 0)} MB`)
  const [own, unindexed] = [statSync(database).size / records, imports.at(-1).bytes / records]
  print(
    `  bytes a record      ${own.toFixed(0)}, the unindexed import ${unindexed.toFixed(0)}, ratio ${(own / unindexed).toFixed(2)}`,
  )
}

/** Starts the indexer on the unchanged tree, until it says that it has caught up; ends it then. */
async function compareRestarts({ print, rounds, archive, folder }) {
  const database = join(folder, 'ours.db')
  const ours = []
  const theirs = []
  for (let round = 0; round < rounds; round++) {
    theirs.push(await measure(`find ${archive} -printf '%s %T@ %p\\n' > /dev/null`))
    const started = performance.now()
    const args = [cli, 'index', '--archive', archive, '--database', database]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await firstMatch(child, /"(caught up[^"]*)"/)
    const wall = (performance.now() - started) / 1000
    ours.push({ wall, cpu: cpuOf(child.pid) })
    child.kill('SIGTERM')
    await once(child, 'close')
  }
  const column = (runs, key) => runs.map((figures) => figures[key])
  print('restart, nothing changed, from the start of the process to caught up')
  print(
    `  ours                wall ${spread(column(ours, 'wall'), 3)} s   CPU ${spread(column(ours, 'cpu'), 3)} s`,
  )
  print(
    `  find -printf        wall ${spread(column(theirs, 'wall'), 3)} s   CPU ${spread(column(theirs, 'cpu'), 3)} s`,
  )
  print(
    `  ratio               wall ${ratios(column(ours, 'wall'), column(theirs, 'wall'), 3)}     CPU ${ratios(column(ours, 'cpu'), column(theirs, 'cpu'), 3)}`,
  )
}

// The columns, indexes and counts of the catalogue. mtime replaces the times and numbers that only
// the catalogue has.
const indexes = `
  CREATE TABLE record (id INTEGER PRIMARY KEY, path TEXT, name TEXT, station TEXT, kind TEXT, data_date TEXT, mtime REAL);
  INSERT INTO record SELECT rowid, path, name, substr(name, 1, 4), substr(name, 20), substr(path, 5, 8), mtime
    FROM (SELECT rowid, path, mtime, replace(path, rtrim(path, replace(path, '/', '')), '') AS name FROM file);
  DROP TABLE file;
  CREATE UNIQUE INDEX record_path ON record (path);
  CREATE INDEX record_seq ON record (mtime);
  CREATE INDEX record_station ON record (station, data_date, kind);
  CREATE INDEX record_date ON record (data_date, kind);
  CREATE INDEX record_kind ON record (kind);
  CREATE INDEX record_name ON record (name COLLATE NOCASE);
  CREATE INDEX record_created ON record (mtime);
  CREATE INDEX record_modified ON record (coalesce(mtime, 0));
  CREATE TABLE day_count AS SELECT data_date, kind, count(*), max(id) FROM record GROUP BY 1, 2;
  CREATE TABLE station_count AS SELECT station, kind, count(*), min(data_date), max(data_date) FROM record GROUP BY 1, 2;
  CREATE TABLE id_count AS SELECT 6, kind, id >> 6, count(*) FROM record GROUP BY 2, 3;
`

function importInto(database, archive) {
  const create =
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE file (size INTEGER, mtime REAL, path TEXT);'
  const load = `sqlite3 -cmd ${quoted('.mode tabs')} -cmd ${quoted('.import /dev/stdin file')} ${database} ${quoted('SELECT 1')}`
  return `sqlite3 ${database} ${quoted(create)} && find ${archive} -type f -printf '%s\\t%T@\\t%P\\n' | ${load}`
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function add(a, b) {
  return { wall: a.wall + b.wall, cpu: a.cpu + b.cpu }
}

function recordsOf(database) {
  const db = new Database(database, { readonly: true })
  try {
    return db.prepare('SELECT sum(files) FROM directory').pluck().get()
  } finally {
    db.close()
  }
}
