/** Times of epochs as texts. They have no zone: they are in the system of time of the file. */
import { secondsToIso } from '../parse/calendar.ts'
import type { Span } from './expected.ts'

/**
 * `2024-01-01T18:00:00`, with a fraction only if there is one.
 * @param us microseconds since 1970
 */
export function epochTime(us: number): string {
  const seconds = Math.floor(us / 1e6)
  const fraction = String(us - seconds * 1e6)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const time = secondsToIso(seconds).slice(0, -1)
  return fraction === '' ? time : `${time}.${fraction}`
}

/** `2024-01-01 18:00:00`, in sentences. */
export function shortTime(us: number): string {
  return epochTime(us).replace('T', ' ')
}

/** `from 2024-01-01 18:00:00 to 2024-01-01 19:00:00` */
export function spanWords({ fromUs, toUs }: Span): string {
  return `from ${shortTime(fromUs)} to ${shortTime(toUs)}`
}
