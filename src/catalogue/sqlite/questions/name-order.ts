import { dayOfYearAt, secondsPerDay } from '../../../parse/calendar.ts'
import { beyond } from '../block-layout.ts'
import type { Segment } from './columns.ts'
import { partsAt } from './parts.ts'
import type { Part } from './parts.ts'
import type { Order } from './order.ts'
import { openValueCounts } from './value-counts.ts'
import { openMatchesIn, partsByValue } from './value-parts.ts'
import type { Kind, Vocabulary } from './vocabulary.ts'

/** Names are ASCII: this comes after whatever any of them goes on with, and strings with it are compared as fast. */
const afterAll = '\x7f'

/** The order of names: how each begins is told by its station, which the columns hold, and by its kind and day. */
export function openNameOrder(vocabulary: Vocabulary): Order {
  const countsOf = openValueCounts('stations')
  const matchesIn = openMatchesIn('stations')
  const siteOf = (station: number) =>
    between(station === beyond ? undefined : vocabulary.stations[station]?.slice(0, 4))
  const beginningOf = (station: number, kind: number, day: number) => {
    const [code, its] = [vocabulary.stations[station], vocabulary.kinds[kind]]
    const isTold = station !== beyond && kind !== beyond && day !== beyond
    if (!isTold || code === undefined || its === undefined) return siteOf(station)
    return between(beginning(code, its, day))
  }
  return (listed, ranks) => {
    const counted = countsOf(listed)
    if (counted === undefined) return undefined
    const sites = partsAt(partsByValue(counted, siteOf), ranks)
    const bySegment = matchesIn(listed, counted, sites.parts)
    if (bySegment === undefined) return undefined
    const groups = openGroups(beginningOf)
    for (const [segment, { found }] of bySegment) for (const at of found) groups.add(segment, at)
    const { before } = sites
    const fine = partsAt(groups.all(), { first: ranks.first - before, end: ranks.end - before })
    return { ids: fine.parts.flatMap(({ ids }) => ids), before: before + fine.before }
  }
}

/** Between which names those lie that begin so; all, where that is not known. */
function between(beginning: string | undefined): Between {
  if (beginning === undefined) return ['', afterAll]
  const lower = beginning.toLowerCase()
  return [lower, lower + afterAll]
}

/** How names of a station and a kind begin whose data start on a day: parse's `short-name` and `long-name` have the columns. */
function beginning(code: string, { version, source }: Kind, day: number): string {
  const { year, dayOfYear } = dayOfYearAt(day * secondsPerDay)
  const dayDigits = String(dayOfYear).padStart(3, '0')
  return version === 'r2'
    ? `${code}${dayDigits}`
    : `${code}_${source}_${String(year).padStart(4, '0')}${dayDigits}`
}

interface Group extends Part<string> {
  count: number
  readonly ids: number[]
}

type Between = readonly [from: string, to: string]

/** Records whose names begin alike. */
function openGroups(beginningOf: (station: number, kind: number, day: number) => Between) {
  const groups = new Map<string, Group>()
  // There are many times fewer combinations of the three than records.
  const known = new Map<number, Group>()
  const groupOf = ([from, to]: Between): Group => {
    let group = groups.get(from)
    if (group === undefined) groups.set(from, (group = { from, to, count: 0, ids: [] }))
    return group
  }
  return {
    add: ({ firstId, stations, kinds, days }: Segment, at: number): void => {
      const [station, kind, day] = [stations[at] as number, kinds[at] as number, days[at] as number]
      const key = (station * (beyond + 1) + kind) * (beyond + 1) + day
      let group = known.get(key)
      if (group === undefined) known.set(key, (group = groupOf(beginningOf(station, kind, day))))
      group.count++
      group.ids.push(firstId + at)
    },
    all: (): Group[] => [...groups.values()],
  }
}
