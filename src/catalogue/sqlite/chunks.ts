/**
 * Reads the list in chunks, each of them a query of its own that goes on behind the last record of the one before. To be used
 * within a read transaction.
 */
import type { ChunkOrdering, ChunkPlace, ChunkQuery, RecordChunk } from '../reader.ts'
import type { Head, ListedFile } from '../records.ts'
import type { FileFilter, OrderKey } from '../filter.ts'
import type { Counts } from './counts.ts'
import { intersect } from './date-ranges.ts'
import { conditionsOf, hasAny, hasOnly } from './filter-sql.ts'
import type { IdRange, Selection } from './filter-sql.ts'
import type { ListRows } from './list-rows.ts'
import { sortKey } from './slices.ts'
import type { Slices } from './slices.ts'
import { rowUs } from './candidate-indexes.ts'
import type { Source } from './candidate-indexes.ts'
import type { Statements } from './statements.ts'
import type { Strategies } from './strategies.ts'
import { planOf } from './strategy.ts'
import type { CheckDeadline, Plan } from './strategy.ts'

interface ChunkParts {
  readonly head: () => Head
  readonly resolve: (filter: FileFilter, key: OrderKey) => Selection | undefined
  readonly counts: Counts
  readonly slices: Slices
  readonly strategies: Strategies
  readonly choose: (selection: Selection) => Source
  readonly rows: ListRows
}

/** So long a chunk of few matches is looked for before it is sent as it is. */
const chunkMs = 200

const byId: ChunkOrdering = { key: 'id', descending: true }

/** @returns answers queries; it throws NotBuilt */
export function prepareChunks(
  statements: Statements,
  { head, resolve, counts, slices, strategies, choose, rows }: ChunkParts,
): (query: ChunkQuery) => Plan<RecordChunk> {
  const placeOf = ({ id }: ListedFile, { key }: ChunkOrdering): ChunkPlace => {
    const sql = `SELECT ${sortKey(key)} FROM file f WHERE f.id = @id`
    return { id, key: key === 'id' ? id : (statements.value(sql, { id }) as number | string) }
  }

  /** The first ids of a selection. */
  const first = (
    selection: Selection,
    { limit, ordering }: { readonly limit: number; readonly ordering: ChunkOrdering },
    checkDeadline: CheckDeadline,
  ): readonly number[] => {
    const wanted = { offset: 0, limit, ordering }
    if (ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])) {
      const count = counts.ofIds(selection.kinds, selection.ids)
      if (count === 0) return []
      return strategies.choose(selection, { ...wanted, count }, never).ids(checkDeadline)
    }
    const source = choose(selection)
    const count = source.entries
    return strategies.choose(selection, { ...wanted, count }, () => source).ids(checkDeadline)
  }

  /** Highest id first, in a selection that has most of the files: what was found when the time was up. */
  const scan = (
    selection: Selection,
    { limit, details = false }: Pick<ChunkQuery, 'limit' | 'details'>,
    checkDeadline: CheckDeadline,
  ) => {
    const endMs = performance.now() + chunkMs
    const found: number[] = []
    for (const slice of slices.along('id', selection, true)) {
      const { sql, values } = conditionsOf(slice)
      const ids = statements.column(
        `SELECT f.id FROM file f NOT INDEXED WHERE ${sql} ORDER BY f.id DESC LIMIT +@limit`,
        { ...values, limit: limit - found.length },
      ) as number[]
      found.push(...ids)
      const last = found.length === limit ? found.at(-1) : slice.ids?.from
      if (last !== undefined && (found.length === limit || performance.now() > endMs))
        return { records: rows.byIds(found, details), next: { id: last, key: last } }
      checkDeadline()
    }
    return { records: rows.byIds(found, details), next: undefined }
  }

  return ({ after, limit, details = false, filter = {}, ordering = byId }) => {
    const { epoch } = head()
    const selection = resolve(filter, ordering.key)
    if (selection === undefined) return planOf(0, () => ({ epoch, records: [], next: undefined }))
    const chunkOf = (records: readonly ListedFile[]): RecordChunk => {
      const last = records.length < limit ? undefined : records.at(-1)
      return { epoch, records, next: last && placeOf(last, ordering) }
    }
    const isByLatestId = ordering.key === 'id' && ordering.descending
    if (isByLatestId && !hasAny(selection)) {
      const before = after?.id ?? Number.MAX_SAFE_INTEGER
      return planOf(limit * 3, () => chunkOf(rows.below(before, limit, details)))
    }
    const rests = after === undefined ? [selection] : selectionsBehind(selection, after, ordering)
    const isShort = ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])
    return planOf(isShort ? limit * 5 : Infinity, (checkDeadline) => {
      const [rest = selection] = rests
      if (isByLatestId && !isShort) {
        const source = choose(rest)
        const passed = (limit * counts.ofIds(undefined, rest.ids)) / Math.max(1, source.entries)
        if (passed * rowUs < source.costUs)
          return { epoch, ...scan(rest, { limit, details }, checkDeadline) }
      }
      const ids: number[] = []
      for (const each of rests)
        if (ids.length < limit)
          ids.push(...first(each, { limit: limit - ids.length, ordering }, checkDeadline))
      return chunkOf(rows.byIds(ids, details))
    })
  }
}

/** What comes behind a record: first those with the same key, then the others. */
function selectionsBehind(
  selection: Selection,
  { id, key }: ChunkPlace,
  { key: by, descending }: ChunkOrdering,
): Selection[] {
  const { ids = always } = selection
  const behind = (value: number): IdRange =>
    descending ? { from: -Infinity, to: value - 1 } : { from: value + 1, to: Infinity }
  const idsBehind = common(ids, behind(id))
  if (by === 'id') return [{ ...selection, ids: idsBehind }]
  if (typeof key === 'string')
    return [
      { ...selection, ids: idsBehind, nameRange: { from: key, to: key } },
      {
        ...selection,
        nameRange: descending ? { to: key, before: key } : { from: key, after: key },
      },
    ]
  const within = (range: IdRange): Selection => {
    if (by === 'data_date') {
      const dates = { from: Math.max(range.from, -1e15), to: Math.min(range.to, 1e15) }
      return { ...selection, dates: intersect(selection.dates ?? [dates], [dates]) }
    }
    const { fromUs = -Infinity, toUs = Infinity } = selection.created ?? {}
    const { from, to } = common({ from: fromUs, to: toUs }, range)
    return { ...selection, created: { fromUs: from, toUs: to } }
  }
  return [{ ...within({ from: key, to: key }), ids: idsBehind }, within(behind(key))]
}

const always: IdRange = { from: -Infinity, to: Infinity }

function common(a: IdRange, b: IdRange): IdRange {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }
}

function never(): never {
  throw new Error('ids and kinds need no other index')
}
