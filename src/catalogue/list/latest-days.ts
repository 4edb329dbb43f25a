/**
 * Latest days, the rule for the newest files of some dates: they are on the days with the highest
 * ids.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { column } from '../question.ts'
import type { ListedFile } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { DateRange } from '../selection/date-ranges.ts'
import type { PagePosition, Selection } from '../selection/selection.ts'
import { hasOnly } from '../selection/selection.ts'
import type { Place } from './read.ts'
import { filesOf } from './read.ts'

/** Highest `offset + limit` of a page that is searched day by day. */
const deepestByDay = 2000

export function isByDays(selection: Selection, { ordering, offset, limit }: PagePosition): boolean {
  const isFirst = ordering.key === 'id' && ordering.descending && offset + limit <= deepestByDay
  return isFirst && selection.dates !== undefined && hasOnly(selection, ['dates', 'kinds'])
}

/**
 * Begins each range of dates with the day and kind that have the highest id, and ends it when no
 * further day and kind can have an id of the page.
 */
export function* latestDays(
  { dates = [], kinds }: Selection,
  { offset, limit, details }: Place,
  { counts, dialect }: QuestionContext,
): Question<ListedFile[]> {
  const most = offset + limit
  let best: number[] = []
  for (const range of dates)
    for (let [lastId, isEnd] = [Number.MAX_SAFE_INTEGER, false]; !isEnd;) {
      const { dayKinds, areAll } = yield* counts.latestDays(range, kinds, lastId)
      isEnd = areAll
      for (const [day, kind, last] of dayKinds) {
        if (best.length >= most && last <= (best[most - 1] ?? 0)) {
          isEnd = true
          break
        }
        const found = yield* newestOfDay({ ...range, kinds: [kind] }, { day, most }, dialect)
        best = [...best, ...found].sort((a, b) => b - a).slice(0, most)
        lastId = last
      }
    }
  return yield* filesOf(best.slice(offset), details, dialect)
}

function newestOfDay(
  { from, to, kinds = [] }: DateRange,
  { day, most }: { readonly day: number; readonly most: number },
  dialect: Dialect,
): Question<number[]> {
  return column<number>(
    `SELECT f.id FROM file f ${dialect.using('file_date')}
     WHERE ${dialect.inTime('f.id')} AND f.data_date BETWEEN @from AND @to
       AND f.kind = @kind ORDER BY f.id DESC LIMIT CAST(@most AS bigint)`,
    {
      from: Math.max(from, day * secondsPerDay),
      to: Math.min(to, (day + 1) * secondsPerDay - 1),
      kind: kinds[0] ?? 0,
      most,
    },
  )
}
