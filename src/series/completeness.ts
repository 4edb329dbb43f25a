/** Completeness, and its classes. Pure. */
import type { SlotFigures } from './slot-states.ts'

export const shareClasses = ['good', 'fair', 'poor'] as const
export type ShareClass = (typeof shareClasses)[number]

/** How much of what could be delivered was delivered. */
export interface Completeness {
  /** Number of slots that could be delivered, and how many of them were (see `SlotFigures`). */
  readonly possible: number
  readonly delivered: number
  /** 0 to 1; `undefined` without possible slots. */
  readonly completeness: number | undefined
}

type SlotCounts = Pick<SlotFigures, 'possible' | 'delivered'>

export function completenessOf({ possible, delivered }: SlotCounts): Completeness {
  return { possible, delivered, completeness: ratio(delivered, possible) }
}

/** The completeness of several series together. */
export function sumOf(all: readonly SlotCounts[]): Completeness {
  const sum = (key: keyof SlotCounts): number => all.reduce((total, each) => total + each[key], 0)
  return completenessOf({ possible: sum('possible'), delivered: sum('delivered') })
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
