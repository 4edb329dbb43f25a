/** The ways to find the ids of a page, each with its cost. To be used within a read transaction. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { DateRange } from './date-ranges.ts'
import { conditionsOf, hasAny, hasOnly } from './filter-sql.ts'
import type { Selection } from './filter-sql.ts'
import { openScan } from './scan-strategy.ts'
import type { Scan } from './scan-strategy.ts'
import { openSortStrategies } from './sort-strategies.ts'
import { cheapest } from './candidate-indexes.ts'
import type { Source } from './candidate-indexes.ts'
import type { Statements } from './statements.ts'
import type { Strategy, StrategyParts, Wanted } from './strategy.ts'

/** Maximum offset of a page that is searched day by day. */
const deepestByDay = 2000

export type Strategies = ReturnType<typeof openStrategies>

export function openStrategies(statements: Statements, parts: StrategyParts) {
  const { counts, lookups } = parts
  const scanning = openScan(statements, parts)
  const { byRows, byKeys } = openSortStrategies(statements)

  /** For selections only by kinds and ids, in the order of ids: the counts contain the range of ids of the page. */
  const byIdCounts = ({ kinds, ids }: Selection, wanted: Wanted): Strategy => ({
    costUs: 500,
    ids() {
      const { offset, count, ordering } = wanted
      const limit = Math.min(wanted.limit, count - offset)
      const above =
        ids === undefined || ids.to === Infinity
          ? 0
          : counts.ofIds(kinds, { from: ids.to + 1, to: Infinity })
      const first = above + (ordering.descending ? offset : count - offset - limit)
      const { from, to, skip } = counts.idsAt(kinds, { offset: first, limit })
      const { sql, values } = conditionsOf({ ...(kinds && { kinds }), ids: { from, to } })
      const index = kinds === undefined ? 'NOT INDEXED' : 'INDEXED BY file_kind'
      const found = statements.column(
        `SELECT f.id FROM file f ${index} WHERE ${sql} ORDER BY f.id DESC LIMIT +@limit OFFSET +@skip`,
        { ...values, limit, skip },
      ) as number[]
      return ordering.descending ? found : found.toReversed()
    },
  })

  /** For selections only by dates and kinds, highest id first: reads day after day until no other day can have a higher id. */
  const byLatestDays = ({ dates = [], kinds }: Selection, { offset, limit }: Wanted): Strategy => {
    const most = offset + limit
    const top = ({ from, to }: DateRange, kind: number) =>
      statements.column(
        `SELECT f.id FROM file f INDEXED BY file_date WHERE f.data_date BETWEEN @from AND @to AND f.kind = @kind
         ORDER BY f.id DESC LIMIT +@most`,
        { from, to, kind, most },
      ) as number[]
    const days = dates.reduce((sum, { from, to }) => sum + (to - from) / secondsPerDay, 0)
    return {
      costUs: 3000 + Math.min(days, 40_000) * (kinds?.length ?? lookups.kinds.size) * 0.5,
      ids(checkDeadline) {
        let best: number[] = []
        for (const range of dates)
          for (const { day, kind, lastId } of counts.latestDays(range, kinds)) {
            if (best.length >= most && lastId <= (best[most - 1] ?? 0)) break
            const ofDay = {
              from: Math.max(range.from, day * secondsPerDay),
              to: Math.min(range.to, (day + 1) * secondsPerDay - 1),
            }
            best = [...best, ...top(ofDay, kind)].sort((a, b) => b - a).slice(0, most)
            checkDeadline()
          }
        return best.slice(offset)
      },
    }
  }

  /** Strategies that find all files of a selection first. */
  const gathering = (
    selection: Selection,
    wanted: Wanted,
    source: Source,
  ): [Strategy, ...Strategy[]] => {
    const { ordering, offset, limit } = wanted
    const isByDay = ordering.key === 'id' && ordering.descending && offset + limit <= deepestByDay
    return [
      byRows(wanted, source),
      byKeys(wanted, source),
      ...(isByDay && selection.dates !== undefined && hasOnly(selection, ['dates', 'kinds'])
        ? [byLatestDays(selection, wanted)]
        : []),
    ]
  }

  return {
    /** All strategies for a page before the end, for tests: each finds the same ids. */
    all: (selection: Selection, wanted: Wanted, source: Source): Strategy[] => [
      ...(isByCounts(selection, wanted) ? [byIdCounts(selection, wanted)] : []),
      toTheEnd(scanning(selection, wanted)),
      ...gathering(selection, wanted, source).filter(({ costUs }) => costUs !== Infinity),
    ],
    choose(selection: Selection, wanted: Wanted, source: () => Source): Strategy {
      if (isByCounts(selection, wanted)) return byIdCounts(selection, wanted)
      const scan = scanning(selection, wanted)
      if (!hasAny(selection)) return toTheEnd(scan)
      const other = cheapest(gathering(selection, wanted, source()))
      if (other.costUs < scan.costUs) return other
      // The matches may be elsewhere than the estimate assumes.
      const mostMs = Math.max(10, (2 * other.costUs) / 1000)
      return {
        costUs: scan.costUs,
        ids: (checkDeadline) => scan.ids(checkDeadline, mostMs) ?? other.ids(checkDeadline),
      }
    },
  }
}

function toTheEnd(scan: Scan): Strategy {
  return { costUs: scan.costUs, ids: (checkDeadline) => scan.ids(checkDeadline, Infinity) ?? [] }
}

function isByCounts(selection: Selection, { ordering }: Wanted): boolean {
  return ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])
}
