/** What is known of a file, in sentences: whether it is complete, and when it arrived. Pure. */
import type { Problem } from '../../catalogue/filter.ts'
import { problemWords } from '../../catalogue/filter.ts'
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { readableDuration } from '../../runtime/readable.ts'

/** What the sentences depend on. */
interface ReadState {
  readonly problem: Problem | null
  /** True if the whole file, as it is now, was read. */
  readonly isHashed: boolean
  /** True if the file is in the queue of files to be read. */
  readonly isWaiting: boolean
}

/** A sentence on whether one can trust the file. */
export function stateSentence({ problem, isHashed, isWaiting }: ReadState): string {
  const bad = problem === null ? '' : problemSentence(problem)
  if (problem !== null && problem !== 'misplaced') return bad
  const read = isHashed
    ? 'Complete: the whole file was read to the end of its gzip stream, and its checksum is known.'
    : `Not read to its end yet, so it is not known whether it is complete${isWaiting ? '; it is in the queue' : ''}.`
  return `${bad} ${read}`.trim()
}

function problemSentence(problem: Problem): string {
  const { word, what, advice } = problemWords[problem]
  return `It is ${word}: ${what}. ${advice}`
}

export interface Arrival {
  /** `undefined` if the file was not seen arriving: then nobody knows when it came. */
  readonly arrivalUs: number | undefined
  readonly startSeconds: number
  /** `undefined` if the name has no length. */
  readonly spanSeconds: number | undefined
}

/** `It arrived 1 h 13 after the end of its hour.` */
export function arrivalSentence({ arrivalUs, startSeconds, spanSeconds }: Arrival): string {
  if (arrivalUs === undefined) return 'It was not seen arriving, so it is not known when it came.'
  if (spanSeconds === undefined || spanSeconds === 0) return ''
  const late = Math.floor(arrivalUs / 1e6) - (startSeconds + spanSeconds)
  const end = `the end of ${periodWords(spanSeconds)}`
  return late < 0
    ? `It arrived ${readableDuration(-late)} before ${end}.`
    : `It arrived ${readableDuration(late)} after ${end}.`
}

function periodWords(seconds: number): string {
  if (seconds === secondsPerDay) return 'its day'
  if (seconds === secondsPerHour) return 'its hour'
  return seconds < secondsPerHour ? `its ${seconds / 60} minutes` : 'its period'
}
