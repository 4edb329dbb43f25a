/**
 * How an excerpt lies in its text, all of which is ASCII. Its first line has a slot of 11 characters for each id up to the
 * last that is live: the number of its cohort, that of its times, and the station as the file's name begins. The slot of
 * an id that is not live is blank. The second line has the times, and each further one a cohort.
 *
 *     00FAA100BRA           00ZIMM00CHE11graz        an id that is not live is between the first two files
 *     1769040000000000 1769040000000001-1769050000000000
 *     17 _R_20260220000_01D_30S_MO.crx.gz
 *     18 0220.26d.gz
 *
 * A scan lists a day's files of all stations in one go: little but the stations has to be read then.
 */

/** Ids of an excerpt: those that come to the same when they are divided by this. */
export const excerptSize = 64

/** The excerpt that an id is in. */
export function excerptOf(id: number): number {
  return Math.floor(id / excerptSize)
}

/** What a line with a cohort tells. */
export interface Cohort {
  /** Number of the directory's row. */
  readonly directory: number
  /** What follows the station in the names. */
  readonly ending: string
}

export function cohortLine({ directory, ending }: Cohort): string {
  return `${directory} ${ending}`
}

export function readCohort(line: string): Cohort {
  const space = line.indexOf(' ')
  return { directory: Number(line.slice(0, space)), ending: line.slice(space + 1) }
}

/** An excerpt as it is read: numbers are those of lines, and slots are counted from 0. */
export interface Excerpt {
  /** Slots up to the last that is live. */
  readonly slots: number
  /** What names have in common that differ in nothing else: number of the directory, a space, end of the name. */
  readonly cohorts: readonly string[]
  /** Microseconds since 1970: when the record was created, and behind a `-` when it was modified, if it was. */
  readonly times: readonly string[]
  readonly isLive: (slot: number) => boolean
  /** Of a live slot, as are the next. */
  readonly cohortOf: (slot: number) => number
  readonly timesOf: (slot: number) => number
  /** As the name begins: 4 or 9 characters. */
  readonly stationOf: (slot: number) => string
}

const stationWidth = 9
const slotWidth = 2 + stationWidth
const blank = 0x20

/** Numbers are characters from this one on, none of them a space or a line feed. */
const zero = 0x30

/** Takes an excerpt apart. */
export function readExcerpt(text: string): Excerpt {
  const [line = '', times = '', ...cohorts] = text.split('\n')
  return {
    slots: Math.ceil(line.length / slotWidth),
    times: times.split(' '),
    cohorts,
    isLive: (slot) => line.charCodeAt(slot * slotWidth) >= zero,
    cohortOf: (slot) => line.charCodeAt(slot * slotWidth) - zero,
    timesOf: (slot) => line.charCodeAt(slot * slotWidth + 1) - zero,
    stationOf: (slot) => line.slice(slot * slotWidth + 2, (slot + 1) * slotWidth).trimEnd(),
  }
}

/** An excerpt that is being written: its first line as bytes, as long as it can be, and the other lines. */
export interface Draft {
  readonly slots: Buffer
  readonly cohorts: string[]
  readonly times: string[]
  /** Whether something was taken out of a slot, so that there may be lines that none has. */
  isLoose: boolean
}

/** A draft of what is in a text; without one, of nothing. */
export function draftOf(text?: string): Draft {
  const slots = Buffer.alloc(excerptSize * slotWidth, blank)
  if (text === undefined) return { slots, cohorts: [], times: [], isLoose: false }
  const [line = '', times = '', ...cohorts] = text.split('\n')
  slots.write(line, 'latin1')
  return { slots, cohorts, times: times.split(' '), isLoose: false }
}

/** More than there are slots: after the unused are left out, there is room for another. */
const mostNumbers = 70

/** Where a slot has the number of its cohort, and that of its times. */
const columns = { cohorts: 0, times: 1 } as const

/** The number of a text, under which it is put down if it is not there yet. */
export function numberOf(draft: Draft, column: keyof typeof columns, text: string): number {
  const texts = draft[column]
  const known = texts.lastIndexOf(text)
  if (known >= 0) return known
  if (texts.length === mostNumbers) leaveOutUnused(draft, column)
  return texts.push(text) - 1
}

/** Drops the lines that no slot uses, and numbers the others anew. */
function leaveOutUnused(draft: Draft, column: keyof typeof columns): void {
  const { slots } = draft
  const used: string[] = []
  for (let at = columns[column]; at < slots.length; at += slotWidth) {
    const text = draft[column][(slots[at] as number) - zero]
    if (text === undefined) continue
    let number = used.lastIndexOf(text)
    if (number < 0) number = used.push(text) - 1
    slots[at] = zero + number
  }
  draft[column].splice(0, mostNumbers, ...used)
}

/** Names of which those from `from` on go into slots in a row, the first of them `slot`. */
export interface SlotRun {
  readonly slot: number
  readonly names: readonly string[]
  readonly from: number
  /** Characters of the station that each begins with: 4 or 9. */
  readonly codeLength: number
  /** The numbers of their cohort and their times. */
  readonly cohort: number
  readonly times: number
}

/** Writes as many as there are slots for; gives how many those were. */
export function writeSlots(draft: Draft, run: SlotRun): number {
  const { slots } = draft
  const { slot, names, from, codeLength, cohort, times } = run
  const count = Math.min(names.length - from, excerptSize - slot)
  for (let index = 0; index < count; index++) {
    const name = names[from + index] as string
    const at = (slot + index) * slotWidth
    if (slots[at] !== blank) draft.isLoose = true
    slots[at] = zero + cohort
    slots[at + 1] = zero + times
    for (let column = 0; column < stationWidth; column++)
      slots[at + 2 + column] = column < codeLength ? name.charCodeAt(column) : blank
  }
  return count
}

/** The times of a live slot. */
export function timesIn({ slots, times }: Draft, slot: number): string | undefined {
  return times[(slots[slot * slotWidth + columns.times] as number) - zero]
}

/** Gives a live slot other times, by their number. */
export function writeTimes(draft: Draft, slot: number, times: number): void {
  draft.slots[slot * slotWidth + columns.times] = zero + times
  draft.isLoose = true
}

/** Says that an id is no longer live. */
export function clearSlot(draft: Draft, slot: number): void {
  draft.slots.fill(blank, slot * slotWidth, (slot + 1) * slotWidth)
  draft.isLoose = true
}

/** The text of a draft; `undefined` where no slot is live. */
export function textOf(draft: Draft): string | undefined {
  if (draft.isLoose) {
    leaveOutUnused(draft, 'cohorts')
    leaveOutUnused(draft, 'times')
  }
  const { slots, cohorts, times } = draft
  const line = slots.toString('latin1').trimEnd()
  return line === '' ? undefined : [line, times.join(' '), ...cohorts].join('\n')
}
