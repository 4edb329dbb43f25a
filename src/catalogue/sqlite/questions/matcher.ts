/** Which places of the columns a filter takes, as tables that are looked up. Pure. */
import { secondsPerDay } from '../../../parse/calendar.ts'
import type { FileFilter, TimeRange } from '../../filter.ts'
import { beyond } from '../block-layout.ts'
import type { BlockFacts } from './columns.ts'
import type { Among } from './places.ts'
import type { Kind, Vocabulary } from './vocabulary.ts'

/** Taken whatever else its record says, taken if the record says so, or left out: combined by `&`. */
export const yes = 3
export const ask = 1
export const no = 0

export interface Matcher {
  /** Verdicts by number of station, of kind, and by day. */
  readonly stations: Uint8Array
  readonly kinds: Uint8Array
  readonly days: Uint8Array
  /** The days that are not `no` are between these, apart from `beyond`. */
  readonly dayFrom: number
  readonly dayTo: number
  /** Ids of the records that are taken are between these, themselves included. */
  readonly idFrom: number
  readonly idTo: number
  /** The verdict on all records of a block, from the times they were created and modified. */
  block(blocks: BlockFacts, index: number): number
  /** Whether that verdict is always `yes`. */
  readonly takesAnyBlock: boolean
  /** Whether a place can be left out after all that is to be asked for when its data end. */
  endsBefore(kind: number, day: number): boolean
  /** All days between these are `yes`, themselves included. */
  readonly surelyFrom: number
  readonly surelyTo: number
}

/** The longest period of its unit that a name can tell: 1 year and 99 years have leap days in them. */
const secondsOf = { m: 60, h: 3600, d: secondsPerDay, y: 366 * secondsPerDay, u: 0 }

export function matcherOf(filter: FileFilter, vocabulary: Vocabulary): Matcher {
  const kinds = kindVerdicts(filter, vocabulary)
  const spans = vocabulary.kinds.map((kind) => (kind === undefined ? 0 : longestSpanOf(kind)))
  const taken = spans.filter((_span, id) => kinds[id] !== no)
  const days = dayVerdicts(filter, Math.max(0, ...taken))
  const told = days.subarray(0, beyond)
  const dayFrom = told.findIndex((verdict) => verdict !== no)
  const fromSeconds = (filter.overlaps?.fromUs ?? -Infinity) / 1e6
  return {
    stations: stationVerdicts(filter, vocabulary),
    kinds,
    days,
    dayFrom: dayFrom === -1 ? beyond + 1 : dayFrom,
    dayTo: told.findLastIndex((verdict) => verdict !== no),
    idFrom: Math.max(0, (filter.idAbove ?? -1) + 1),
    idTo: Math.min(Number.MAX_SAFE_INTEGER, (filter.idBelow ?? Infinity) - 1),
    block: (blocks, index) => blockVerdict(filter, blocks, index),
    takesAnyBlock: [filter.created, filter.modified, filter.names].every((each) => !each),
    endsBefore: (kind, day) =>
      kind !== beyond &&
      day !== beyond &&
      (day + 1) * secondsPerDay + (spans[kind] as number) <= fromSeconds,
    ...longestYes(days),
  }
}

/** The same for places with certain values in a column; that it may take all of a block it does not tell any more. */
export function narrowed(matcher: Matcher, { column, taken }: Among): Matcher {
  const verdicts = matcher[column].map((verdict, value) => (taken[value] === 1 ? verdict : no))
  if (column === 'stations') return { ...matcher, stations: verdicts }
  const told = taken.subarray(0, beyond)
  const dayFrom = told.indexOf(1)
  return {
    ...matcher,
    days: verdicts,
    dayFrom: dayFrom === -1 ? beyond + 1 : Math.max(dayFrom, matcher.dayFrom),
    dayTo: Math.min(told.lastIndexOf(1), matcher.dayTo),
  }
}

/** The longest stretch of days that are `yes`; where there is none its end lies before its beginning. */
function longestYes(days: Uint8Array): { surelyFrom: number; surelyTo: number } {
  let longest = { surelyFrom: 0, surelyTo: -1 }
  let from = 0
  for (let day = 0; day < days.length; day++) {
    if (days[day] !== yes) from = day + 1
    else if (day - from > longest.surelyTo - longest.surelyFrom)
      longest = { surelyFrom: from, surelyTo: day }
  }
  return longest
}

function blockVerdict(filter: FileFilter, blocks: BlockFacts, index: number): number {
  const from = blocks.createdFromUs[index] as number
  const createdTo = blocks.createdToUs[index] as number
  const modifiedTo = blocks.modifiedToUs[index] as number
  const verdict =
    timeVerdict(filter.created, from, createdTo) & timeVerdict(filter.modified, from, modifiedTo)
  return filter.names === undefined ? verdict : verdict & ask
}

/** Seconds; at most so long are the data that a name of this kind tells of. */
function longestSpanOf({ period, duration }: Kind): number {
  const count = period === '' ? 1 : Number(period.slice(0, 2))
  // High-rate files with short names count for 15 minutes.
  return period === '' && duration === 'm' ? 900 : count * secondsOf[duration]
}

function stationVerdicts(filter: FileFilter, { stations }: Vocabulary): Uint8Array {
  const { stations: codes, countries } = filter
  const verdicts = new Uint8Array(beyond + 1)
  if (codes === undefined && countries === undefined) return verdicts.fill(yes, 1)
  const wanted = codes && new Set(codes)
  for (const [id, code] of stations.entries())
    if (code !== undefined && id < beyond)
      if (wanted === undefined || wanted.has(code) || wanted.has(code.slice(0, 4)))
        if (countries === undefined || countries.includes(code.slice(6))) verdicts[id] = yes
  // Of a place without a record the station is 0, which stays `no`.
  verdicts[beyond] = ask
  return verdicts
}

function kindVerdicts(filter: FileFilter, { kinds }: Vocabulary): Uint8Array {
  const verdicts = new Uint8Array(beyond + 1)
  const takes = (kind: Kind): boolean =>
    isAnyOf(filter.areas, kind.area) &&
    isAnyOf(filter.types, kind.type) &&
    isAnyOf(filter.durations, kind.duration) &&
    isAnyOf(filter.versions, kind.version) &&
    isAnyOf(filter.intervals, kind.interval) &&
    isAnyOf(filter.contents, kind.content) &&
    isAnyOf(filter.sources, kind.source)
  for (const [id, kind] of kinds.entries())
    if (kind !== undefined && id < beyond && takes(kind)) verdicts[id] = yes
  verdicts[beyond] = ask
  return verdicts
}

function isAnyOf<T>(list: readonly T[] | undefined, value: T): boolean {
  return list === undefined || list.includes(value)
}

function dayVerdicts({ days, dataDate, overlaps }: FileFilter, spanSeconds: number): Uint8Array {
  const verdicts = new Uint8Array(beyond + 1).fill(yes)
  if (days !== undefined) {
    const wanted = new Set(days)
    for (let day = 0; day < beyond; day++) if (!wanted.has(day)) verdicts[day] = no
  }
  if (dataDate !== undefined)
    for (let day = 0; day < beyond; day++)
      verdicts[day] = (verdicts[day] as number) & timeVerdict(dataDate, ...boundsOfDay(day))
  if (overlaps !== undefined)
    for (let day = 0; day < beyond; day++)
      verdicts[day] = (verdicts[day] as number) & overlapVerdict(overlaps, day, spanSeconds)
  if (days !== undefined || dataDate !== undefined || overlaps !== undefined) verdicts[beyond] = ask
  return verdicts
}

/** The first and the last start of data on a day; names tell whole seconds. */
function boundsOfDay(day: number): [number, number] {
  return [day * secondsPerDay * 1e6, ((day + 1) * secondsPerDay - 1) * 1e6]
}

/** What begins within the range overlaps it; of what began before, only the record can tell. */
function overlapVerdict(range: TimeRange, day: number, spanSeconds: number): number {
  const begins = timeVerdict(range, ...boundsOfDay(day))
  if (begins === yes || range.fromUs === undefined) return begins
  const [firstUs, lastUs] = boundsOfDay(day)
  return firstUs <= (range.toUs ?? Infinity) && lastUs + spanSeconds * 1e6 >= range.fromUs
    ? ask
    : no
}

/** The verdict on what lies somewhere between two times, themselves included. */
function timeVerdict(range: TimeRange | undefined, from: number, to: number): number {
  if (range === undefined) return yes
  const { fromUs = -Infinity, toUs = Infinity } = range
  if (from >= fromUs && to <= toUs) return yes
  return to < fromUs || from > toUs ? no : ask
}
