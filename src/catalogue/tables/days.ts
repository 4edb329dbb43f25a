/** SQL of days and years. */

/**
 * SQL for the UTC day, counted from 1970-01-01, of a time in seconds. It rounds down also before
 * 1970 (from the year 0 on).
 */
export function dayOf(seconds: string): string {
  return `((${seconds} + 62167219200) / 86400 - 719528)`
}

/**
 * SQL for the year of a day, counted from 1970-01-01; from the year 0 on. Counts in cycles of 400
 * years, which have 146,097 days; within a cycle, the leap days before the day are taken away.
 */
export function yearOf(day: string): string {
  const since = `(${day} + 865259)`
  const inCycle = `(${since} % 146097)`
  const ofYears = `${inCycle} - ${inCycle} / 1460 + ${inCycle} / 36524 - ${inCycle} / 146096`
  return `(${since} / 146097 * 400 + (${ofYears}) / 365 - 399)`
}
