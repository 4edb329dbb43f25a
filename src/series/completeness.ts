/** Completeness, the share of expected files, and their classes. Pure. */
import type { SlotFigures } from './slot-states.ts'

/**
 * The files that fill a slot. `archived`: only live files. `delivered`: all delivered files, live
 * or removed.
 */
export const measures = ['archived', 'delivered'] as const
export type Measure = (typeof measures)[number]

export const shareClasses = ['good', 'fair', 'poor'] as const
export type ShareClass = (typeof shareClasses)[number]

export interface Completeness {
  /**
   * Number of slots that could be filled. With `archived`, slots whose file was removed do not
   * count.
   */
  readonly possible: number
  /** Number of these slots that are filled, as the measure counts. */
  readonly present: number
  /** 0 to 1; `undefined` without possible slots. */
  readonly completeness: number | undefined
  /** Number of expected slots, and how many of them were delivered. */
  readonly expected: number
  readonly delivered: number
  /** 0 to 1; `undefined` without expected slots. */
  readonly share: number | undefined
}

export function completenessOf(figures: SlotFigures, measure: Measure): Completeness {
  const { expected, delivered, removed } = figures
  const isArchived = measure === 'archived'
  const possible = figures.possible - (isArchived ? removed : 0)
  const present = figures.present + (isArchived ? 0 : removed)
  return withShares({ possible, present, expected, delivered })
}

/** The completeness of several series together. */
export function sumOf(all: readonly Counts[]): Completeness {
  const sum = (key: keyof Counts): number => all.reduce((total, each) => total + each[key], 0)
  const [possible, present] = [sum('possible'), sum('present')]
  return withShares({ possible, present, expected: sum('expected'), delivered: sum('delivered') })
}

type Counts = Pick<Completeness, 'possible' | 'present' | 'expected' | 'delivered'>

function withShares(counts: Counts): Completeness {
  const { possible, present, expected, delivered } = counts
  return {
    ...counts,
    completeness: ratio(present, possible),
    share: ratio(delivered, expected),
  }
}

/** 0 to 1; `undefined` of nothing. */
export function ratio(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole
}

/**
 * The class of a completeness, with the limits that the EPN central bureau uses for the figures of
 * four weeks; `undefined` without a completeness.
 */
export function shareClass(share: number | undefined): ShareClass | undefined {
  if (share === undefined) return undefined
  if (share > 0.9) return 'good'
  return share >= 0.8 ? 'fair' : 'poor'
}
