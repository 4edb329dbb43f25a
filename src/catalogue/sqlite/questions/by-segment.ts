import type { Segment } from './columns.ts'
import type { Listed, Matches } from './places.ts'

/** What was found of a segment, as of the number of its latest change. */
interface OfSegment<Found> {
  readonly seq: number
  readonly found: Found
}

export type BySegment<Found> = ReadonlyMap<Segment, OfSegment<Found>>

interface List<Found> {
  readonly matches: Matches
  readonly what: string
  readonly bySegment: Map<Segment, OfSegment<Found>>
}

/**
 * Finds something of the matches of each segment, and again only where the segment has changed.
 * @param keptLists of so many lists it is kept for other questions, those that were asked for latest
 * @returns a function that gives nothing when time was up before the end; what was found is kept for the next look
 */
export function openBySegment<Found>(keptLists: number) {
  let latest: readonly List<Found>[] = []
  // A question that takes many turns goes on where it was, however many others are asked in between.
  const byQuestion = new WeakMap<object, List<Found>>()
  return (
    { segments, matches, turn }: Listed,
    what: string,
    find: (segment: Segment) => Found,
  ): BySegment<Found> | undefined => {
    const isAsked = (list: List<Found>) => list.matches === matches && list.what === what
    const begun = byQuestion.get(turn.question)
    const known = begun !== undefined && isAsked(begun) ? begun : latest.find(isAsked)
    const list: List<Found> = known ?? { matches, what, bySegment: new Map() }
    byQuestion.set(turn.question, list)
    latest = [list, ...latest.filter((each) => each !== list)].slice(0, keptLists)
    for (const segment of segments) {
      const { seq } = segment
      if (list.bySegment.get(segment)?.seq === seq) continue
      if (turn.isTimeUp()) return undefined
      list.bySegment.set(segment, { seq, found: find(segment) })
    }
    return list.bySegment
  }
}
