/** Pages of the list, by one of three rules: seek, latest days or groups, or sort or walk. */
import { withFacts } from '../facts/facts.ts'
import type { FileFilter, Ordering } from '../filter.ts'
import { defaultOrdering, needsBuilt } from '../filter.ts'
import { isByGroups, latestGroups } from '../list/by-facts.ts'
import { sumsOf } from '../list/facets.ts'
import { isByDays, latestDays } from '../list/latest-days.ts'
import type { Expanded } from '../list/listed.ts'
import { isSeekable, seek } from '../list/seek.ts'
import { sortOrWalk } from '../list/sort-or-walk.ts'
import type { Question } from '../question.ts'
import { value } from '../question.ts'
import type { Head, ListedFile } from '../records.ts'
import { conditionsOf, filesBy } from '../selection/conditions.ts'
import type { QuestionContext } from '../selection/context.ts'
import {
  countedFiles,
  countedKeys,
  factKeys,
  factsBy,
  filesBelow,
} from '../selection/fact-conditions.ts'
import type { Selection } from '../selection/selection.ts'
import { hasOnly } from '../selection/selection.ts'
import type { Counting, PageSums } from '../sums.ts'

export interface PageQuery extends Expanded {
  /** At least 1. */
  readonly limit: number
  /** At least 0; an offset after the end gives no records. */
  readonly offset: number
  /** Default: all live records. */
  readonly filter?: FileFilter
  /** Default: highest id first. */
  readonly ordering?: Ordering
  /** Also sums up all matching records. */
  readonly sums?: Counting | undefined
}

/** A page of the list and the count, both at the state `head`. */
export interface RecordPage {
  readonly head: Head
  /** Number of all matching live records, not only of those on this page. */
  readonly count: number
  readonly records: readonly ListedFile[]
  /** Only if they were requested. */
  readonly sums?: PageSums | undefined
}

/** A page of the list, with the number of all matching files. @throws NotBuilt */
export function* page(
  { sums, facts = false, ...query }: PageQuery,
  context: QuestionContext,
): Question<RecordPage> {
  const page = yield* pageAlone(query, context)
  const records = facts ? yield* withFacts(page.records, context) : page.records
  if (sums === undefined) return { ...page, records }
  return { ...page, records, sums: yield* sumsOf(sums, query.filter ?? {}, context) }
}

/** The page without sums and facts. */
function* pageAlone(
  { filter = {}, ordering = defaultOrdering, ...query }: PageQuery,
  context: QuestionContext,
): Question<RecordPage> {
  const { lookups } = context
  const { head } = yield* lookups.refresh({ needsBuilt: needsBuilt(filter, ordering.key) })
  const selection = yield* lookups.select(filter)
  if (selection === undefined) return { head, count: 0, records: [] }
  const known = yield* knownCount(selection, context)
  const narrowest = known === undefined ? (yield* context.narrowest.of(selection)).index : undefined
  const count = known ?? (yield* countBy(narrowest ?? '', selection, context))
  if (query.offset >= count) return { head, count, records: [] }
  const place = { ...query, ordering }
  if (isSeekable(selection, place))
    return { head, count, records: yield* seek(selection, place, count, context) }
  const rule = isByDays(selection, place)
    ? latestDays
    : isByGroups(selection, place)
      ? latestGroups
      : undefined
  const records = rule
    ? yield* rule(selection, place, context)
    : yield* sortOrWalk(selection, place, { count, narrowest }, context)
  return { head, count, records }
}

/** The number of files in a selection by the tables of counts, as far as these have it. */
function* knownCount(
  selection: Selection,
  { counts, dialect }: QuestionContext,
): Question<number | undefined> {
  const { kinds, ids, stations, dates } = selection
  if (hasOnly(selection, ['kinds', 'ids'])) return yield* counts.ofIds(kinds, ids)
  if (stations !== undefined && hasOnly(selection, ['stations', 'kinds']))
    return yield* counts.ofStations(stations, kinds)
  if (dates !== undefined && hasOnly(selection, ['dates', 'kinds']))
    return yield* counts.ofDates(dates, kinds)
  if (hasOnly(selection, countedKeys)) return yield* countedFiles(selection, dialect)
  if (hasOnly(selection, ['shareBelow', 'flags'])) return yield* filesBelow(selection, dialect)
  return undefined
}

function* countBy(
  index: string,
  selection: Selection,
  { dialect }: QuestionContext,
): Question<number> {
  // Only live files have facts.
  if (hasOnly(selection, factKeys)) {
    const { sql, values } = factsBy(index, selection, dialect)
    return (yield* value<number>(`SELECT count(*) FROM ${sql}`, values)) ?? 0
  }
  const { sql, values } = conditionsOf(selection, dialect, index)
  const from = filesBy(index, dialect)
  return (yield* value<number>(`SELECT count(*) FROM ${from} WHERE ${sql}`, values)) ?? 0
}
