/** Parses the query strings of lists of files: filters, ordering, details. Pure. */
import { defaultOrdering, orderKeys } from '../../catalogue/filter.ts'
import type { OrderStep, Ordering } from '../../catalogue/filter.ts'
import type { Format } from '../http/formats.ts'
import { expand, filterParameters } from '../parameters/file-filters.ts'
import { choice, invalidChoice } from '../parameters/parameter.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { readRequest } from '../parameters/request.ts'
import type { Asked, Query } from '../parameters/request.ts'

export interface ListRequest extends Omit<Asked<typeof listParameters>, 'values'> {
  readonly ordering: Ordering
  readonly details: boolean
  readonly facets: (typeof facetWords)[number]
}

const facetWords = ['0', '1', 'all'] as const

const orderKey = `-?(${orderKeys.join('|')})`

/** Sort keys with their directions, for example `-data_date,filename`. */
export const orderingOfFiles: Parameter<Ordering> = {
  schema: {
    type: 'string',
    description: `The sort keys, separated by commas: ${orderKeys.map((key) => `\`${key}\``).join(', ')}. A minus before a key reverses its order. Files with equal keys are sorted by id, in the direction of the last key.`,
    pattern: `^${orderKey}(,${orderKey})*$`,
    default: '-id',
    examples: ['-data_date,filename'],
  },
  takes: 'last',
  read: ([text = '']) => {
    const steps: OrderStep[] = []
    for (const item of text.split(',').map((part) => part.trim())) {
      const descending = item.startsWith('-')
      const key = orderKeys.find((name) => name === item.slice(descending ? 1 : 0))
      if (key !== undefined) steps.push({ key, descending })
      else if (item !== '') return invalidChoice(item)
    }
    // A repeated key has no effect, and neither has a key after the id, which is unique.
    const ids = steps.findIndex(({ key }) => key === 'id')
    const [first = defaultOrdering, ...then] = steps
      .slice(0, ids < 0 ? steps.length : ids + 1)
      .filter(({ key }, index) => steps.findIndex((step) => step.key === key) === index)
    return { value: then.length === 0 ? first : { ...first, then } }
  },
}

/** The parameters of the list of files that are no filters. */
export const listParameters = {
  ordering: orderingOfFiles,
  expand,
  facets: choice(facetWords, {
    default: '0',
    meaning:
      'With `1`, the page has three more members: `bytes` and `sized`, the sum of the known sizes of all matching files and the number of files of known size; and `facets`, for each property the number of files with each value under all other filters. What cannot be counted within a tenth of a second is null; with `all` it is counted too, within the time limit of a request.',
    example: '1',
  }),
}

/** What a list and a stream have in common: the rest of their request follows from it. */
export function listOf<O extends Ordering>(
  asked: Omit<ListRequest, 'ordering' | 'details' | 'facets'> & {
    readonly values: { readonly ordering: O; readonly expand: readonly string[] }
  },
) {
  const { ordering, expand: expanded } = asked.values
  const isDefault = ordering.key === 'id' && ordering.descending
  const kept = asked.kept.filter(([name]) => name !== 'ordering' || !isDefault)
  return { ...asked, ordering, details: expanded.length > 0, kept }
}

/** @throws BadFields with all faults */
export function parseListRequest(
  query: Query,
  { maxLimit }: { readonly maxLimit: number },
): ListRequest {
  const parameters = listParameters
  const asked = readRequest(query, { parameters, filters: filterParameters, maxLimit })
  return { ...listOf(asked), facets: asked.values.facets }
}

/** True if a response depends on the details of files, which change without the record. */
export function dependsOnDetails(
  { details, filter, facets }: Pick<ListRequest, 'details' | 'filter' | 'facets'>,
  format: Format,
): boolean {
  return details || filter.problems !== undefined || facets !== '0' || format === 'html'
}
