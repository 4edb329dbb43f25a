/** The sums and facets of a filter, counted one record after another. */
import { problems } from '../../src/catalogue/filter.ts'
import type { FacetName, Facets, PageSums } from '../../src/catalogue/sums.ts'
import type { Known, Parameters } from '../api/files/oracle.ts'
import { expected, tests } from '../api/files/oracle.ts'

export type KnownWithSize = Known & { readonly size: number }

/** The parameters that set a facet, and the values that a record has. */
const facets: Readonly<
  Record<
    FacetName,
    {
      readonly own: readonly string[]
      readonly of: (record: Known, known: readonly Known[]) => readonly (string | null)[]
    }
  >
> = {
  type: { own: ['file_type', 'fileType'], of: ({ parsed }) => [parsed.type] },
  period: { own: ['file_duration', 'filePeriod'], of: ({ parsed }) => [parsed.duration] },
  year: {
    own: ['year', 'data_date__year'],
    of: ({ data_date }) => [String(Number(data_date.slice(0, 4)))],
  },
  country: { own: ['country'], of: (record, known) => [countryOf(record, known)] },
  area: { own: ['area'], of: ({ area }) => [area] },
  form: { own: ['file_version', 'rinexVersion'], of: ({ parsed }) => [parsed.version] },
  problem: {
    own: ['problem'],
    of: (record) => problems.filter((each) => record.problems.includes(each)),
  },
  flag: { own: ['flag'], of: ({ facts }) => facts?.flags.map(({ flag }) => flag) ?? [] },
}

const countries = ['AUT', 'DEU', 'MDG', 'CHE']

function countryOf(record: Known, known: readonly Known[]): string | null {
  return countries.find((code) => tests['country']?.(record, code, known)) ?? null
}

/** @returns the first difference; `undefined` if all is exact. What was not counted is no fault. */
export function sumsFault(
  sums: PageSums | undefined,
  known: readonly KnownWithSize[],
  parameters: Parameters,
): string | undefined {
  const wanted = recordsOf(known, parameters).reduce((sum, { size }) => sum + size, 0)
  if (sums?.bytes !== undefined && sums.bytes !== wanted)
    return `${sums.bytes} bytes, not ${wanted}`
  for (const [name, { own, of }] of Object.entries(facets)) {
    const found = sums?.facets?.[name as keyof typeof facets]
    if (found === undefined) continue
    const others = Object.entries(parameters).filter(([key]) => !own.includes(key))
    const counts = new Map<string | null, number>()
    for (const record of recordsOf(known, Object.fromEntries(others)))
      for (const value of of(record, known)) counts.set(value, (counts.get(value) ?? 0) + 1)
    const [a, b] = [found.map(({ value, files }) => [value, files]), [...counts]].map((list) =>
      JSON.stringify(list.sort((one, two) => (String(one[0]) < String(two[0]) ? -1 : 1))),
    )
    if (a !== b) return `${name} ${a}, not ${b}`
  }
  return undefined
}

function recordsOf<Record extends Known>(
  known: readonly Record[],
  parameters: Parameters,
): Record[] {
  const ids = new Set(expected(known, parameters))
  return known.filter(({ id }) => ids.has(id))
}

/** The names of the facets that were counted. */
export function countedFacets(counted: Facets | undefined): FacetName[] {
  return (Object.keys(facets) as FacetName[]).filter((name) => counted?.[name] !== undefined)
}
