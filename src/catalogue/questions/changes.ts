/**
 * The change feed: live records and tombstones, merged in the order of `seq`. Each statement reads
 * an index on `seq`, never the whole table.
 */
import type { ChangesPage, ChangesQuery } from '../reader.ts'
import type { Change, ChangeKind } from '../records.ts'
import { conditionsOf } from '../selection/conditions.ts'
import { listed, listedWithDetails, removedWithDetails, toListed } from './listed.ts'
import type { ListedRow } from './listed.ts'
import type { QuestionContext } from '../selection/lookups.ts'
import { all } from '../question.ts'
import type { Question, Statement } from '../question.ts'
import { hasOnly, select } from '../selection/selection.ts'
import type { Selection } from '../selection/selection.ts'

/** With a filter, a question examines at most this many changes in each table. */
const changesPerQuestion = 2000

type ChangeRow = [seq: number, change: ChangeKind, atUs: number, ...record: ListedRow]

interface Range extends Record<string, number> {
  readonly since: number
  readonly through: number
  readonly limit: number
}

/** @throws NotBuilt for a filter on countries while `station_count` is not built */
export function* changes(
  { since, limit, filters, details = false }: ChangesQuery,
  context: QuestionContext,
): Question<ChangesPage> {
  const { countries } = filters
  const needed = countries === undefined ? [] : ['station_count']
  const { head, purgedSeq } = yield* context.lookups.refresh(needed)
  const sites = countries && (yield* context.lookups.sites())
  const joinedSeq = (countries && sites?.joinedSeq(countries)) ?? 0
  const page = { head, purgedSeq, joinedSeq, changes: [] }
  if (since < purgedSeq || since > head.seq) return { ...page, throughSeq: since }
  const { stations, kinds } = context.lookups
  const selection = select(filters, { stations, kinds, sites })
  if (selection === undefined) return { ...page, throughSeq: head.seq }
  const through = Math.min(yield* endOf(since, selection, context), head.seq)
  const range = { since, through, limit }
  const found = yield* all(
    changesOf('file', selection, { range, details }, context),
    changesOf('tombstone', selection, { range, details }, context),
  )
  const changes = (found.flat() as unknown as ChangeRow[])
    .map(toChange)
    .sort((a, b) => a.seq - b.seq)
    .slice(0, limit)
  const last = changes.length === limit ? changes.at(-1) : undefined
  return { ...page, changes, throughSeq: last?.seq ?? through }
}

/** The last seq that is examined; infinite if all later changes are. */
function* endOf(since: number, selection: Selection, context: QuestionContext): Question<number> {
  if (hasOnly(selection, [])) return Infinity
  const ends = yield* all(
    ...(['file', 'tombstone'] as const).map((table) => ({
      sql: `SELECT f.seq ${fromTable(table, context)} WHERE f.seq > @since ORDER BY f.seq
        LIMIT 1 OFFSET ${changesPerQuestion - 1}`,
      values: { since },
    })),
  )
  return Math.min(...ends.map(([end]) => (end?.[0] as number | undefined) ?? Infinity))
}

function changesOf(
  table: 'file' | 'tombstone',
  selection: Selection,
  { range, details }: { readonly range: Range; readonly details: boolean },
  context: QuestionContext,
): Statement {
  const { columns, joins } = details
    ? table === 'file'
      ? listedWithDetails
      : removedWithDetails
    : listed
  const { sql, values } = conditionsOf(selection, context.dialect)
  return {
    sql: `SELECT f.seq, ${kindAndTime[table]}, ${columns} ${fromTable(table, context)} ${joins}
      WHERE f.seq > @since AND f.seq <= @through AND ${sql}
      ORDER BY f.seq LIMIT CAST(@limit AS bigint)`,
    values: { ...values, ...range },
  }
}

function fromTable(table: 'file' | 'tombstone', context: QuestionContext): string {
  return `FROM ${table} f ${context.dialect.using(`${table}_seq`)}`
}

/** SQL for the kind of a change, and for its time. */
const kindAndTime = {
  file: `CASE f.change WHEN 1 THEN 'modified' ELSE 'created' END,
    CASE f.change WHEN 1 THEN coalesce(f.modified_us, f.created_us)
      ELSE coalesce(f.returned_us, f.created_us) END`,
  tombstone: `'removed', f.removed_us`,
}

function toChange([seq, change, atUs, ...record]: ChangeRow): Change {
  return { seq, change, atUs, record: toListed(record) }
}
