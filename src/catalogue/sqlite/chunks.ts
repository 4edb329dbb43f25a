/**
 * Reads the list in chunks. Each chunk is a query of its own that starts after the last record of the previous chunk. Use
 * within a read transaction.
 */
import type { ChunkOrdering, ChunkCursor, ChunkQuery, RecordChunk } from '../reader.ts'
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

/** A scan with few matches ends after this time and returns what it has found. */
const chunkMs = 200

const byId: ChunkOrdering = { key: 'id', descending: true }

/** @returns a function that plans a query; it throws NotBuilt */
export function prepareChunks(
  statements: Statements,
  { head, resolve, counts, slices, strategies, choose, rows }: ChunkParts,
): (query: ChunkQuery) => Plan<RecordChunk> {
  const positionOf = ({ id }: ListedFile, { key }: ChunkOrdering): ChunkCursor => {
    const sql = `SELECT ${sortKey(key)} FROM file f WHERE f.id = @id`
    return { id, key: key === 'id' ? id : (statements.value(sql, { id }) as number | string) }
  }

  /** The ids of the first files of a selection. */
  const firstIds = (
    selection: Selection,
    { limit, ordering }: { readonly limit: number; readonly ordering: ChunkOrdering },
    checkDeadline: CheckDeadline,
  ): readonly number[] => {
    const page = { offset: 0, limit, ordering }
    if (ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])) {
      const count = counts.ofIds(selection.kinds, selection.ids)
      if (count === 0) return []
      return strategies.choose(selection, { ...page, count }, noSource).ids(checkDeadline)
    }
    const source = choose(selection)
    const count = source.entries
    return strategies.choose(selection, { ...page, count }, () => source).ids(checkDeadline)
  }

  /** Scans by id, highest first, for a selection that matches most files; returns what it has found after `chunkMs`. */
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
      return { epoch, records, next: last && positionOf(last, ordering) }
    }
    const isByLatestId = ordering.key === 'id' && ordering.descending
    if (isByLatestId && !hasAny(selection)) {
      const before = after?.id ?? Number.MAX_SAFE_INTEGER
      return planOf(limit * 3, () => chunkOf(rows.below(before, limit, details)))
    }
    const remaining =
      after === undefined ? [selection] : selectionsAfter(selection, after, ordering)
    const isShort = ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])
    return planOf(isShort ? limit * 5 : Infinity, (checkDeadline) => {
      const [rest = selection] = remaining
      if (isByLatestId && !isShort) {
        const source = choose(rest)
        const rowsRead = (limit * counts.ofIds(undefined, rest.ids)) / Math.max(1, source.entries)
        if (rowsRead * rowUs < source.costUs)
          return { epoch, ...scan(rest, { limit, details }, checkDeadline) }
      }
      const ids: number[] = []
      for (const each of remaining)
        if (ids.length < limit)
          ids.push(...firstIds(each, { limit: limit - ids.length, ordering }, checkDeadline))
      return chunkOf(rows.byIds(ids, details))
    })
  }
}

/** The files after a record: first those with the same key, then the others. */
function selectionsAfter(
  selection: Selection,
  { id, key }: ChunkCursor,
  { key: by, descending }: ChunkOrdering,
): Selection[] {
  const { ids = allIds } = selection
  const after = (value: number): IdRange =>
    descending ? { from: -Infinity, to: value - 1 } : { from: value + 1, to: Infinity }
  const idsAfter = intersection(ids, after(id))
  if (by === 'id') return [{ ...selection, ids: idsAfter }]
  if (typeof key === 'string')
    return [
      { ...selection, ids: idsAfter, nameRange: { from: key, to: key } },
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
    const { from, to } = intersection({ from: fromUs, to: toUs }, range)
    return { ...selection, created: { fromUs: from, toUs: to } }
  }
  return [{ ...within({ from: key, to: key }), ids: idsAfter }, within(after(key))]
}

const allIds: IdRange = { from: -Infinity, to: Infinity }

function intersection(a: IdRange, b: IdRange): IdRange {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }
}

function noSource(): never {
  throw new Error('a selection of ids and kinds needs no source')
}
