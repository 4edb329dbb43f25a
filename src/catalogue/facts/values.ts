/**
 * The facts of a file as the catalogue stores them: what stays the same over years of files, as
 * rows that many files share, and the rest in a row for each file (see tables/fact-tables.ts).
 */
import { createHash } from 'node:crypto'
import type { FileType } from '../../parse/types.ts'
import type { Equipment, Facts, Flag, FlagName, Observables, Position } from '../../rinex/facts.ts'
import { flagNames } from '../../rinex/facts.ts'
import { positionOf } from '../../rinex/position.ts'
import type { Values } from '../question.ts'

/** A row that many files share. */
export interface SharedRow extends Values {
  readonly hash: string
}

/** Facts in parts; a shared part is `undefined` if the file says nothing of it. */
export interface StoredFacts {
  readonly equipment: SharedRow | undefined
  readonly observables: SharedRow | undefined
  /** The row of `fact` without its id and those of the shared rows. */
  readonly own: ReturnType<typeof ownRow>
}

/** Positions are stored on a grid (m), so that equipment stays one row. */
const gridMetres = 10

const million = 1_000_000

const equipmentKeys = keysOf<Equipment>({
  marker: true,
  agency: true,
  receiver: true,
  antenna: true,
  position: true,
  program: true,
  run_by: true,
  licence: true,
  doi: true,
})

const observablesKeys = keysOf<Observables>({
  rinex_version: true,
  systems: true,
  signals: true,
  interval_s: true,
  time_system: true,
})

export function toStored(facts: Facts): StoredFacts {
  const position = facts.position && onGrid(facts.position)
  const { receiver, antenna, rinex_version } = facts
  return {
    equipment: sharedRow({ ...facts, position }, equipmentKeys, {
      receiver: textOf(receiver?.type),
      firmware: textOf(receiver?.version),
      antenna: textOf(antenna?.type),
      radome: textOf(antenna?.radome),
      latitude: toStoredAngle(position?.latitude),
      longitude: toStoredAngle(position?.longitude),
    }),
    observables: sharedRow(facts, observablesKeys, { rinex_version: textOf(rinex_version) }),
    own: ownRow(facts),
  }
}

/** A row of `factColumns`: of `fact` as `x`, `equipment` as `e` and `observables` as `o`. */
export type FactRow = [
  equipment: string | null,
  observables: string | null,
  firstUs: number | null,
  lastUs: number | null,
  epochs: number | null,
  expected: number | null,
  flags: number,
  says: string | null,
  runSeconds: number | null,
  runDate: string | null,
]

export const factColumns = `e.json, o.json, x.first_us, x.last_us, x.epochs, x.expected, x.flags,
  x.says, x.run_s, x.run_date`

/** To be joined with `fact` as `x`. */
export const factParts = `LEFT JOIN equipment e ON e.id = x.equipment
  LEFT JOIN observables o ON o.id = x.observables`

/** The facts as they were stored: with positions on the grid, and times to the microsecond. */
export function toFacts(row: FactRow): Facts {
  const [equipment, observables, firstUs, lastUs, epochs, expected, flags, says, ...run] = row
  const run_date = runDateOf(...run)
  const sentences = says === null ? [] : (JSON.parse(says) as string[])
  return {
    ...(observables === null ? {} : (JSON.parse(observables) as Observables)),
    ...(equipment === null ? {} : (JSON.parse(equipment) as Equipment)),
    ...(run_date === null ? {} : { run_date }),
    ...(firstUs === null ? {} : { first: timeOf(firstUs) }),
    ...(lastUs === null ? {} : { last: timeOf(lastUs) }),
    ...(epochs === null ? {} : { epochs }),
    ...(expected === null ? {} : { expected_epochs: expected }),
    ...(epochs === null || expected === null ? {} : { share: shareOf(epochs, expected) }),
    flags: flagsIn(flags).map((flag, at): Flag => ({ flag, says: sentences[at] ?? '' })),
  }
}

/** Flags as bits, the lowest for the first of `flagNames`. */
export function bitsOf(flags: readonly FlagName[]): number {
  return flags.reduce((bits, flag) => bits | (1 << flagNames.indexOf(flag)), 0)
}

/**
 * True if a file has one of the flags that make files damaged, both as bits. A navigation file
 * without data never is: an hour without a satellite of its system is honest.
 */
export function isFlaggedBy(damagedBy: number, flags: number, type: FileType): boolean {
  return (flags & damagedBy & ~(type === 'n' ? bitsOf(['empty']) : 0)) !== 0
}

/** The flags that these bits stand for. */
export function flagsIn(bits: number): FlagName[] {
  return flagNames.filter((_, index) => (bits & (1 << index)) !== 0)
}

function ownRow(facts: Facts) {
  const { first, last, epochs, expected_epochs: expected, run_date } = facts
  const flags = bitsOf(facts.flags.map(({ flag }) => flag))
  const says = flagsIn(flags).map((name) => facts.flags.find(({ flag }) => flag === name)?.says)
  const isLess = epochs !== undefined && expected !== undefined && epochs < expected
  return {
    first_us: usOf(first),
    last_us: usOf(last),
    epochs: epochs ?? null,
    expected: expected ?? null,
    share_ppm: isLess ? Math.floor((epochs * million) / expected) : null,
    flags,
    says: flags === 0 ? null : JSON.stringify(says),
    ...runColumns(run_date),
  }
}

/** The usual form of the date in a header (RINEX 3.05, table A2). */
const usualDate = /^(\d{4})(\d\d)(\d\d) (\d\d)(\d\d)(\d\d) UTC$/

/** Dates take most of a row as texts: those of the usual form are numbers. */
function runColumns(date = '') {
  const iso = usualDate.test(date) ? date.replace(usualDate, '$1-$2-$3T$4:$5:$6Z') : ''
  const seconds = Date.parse(iso) / 1000
  const isUsual = !Number.isNaN(seconds) && runDateOf(seconds, null) === date
  if (isUsual) return { run_s: seconds, run_date: null }
  return { run_s: null, run_date: date === '' ? null : textOf(date) }
}

function runDateOf(seconds: number | null, text: string | null): string | null {
  if (seconds === null) return text
  const [date = '', time = ''] = timeOf(seconds * million)
    .replaceAll(/[-:]/g, '')
    .split('T')
  return `${date} ${time} UTC`
}

function shareOf(epochs: number, expected: number): number {
  return epochs >= expected ? 1 : epochs / expected
}

/** The row of these keys of some facts; `undefined` if they have none of them. */
function sharedRow<T extends object>(
  facts: T,
  keys: readonly (keyof T)[],
  more: Values,
): SharedRow | undefined {
  const json = JSON.stringify(Object.fromEntries(keys.map((key) => [key, facts[key]])))
  return json === '{}' ? undefined : { hash: hashOf(json), json, ...more }
}

/** 16 bytes: two texts never have the same. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest().toString('base64url', 0, 16)
}

/** All keys of a type, in this order. */
function keysOf<T>(keys: Readonly<Record<keyof T, true>>): readonly (keyof T)[] {
  return Object.keys(keys) as (keyof T)[]
}

function onGrid({ x, y, z }: Position): Position | undefined {
  const onAxis = (value: number): number => Math.round(value / gridMetres) * gridMetres
  return positionOf(onAxis(x), onAxis(y), onAxis(z))
}

/** Angles are stored as whole numbers of their last digit. */
const angleUnits = 10 * million

function toStoredAngle(degrees: number | undefined): number | null {
  return degrees === undefined ? null : Math.round(degrees * angleUnits)
}

export function toDegrees(stored: number): number {
  return stored / angleUnits
}

/** What a text column can hold: PostgreSQL refuses U+0000 and halves of characters. */
function textOf(text: string | undefined): string | null {
  return text?.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') ?? null
}

const secondLength = '2024-01-01T18:00:00'.length

/** A time without zone as microseconds since 1970, as if it were UTC. */
function usOf(time: string | undefined): number | null {
  if (time === undefined) return null
  const ms = Date.parse(`${time.slice(0, secondLength)}Z`)
  const fraction = Number(`0${time.slice(secondLength)}`)
  return Number.isNaN(ms + fraction) ? null : ms * 1000 + Math.round(fraction * million)
}

function timeOf(us: number): string {
  const seconds = Math.floor(us / million)
  const fraction = (us - seconds * million) / million
  const time = new Date(seconds * 1000).toISOString().slice(0, secondLength)
  return fraction === 0 ? time : time + fraction.toFixed(6).slice(1).replace(/0+$/, '')
}
