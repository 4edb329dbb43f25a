/**
 * The change feed: live records and tombstones, merged in the order of `seq`. Each statement reads
 * an index on `seq`, never the whole table.
 */
import type { ChangeCounts, ChangeCountsQuery, ChangesPage, ChangesQuery } from '../reader.ts'
import { changeKinds } from '../records.ts'
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

/** Numbers of changes that are examined to count them. */
const countedNumbers = 10_000

/** The tables of changes, and which kinds of changes each has. */
const tables = ['file', 'tombstone'] as const
type Table = (typeof tables)[number]
const kindsIn: Readonly<Record<Table, readonly ChangeKind[]>> = {
  file: ['created', 'modified'],
  tombstone: ['removed'],
}

type ChangeRow = [seq: number, change: ChangeKind, atUs: number, ...record: ListedRow]

interface Range extends Record<string, number> {
  readonly since: number
  readonly through: number
  readonly limit: number
}

/** @throws NotBuilt for a filter on countries while `station_count` is not built */
export function* changes(
  { since, limit, filters, kinds: ofKinds = changeKinds, details = false }: ChangesQuery,
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
  const isWhole = hasOnly(selection, []) && ofKinds.length === changeKinds.length
  const end = isWhole ? Infinity : yield* endOf(since, context)
  const through = Math.min(end, head.seq)
  const range = { since, through, limit }
  const found = yield* all(
    ...tables
      .filter((table) => kindsIn[table].some((kind) => ofKinds.includes(kind)))
      .map((table) => changesOf(table, selection, { range, details, ofKinds }, context)),
  )
  const changes = (found.flat() as unknown as ChangeRow[])
    .map(toChange)
    .sort((a, b) => a.seq - b.seq)
    .slice(0, limit)
  const last = changes.length === limit ? changes.at(-1) : undefined
  return { ...page, changes, throughSeq: last?.seq ?? through }
}

/** @throws NotBuilt for a filter on countries while `station_count` is not built */
export function* changeCounts(
  { sinceUs, filters }: ChangeCountsQuery,
  context: QuestionContext,
): Question<ChangeCounts> {
  const { countries } = filters
  const { head } = yield* context.lookups.refresh(countries === undefined ? [] : ['station_count'])
  const sites = countries && (yield* context.lookups.sites())
  const counts = { created: 0, modified: 0, removed: 0 }
  const { stations, kinds } = context.lookups
  const selection = select(filters, { stations, kinds, sites })
  if (selection === undefined) return { counts, isComplete: true }
  const { sql, values } = conditionsOf(selection, context.dialect)
  const since = head.seq - countedNumbers
  const found = yield* all(
    ...tables.map((table) => ({
      sql: `SELECT change, count(*) FROM (SELECT ${changeColumns[table]} ${fromTable(table, context)}
          WHERE ${context.dialect.inTime('f.seq')} AND f.seq > @since AND ${sql}) AS changes
        WHERE at_us >= @sinceUs GROUP BY change`,
      values: { ...values, since, sinceUs },
    })),
    ...tables.map((table) => ({
      sql: `SELECT ${changeColumns[table]} ${fromTable(table, context)}
        WHERE f.seq <= @since ORDER BY f.seq DESC LIMIT 1`,
      values: { since },
    })),
  )
  const rowsOf = (from: number) =>
    found.slice(from, from + tables.length).flat() as unknown as [ChangeKind, number][]
  for (const [kind, count] of rowsOf(0)) counts[kind] += count
  return { counts, isComplete: rowsOf(tables.length).every(([, atUs]) => atUs < sinceUs) }
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

interface Wanted {
  readonly range: Range
  readonly details: boolean
  readonly ofKinds: readonly ChangeKind[]
}

function changesOf(
  table: Table,
  selection: Selection,
  { range, details, ofKinds }: Wanted,
  context: QuestionContext,
): Statement {
  const { columns, joins } = details
    ? table === 'file'
      ? listedWithDetails
      : removedWithDetails
    : listed
  const { sql, values } = conditionsOf(selection, context.dialect)
  const isPart = kindsIn[table].some((kind) => !ofKinds.includes(kind))
  const ofKind = isPart ? `AND f.change = ${Number(ofKinds.includes('modified'))}` : ''
  return {
    sql: `SELECT f.seq, ${changeColumns[table]}, ${columns} ${fromTable(table, context)} ${joins}
      WHERE f.seq > @since AND f.seq <= @through ${ofKind} AND ${sql}
      ORDER BY f.seq LIMIT CAST(@limit AS bigint)`,
    values: { ...values, ...range },
  }
}

function fromTable(table: Table, context: QuestionContext): string {
  return `FROM ${table} f ${context.dialect.using(`${table}_seq`)}`
}

/** SQL for the kind of a change, and for its time. */
const changeColumns = {
  file: `CASE f.change WHEN 1 THEN 'modified' ELSE 'created' END AS change,
    CASE f.change WHEN 1 THEN coalesce(f.modified_us, f.created_us)
      ELSE coalesce(f.returned_us, f.created_us) END AS at_us`,
  tombstone: `'removed' AS change, f.removed_us AS at_us`,
}

function toChange([seq, change, atUs, ...record]: ChangeRow): Change {
  return { seq, change, atUs, record: toListed(record) }
}
