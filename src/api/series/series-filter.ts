/** The parameters that choose series, in all collections of series. Pure. */
import type { FileFilter } from '../../catalogue/filter.ts'
import { countryOf } from '../../parse/countries.ts'
import { periods } from '../../series/series.ts'
import type { Period } from '../../series/series.ts'
import { choices, isChosen } from '../parameters/parameter.ts'
import type { NetworkKey } from './known-series.ts'

export const period = choices(periods, {
  meaning: 'The periods of the files; by default all.',
  example: '01H',
  label: 'Period',
})

/**
 * True if a series matches the filters. A code of 4 characters matches all codes that begin with
 * it.
 * @param chosen periods; none for all
 */
export function matchesSeries(
  { station, fileType, period: own }: NetworkKey,
  { stations, countries, types }: Pick<FileFilter, 'stations' | 'countries' | 'types'>,
  chosen: readonly Period[] = [],
): boolean {
  const country = countryOf(station)
  return (
    isChosen(chosen, own) &&
    (types?.includes(fileType) ?? true) &&
    (stations?.some((code) => code === station || code === station.slice(0, 4)) ?? true) &&
    (countries === undefined || (country !== undefined && countries.includes(country)))
  )
}
