/** Parses requests for lists of series, and filters, sorts and serialises series. Pure. */
import type { FileFilter } from '../../catalogue/filter.ts'
import { periods, startOf } from '../../series/series.ts'
import { seriesStates } from '../../series/slot-states.ts'
import type { Period } from '../../series/series.ts'
import { countryOf } from '../../parse/countries.ts'
import { badFields } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import { lastValue, listedValues } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { commonParameters, readFilters } from '../files/list-request.ts'
import { invalidChoice } from '../parameters/filter-values.ts'
import { isoOrNull } from '../http/times.ts'
import type { SeriesStatus } from './known-series.ts'
import { sharedParameters } from './schema.ts'
import type { SeriesOrderKey, WireSeries } from './schema.ts'

export interface SeriesFilter extends Pick<FileFilter, 'stations' | 'countries' | 'types'> {
  readonly periods: readonly Period[]
}

export interface SeriesListRequest<State extends string, Key extends string> {
  readonly filter: SeriesFilter
  readonly states: readonly State[]
  readonly ordering: { readonly key: Key; readonly descending: boolean }
  /** Parameters that links to other pages repeat. The links sort them. */
  readonly kept: readonly Parameter[]
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
}

export interface SeriesListOptions<State extends string, Key extends string> {
  readonly states: readonly State[]
  readonly orderKeys: readonly Key[]
  /** A key, with a minus before it for the reverse order. */
  readonly defaultOrdering: Key | `-${Key}`
  /** Names of further parameters. */
  readonly further?: readonly string[]
  /** Finds faults of further parameters. */
  readonly check?: (faults: Map<string, readonly string[]>) => void
}

/** @throws HttpError 400 with all faults */
export function parseSeriesList<State extends string, Key extends string>(
  query: Query,
  { states, orderKeys, defaultOrdering, further = [], check }: SeriesListOptions<State, Key>,
): SeriesListRequest<State, Key> {
  const { faults, filter, kept, ignored } = readFilters(query, {
    parameters: sharedParameters,
    known: [...commonParameters, 'state', 'period', 'ordering', ...further],
  })
  const choose = <T extends string>(name: string, choices: readonly T[]): readonly T[] => {
    const values = listedValues(query, name)
    const bad = values.find((value) => !choices.some((choice) => choice === value))
    if (bad !== undefined) faults.set(name, [invalidChoice(bad).fault])
    if (values.length > 0) kept.push([name, values.join()])
    return choices.filter((choice) => values.length === 0 || values.includes(choice))
  }
  const chosen = { states: choose('state', states), periods: choose('period', periods) }
  const orderText = (lastValue(query, 'ordering') ?? '').trim()
  if (orderText !== '') kept.push(['ordering', orderText])
  const ordering = parseSeriesOrdering(orderText === '' ? defaultOrdering : orderText, orderKeys)
  if (ordering === undefined) faults.set('ordering', [invalidChoice(orderText).fault])
  check?.(faults)
  if (faults.size > 0 || ordering === undefined) throw badFields(Object.fromEntries(faults))
  return {
    filter: { ...filter, periods: chosen.periods },
    states: chosen.states,
    ordering,
    kept,
    ignored,
  }
}

function parseSeriesOrdering<Key extends string>(text: string, keys: readonly Key[]) {
  const descending = text.startsWith('-')
  const key = keys.find((name) => name === text.slice(descending ? 1 : 0))
  return key && { key, descending }
}

/**
 * True if a series matches a filter. A code of 4 characters matches all codes that begin with it.
 */
export function matchesSeries(
  { station, fileType, period }: Omit<SeriesStatus, 'summary'>,
  { stations, countries, types, periods: chosen }: SeriesFilter,
): boolean {
  const country = countryOf(station)
  return (
    chosen.includes(period) &&
    (types?.includes(fileType) ?? true) &&
    (stations?.some((code) => code === station || code === station.slice(0, 4)) ?? true) &&
    (countries === undefined || (country !== undefined && countries.includes(country)))
  )
}

export function serialiseSeries({ station, fileType, period, summary }: SeriesStatus): WireSeries {
  const { lastSlot } = summary
  return {
    station,
    country: countryOf(station) ?? null,
    file_type: fileType,
    period,
    state: summary.state,
    since: isoOrNull(summary.since),
    ended: summary.ended,
    usual_s: summary.usualLatency ?? null,
    late_after_s: summary.lateAfter,
    last_slot: isoOrNull(lastSlot === undefined ? undefined : startOf(lastSlot, period)),
    last_arrival: isoOrNull(summary.lastArrival),
    completeness_28d: shareOrNull(summary.completeness),
    share_28d: shareOrNull(summary.share),
    within_target_28d: shareOrNull(summary.withinTarget),
    class: summary.class ?? null,
  }
}

/** Rounds a share to four digits after the point; null if the share is unknown. */
export function shareOrNull(share: number | undefined): number | null {
  return share === undefined ? null : Math.round(share * 10_000) / 10_000
}

/**
 * Sorts series. Missing values come last, and series with equal keys stay in the order of their
 * stations.
 */
export function sortSeries(
  series: readonly WireSeries[],
  { key, descending }: { readonly key: SeriesOrderKey; readonly descending: boolean },
): readonly WireSeries[] {
  const valueOf = (each: WireSeries): string | number | null =>
    key === 'state' ? seriesStates.indexOf(each.state) : each[key]
  return series.toSorted((a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)]
    if (first === second) return 0
    if (first === null || second === null) return first === null ? 1 : -1
    return first < second === descending ? 1 : -1
  })
}
