/**
 * The change feed: live records and tombstones, merged in the order of `seq`. Each statement reads
 * an index on `seq`, never the whole table.
 */
import { withFacts } from '../facts/facts.ts'
import type { FeedFilter } from '../filter.ts'
import type { Expanded, ListedRow } from '../list/listed.ts'
import { listed, listedWithDetails, removedWithDetails, toListed } from '../list/listed.ts'
import type { Question, Statement } from '../question.ts'
import { all } from '../question.ts'
import type { ChangeKind, Head, ListedFile } from '../records.ts'
import { conditionsOf } from '../selection/conditions.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Selection } from '../selection/selection.ts'
import { hasOnly } from '../selection/selection.ts'
import { modifiedOf } from '../tables/record.ts'

/** The latest change of a file. */
export interface Change {
  readonly seq: number
  readonly change: ChangeKind
  /** The time at which the change was detected. */
  readonly atUs: number
  /** For a removed file, its record before the removal. */
  readonly record: ListedFile
}

/** The checksums, the problem and the facts of a removed file are unknown. */
export interface ChangesQuery extends Expanded {
  /** Changes after this seq. */
  readonly since: number
  /** At least 1. */
  readonly limit: number
  readonly filters: FeedFilter
}

/**
 * A page of the change feed: changes in ascending order of seq, as they are at the state `head`.
 */
export interface ChangesPage {
  readonly head: Head
  /**
   * Removals up to this seq may have been purged, so a client with a lower `since` must start again
   * with the whole list. For a lower `since`, and for one after the head, the page is empty.
   */
  readonly purgedSeq: number
  /**
   * With a filter on countries: up to this seq, files with short names may have entered or left
   * these countries without a change of their own (see `selection/sites.ts`), so a client with a
   * lower `since` must start again with the whole list. 0 without such a filter, and if no file
   * ever did.
   */
  readonly joinedSeq: number
  readonly changes: readonly Change[]
  /**
   * The page contains all matching changes up to this seq. With filters, it may be lower than the
   * head although the page is not full, because one query examines only a limited number of
   * changes.
   */
  readonly throughSeq: number
}

/** With a filter, a question examines at most this many changes in each table. */
const changesPerQuestion = 2000

const tables = ['file', 'tombstone'] as const
type ChangeTable = (typeof tables)[number]

type ChangeRow = [seq: number, change: ChangeKind, atUs: number, ...record: ListedRow]

interface SeqRange extends Record<string, number> {
  readonly since: number
  readonly through: number
  readonly limit: number
}

/**
 * A page of the change feed.
 * @throws NotBuilt for a filter on countries
 */
export function* changes(
  { facts = false, ...query }: ChangesQuery,
  context: QuestionContext,
): Question<ChangesPage> {
  const page = yield* pageAlone(query, context)
  if (!facts) return page
  const { changes } = page
  const records = yield* withFacts(
    changes.map(({ record }) => record),
    context,
  )
  return {
    ...page,
    changes: changes.map((each, at) => ({ ...each, record: records[at] ?? each.record })),
  }
}

/** The page without facts. */
function* pageAlone(
  { since, limit, filters, details = false }: ChangesQuery,
  context: QuestionContext,
): Question<ChangesPage> {
  const { countries } = filters
  const needsBuilt = countries !== undefined
  const { head, purgedSeq } = yield* context.lookups.refresh({ needsBuilt })
  const sites = countries && (yield* context.lookups.sites())
  const joinedSeq = (countries && sites?.joinedSeq(countries)) ?? 0
  const page = { head, purgedSeq, joinedSeq, changes: [] }
  if (since < purgedSeq || since > head.seq) return { ...page, throughSeq: since }
  const selection = yield* context.lookups.select(filters)
  if (selection === undefined) return { ...page, throughSeq: head.seq }
  const end = hasOnly(selection, []) ? Infinity : yield* endOf(since, context)
  const through = Math.min(end, head.seq)
  const range = { since, through, limit }
  const found = yield* all(
    ...tables.map((table) => changesOf(table, selection, { range, details }, context)),
  )
  const changes = (found.flat() as unknown as ChangeRow[])
    .map(toChange)
    .sort((a, b) => a.seq - b.seq)
    .slice(0, limit)
  const last = changes.length === limit ? changes.at(-1) : undefined
  return { ...page, changes, throughSeq: last?.seq ?? through }
}

/** The last seq that is examined. */
function* endOf(since: number, context: QuestionContext): Question<number> {
  const ends = yield* all(
    ...tables.map((table) => ({
      sql: `SELECT f.seq ${fromTable(table, context)} WHERE f.seq > @since ORDER BY f.seq
        LIMIT 1 OFFSET ${changesPerQuestion - 1}`,
      values: { since },
    })),
  )
  return Math.min(...ends.map(([end]) => (end?.[0] as number | undefined) ?? Infinity))
}

function changesOf(
  table: ChangeTable,
  selection: Selection,
  { range, details }: { readonly range: SeqRange; readonly details: boolean },
  context: QuestionContext,
): Statement {
  const { columns, joins } = details
    ? table === 'file'
      ? listedWithDetails
      : removedWithDetails
    : listed
  const { sql, values } = conditionsOf(selection, context.dialect)
  return {
    sql: `SELECT f.seq, ${changeColumns[table]}, ${columns} ${fromTable(table, context)} ${joins}
      WHERE f.seq > @since AND f.seq <= @through AND ${sql}
      ORDER BY f.seq LIMIT CAST(@limit AS bigint)`,
    values: { ...values, ...range },
  }
}

function fromTable(table: ChangeTable, context: QuestionContext): string {
  return `FROM ${table} f ${context.dialect.using(`${table}_seq`)}`
}

/** SQL for the kind of a change, and for its time. */
const changeColumns = {
  file: `CASE f.change WHEN 1 THEN 'modified' ELSE 'created' END AS change,
    CASE f.change WHEN 1 THEN ${modifiedOf('f.')}
      ELSE coalesce(f.returned_us, f.created_us) END AS at_us`,
  tombstone: `'removed' AS change, f.removed_us AS at_us`,
}

function toChange([seq, change, atUs, ...record]: ChangeRow): Change {
  return { seq, change, atUs, record: toListed(record) }
}
