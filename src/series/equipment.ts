/**
 * The equipment of a station over time, as the headers of its observation files say it: stretches
 * of days with the same receiver, antenna, marker and place. Pure.
 */
import { secondsPerDay } from '../parse/calendar.ts'
import type { ParsedName } from '../parse/types.ts'
import type { Equipment, Position } from '../rinex/facts.ts'
import { compareText } from './ascending.ts'

/** A file whose header was read. */
export interface EquippedFile extends Pick<
  ParsedName,
  'type' | 'startSeconds' | 'spanSeconds' | 'source'
> {
  readonly name: string
  readonly isDamaged: boolean
  readonly equipment: Equipment
}

/** What changes from a stretch to the next one, in the order in which it is shown. */
export const equipmentParts = ['receiver', 'antenna', 'marker', 'position'] as const
export type EquipmentPart = (typeof equipmentParts)[number]

/** Days whose files name the same equipment. */
export interface Stretch {
  /** UTC days since 1970 of its first and last file. */
  readonly fromDay: number
  readonly toDay: number
  /** Number of days with such a file; those of odd stretches between them do not count. */
  readonly files: number
  /** What its first file says. */
  readonly equipment: Equipment
  /**
   * What the stretch before says, for an odd one the one that it interrupts; `undefined` for the
   * first one.
   */
  readonly before: Equipment | undefined
  /** What is not as before; nothing of the first one. */
  readonly changed: readonly EquipmentPart[]
  /** Metres from the position before, if that changed and both are known. */
  readonly movedMetres: number | undefined
  /** True if it is short and the same equipment is before and after it: a header that is wrong. */
  readonly isOdd: boolean
}

/** The file of a day that speaks for its station. */
type Day = Pick<EquippedFile, 'startSeconds' | 'equipment'>

/** A position that is farther away from that of the first file is another one (metres). */
const sameWithinMetres = 100

/** Stretches of fewer files may be odd. */
const leastFiles = 3

/** Receiver, stream, unknown; short names, which have no source, come after all long ones. */
export const sourceOrder: readonly ParsedName['source'][] = ['R', 'S', 'U', '']

/**
 * What must be equal in each part. The type of the marker is none of it, because headers of
 * version 2 have none.
 */
const compared: Readonly<
  Record<Exclude<EquipmentPart, 'position'>, (of: Equipment) => readonly unknown[]>
> = {
  receiver: ({ receiver }) => [receiver?.type, receiver?.serial, receiver?.version],
  antenna: ({ antenna }) => [
    ...[antenna?.type, antenna?.radome, antenna?.serial],
    ...[antenna?.delta?.h, antenna?.delta?.e, antenna?.delta?.n],
  ],
  marker: ({ marker }) => [marker?.name, marker?.number],
}

/**
 * The stretches of a station, by their first days.
 * @param files of all types, in any order: the order does not matter
 */
export function equipmentStretches(files: readonly EquippedFile[]): readonly Stretch[] {
  return stretchesOf(fileOfEachDay(files))
}

/** Where a station is by its newest files. */
export interface NewestPlace {
  /** As the first of these files in its place says it. */
  readonly position: Position | undefined
  /** True if older files can change the position by no more than `sameWithinMetres`. */
  readonly isSure: boolean
}

/**
 * The place of the last stretch that is not odd, with the position for all equipment. A stretch
 * that is short and the last one may turn out to be odd: it counts only without a longer one.
 * @param files of all types, in any order: the order does not matter
 */
export function newestPlace(files: readonly EquippedFile[]): NewestPlace {
  const days = fileOfEachDay(files).flatMap(({ startSeconds, equipment: { position } }) =>
    position === undefined ? [] : [{ startSeconds, equipment: { position } }],
  )
  const stretches = stretchesOf(days).filter(({ isOdd }) => !isOdd)
  const last = stretches.findLast((each) => each.files >= leastFiles) ?? stretches.at(-1)
  // From three days in a row on, what was before them decides nothing.
  const isSure = days.some((day, index) => {
    const three = days.slice(index, index + leastFiles)
    return three.length === leastFiles && three.every((each) => isSame(day, each))
  })
  return { position: last?.equipment.position, isSure }
}

/**
 * One observation file a day, in the order of the days: the longest period, then undamaged, by
 * source, long before short name, earliest start, name. Of two files of one name in different
 * directories the text of the equipment decides, because ids depend on the order of arrival.
 */
function fileOfEachDay(files: readonly EquippedFile[]): readonly Day[] {
  const best = new Map<number, EquippedFile>()
  for (const file of files) {
    if (file.type !== 'o') continue
    const known = best.get(dayOf(file))
    if (known === undefined || preference(file, known) < 0) best.set(dayOf(file), file)
  }
  return [...best.values()].sort((a, b) => a.startSeconds - b.startSeconds)
}

/** Negative if the first one is taken. */
function preference(a: EquippedFile, b: EquippedFile): number {
  return (
    (b.spanSeconds ?? 0) - (a.spanSeconds ?? 0) ||
    Number(a.isDamaged) - Number(b.isDamaged) ||
    sourceOrder.indexOf(a.source) - sourceOrder.indexOf(b.source) ||
    a.startSeconds - b.startSeconds ||
    compareText(a.name, b.name) ||
    compareText(JSON.stringify(a.equipment), JSON.stringify(b.equipment))
  )
}

/**
 * From old to new. A short stretch between two equal ones is odd: what follows it joins what was
 * before it. All files of a stretch are compared with its first one, so it never creeps away.
 */
function stretchesOf(days: readonly Day[]): readonly Stretch[] {
  const stretches: Growing[] = []
  /** The last stretch that is not odd. */
  let last: Growing | undefined
  let rest = days
  for (let [first] = rest; first !== undefined; [first] = rest) {
    const joined = last !== undefined && isSame(last, first) ? last : undefined
    const run = beginning(rest, joined ?? first)
    rest = rest.slice(run.length)
    if (joined !== undefined) {
      joined.files += run.length
      joined.toDay = dayOf(run.at(-1) ?? first)
      continue
    }
    const [next] = rest
    const isShort = run.length < leastFiles
    const isOdd = isShort && last !== undefined && next !== undefined && isSame(last, next)
    const stretch = stretchOf([first, ...run.slice(1)], last, isOdd)
    stretches.push(stretch)
    if (!isOdd) last = stretch
  }
  return stretches
}

/** A stretch to which days are added. */
type Growing = Stretch & { files: number; toDay: number }

/** What names equipment: a file, a stretch. */
type Equipped = Pick<Stretch, 'equipment'>

/** The days up to the first one with other equipment than this. */
function beginning(days: readonly Day[], than: Equipped): readonly Day[] {
  const end = days.findIndex((day) => !isSame(than, day))
  return end === -1 ? days : days.slice(0, end)
}

function stretchOf(
  run: readonly [Day, ...Day[]],
  before: Equipped | undefined,
  isOdd: boolean,
): Stretch {
  const [{ equipment }] = run
  const changed = before === undefined ? [] : changes(before.equipment, equipment)
  const [from, to] = [before?.equipment.position, equipment.position]
  const isMoved = changed.includes('position') && from !== undefined && to !== undefined
  return {
    fromDay: dayOf(run[0]),
    toDay: dayOf(run.at(-1) ?? run[0]),
    files: run.length,
    equipment,
    before: before?.equipment,
    changed,
    movedMetres: isMoved ? metresBetween(from, to) : undefined,
    isOdd,
  }
}

function isSame(a: Equipped, b: Equipped): boolean {
  return a.equipment === b.equipment || changes(a.equipment, b.equipment).length === 0
}

function changes(before: Equipment, after: Equipment): readonly EquipmentPart[] {
  return equipmentParts.filter((part) => {
    if (part === 'position') return hasMoved(before.position, after.position)
    const now = compared[part](after)
    return compared[part](before).some((each, index) => each !== now[index])
  })
}

/** A position that is told only before or only after is another one. */
function hasMoved(before: Position | undefined, after: Position | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after
  return metresBetween(before, after) > sameWithinMetres
}

function metresBetween(a: Position, b: Position): number {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z)
}

function dayOf({ startSeconds }: Pick<EquippedFile, 'startSeconds'>): number {
  return Math.floor(startSeconds / secondsPerDay)
}
