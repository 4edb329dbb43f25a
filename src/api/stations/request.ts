/** Parses the query string of the stations. Pure. */
import { stationOrderKeys } from '../../catalogue/reader.ts'
import type { StationOrdering } from '../../catalogue/reader.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import { badFields } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { invalidChoice } from '../files/parameter-values.ts'
import { stationParameters } from '../files/parameters.ts'
import { commonParameters, readFilters } from '../files/list-request.ts'

export interface StationsRequest {
  readonly filter: FileFilter
  /** In upper case. */
  readonly search: string
  readonly ordering: StationOrdering
  /** Parameters that links to other pages repeat, in any order. */
  readonly kept: readonly Parameter[]
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
}

/** @throws HttpError 400 with all faults */
export function parseStationsRequest(query: Query): StationsRequest {
  const { faults, ...parsed } = readFilters(query, {
    parameters: stationParameters,
    known: [...commonParameters, 'search', 'ordering'],
  })
  const valueOf = (key: string): string => (lastValue(query, key) ?? '').trim()
  const texts = { search: valueOf('search'), ordering: valueOf('ordering') }
  const ordering = parseStationOrdering(texts.ordering)
  if (ordering === undefined) faults.set('ordering', [invalidChoice(texts.ordering).fault])
  if (faults.size > 0 || ordering === undefined) throw badFields(Object.fromEntries(faults))
  const kept: Parameter[] = Object.entries(texts).filter(([, value]) => value !== '')
  return {
    ...parsed,
    kept: [...parsed.kept, ...kept],
    search: texts.search.toUpperCase(),
    ordering,
  }
}

function parseStationOrdering(text: string): StationOrdering | undefined {
  if (text === '') return { key: 'code', descending: false }
  const descending = text.startsWith('-')
  const key = stationOrderKeys.find((name) => name === text.slice(descending ? 1 : 0))
  return key && { key, descending }
}
