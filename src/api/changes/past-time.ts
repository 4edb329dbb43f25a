/** A time in the past as people say it, and the number of the changes since then. */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import { parseDays, parseTimeUs, secondsPerDay } from '../../parse/calendar.ts'

/** A time, days before the midnight of today, or seconds before now. */
export type PastTime =
  { readonly us: number } | { readonly daysAgo: number } | { readonly secondsAgo: number }

const days: Readonly<Record<string, number>> = { today: 0, yesterday: 1 }

const unitSeconds: Readonly<Record<string, number>> = {
  m: 60,
  h: 3600,
  d: secondsPerDay,
  w: 7 * secondsPerDay,
}

/** `3 hours`, `2 h ago`, `10 min`, `a week` */
const agoPattern = /^(\d{1,6}|an?) ?(m|min|minutes?|h|hours?|d|days?|w|weeks?)(?: ago)?$/i

/** `undefined` for any other text, also for a number alone. */
export function parsePastTime(text: string): PastTime | undefined {
  const daysAgo = days[text.toLowerCase()]
  if (daysAgo !== undefined) return { daysAgo }
  const [, count = '', unit = ''] = agoPattern.exec(text) ?? []
  const seconds = unitSeconds[unit.charAt(0).toLowerCase()]
  if (seconds !== undefined) return { secondsAgo: (Number(count) || 1) * seconds }
  if (/^\d+$/.test(text)) return undefined
  const us = parseTimeUs(text) ?? (parseDays(text)?.from ?? NaN) * secondsPerDay * 1e6
  return Number.isFinite(us) ? { us } : undefined
}

/** In microseconds since 1970. */
export function momentOf(time: PastTime, nowUs: number): number {
  if ('us' in time) return time.us
  if ('secondsAgo' in time) return nowUs - time.secondsAgo * 1e6
  return (Math.floor(nowUs / 1e6 / secondsPerDay) - time.daysAgo) * secondsPerDay * 1e6
}

/**
 * The number after which are the changes since a time, as far back as the feed reaches. The times
 * of changes rise with their numbers, so a few dozen lookups find it.
 */
export async function numberBefore(
  reader: Pick<CatalogueReader, 'head' | 'changes'>,
  us: number,
): Promise<number> {
  const { seq } = await reader.head()
  const after = (since: number) => reader.changes({ since, limit: 1, filters: {} })
  let [low, high] = [(await after(seq)).purgedSeq, seq]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [change] = (await after(middle)).changes
    if (change === undefined || change.atUs >= us) high = middle
    else low = Math.min(change.seq, high)
  }
  return low
}
