import { beyond } from '../block-layout.ts'
import { partsAt } from './parts.ts'
import type { Order } from './order.ts'
import { openValueCounts } from './value-counts.ts'
import { openMatchesIn, partsByValue } from './value-parts.ts'

/** The order of when the data start: of nearly all records the columns hold the day. */
export function openDateOrder(): Order {
  const countsOf = openValueCounts('days')
  const matchesIn = openMatchesIn('days')
  const daysOf = (day: number) =>
    day === beyond ? ([-Infinity, Infinity] as const) : ([day, day] as const)
  return (listed, ranks) => {
    const counted = countsOf(listed)
    if (counted === undefined) return undefined
    const { parts, before } = partsAt(partsByValue(counted, daysOf), ranks)
    const bySegment = matchesIn(listed, counted, parts)
    if (bySegment === undefined) return undefined
    const ids: number[] = []
    for (const [{ firstId }, { found }] of bySegment) for (const at of found) ids.push(firstId + at)
    return { ids, before }
  }
}
