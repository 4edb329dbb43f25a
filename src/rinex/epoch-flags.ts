/** Judges the epochs of an observation file by its name and header. */
import type { ParsedName } from '../parse/types.ts'
import type { Read } from './content-reader.ts'
import type { EpochCount } from './epochs.ts'
import { epochsIn, expectedSpan, namedInterval, namedSpan } from './expected.ts'
import type { Facts, Flag, FlagName } from './facts.ts'
import { shortTime, spanWords } from './times.ts'

/** The least share of the expected epochs of a file that is not `short`. */
const leastShare = 0.95

/** Times may differ by half an interval, at most by this (µs). */
const mostToleranceUs = 1e6
/**
 * GLONASS and BeiDou count time without or with fewer leap seconds than the names (RINEX 3.05,
 * section 4.1): 18 s and 14 s.
 */
const otherSystemsUs = 20e6
/** Intervals may differ by this share, or these seconds. */
const intervalShare = 0.01
const intervalSeconds = 0.002

/** What a name, a header and the epochs say together. */
export interface Judgement extends Pick<Facts, 'expected_epochs' | 'share'> {
  readonly flags: readonly Flag[]
}

export function judgeEpochs(content: Read, count: EpochCount, name: ParsedName): Judgement {
  const { header } = content
  const named = namedInterval(name)
  const interval = named ?? header.interval_s ?? count.step_s
  const halfUs = Math.min(mostToleranceUs, ((interval ?? Infinity) * 1e6) / 2)
  const otherUs = hasOtherTime(content) ? otherSystemsUs : 0
  const tolerances = { halfUs, toleranceUs: halfUs + otherUs }
  const expected = expectedOf(name, count, interval, tolerances)
  return {
    ...expected,
    flags: saidFlags([
      ['torn', tornWords(count)],
      ['short', shortWords(count, expected)],
      ['long', longWords(name, count, tolerances)],
      ['date', dateWords(name, count, tolerances)],
      ['interval', intervalWords(named, header.interval_s, count.step_s)],
    ]),
  }
}

/** The flags for which there is a sentence, in their order. */
export function saidFlags(
  sentences: readonly (readonly [flag: FlagName, says: string | undefined])[],
): Flag[] {
  return sentences.flatMap(([flag, says]) => (says === undefined ? [] : [{ flag, says }]))
}

/** Half an interval, and how much a time may be outside of the named span (µs). */
interface Tolerances {
  readonly halfUs: number
  readonly toleranceUs: number
}

function hasOtherTime({ header, data }: Read): boolean {
  if (header.time_system !== undefined) return ['GLO', 'BDT'].includes(header.time_system)
  return data.system === 'R' || data.system === 'C'
}

type Expected = Omit<Judgement, 'flags'>

function expectedOf(
  name: ParsedName,
  { epochs, lastUs }: EpochCount,
  interval: number | undefined,
  { toleranceUs }: Tolerances,
): Expected {
  const span = lastUs === undefined ? undefined : expectedSpan(name, lastUs, toleranceUs)
  if (span === undefined || interval === undefined) return {}
  const expected_epochs = epochsIn(span, interval)
  return { expected_epochs, share: Math.min(1, epochs / expected_epochs) }
}

function shortWords(
  { epochs }: EpochCount,
  { expected_epochs, share }: Expected,
): string | undefined {
  if (expected_epochs === undefined || share === undefined || share >= leastShare) return undefined
  // Rounded down: what is short is never 95.0 %.
  const percent = (Math.floor(share * 1000) / 10).toFixed(1)
  return `${epochs} of ${expected_epochs} epochs, ${percent} %`
}

function longWords(
  name: ParsedName,
  { lastUs }: EpochCount,
  { toleranceUs }: Tolerances,
): string | undefined {
  const span = namedSpan(name)
  if (lastUs === undefined || span === undefined || lastUs <= span.toUs + toleranceUs)
    return undefined
  return `the last epoch is ${shortTime(lastUs)}, the name ends ${shortTime(span.toUs)}`
}

/** An epoch at the named end belongs to the next file. */
function dateWords(
  name: ParsedName,
  { firstUs }: EpochCount,
  { halfUs, toleranceUs }: Tolerances,
): string | undefined {
  const span = namedSpan(name)
  if (firstUs === undefined || span === undefined) return undefined
  if (firstUs >= span.fromUs - toleranceUs && firstUs < span.toUs - halfUs) return undefined
  return `the first epoch is ${shortTime(firstUs)}, the name says ${spanWords(span)}`
}

function tornWords({ tears, firstTear }: EpochCount): string | undefined {
  if (firstTear === undefined) return undefined
  const { afterUs, foundUs } = firstTear
  const after = afterUs === undefined ? 'the header' : `the epoch of ${shortTime(afterUs)}`
  const more = tears > 1 ? `, and so at ${tears - 1} more ${tears === 2 ? 'place' : 'places'}` : ''
  if (foundUs === undefined) return `after ${after} a line is no epoch where one must begin${more}`
  return `after ${after} comes that of ${shortTime(foundUs)}${more}`
}

function intervalWords(
  named: number | undefined,
  header: number | undefined,
  step: number | undefined,
): string | undefined {
  const said = [
    { seconds: named, who: 'the name says' },
    { seconds: header, who: 'the header says' },
    { seconds: step, who: 'most epochs follow after' },
  ].flatMap(({ seconds, who }) => (seconds === undefined ? [] : [{ seconds, who }]))
  const isSame = said.every(({ seconds: a }) =>
    said.every(({ seconds: b }) => isSameInterval(a, b)),
  )
  return isSame
    ? undefined
    : said.map(({ seconds, who }) => `${who} ${Number(seconds.toFixed(6))} s`).join(', ')
}

function isSameInterval(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(intervalSeconds, intervalShare * Math.max(a, b)) + 1e-9
}
