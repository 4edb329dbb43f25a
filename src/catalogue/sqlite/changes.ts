/**
 * The change feed: live records and tombstones, merged in the order of `seq`. Every query reads an index on `seq`, never
 * the whole table.
 */
import type { Database } from 'better-sqlite3'
import type { ChangesPage, ChangesQuery } from '../reader.ts'
import type { Change, ChangeKind } from '../records.ts'
import { conditionsOf } from './filter-sql.ts'
import type { Conditions } from './filter-sql.ts'
import {
  detailColumns,
  joinedChecksum,
  removedDetailColumns,
  toDetails,
} from '../questions/record.ts'
import type { DetailRow } from '../questions/record.ts'
import { preparePaths } from './list-rows.ts'
import { prepareCounts } from './counts.ts'
import { openLookups } from './lookup-cache.ts'
import { openStatements } from './connection.ts'
import type { Statements } from './connection.ts'
import { hasAny, select } from './selection.ts'
import { prepareHead } from './summary.ts'

/** Maximum number of changes that one query with filters examines in each table, which takes a few milliseconds. */
const changesPerQuery = 2000

/**
 * Returns a function that reads a page of changes. Call the function within a transaction. It
 * throws `NotBuilt` for a filter on countries while `station_count` is not built.
 */
export function prepareChanges(db: Database): (query: ChangesQuery) => ChangesPage {
  const headOf = prepareHead(db)
  const purged = db.prepare('SELECT forgotten_seq FROM catalogue').pluck()
  const lookups = openLookups(db)
  const counts = prepareCounts(db)
  const parts = { db, statements: openStatements(db), pathOf: preparePaths(db) }
  const live = prepareFeedTable(parts, {
    table: 'file',
    kind: `iif(f.change = 1, 'modified', 'created')`,
    at: 'iif(f.change = 1, coalesce(f.modified_us, f.created_us), coalesce(f.returned_us, f.created_us))',
    details: detailColumns,
    join: joinedChecksum,
  })
  const removed = prepareFeedTable(parts, {
    table: 'tombstone',
    kind: `'removed'`,
    at: 'f.removed_us',
    details: removedDetailColumns,
    join: '',
  })
  return ({ since, limit, filters, details = false }) => {
    const head = headOf()
    const purgedSeq = purged.get() as number
    const { countries } = filters
    if (countries !== undefined) counts.require('station_count')
    lookups.refresh()
    const joinedSeq = countries === undefined ? 0 : lookups.sites.joinedSeq(countries)
    const pageOf = (changes: readonly Change[], throughSeq: number): ChangesPage => ({
      head,
      purgedSeq,
      joinedSeq,
      changes,
      throughSeq,
    })
    if (since < purgedSeq || since > head.seq) return pageOf([], since)
    const selection = select(filters, lookups)
    if (selection === undefined) return pageOf([], head.seq)
    const isFiltered = hasAny(selection)
    const end = isFiltered ? Math.min(live.scanEnd(since), removed.scanEnd(since)) : Infinity
    const through = Math.min(end, head.seq)
    const range = { since, through, limit }
    const conditions = { ...conditionsOf(selection), details }
    const changes = [...live.select(range, conditions), ...removed.select(range, conditions)]
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit)
    const last = changes.length === limit ? changes.at(-1) : undefined
    return pageOf(changes, last?.seq ?? through)
  }
}

interface FeedTable {
  readonly table: 'file' | 'tombstone'
  /** SQL for the kind of change, and for its time. */
  readonly kind: string
  readonly at: string
  /** Columns of the details, and the join that they need. */
  readonly details: string
  readonly join: string
}

interface FeedParts {
  readonly db: Database
  readonly statements: Statements
  readonly pathOf: (directory: number) => string
}

function prepareFeedTable({ db, statements, pathOf }: FeedParts, feedTable: FeedTable) {
  const { table, kind, at } = feedTable
  const columns = `f.seq, ${kind}, ${at}, f.id, f.directory, f.name, f.created_us,
    coalesce(f.modified_us, f.created_us)`
  const from = `FROM ${table} f INDEXED BY ${table}_seq`
  const scanEnd = db
    .prepare(
      `SELECT f.seq ${from} WHERE f.seq > ? ORDER BY f.seq LIMIT 1 OFFSET ${changesPerQuery - 1}`,
    )
    .pluck()
  const toChange = ([seq, change, atUs, id, directory, name, ...times]: ChangeRow): Change => {
    const [createdUs, modifiedUs, ...details] = times
    const record = { id, directory: pathOf(directory), name, createdUs, modifiedUs }
    return {
      seq,
      change,
      atUs,
      record: details.length === 0 ? record : { ...record, details: toDetails(details) },
    }
  }
  return {
    select(range: SeqRange, { sql, values, details }: Conditions & WithDetails): Change[] {
      const [more, join] = details ? [`, ${feedTable.details}`, feedTable.join] : ['', '']
      const rows = statements.rows(
        `SELECT ${columns}${more} ${from} ${join} WHERE f.seq > @since AND f.seq <= @through AND ${sql}
         ORDER BY f.seq LIMIT +@limit`,
        { ...values, ...range },
      )
      return (rows as unknown as ChangeRow[]).map(toChange)
    },
    /** The last `seq` that one query after `since` examines; infinite if it examines all later changes. */
    scanEnd: (since: number): number => (scanEnd.get(since) as number | undefined) ?? Infinity,
  }
}

interface SeqRange extends Record<string, number> {
  readonly since: number
  readonly through: number
  readonly limit: number
}

/** Rows are read as arrays, because copying a value into JavaScript costs more than finding it. */
type ChangeRow = [
  seq: number,
  change: ChangeKind,
  atUs: number,
  id: number,
  directory: number,
  name: string,
  createdUs: number,
  modifiedUs: number,
  ...details: DetailRow | [],
]

interface WithDetails {
  readonly details: boolean
}
