/**
 * The change feed: live records and tombstones merged in the order of their latest change. Every query walks an
 * index of numbers, never the whole table.
 */
import type { Database } from 'better-sqlite3'
import type {
  Change,
  ChangeFilters,
  ChangeKind,
  ChangesPage,
  ChangesQuery,
  Head,
} from '../catalogue.ts'
import { preparePaths } from './listed-files.ts'

/** Changes of either table that one look goes through when filters leave most of them out: a few milliseconds. */
const changesPerLook = 2000

/** A 4 character code is the beginning of the long form; of a code of 4 that is the whole. */
const matches = `
  (@stations IS NULL OR s.code IN (SELECT value FROM json_each(@stations))
    OR substr(s.code, 1, 4) IN (SELECT value FROM json_each(@stations)))
  AND (@areas IS NULL OR k.area IN (SELECT value FROM json_each(@areas)))
  AND (@types IS NULL OR k.file_type IN (SELECT value FROM json_each(@types)))
  AND (@durations IS NULL OR k.file_duration IN (SELECT value FROM json_each(@durations)))
  AND (@versions IS NULL OR k.file_version IN (SELECT value FROM json_each(@versions)))`

/** Prepares the feed. Call the result within one transaction. */
export function prepareChanges(db: Database): (query: ChangesQuery) => ChangesPage {
  const state = db.prepare('SELECT epoch, seq, forgotten_seq AS forgottenSeq FROM catalogue')
  const pathOf = preparePaths(db)
  const live = prepareSource(db, pathOf, {
    table: 'file',
    kind: `iif(f.change = 1, 'modified', 'created')`,
    at: 'iif(f.change = 1, coalesce(f.modified_us, f.created_us), coalesce(f.returned_us, f.created_us))',
  })
  const removed = prepareSource(db, pathOf, {
    table: 'tombstone',
    kind: `'removed'`,
    at: 'f.removed_us',
  })
  return ({ since, limit, filters }) => {
    const { forgottenSeq, ...head } = state.get() as Head & { forgottenSeq: number }
    if (since < forgottenSeq || since > head.seq)
      return { head, forgottenSeq, changes: [], throughSeq: since }
    const filtered = Object.values(filters).some((list) => list !== undefined)
    const end = filtered ? Math.min(live.lookEnd(since), removed.lookEnd(since)) : Infinity
    const through = Math.min(end, head.seq)
    const passage = { since, through, limit }
    const wanted = filtered ? filters : undefined
    const changes = [...live.select(passage, wanted), ...removed.select(passage, wanted)]
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit)
    const last = changes.length === limit ? changes.at(-1) : undefined
    return { head, forgottenSeq, changes, throughSeq: last?.seq ?? through }
  }
}

interface Source {
  readonly table: 'file' | 'tombstone'
  /** SQL for what a row is a change of, and for when that was. */
  readonly kind: string
  readonly at: string
}

function prepareSource(
  db: Database,
  pathOf: (directory: number) => string,
  { table, kind, at }: Source,
) {
  const columns = `f.seq, ${kind}, ${at}, f.id, f.directory, f.name, f.created_us,
    coalesce(f.modified_us, f.created_us)`
  const from = `FROM ${table} f INDEXED BY ${table}_seq`
  const passage = 'f.seq > @since AND f.seq <= @through'
  const end = 'ORDER BY f.seq LIMIT +@limit'
  const all = db.prepare(`SELECT ${columns} ${from} WHERE ${passage} ${end}`).raw()
  // CROSS JOIN keeps the order of the tables: by number first.
  const matching = db
    .prepare(
      `SELECT ${columns} ${from}
         CROSS JOIN station s ON s.id = f.station
         CROSS JOIN kind k ON k.id = f.kind
       WHERE ${passage} AND ${matches} ${end}`,
    )
    .raw()
  const lookEnd = db
    .prepare(`SELECT seq ${from} WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ${changesPerLook - 1}`)
    .pluck()
  const toChange = ([seq, change, atUs, id, directory, name, ...times]: ChangeRow): Change => {
    const [createdUs, modifiedUs] = times
    return {
      seq,
      change,
      atUs,
      record: { id, directory: pathOf(directory), name, createdUs, modifiedUs },
    }
  }
  return {
    select(passage: Values, filters: ChangeFilters | undefined): Change[] {
      const rows =
        filters === undefined
          ? all.all(passage)
          : matching.all({ ...passage, ...toValues(filters) })
      return (rows as ChangeRow[]).map(toChange)
    },
    /** The number up to which one look goes; infinite when that is all there is. */
    lookEnd: (since: number): number => (lookEnd.get(since) as number | undefined) ?? Infinity,
  }
}

type Values = Readonly<Record<string, number | string | null>>

function toValues({ stations, areas, types, durations, versions }: ChangeFilters): Values {
  const json = (list: readonly string[] | undefined): string | null =>
    list === undefined ? null : JSON.stringify(list)
  return {
    stations: json(stations),
    areas: json(areas),
    types: json(types),
    durations: json(durations),
    versions: json(versions),
  }
}

/** As they come out of the table: each value that crosses over costs more than finding it. */
type ChangeRow = [
  seq: number,
  change: ChangeKind,
  atUs: number,
  id: number,
  directory: number,
  name: string,
  createdUs: number,
  modifiedUs: number,
]
