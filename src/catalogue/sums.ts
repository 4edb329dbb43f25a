/** What is counted of files: how many there are, their sizes, and the facets of a filter. */

/** A number of files, and their size. */
export interface Volume {
  readonly files: number
  /** The sum of the sizes. */
  readonly bytes: number
}

/** Adds up volumes. */
export function sumOfVolumes(volumes: readonly Volume[]): Volume {
  const sum = { files: 0, bytes: 0 }
  for (const { files, bytes } of volumes) {
    sum.files += files
    sum.bytes += bytes
  }
  return sum
}

/** Which sums to count. */
export interface Counting {
  readonly facets: boolean
  /**
   * What no table of counts has is counted if it takes no longer than to read this many entries of
   * an index; a million takes about a tenth of a second.
   */
  readonly most: number
}

/** A value of a facet, and how many files have it; the value `null`: files without a value. */
export interface FacetValue {
  readonly value: string | null
  readonly files: number
}

export const facetNames = [
  'type',
  'period',
  'year',
  'country',
  'area',
  'form',
  'problem',
  'flag',
] as const
export type FacetName = (typeof facetNames)[number]

/**
 * The values of each facet, with the number of files that have the value and meet all conditions
 * of the filter but those on this facet; `undefined` if it was not counted.
 */
export interface Facets extends Readonly<Record<FacetName, readonly FacetValue[] | undefined>> {
  /** The codes with files, if they are few, and the countries of all stations. */
  readonly suggested: {
    readonly stations: readonly string[]
    readonly countries: readonly string[]
  }
}

/** What is `undefined` was not counted. */
export interface PageSums {
  /** The sum of the sizes. */
  readonly bytes: number | undefined
  readonly facets: Facets | undefined
}
