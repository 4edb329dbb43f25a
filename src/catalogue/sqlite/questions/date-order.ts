import { beyond } from '../block-layout.ts'
import { partsAt } from './parts.ts'
import type { Order } from './order.ts'
import { openValueCounts } from './value-counts.ts'
import { forMatches, partsByValue } from './value-parts.ts'

/** The order of when the data start: of nearly all records the columns hold the day. */
export function openDateOrder(): Order {
  const countsOf = openValueCounts()
  const daysOf = (day: number) =>
    day === beyond ? ([-Infinity, Infinity] as const) : ([day, day] as const)
  return (segments, matches, ranks, isTimeUp) => {
    const counted = countsOf(segments, matches, 'days', isTimeUp)
    if (counted === undefined) return undefined
    const { parts, before } = partsAt(partsByValue(counted, daysOf), ranks)
    const ids: number[] = []
    forMatches(counted, matches, { column: 'days', parts }, ({ firstId }, at) => {
      ids.push(firstId + at)
    })
    return { ids, before }
  }
}
