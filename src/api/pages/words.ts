/** How people read what a record says in codes. */
import type { FileDuration, FileType } from '../../parse/types.ts'

const durations: Readonly<Record<FileDuration, string>> = {
  m: 'minutes',
  h: 'hour',
  d: 'day',
  y: 'year',
  u: 'unspecified',
}

const types: Readonly<Record<FileType, string>> = {
  o: 'observation',
  n: 'navigation',
  m: 'meteorological',
}

export function durationWord(code: FileDuration | null): string {
  return code === null ? '' : durations[code]
}

export function typeWord(code: FileType | null): string {
  return code === null ? '' : types[code]
}

/** `2026-01-22 05:00`, of an ISO time in UTC: to the minute, or to the second. */
export function readableTime(
  iso: string | null,
  precision: 'minute' | 'second' = 'minute',
): string {
  return (iso ?? '').slice(0, precision === 'minute' ? 16 : 19).replace('T', ' ')
}

const grouped = new Intl.NumberFormat('en')

export function readableNumber(count: number | bigint): string {
  return grouped.format(count)
}
