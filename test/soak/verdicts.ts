/** Checks the results of a simulated day. */
import type { Mirror } from '../acceptance/mirror.ts'
import type { LogLine } from '../acceptance/service.ts'
import type { Event } from './events.ts'
import { events } from './events.ts'
import type { LoadCounts } from './load.ts'
import type { Firing } from './prometheus.ts'
import type { Footprint, ProcessName, ReaderCounts } from './readers.ts'

export interface Happened {
  readonly event: Event
  readonly begunMs: number
  readonly endedMs: number
  /** Time from the end of the event until all files were listed. */
  readonly tookMs: number
}

export interface Results {
  readonly hours: number
  readonly speed: number
  /** Start of the first hour. */
  readonly begunMs: number
  readonly endedMs: number
  readonly happened: readonly Happened[]
  /** Files in the list at the end. */
  readonly files: number
  /** Time from the last change until the list equalled the tree, or the difference. */
  readonly equalMs: number | string
  readonly mirrors: readonly Mirror[]
  /** Events that failed, and hours whose files were not all listed. */
  readonly eventFaults: readonly string[]
  /** Errors of mirrors and readers. */
  readonly faults: readonly string[]
  readonly log: readonly LogLine[]
  readonly load: LoadCounts
  readonly readers: readonly ReaderCounts[]
  readonly footprints: Readonly<Record<ProcessName, readonly Footprint[]>>
  /** `undefined` if alerts are not judged. */
  readonly firings: readonly Firing[] | undefined
}

export interface Verdict {
  readonly what: string
  readonly holds: boolean
  readonly seen: string
}

/**
 * An alert ends later than its cause: by the range of its rule (at most an hour), and by this time
 * for the next scrapes.
 */
const graceMs = 30_000
/** The heap of a process grows in the first minutes; shorter samples are not judged. */
const longMs = 300_000
const flatMegabytes = 25
const flatHandles = 10

export function judge(results: Results): Verdict[] {
  const { files, equalMs, mirrors, faults, readers } = results
  const { eventFaults } = results
  const unexpected = [...faults, ...readers.flatMap((reader) => reader.unexpected)]
  return [
    {
      what: 'all events succeeded, and all files were listed after each',
      holds: eventFaults.length === 0,
      seen: eventFaults.join('; ') || `${results.happened.length} events`,
    },
    {
      what: 'the list equals the tree, and counts are correct',
      holds: typeof equalMs === 'number',
      seen:
        typeof equalMs === 'number'
          ? `${files} files, ${Math.round(equalMs)} ms after the last change`
          : equalMs,
    },
    {
      what: 'mirrors equal the list',
      holds: mirrors.every(({ records }) => records.size === files),
      seen: mirrors
        .map(({ counts }) => `${counts.lists} complete lists, ${counts.changes} changes`)
        .join('; '),
    },
    {
      what: 'clients get no unexpected answers',
      holds: unexpected.length === 0,
      seen: unexpected.slice(0, 5).join('; ') || 'none',
    },
    {
      what: 'the log has no unexpected errors',
      holds: unexpectedErrors(results.log).length === 0,
      seen:
        unexpectedErrors(results.log)
          .slice(0, 5)
          .map((line) => JSON.stringify(line))
          .join('; ') || 'none',
    },
    ...(['indexer', 'api'] as const).flatMap((name) => flatness(results, name)),
    ...alertVerdicts(results),
  ]
}

export function errorsOf(log: readonly LogLine[]): LogLine[] {
  return log.filter(({ level }) => level === 'error' || level === 'fatal')
}

function unexpectedErrors(log: readonly LogLine[]): LogLine[] {
  return errorsOf(log).filter(({ msg }) => !events.some(({ errors }) => errors?.test(msg)))
}

/** Memory and handles from the last event that touched the processes to the end. */
export function quietSamples({ happened, footprints }: Results, name: ProcessName) {
  const ends = happened.filter(({ event }) => event.run !== undefined)
  const quietMs = Math.max(0, ...ends.map(({ endedMs }) => endedMs)) + 10_000
  const all = footprints[name].filter(({ atMs }) => atMs >= quietMs)
  const part = Math.max(1, Math.floor(all.length / 5))
  return { all, first: all.slice(0, part), last: all.slice(-part) }
}

function flatness(results: Results, name: ProcessName): Verdict[] {
  const { all, first, last } = quietSamples(results, name)
  if (all.length < 10) return []
  const [before, after] = [mean(first, 'megabytes'), mean(last, 'megabytes')]
  const isLong = (all.at(-1)?.atMs ?? 0) - (all[0]?.atMs ?? 0) >= longMs
  const [least, most] = [first, last].map((some) => Math.min(...some.map((s) => s.handles)))
  return [
    {
      what: `the memory of the ${name} is flat${isLong ? '' : ' (too short to tell)'}`,
      holds: !isLong || after - before <= flatMegabytes,
      seen: `${before.toFixed(0)} MB, then ${after.toFixed(0)} MB`,
    },
    {
      what: `the handles of the ${name} are flat`,
      holds: (most ?? 0) - (least ?? 0) <= flatHandles,
      seen: `${least}, then ${most}`,
    },
  ]
}

export function mean(samples: readonly Footprint[], key: 'megabytes' | 'handles'): number {
  return samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length
}

/** The event that explains an alert. */
export function causeOf(results: Results, { alert, fromMs, toMs }: Firing): Happened | undefined {
  const hourMs = 3_600_000 / results.speed
  return results.happened.find(({ event, begunMs, endedMs }) => {
    const lastMs = Math.max(endedMs, begunMs + (event.silentHours ?? 0) * hourMs) + hourMs + graceMs
    const known = [...(event.fires ?? []), ...(event.mayFire ?? [])].includes(alert)
    return known && fromMs >= begunMs && toMs <= lastMs
  })
}

function alertVerdicts(results: Results): Verdict[] {
  const { firings, happened } = results
  if (firings === undefined) return []
  const caused = firings.map((firing) => ({ firing, cause: causeOf(results, firing) }))
  const missed = happened.flatMap(({ event }) =>
    (event.fires ?? [])
      .filter((alert) => !caused.some((c) => c.cause?.event === event && c.firing.alert === alert))
      .map((alert) => `${alert} (${event.what})`),
  )
  const others = caused.filter(({ cause }) => cause === undefined)
  return [
    {
      what: 'all expected alerts fired',
      holds: missed.length === 0,
      seen: missed.join(', ') || `${firings.length} alerts`,
    },
    {
      what: 'no other alerts fired',
      holds: others.length === 0,
      seen: others.map(({ firing }) => firing.alert).join(', ') || 'none',
    },
  ]
}
