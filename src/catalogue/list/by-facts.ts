/**
 * By facts, the rule for pages of conditions on facts alone, in the order of ids: their ids are in
 * the indexes of `fact`.
 */
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { column, rows } from '../question.ts'
import type { ListedFile } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import {
  countedCondition,
  countedKeys,
  factIndexes,
  factKeys,
  factsBy,
} from '../selection/fact-conditions.ts'
import type { PagePosition, Selection } from '../selection/selection.ts'
import { hasOnly } from '../selection/selection.ts'
import type { Place } from './read.ts'
import { filesOf } from './read.ts'

/** Highest `offset + limit` of a page that is searched group by group. */
const deepestByGroups = 2000

/** Number of groups that one statement reads, besides one for each file. */
const groupsPerStatement = 64

/** Files with the same equipment, observables and flags. None has a higher id than `lastId`. */
type Group = [equipment: number, observables: number, flags: number, lastId: number]

export function isByGroups(selection: Selection, position: PagePosition): boolean {
  const { ordering, offset, limit } = position
  const isFirst = ordering.key === 'id' && ordering.descending && offset + limit <= deepestByGroups
  return isFirst && hasOnly(selection, countedKeys)
}

/** Begins with the group of the highest id, and ends when no other can have an id of the page. */
export function* latestGroups(
  selection: Selection,
  { offset, limit, details }: Place,
  { dialect }: QuestionContext,
): Question<ListedFile[]> {
  const most = offset + limit
  let best: number[] = []
  const isDone = (lastId: number): boolean => best.length >= most && lastId <= (best[most - 1] ?? 0)
  for (let [from, isEnd] = [0, false]; !isEnd;) {
    const count = groupsPerStatement + most
    const groups = yield* latest(selection, { from, count }, dialect)
    from += count
    for (const group of groups) {
      if (isDone(group[3])) break
      const found = yield* newestOf(group, most, dialect)
      best = [...best, ...found].sort((a, b) => b - a).slice(0, most)
    }
    isEnd = groups.length < count || isDone(groups.at(-1)?.[3] ?? 0)
  }
  return yield* filesOf(best.slice(offset), details, dialect)
}

function latest(
  selection: Selection,
  range: { readonly from: number; readonly count: number },
  dialect: Dialect,
): Question<Group[]> {
  const { sql, values } = countedCondition(selection, 'n', dialect)
  return rows<Group>(
    `SELECT n.equipment, n.observables, n.flags, n.last_id FROM fact_count n WHERE ${sql}
     ORDER BY n.last_id DESC, n.equipment, n.observables, n.flags
     LIMIT CAST(@count AS bigint) OFFSET CAST(@from AS bigint)`,
    { ...values, ...range },
  )
}

function newestOf(
  [equipment, observables, flags]: Group,
  most: number,
  dialect: Dialect,
): Question<number[]> {
  return column<number>(
    `SELECT x.id FROM fact x ${dialect.using('fact_counted')}
     WHERE coalesce(x.equipment, 0) = @equipment AND coalesce(x.observables, 0) = @observables
       AND x.flags = @flags AND ${dialect.inTime('x.id')}
     ORDER BY x.id DESC LIMIT CAST(@most AS bigint)`,
    { equipment, observables, flags, most },
  )
}

/** True if the ids of a page are to be sorted, and an index of `fact` has them. */
export function isSortedByFacts(
  selection: Selection,
  { ordering }: PagePosition,
  index: string,
): boolean {
  return ordering.key === 'id' && hasOnly(selection, factKeys) && factIndexes.includes(index)
}

export function* sortedByFacts(
  selection: Selection,
  { ordering, offset, limit, details }: Place,
  index: string,
  dialect: Dialect,
): Question<ListedFile[]> {
  const { sql, values } = factsBy(index, selection, dialect)
  const ids = yield* column<number>(
    `SELECT x.id FROM ${sql} ORDER BY +x.id ${ordering.descending ? 'DESC' : 'ASC'}
     LIMIT CAST(@limit AS bigint) OFFSET CAST(@offset AS bigint)`,
    { ...values, limit, offset },
  )
  return yield* filesOf(ids, details, dialect)
}
