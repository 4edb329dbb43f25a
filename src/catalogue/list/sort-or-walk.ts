/**
 * Sort or walk, the rule for all other pages: what the filter finds is sorted, or the index of the
 * order is walked past files that do not match.
 */
import type { OrderKey } from '../filter.ts'
import type { Question } from '../question.ts'
import type { ListedFile } from '../records.ts'
import { orders } from '../selection/conditions.ts'
import type { QuestionContext } from '../selection/context.ts'
import { intersect } from '../selection/date-ranges.ts'
import type { Selection } from '../selection/selection.ts'
import { afterAll, common, hasOnly } from '../selection/selection.ts'
import { isSortedByFacts, sortedByFacts } from './by-facts.ts'
import type { Place } from './read.ts'
import { read } from './read.ts'

/**
 * @param count number of files in the selection, more than the offset
 * @param narrowest the narrowest index of the selection, if it is known
 */
export function* sortOrWalk(
  selection: Selection,
  place: Place,
  { count, narrowest }: { readonly count: number; readonly narrowest: string | undefined },
  context: QuestionContext,
): Question<ListedFile[]> {
  const { offset, limit } = place
  const isFew = !hasOnly(selection, []) && count <= context.few.ofPage
  const passed = ((offset + limit) * (yield* context.counts.ofIds(undefined))) / count
  if (!isFew && passed <= count) return yield* walk(selection, place, context)
  const index = narrowest ?? (yield* context.narrowest.of(selection)).index
  if (isSortedByFacts(selection, place, index))
    return yield* sortedByFacts(selection, place, index, context.dialect)
  return yield* read(selection, { ...place, index, isOrdered: false }, context.dialect)
}

export function* walk(
  selection: Selection,
  place: Place,
  context: QuestionContext,
): Question<ListedFile[]> {
  const { key } = place.ordering
  const bounded = yield* boundedBy(key, selection, context)
  const way = { ...place, index: orders[key].index, isOrdered: true }
  return bounded === undefined ? [] : yield* read(bounded, way, context.dialect)
}

/**
 * A selection with the range of the key in which all its files are: names begin with the codes of
 * their stations, and the dates of stations and kinds are counted. So a walk does not begin far
 * from the first file. `undefined` if the range is empty.
 */
function* boundedBy(
  key: OrderKey,
  selection: Selection,
  { lookups, counts }: QuestionContext,
): Question<Selection | undefined> {
  const { stations, kinds, dates, nameRange } = selection
  if (key === 'filename' && stations !== undefined) {
    const codes = stations.map((id) => (lookups.stations.get(id) ?? '').toLowerCase())
    const sites = codes.map((code) => code.slice(0, 4)).sort()
    const [first = '', last = ''] = [sites[0], sites.at(-1)]
    const range = { from: first, to: last + afterAll }
    return { ...selection, nameRange: nameRange ? common(nameRange, range) : range }
  }
  if (key !== 'data_date' || (stations ?? kinds) === undefined) return selection
  const range = yield* counts.dateRange(stations, kinds)
  const bounded = range === undefined ? [] : dates ? intersect(dates, [range]) : [range]
  return bounded.length === 0 ? undefined : { ...selection, dates: bounded }
}
