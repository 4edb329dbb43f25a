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
import { fileColumns, toRecord } from './records.ts'
import type { FileRow } from './records.ts'

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
  const live = prepareSource(db, {
    table: 'file',
    kind: `iif(f.change = 1, 'modified', 'created')`,
    at: 'iif(f.change = 1, coalesce(f.modified_us, f.created_us), coalesce(f.returned_us, f.created_us))',
  })
  const removed = prepareSource(db, {
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
    const values = { since, through, limit, ...toValues(filters) }
    const changes = [...live.select(values), ...removed.select(values)]
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

function prepareSource(db: Database, { table, kind, at }: Source) {
  const from = `FROM ${table} f INDEXED BY ${table}_seq`
  // CROSS JOIN keeps the order of the tables: by number first.
  const select = db.prepare(
    `SELECT ${fileColumns}, ${kind} AS change, ${at} AS atUs ${from}
       CROSS JOIN station s ON s.id = f.station
       CROSS JOIN kind k ON k.id = f.kind
       CROSS JOIN directory d ON d.id = f.directory
     WHERE f.seq > @since AND f.seq <= @through AND ${matches} ORDER BY f.seq LIMIT +@limit`,
  )
  const lookEnd = db
    .prepare(`SELECT seq ${from} WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ${changesPerLook - 1}`)
    .pluck()
  return {
    select: (values: Values): Change[] => (select.all(values) as ChangeRow[]).map(toChange),
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

type ChangeRow = FileRow & { readonly change: ChangeKind; readonly atUs: number }

function toChange({ change, atUs, ...row }: ChangeRow): Change {
  return { seq: row.seq, change, atUs, record: toRecord(row) }
}
