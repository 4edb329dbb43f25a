/** The equipment and the places of stations, and the types of equipment, from headers of files. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Antenna } from '../../rinex/facts.ts'
import { compareText } from '../../series/ascending.ts'
import type { NewestPlace, Stretch } from '../../series/equipment.ts'
import { equipmentStretches, newestPlace } from '../../series/equipment.ts'
import type { StationPosition } from '../../series/station-places.ts'
import { inLowerCase } from '../filter.ts'
import type { Question } from '../question.ts'
import { rows, value } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { TypedEquipment, TypeGroup } from '../selection/equipment-types.ts'
import { newestFiles, typeGroups } from '../selection/equipment-types.ts'
import { headerFiles } from '../selection/header-files.ts'
import type { StationCodes } from '../selection/sites.ts'

export interface EquipmentAnswer extends StationCodes {
  readonly head: Head
  /** By their first days. */
  readonly stretches: readonly Stretch[]
}

/**
 * The equipment of a station; `undefined` for an unknown one.
 * @param code in upper case, 4 or 9 characters
 * @throws NotBuilt
 */
export function* equipment(
  code: string,
  context: QuestionContext,
): Question<EquipmentAnswer | undefined> {
  const { head } = yield* context.lookups.refresh({ needsBuilt: true })
  const station = yield* context.lookups.stationOf(code)
  if (station === undefined) return undefined
  const { codes, ambiguous } = station
  const [files = []] = yield* headerFiles([{ stations: station.ids }], context)
  return { head, codes, ambiguous, stretches: equipmentStretches(files) }
}

/** A station of lists, with the ids of its codes. */
interface Site {
  readonly code: string
  readonly stations: readonly number[]
  /** UTC days since 1970 of its first and last observation file. */
  readonly firstDay: number
  readonly lastDay: number
}

/** So many of the newest days are read of each station: those of most are enough. */
const newestDays = 4

/** Of so many other stations, so many days are read. */
const doubtful = { stations: 100, days: 60 } as const

/**
 * The positions of all stations, by the headers of their newest files: see `newestPlace`. Codes are
 * those of lists.
 * @throws NotBuilt
 */
export function* stationPositions(
  _all: undefined,
  context: QuestionContext,
): Question<readonly StationPosition[]> {
  yield* context.lookups.refresh({ needsBuilt: true })
  if (((yield* value<number>('SELECT facts FROM hashing')) ?? 0) === 0) return []
  const sites = yield* observedSites(context)
  const places = new Map<string, NewestPlace>()
  function* read(of: readonly Site[], days: number): Question<void> {
    const wanted = of.map((site) => ({ ...site, firstDay: site.lastDay - days + 1 }))
    for (const [index, files] of (yield* headerFiles(wanted, context)).entries())
      places.set(of[index]?.code ?? '', newestPlace(files))
  }
  yield* read(sites, newestDays)
  const inDoubt = sites.filter(
    ({ code, firstDay, lastDay }) =>
      places.get(code)?.isSure === false && firstDay <= lastDay - newestDays,
  )
  yield* read(inDoubt.slice(0, doubtful.stations), doubtful.days)
  return [...places].flatMap(([code, { position }]) => {
    if (position === undefined) return []
    const { latitude, longitude } = position
    return { code, latitude, longitude }
  })
}

/** The stations with observation files, those with the newest ones first. */
function* observedSites({ dialect, lookups }: QuestionContext): Question<Site[]> {
  const sites = yield* lookups.sites()
  const kinds = [...lookups.kinds].flatMap(([id, { type }]) => (type === 'o' ? [id] : []))
  const found = yield* rows<[station: number, first: number, last: number]>(
    `SELECT station, min(first_date), max(last_date) FROM station_count
     WHERE ${dialect.isIn('kind', 'kinds')} GROUP BY station ORDER BY station`,
    { kinds },
  )
  const bySite = Map.groupBy(found, ([id]) => sites.mainCode(lookups.stations.get(id) ?? ''))
  const all = Array.from(bySite, ([code, own]) => ({
    code,
    stations: own.map(([station]) => station),
    firstDay: Math.floor(Math.min(...own.map(([, first]) => first)) / secondsPerDay),
    lastDay: Math.floor(Math.max(...own.map(([, , last]) => last)) / secondsPerDay),
  }))
  return all.sort((a, b) => b.lastDay - a.lastDay || compareText(a.code, b.code))
}

export interface EquipmentTypesQuery {
  readonly of: TypedEquipment
  /** Part of a type with its radome, in upper or lower case. */
  readonly search: string
  readonly ordering: { readonly key: 'type' | 'files'; readonly descending: boolean }
  readonly limit: number
  /** At least 0; an offset after the end gives no types. */
  readonly offset: number
}

export interface EquipmentType extends Pick<TypeGroup, 'files' | 'isFilter'> {
  /** As its newest file writes it; the radome is that of an antenna, if its header says one. */
  readonly type: string
  readonly radome: string | undefined
  readonly newest: { readonly id: number; readonly name: string }
}

/** The types of receivers or antennas that the headers of files name. */
export function* equipmentTypes(
  { of, search, ordering, limit, offset }: EquipmentTypesQuery,
  context: QuestionContext,
): Question<{ readonly head: Head; readonly count: number; types: readonly EquipmentType[] }> {
  const { head } = yield* context.lookups.refresh()
  const text = inLowerCase(search)
  const found = (yield* typeGroups(of, context)).filter(({ words }) => words.includes(text))
  const { key, descending } = ordering
  const sign = descending ? -1 : 1
  const byType = (a: TypeGroup, b: TypeGroup): number => compareText(a.words, b.words)
  found.sort((a, b) =>
    key === 'type' ? sign * byType(a, b) : sign * (a.files - b.files) || byType(a, b),
  )
  const shown = found.slice(offset, offset + limit)
  const newest = yield* newestFiles(shown, context)
  const types = shown.flatMap((group): EquipmentType[] => {
    const file = newest.get(group)
    const { type = '', radome }: Antenna = file?.equipment[of] ?? {}
    const { files, isFilter } = group
    if (file === undefined) return []
    return [{ type, radome, files, isFilter, newest: { id: file.id, name: file.name } }]
  })
  return { head, count: found.length, types }
}
