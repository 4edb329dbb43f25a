/** Labels and formats of HTML pages. */
import type { Problem } from '../../catalogue/filter.ts'
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

const problems: Readonly<Record<Problem, string>> = {
  incomplete: 'its gzip stream has no end',
  broken: 'its gzip stream is damaged',
  misplaced: 'it is in the directory of another date',
}

export function problemLabel(problem: Problem | null): string {
  return problem === null ? '' : problems[problem]
}

export function durationLabel(code: FileDuration | null): string {
  return code === null ? '' : durations[code]
}

export function typeLabel(code: FileType | null): string {
  return code === null ? '' : types[code]
}

/** Formats an ISO time in UTC: `2026-01-22 05:00`, or with seconds. */
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
