/** What a request for the stations asks for. Pure. */
import { stationOrderKeys } from '../../catalogue/reader.ts'
import type { StationOrdering } from '../../catalogue/reader.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import { badFields } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { stationParameters } from '../files/parameters.ts'
import { commonParameters, readFilters } from '../files/list-request.ts'

export interface StationsRequest {
  readonly filter: FileFilter
  /** In upper case. */
  readonly search: string
  readonly ordering: StationOrdering
  /** What links to other pages repeat, in no particular order. */
  readonly kept: readonly Parameter[]
  /** Parameters that mean nothing here. */
  readonly ignored: readonly string[]
}

/** @throws HttpError 400 that names all faults */
export function parseStationsRequest(query: Query): StationsRequest {
  const { faults, ...read } = readFilters(query, {
    parameters: stationParameters,
    known: [...commonParameters, 'search', 'ordering'],
  })
  const [search, asked] = ['search', 'ordering'].map((key) => (lastValue(query, key) ?? '').trim())
  const ordering = parseOrdering(asked ?? '')
  if (ordering === undefined)
    faults.set('ordering', [
      `Select a valid choice. ${asked ?? ''} is not one of the available choices.`,
    ])
  if (faults.size > 0 || ordering === undefined) throw badFields(Object.fromEntries(faults))
  const kept = Object.entries({ search, ordering: asked })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value = '']): Parameter => [key, value])
  return { ...read, kept: [...read.kept, ...kept], search: (search ?? '').toUpperCase(), ordering }
}

function parseOrdering(text: string): StationOrdering | undefined {
  if (text === '') return { key: 'code', descending: false }
  const descending = text.startsWith('-')
  const key = stationOrderKeys.find((each) => each === text.slice(descending ? 1 : 0))
  return key && { key, descending }
}
