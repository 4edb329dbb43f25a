/**
 * Turns the status into the output of a monitoring plugin: one line and an exit code (Monitoring
 * Plugins Development Guidelines).
 */
import type { CommonStatus } from '../api/status/serialise.ts'
import { readableNumber } from '../runtime/readable.ts'

/** Exit codes of monitoring plugins. */
export const checkCodes = { ok: 0, warning: 1, critical: 2, unknown: 3 } as const
type CheckLevel = keyof typeof checkCodes

interface CheckResult {
  readonly level: CheckLevel
  /** A sentence, and the performance data after a bar. */
  readonly line: string
}

/**
 * Longest age of the last sweep. A running indexer sweeps every minute by default, and at least
 * once a day.
 */
const maxSweepAgeSeconds = 2 * 86_400

/** Returns the result if the status cannot be read. @param problem the reason */
export function checkFailed(problem: string): CheckResult {
  return { level: 'critical', line: lineOf('critical', problem, []) }
}

/**
 * Assesses the status. Critical: the indexer is stopped, or it watches the archive and no sweep has
 * ended for two days. Warning: it is degraded. Unknown: it does not answer.
 */
export function checkStatus(status: CommonStatus, nowSeconds: number): CheckResult {
  const { level, words } = assess(status, nowSeconds)
  return { level, line: lineOf(level, words, performanceOf(status, nowSeconds)) }
}

function assess(
  status: CommonStatus,
  nowSeconds: number,
): { readonly level: CheckLevel; readonly words: string } {
  const { state, reasons, indexer } = status
  if (state === 'stopped') return { level: 'critical', words: 'the indexer does not run' }
  if (state === 'degraded')
    return { level: indexer === null ? 'unknown' : 'warning', words: reasons.join('; ') }
  const age = ageOf(status.last_sweep, nowSeconds)
  if (state === 'watching' && age !== undefined && age > maxSweepAgeSeconds)
    return { level: 'critical', words: `the last sweep ended ${Math.floor(age / 3600)} hours ago` }
  return { level: 'ok', words: `${state}, ${readableNumber(filesOf(status))} files` }
}

function performanceOf(status: CommonStatus, nowSeconds: number): readonly string[] {
  const values: readonly (readonly [string, number | null | undefined, string?])[] = [
    ['files', filesOf(status)],
    ['dirty', status.dirty_directories],
    ['settling', status.settling_files],
    ['withheld', status.held_removals],
    ['rejected', status.rejected.reduce((sum, { count }) => sum + count, 0)],
    ['broken', status.checksums.broken.count],
    ['incomplete', status.incomplete.count],
    ['disguised', status.disguised.count],
    ['flagged', status.flagged?.files],
    ['last_sweep', ageOf(status.last_sweep, nowSeconds), 's'],
    ['last_scan', ageOf(status.last_scan?.ended ?? null, nowSeconds), 's'],
  ]
  return values.flatMap(([name, value, unit = '']) =>
    typeof value === 'number' ? [`${name}=${value}${unit}`] : [],
  )
}

function filesOf({ areas }: CommonStatus): number {
  return Object.values(areas).reduce((sum, { files }) => sum + files, 0)
}

function ageOf(iso: string | null, nowSeconds: number): number | undefined {
  return iso === null ? undefined : Math.max(0, Math.floor(nowSeconds - Date.parse(iso) / 1000))
}

function lineOf(level: CheckLevel, words: string, performance: readonly string[]): string {
  // The text must have no bar and no line break, because a bar separates the performance data, and
  // the output has one line.
  const text = words.replaceAll('|', '/').replaceAll(/\s+/g, ' ')
  const data = performance.length === 0 ? '' : ` | ${performance.join(' ')}`
  return `RINEX CATALOGUE ${level.toUpperCase()} - ${text}${data}`
}
