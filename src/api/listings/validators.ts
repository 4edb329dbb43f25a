/** What says whether a client has a listing already. Pure. */
import type { DirectoryState } from '../../catalogue/records.ts'
import { formatHttpDate, parseHttpDate } from '../http/http-date.ts'

/**
 * A change is dated in its transaction and seen when that is written, on a busy disk seconds later. Until this time has
 * passed, more may come to be seen of the second that the latest change is dated with.
 */
const unsureUs = 10_000_000

export interface ListingDate {
  readonly headers: { readonly 'last-modified'?: string }
  /** Whether a client that has the listing of exactly this date has the present one. */
  readonly isKnown: (ifModifiedSince: string | undefined) => boolean
}

/**
 * The date of a listing is that of the latest change of anything in it. A second holds many changes: while more of them
 * may come, it is told a second early, and matches nothing, so that nobody keeps what one of them has made untrue.
 */
export function dateOf({ changedUs }: DirectoryState, nowUs: number): ListingDate {
  if (changedUs === undefined) return { headers: {}, isKnown: () => false }
  const second = Math.floor(Math.min(changedUs, nowUs) / 1_000_000)
  const isSure = nowUs - changedUs >= unsureUs
  return {
    headers: { 'last-modified': formatHttpDate(isSure ? second : second - 1) },
    isKnown: (text) => {
      const since = parseHttpDate(text ?? '')
      return isSure && since === second
    },
  }
}
