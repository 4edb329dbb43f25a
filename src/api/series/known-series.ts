/** The series of the network with their states. */
import type { FileFilter } from '../../catalogue/filter.ts'
import { stationMatcher } from '../../catalogue/filter.ts'
import type { Head } from '../../catalogue/records.ts'
import { countryOf } from '../../parse/countries.ts'
import type { AsOf } from '../../series/as-of.ts'
import type { Loss } from '../../series/loss.ts'
import type { Period, SeriesKey } from '../../series/series.ts'
import { periods } from '../../series/series.ts'
import type { SeriesPast, SeriesSummary } from '../../series/series-summary.ts'
import type { State } from '../../series/station-states.ts'
import { periodNoun } from '../pages/date-words.ts'
import { choices, isChosen } from '../parameters/parameter.ts'
import { periodWords } from '../parameters/words.ts'

/** What names a series of the network. */
export interface NetworkKey extends SeriesKey {
  readonly station: string
  /** The period as the long names of the series write it: `24H` for `01D`. */
  readonly writtenPeriod?: string | undefined
}

/** A series of the network, with its state now and its figures of the last 28 days. */
export interface SeriesStatus extends NetworkKey {
  readonly summary: SeriesSummary
  /**
   * Time at which its first missing file was late, in seconds since 1970, and the seconds since
   * then; `undefined` if it is neither late nor down.
   */
  readonly due?: number | undefined
  readonly lateSeconds?: number | undefined
}

/** A series with all that its states follow from. */
export interface KnownSeries extends SeriesStatus {
  readonly ids: readonly number[]
  readonly past: SeriesPast
  /** Start of the first live file, in seconds since 1970; `undefined` without live files. */
  readonly firstStart: number | undefined
}

/** The states of all series and stations, for one state of the catalogue. */
export interface NetworkStatus {
  readonly head: Head
  readonly asOf: AsOf
  readonly states: readonly KnownSeries[]
  /** The state of each station: the worst of its series. */
  readonly stations: ReadonlyMap<string, State>
  /** The open losses, the newest first. */
  readonly losses: readonly Loss[]
}

/** Series that are computed without interruption; more would delay other requests. */
export const seriesAtOnce = 50

/** Identifies a series of the network. */
export function keyOf({ station, fileType, period }: NetworkKey): string {
  return `${station} ${fileType} ${period}`
}

/**
 * The main series of each station, hourly or daily observation files: first one that has not ended,
 * then one with a completeness, then an hourly one.
 */
export function mainSeries<Series extends SeriesStatus>(
  states: readonly Series[],
): ReadonlyMap<string, Series> {
  const byStation = new Map<string, Series>()
  for (const each of states) {
    const known = byStation.get(each.station)
    if (each.fileType !== 'o' || each.period === '15M') continue
    if (known === undefined || rank(each) > rank(known)) byStation.set(each.station, each)
  }
  return byStation
}

function rank({ period, summary: { ended, completeness } }: SeriesStatus): number {
  return (ended ? 0 : 4) + (completeness === undefined ? 0 : 2) + (period === '01H' ? 1 : 0)
}

export const period = choices(periods, {
  meaning: 'The periods of the files; by default all.',
  example: '01H',
  label: 'Period',
  textOf: (each) => periodNoun(each),
  also: periodWords,
})

/** True if a series matches; a code of 4 characters matches all that begin with it. */
export function matchesSeries(
  { station, fileType, period: own }: NetworkKey,
  { stations, countries, types }: Pick<FileFilter, 'stations' | 'countries' | 'types'>,
  chosen: readonly Period[] = [],
): boolean {
  const country = countryOf(station)
  return (
    isChosen(chosen, own) &&
    (types?.includes(fileType) ?? true) &&
    (stations === undefined || stationMatcher(stations)(station)) &&
    (countries === undefined || (country !== undefined && countries.includes(country)))
  )
}
