/**
 * The sums of a filter, and its facets: for each property, how many files have each of its values
 * under all other conditions. The tables of counts have the most common ones. Others are counted
 * from the files, if an index has few enough entries for that, or not at all.
 */
import { flagNames } from '../../rinex/facts.ts'
import { bitsOf } from '../facts/values.ts'
import type { FileFilter } from '../filter.ts'
import { problems } from '../filter.ts'
import type { Question, Row } from '../question.ts'
import { rows, value } from '../question.ts'
import { conditionsOf, filesBy, filesWith, hasProblem } from '../selection/conditions.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Group } from '../selection/counts.ts'
import { groupColumns } from '../selection/counts.ts'
import { boundsOf } from '../selection/date-ranges.ts'
import { countedCondition, countedKeys } from '../selection/fact-conditions.ts'
import type { Kind } from '../selection/kinds.ts'
import { kindConditions } from '../selection/kinds.ts'
import type { IndexChoice } from '../selection/narrowest.ts'
import type { Selection } from '../selection/selection.ts'
import { hasOnly } from '../selection/selection.ts'
import type { Counting, Facets, FacetValue, PageSums } from '../sums.ts'
import { sumOfColumn } from '../tables/count-tables.ts'

/** The facets that are parts of a kind, with their conditions. */
const kindFacets = [
  ['type', 'types', 'type'],
  ['period', 'durations', 'duration'],
  ['area', 'areas', 'area'],
  ['form', 'versions', 'version'],
] as const

/** The column that a group is read from, by its condition. */
const columnOf = { kind: 'kinds', station: 'stations', year: 'dates', size: 'size' } as const

/** At most this many codes are suggested. */
const mostSuggested = 500

interface Parts extends QuestionContext {
  /** What counting a group may cost at most, in entries of an index. */
  readonly most: number
}

/** Rows of each group: its value and the number of its files, or what `groups.size` has. */
type FacetRows = Partial<Record<Group, readonly Row[]>>

interface FacetWay extends IndexChoice {
  readonly selection: Selection
}

export function* sumsOf(
  { most, facets }: Counting,
  filter: FileFilter,
  context: QuestionContext,
): Question<PageSums> {
  const sums = new Sums({ ...context, most })
  const isCounted = facets && context.lookups.isBuilt
  return {
    bytes: bytesOf(yield* sums.groups({ size: filter })),
    facets: isCounted ? yield* sums.facets(filter) : undefined,
  }
}

class Sums {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  *facets(filter: FileFilter): Question<Facets> {
    const { lookups } = this.#parts
    const sites = yield* lookups.sites()
    const found = yield* this.groups({
      kind: without(filter, ...kindFacets.map(([, key]) => key)),
      year: without(filter, 'years'),
      station: without(filter, 'countries'),
    })
    const country = (id: number) => sites.country(lookups.stations.get(id) ?? '')
    const codes = sites.liveCodes()
    return {
      ...kindFacetsOf(found.kind, filter, lookups.kinds),
      year: found.year && values(found.year, String).reverse(),
      country: found.station && values(found.station, country),
      problem: yield* this.#problems(filter),
      flag: yield* this.#flags(filter),
      suggested: {
        stations: codes.length > mostSuggested ? [] : codes,
        countries: [...new Set(codes.flatMap((code) => sites.country(code) ?? []))].sort(),
      },
    }
  }

  /** The groups of some filters: those that the tables have, and others that cost little. */
  *groups(wanted: Partial<Record<Group, FileFilter>>): Question<FacetRows> {
    const found: FacetRows = {}
    const rest = new Map<string, { readonly selection: Selection; readonly of: Group[] }>()
    for (const [group, filter] of Object.entries(wanted) as [Group, FileFilter][]) {
      const selection = yield* this.#parts.lookups.select(filter)
      const known = selection ? yield* this.#parts.counts.grouped(group, selection) : []
      if (known !== undefined) found[group] = known
      if (known !== undefined || selection === undefined) continue
      // Groups of the same files are read at once.
      const key = group === 'size' ? group : JSON.stringify(filter)
      const same = rest.get(key)
      if (same === undefined) rest.set(key, { selection, of: [group] })
      else same.of.push(group)
    }
    for (const { selection, of } of rest.values())
      Object.assign(found, yield* this.#read(of, selection))
    return found
  }

  *#read(of: readonly Group[], wanted: Selection): Question<FacetRows> {
    const { index, cost, selection } = yield* this.#way(of, wanted)
    if (cost > this.#parts.most) return {}
    const { sql, values } = conditionsOf(selection, this.#parts.dialect, index)
    const columns = of.map((group) => groupColumns[group])
    const found = yield* rows(
      `SELECT count(*), ${columns.join()} FROM ${filesBy(index, this.#parts.dialect)}
       WHERE ${sql} ${of[0] === 'size' ? '' : `GROUP BY ${of.map((_, at) => at + 2).join()}`}`,
      values,
    )
    return Object.fromEntries(
      of.map((group, at) => [
        group,
        group === 'size' ? found : found.map((row) => [row[at + 1], row[0]]),
      ]),
    )
  }

  /**
   * The index to read, and the selection to read from it. The stations of a range of time are found
   * by reading the range of each station, because no index of times has the station.
   */
  *#way(of: readonly Group[], selection: Selection): Question<FacetWay> {
    const { counts, lookups, narrowest } = this.#parts
    const { dates } = selection
    if (!of.includes('station') || !dates || !hasOnly(selection, ['dates', 'kinds']))
      return {
        ...(yield* narrowest.of(
          selection,
          of.map((group) => columnOf[group]),
        )),
        selection,
      }
    const stations = [...lookups.stations.keys()]
    const entries = (yield* counts.ofDates([boundsOf(dates)], undefined)) + 10 * stations.length
    const all = { ...selection, stations }
    return { index: 'file_station', entries, cost: entries, selection: all }
  }

  *#problems(filter: FileFilter): Question<FacetValue[] | undefined> {
    const { dialect, lookups, narrowest, most } = this.#parts
    const others = yield* lookups.select(without(filter, 'problems'))
    if (others === undefined) return []
    const found: FacetValue[] = []
    for (const problem of problems) {
      const { index, cost } = yield* narrowest.of({ ...others, problems: [problem] })
      if (cost > most) return undefined
      // No list of all files with the problem is made: they may be most files of the archive.
      const { sql, values } = conditionsOf(others, dialect, index)
      const from =
        index === ''
          ? `${filesWith(problem, dialect)} AND ${sql}`
          : `${filesBy(index, dialect)} WHERE ${sql} AND ${hasProblem(problem)}`
      const files = (yield* value<number>(`SELECT count(*) FROM ${from}`, values)) ?? 0
      if (files > 0) found.push({ value: problem, files })
    }
    return found
  }

  *#flags(filter: FileFilter): Question<FacetValue[] | undefined> {
    const { dialect, lookups, narrowest, most } = this.#parts
    const selection = yield* lookups.select({ ...filter, flags: flagNames })
    if (selection === undefined) return []
    let [from, by, files] = ['fact_count n', 'n.flags', sumOfColumn('n.files')]
    let { sql, values } = countedCondition(selection, 'n', dialect)
    if (!hasOnly(selection, countedKeys)) {
      const { index, cost } = yield* narrowest.of(selection)
      if (cost > most) return undefined
      ;[from, by, files] = [
        `${filesBy(index, dialect)} CROSS JOIN fact own`,
        'own.flags',
        'count(*)',
      ]
      ;({ sql, values } = conditionsOf(selection, dialect, index))
      sql += ' AND own.id = f.id'
    }
    const counted = yield* rows<[flags: number, files: number]>(
      `SELECT ${by}, ${files} FROM ${from} WHERE ${sql} GROUP BY ${by}`,
      values,
    )
    return flagNames
      .map((value) => {
        const having = counted.filter(([flags]) => (flags & bitsOf([value])) !== 0)
        return { value, files: having.reduce((sum, [, files]) => sum + files, 0) }
      })
      .filter(({ files }) => files > 0)
  }
}

function bytesOf({ size }: FacetRows): number | undefined {
  return size?.reduce((total, [, bytes]) => total + ((bytes as number | null) ?? 0), 0)
}

type KindFacets = Pick<Facets, (typeof kindFacets)[number][0]>

/** The files of each kind were counted without the conditions on these facets. */
function kindFacetsOf(
  counted: readonly Row[] | undefined,
  filter: FileFilter,
  kinds: ReadonlyMap<number, Kind>,
): KindFacets {
  const has = (id: number, [key, part]: (typeof kindConditions)[number]): boolean => {
    const list: readonly string[] | undefined = filter[key]
    return list?.includes(kinds.get(id)?.[part] ?? '') ?? true
  }
  const facets = kindFacets.map(([facet, own, part]) => {
    const others = kindConditions.filter(([key]) => key !== own)
    const rows = counted?.filter(([id]) => others.every((other) => has(id as number, other)))
    return [facet, rows && values(rows, (id) => kinds.get(id)?.[part])] as const
  })
  return Object.fromEntries(facets) as KindFacets
}

function without(filter: FileFilter, ...keys: readonly (keyof FileFilter)[]): FileFilter {
  const rest = Object.entries(filter).filter(([key]) => !keys.some((each) => each === key))
  return Object.fromEntries(rest)
}

/** The values in their order, with the sums of their rows; files without a value come last. */
function values(
  counted: readonly Row[],
  valueOf: (group: number) => string | undefined,
): FacetValue[] {
  const sums = new Map<string | undefined, number>()
  for (const [group, files] of counted as readonly [number, number | null][]) {
    const value = valueOf(group)
    sums.set(value, (sums.get(value) ?? 0) + (files ?? 0))
  }
  const last = '\uffff'
  return [...sums]
    .map(([value = null, files]) => ({ value, files }))
    .filter(({ files }) => files > 0)
    .sort((a, b) => ((a.value ?? last) < (b.value ?? last) ? -1 : 1))
}
