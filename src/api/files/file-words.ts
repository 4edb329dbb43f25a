/** What is known of a file, in words: what it has, whether it is complete, when it came. Pure. */
import { damagedStream, isDamage, problemWords } from '../../catalogue/filter.ts'
import type { FileDetails, ListedFile } from '../../catalogue/records.ts'
import {
  microsecondsToIso,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
  secondsToIso,
} from '../../parse/calendar.ts'
import type { FileType, ParsedName } from '../../parse/types.ts'
import type { Facts, Flag } from '../../rinex/facts.ts'
import {
  counted,
  readableDate,
  readableDuration,
  readableNumber,
  readableSize,
  readableTime,
} from '../../runtime/readable.ts'
import { durationLabel, intervalLabel, typeLabel } from '../pages/labels.ts'

/** `observation, day, 30 s` */
export function kindWords(name: ParsedName): string {
  const parts = [typeLabel(name.type), periodWords(name), intervalLabel(name.interval)]
  return parts.filter((part) => part !== '').join(', ')
}

/** `day`, `15 min`, `6 hours` */
function periodWords({ duration, spanSeconds = 0 }: ParsedName): string {
  if (duration === 'm' && spanSeconds > 0) return `${spanSeconds / secondsPerMinute} min`
  const label = durationLabel(duration)
  const unit = duration === 'h' ? secondsPerHour : secondsPerDay
  const count = duration === 'h' || duration === 'd' ? spanSeconds / unit : 1
  return count > 1 ? counted(count, label, `${label}s`) : label
}

/** The start of the data, with its clock unless the file has whole days. */
export function startWords({ startSeconds, spanSeconds = secondsPerDay }: ParsedName): string {
  const isOfDays = startSeconds % secondsPerDay === 0 && spanSeconds >= secondsPerDay
  return isOfDays ? dateOf(startSeconds) : `${dateOf(startSeconds)} ${clockOf(startSeconds)}`
}

function dateOf(seconds: number): string {
  return readableDate(secondsToIso(seconds).slice(0, 10))
}

/** `13:45`; the end of a day is `24:00`. */
function clockOf(seconds: number, isEnd = false): string {
  const isMidnight = seconds % secondsPerDay === 0
  return isEnd && isMidnight ? '24:00' : secondsToIso(seconds).slice(11, 16)
}

const dataNouns: Readonly<Record<FileType, string>> = {
  o: 'observations',
  n: 'navigation',
  m: 'meteorological data',
}

/** `observations, whole day 24 Nov 2026 (328)`, `navigation, the hour 13–14 of 24 Nov 2026` */
export function dataWords(name: ParsedName): string {
  return `${dataNouns[name.type]}, ${timeWords(name)}`
}

function timeWords(name: ParsedName): string {
  const { startSeconds: start, spanSeconds: span = 0 } = name
  const [end, second] = [start + span, start % secondsPerDay]
  if (span === secondsPerDay && second === 0) return `whole day ${dateOf(start)}`
  if (span === 0) return `from ${startWords(name)}`
  if (second + span > secondsPerDay) return `${periodWords(name)} from ${startWords(name)}`
  const clocks = [clockOf(start), clockOf(end, true)]
  const isHour = span === secondsPerHour && second % secondsPerHour === 0
  const range = isHour
    ? `the hour ${clocks.map((each) => each.slice(0, 2)).join('–')}`
    : clocks.join('–')
  return `${range} of ${dateOf(start)}`
}

/** What is wrong with a file, in one word. */
export function faultWord({
  size,
  problem,
}: Pick<FileDetails, 'size' | 'problem'>): string | undefined {
  return size === 0 ? 'empty' : problem && problemWords[problem].word
}

/** What the sentence on a file depends on. */
interface KnownState extends Pick<FileDetails, 'size' | 'problem'>, Inside {
  /** True if the whole file, as it is now, was read. */
  readonly isHashed: boolean
  /** True if the file is in the queue of files to be read. */
  readonly isWaiting: boolean
  /** The sizes of good files of the same series, around this one. */
  readonly sizesBeside: readonly number[]
}

/** Whether one can trust the file. */
export function trustSentence(file: KnownState): string {
  const { size, problem, isHashed, isWaiting } = file
  const beside = besideWords(file.sizesBeside)
  if (size === 0)
    return `Empty: it has 0 bytes${beside}. Fetch it again from its source; it is read again when it changes on disk.`
  if (isDamage(problem)) return damagedWords(file, problem)
  const read = isHashed
    ? readWords(file.facts)
    : `Not read to its end yet, so it is not known whether it is complete${isWaiting ? '; it is in the queue' : ''}.`
  if (problem === undefined) return read
  const { word: named, what, advice: then } = problemWords[problem]
  return `${capitalised(named)}: ${what}. ${then} ${read}`
}

function damagedWords(file: KnownState, problem: 'incomplete' | 'broken'): string {
  const { word, what, advice } = problemWords[problem]
  const has = `It has ${readableSize(file.size)}${besideWords(file.sizesBeside)}.`
  const why = problem === 'incomplete' ? what : brokenWords(file)
  return `${capitalised(word)}: ${why}. ${has} ${advice}`
}

/** Without a checksum it is to be read again, so that what was found is not known any more. */
function brokenWords(file: KnownState): string {
  const unknown = file.isHashed ? damagedStream : 'what is inside cannot be used'
  return insideWords(file) || unknown
}

function capitalised(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

/** Of a file that was read to its end. */
function readWords(facts: Facts | null | undefined): string {
  if (facts && facts.flags.length > 0)
    return 'Read to its end, and its checksum is known, but not all is as it should be:'
  if (facts?.epochs === undefined || facts.expected_epochs === undefined)
    return 'Complete: it was read to its end, and its checksum is known.'
  return `Complete: it was read to its end, its checksum is known, and it holds ${epochWords(facts)}.`
}

/** `2,880 of 2,880 epochs`; without what is expected, `2,880 epochs`. */
export function epochWords({ epochs, expected_epochs: expected }: Facts): string {
  if (epochs === undefined) return ''
  const of = expected === undefined ? '' : ` of ${readableNumber(expected)}`
  return `${readableNumber(epochs)}${of} ${(expected ?? epochs) === 1 ? 'epoch' : 'epochs'}`
}

/** What is inside a file; absent or null while it is not known. */
type Inside = Pick<ListedFile, 'facts' | 'damaging'>

/** The flags that the sentence on a file does not say. */
export function otherFlags(file: Inside & Pick<FileDetails, 'problem'>): readonly Flag[] {
  const causes = isDamage(file.problem) ? causesOf(file) : []
  return (file.facts?.flags ?? []).filter((each) => !causes.includes(each))
}

/** Why a file is damaged by what is inside; empty if that is not known. */
export function insideWords(file: Inside): string {
  return causesOf(file)
    .map(({ says }) => says)
    .join('; ')
}

function causesOf({ facts, damaging }: Inside): readonly Flag[] {
  return facts?.flags.filter(({ flag }) => damaging?.includes(flag)) ?? []
}

/** `, its neighbours 190 to 300 kB` */
function besideWords(sizes: readonly number[]): string {
  if (sizes.length === 0) return ''
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)].map(readableSize)
  const [number, unit] = least?.split(' ') ?? []
  const isOneUnit = most?.endsWith(` ${unit}`) === true
  const range = least === most ? least : `${isOneUnit ? number : least} to ${most}`
  return `, its ${sizes.length === 1 ? 'neighbour' : 'neighbours'} ${range}`
}

/** When the file came: `It arrived 73 min after the end of its hour.` */
export function arrivalSentence(
  { arrivalUs, mtimeUs }: Pick<FileDetails, 'arrivalUs' | 'mtimeUs'>,
  { startSeconds, spanSeconds = 0 }: Pick<ParsedName, 'startSeconds' | 'spanSeconds'>,
): string {
  if (arrivalUs === undefined)
    return `It was found, not seen arriving; the file itself is of ${readableTime(microsecondsToIso(mtimeUs))} UTC.`
  const time = `${readableTime(microsecondsToIso(arrivalUs))} UTC`
  if (spanSeconds === 0) return `It arrived ${time}.`
  const late = Math.floor(arrivalUs / 1e6) - (startSeconds + spanSeconds)
  const after = `${readableDuration(Math.abs(late))} ${late < 0 ? 'before' : 'after'} the end of ${itsPeriod(spanSeconds)}`
  return `It arrived ${after}, ${time}.`
}

function itsPeriod(seconds: number): string {
  if (seconds === secondsPerDay) return 'its day'
  if (seconds === secondsPerHour) return 'its hour'
  return seconds < secondsPerHour ? `its ${seconds / secondsPerMinute} minutes` : 'its period'
}
