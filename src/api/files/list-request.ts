/** The requests for lists of files, and how much to count for them. Pure. */
import type { Ordering, OrderStep } from '../../catalogue/filter.ts'
import { defaultOrdering, dependsOnDetails, orderKeys } from '../../catalogue/filter.ts'
import type { Counting } from '../../catalogue/sums.ts'
import type { Format } from '../http/formats.ts'
import type { FilterParameters } from '../parameters/file-filters.ts'
import { expand, isExpanded } from '../parameters/file-filters.ts'
import { paging } from '../parameters/paging.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { choice, invalidChoice } from '../parameters/parameter.ts'
import type { Query } from '../parameters/request.ts'
import { readRequest } from '../parameters/request.ts'

/** A request for a page of the list. */
export type ListRequest = ReturnType<typeof readListRequest>

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
    const isDefault = first.key === 'id' && first.descending
    return { value: then.length === 0 ? first : { ...first, then }, isKept: !isDefault }
  },
}

/** The parameters of the list of files that are no filters. */
export const listParameters = {
  ordering: orderingOfFiles,
  expand,
  facets: choice(facetWords, {
    default: '0',
    meaning:
      'With `1`, the page has two more members: `bytes`, the sum of the sizes of all matching files, and `facets`, for each property the number of files with each value under all other filters. What cannot be counted within a tenth of a second is null; with `all` it is counted too, within the time limit of a request.',
    example: '1',
  }),
}

/** @throws BadFields with all faults */
export function readListRequest(
  query: Query,
  { maxLimit, filters }: { readonly maxLimit: number; readonly filters: FilterParameters },
  format: Format,
) {
  const asked = readRequest(query, {
    parameters: { ...listParameters, ...paging(maxLimit) },
    filters,
  })
  const { filter, values } = asked
  // The page shows the details.
  const details = values.expand.details || format === 'html'
  const { facts } = values.expand
  return {
    ...asked,
    format,
    /** True if the records have the details of their files. */
    details,
    /** True if they have its facts. */
    facts,
    /** True if the answer depends on the details of files, which change without the record. */
    dependsOnDetails:
      isExpanded({ details, facts }) || dependsOnDetails(filter) || values.facets !== '0',
  }
}

/**
 * What counting a facet may cost for a page for people, which is to be there at once, and for a
 * program, in entries of an index (see `Counting`): 30 and 100 ms.
 */
const mostEntries = { html: 250_000, json: 1_000_000 }

/** What to count for a list; `undefined` for nothing. */
export function countingOf({ details, values, format }: ListRequest): Counting | undefined {
  const { facets } = values
  if (facets === '0' && !details) return undefined
  const most = mostEntries[format === 'html' || facets === '0' ? 'html' : 'json']
  return {
    facets: format === 'html' || facets !== '0',
    most: facets === 'all' ? Infinity : most,
  }
}
