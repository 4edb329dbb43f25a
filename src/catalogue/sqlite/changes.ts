/**
 * The change feed: live records and tombstones merged in the order of their latest change. Every query walks an
 * index of numbers, never the whole table.
 */
import type { Database } from 'better-sqlite3'
import type { ChangesPage, ChangesQuery } from '../reader.ts'
import type { Change, ChangeKind, Head } from '../records.ts'
import { conditionsOf, select } from './filter-sql.ts'
import type { Conditions } from './filter-sql.ts'
import { joinedChecksum } from './checksums.ts'
import { detailColumns, removedDetailColumns, toDetails } from './record-columns.ts'
import type { DetailRow } from './record-columns.ts'
import { preparePaths } from './list-rows.ts'
import { openLookups } from './lookup-cache.ts'
import { openStatements } from './statements.ts'
import type { Statements } from './statements.ts'

/** Changes of either table that one look goes through when filters leave most of them out: a few milliseconds. */
const changesPerLook = 2000

/** Prepares the feed. Call the result within one transaction. */
export function prepareChanges(db: Database): (query: ChangesQuery) => ChangesPage {
  const state = db.prepare(
    'SELECT epoch, seq, details_seq AS detailsSeq, forgotten_seq AS purgedSeq FROM catalogue',
  )
  const lookups = openLookups(db)
  const parts = { db, statements: openStatements(db), pathOf: preparePaths(db) }
  const live = prepareSource(parts, {
    table: 'file',
    kind: `iif(f.change = 1, 'modified', 'created')`,
    at: 'iif(f.change = 1, coalesce(f.modified_us, f.created_us), coalesce(f.returned_us, f.created_us))',
    details: detailColumns,
    join: joinedChecksum,
  })
  const removed = prepareSource(parts, {
    table: 'tombstone',
    kind: `'removed'`,
    at: 'f.removed_us',
    details: removedDetailColumns,
    join: '',
  })
  return ({ since, limit, filters, details = false }) => {
    const { purgedSeq, ...head } = state.get() as Head & { purgedSeq: number }
    if (since < purgedSeq || since > head.seq)
      return { head, purgedSeq, changes: [], throughSeq: since }
    lookups.refresh()
    const selection = select(filters, lookups, 'long codes')
    if (selection === undefined) return { head, purgedSeq, changes: [], throughSeq: head.seq }
    const isFiltered = Object.keys(selection).length > 0
    const end = isFiltered ? Math.min(live.lookEnd(since), removed.lookEnd(since)) : Infinity
    const through = Math.min(end, head.seq)
    const passage = { since, through, limit }
    const wanted = { ...conditionsOf(selection), details }
    const changes = [...live.select(passage, wanted), ...removed.select(passage, wanted)]
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit)
    const last = changes.length === limit ? changes.at(-1) : undefined
    return { head, purgedSeq, changes, throughSeq: last?.seq ?? through }
  }
}

interface Source {
  readonly table: 'file' | 'tombstone'
  /** SQL for what a row is a change of, and for when that was. */
  readonly kind: string
  readonly at: string
  /** Columns of a row's details, and the table to join for them. */
  readonly details: string
  readonly join: string
}

interface SourceParts {
  readonly db: Database
  readonly statements: Statements
  readonly pathOf: (directory: number) => string
}

function prepareSource({ db, statements, pathOf }: SourceParts, source: Source) {
  const { table, kind, at } = source
  const columns = `f.seq, ${kind}, ${at}, f.id, f.directory, f.name, f.created_us,
    coalesce(f.modified_us, f.created_us)`
  const from = `FROM ${table} f INDEXED BY ${table}_seq`
  const lookEnd = db
    .prepare(
      `SELECT f.seq ${from} WHERE f.seq > ? ORDER BY f.seq LIMIT 1 OFFSET ${changesPerLook - 1}`,
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
    select(passage: Passage, { sql, values, details }: Conditions & WithDetails): Change[] {
      const [more, join] = details ? [`, ${source.details}`, source.join] : ['', '']
      const rows = statements.rows(
        `SELECT ${columns}${more} ${from} ${join} WHERE f.seq > @since AND f.seq <= @through AND ${sql}
         ORDER BY f.seq LIMIT +@limit`,
        { ...values, ...passage },
      )
      return (rows as unknown as ChangeRow[]).map(toChange)
    },
    /** The number up to which one look goes; infinite when that is all there is. */
    lookEnd: (since: number): number => (lookEnd.get(since) as number | undefined) ?? Infinity,
  }
}

interface Passage extends Record<string, number> {
  readonly since: number
  readonly through: number
  readonly limit: number
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
  ...details: DetailRow | [],
]

interface WithDetails {
  readonly details: boolean
}
