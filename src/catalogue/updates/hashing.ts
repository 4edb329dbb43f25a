/**
 * Stores checksums and facts, with what they say of files and their deliveries, and marks them as
 * stale.
 */
import type { FileType } from '../../parse/types.ts'
import type { FlagName } from '../../rinex/facts.ts'
import type { Dialect } from '../dialect.ts'
import { bitsOf, isFlaggedBy } from '../facts/values.ts'
import type { Question, Values } from '../question.ts'
import { execute, rows, value } from '../question.ts'
import { isDamaged } from '../tables/record.ts'
import type { UpdateParts } from './apply.ts'
import type { Checksum } from './checksum-rows.ts'
import { raiseDetails } from './checksum-rows.ts'
import type { GoodFile, SlotFile } from './deliveries.ts'

/** Number of flagged files that are judged in one transaction. */
const judgedFiles = 1000

/** A live file: what decides whether it is damaged, and its slot. */
type FileRow = [
  id: number,
  size: number,
  incomplete: number,
  damagedUs: number | null,
  type: FileType,
  station: number,
  kind: number,
  start: number,
]

const fileColumns = `f.id, f.size, f.incomplete, f.damaged_us, k.file_type, f.station, f.kind,
  f.data_date`

type HashedFileRow = [mtimeUs: number, disguised: number, directory: number, ...FileRow]

type FlaggedFileRow = [flags: number, broken: number, arrivalUs: number | null, ...FileRow]

/** Files that became damaged, and files that are not damaged any more. */
interface Turned {
  readonly lost: SlotFile[]
  readonly gained: GoodFile[]
}

/** Stores checksums, and marks them as stale. */
export class Hashing {
  readonly #parts: UpdateParts
  readonly #sql: ReturnType<typeof hashingSql>

  constructor(dialect: Dialect, parts: UpdateParts) {
    this.#parts = parts
    this.#sql = hashingSql(dialect)
  }

  *keep(list: readonly Checksum[], throughSeq: number, nowUs: number): Question<void> {
    if (list.length > 0) yield* this.#keepAll(list, nowUs)
    yield* execute({ sql: this.#sql.through, values: { seq: throughSeq } })
  }

  *hashAgain(ids: readonly number[], fromUs: number): Question<void> {
    const { checksums, directories } = this.#parts
    const stale = yield* checksums.markStale(ids, { fromUs, postpone: true })
    if (stale.length > 0) yield* execute(directories.hashed(stale), raiseDetails)
  }

  /**
   * Judges the flagged files above an id by these flags. @returns the id from which to go on;
   * `undefined` when all are judged and the flags are stored
   */
  *adopt(flags: readonly FlagName[], after: number, nowUs: number): Question<number | undefined> {
    const bits = bitsOf(flags)
    if ((yield* value<number>(damagedBySql)) === bits) return undefined
    const found = yield* rows<FlaggedFileRow>(this.#sql.flagged, { after })
    const turned: Turned = { lost: [], gained: [] }
    const many: Values[] = []
    for (const [flagged, broken, arrival_us, ...file] of found) {
      const [id, size, incomplete, wasDamagedUs, type] = file
      const [isBroken, isFlagged] = [broken === 1, isFlaggedBy(bits, flagged, type)]
      const isBad = isDamaged({ size, incomplete: incomplete === 1, isBroken, isFlagged })
      if (isBad === (wasDamagedUs !== null)) continue
      many.push({ id, damaged_us: isBad ? nowUs : null })
      // The content is that which arrived.
      turn(turned, { file, isBad, arrival_us })
    }
    yield* execute({ sql: this.#sql.judge, many })
    if (many.length > 0) yield* execute(raiseDetails)
    yield* this.#parts.deliveries.begin()
    yield* this.#deliver(turned, nowUs)
    // Until all are judged no flags are stored, so that an end of the process leads to a new begin.
    const next = found.length < judgedFiles ? undefined : found.at(-1)?.[3]
    yield* execute({ sql: adopted, values: { bits: next === undefined ? bits : null } })
    return next
  }

  *#keepAll(list: readonly Checksum[], nowUs: number): Question<void> {
    const { checksums, deliveries, directories } = this.#parts
    const ids = list.map(({ id }) => id)
    const damagedBy = (yield* value<number>(damagedBySql)) ?? 0
    const found = yield* rows<HashedFileRow>(this.#sql.known, { ids })
    const rowsById = new Map(found.map((each) => [each[3], each]))
    const valid: Checksum[] = []
    const marked: Values[] = []
    const turned: Turned = { lost: [], gained: [] }
    yield* deliveries.begin()
    // A file has one checksum: the last one of the list.
    for (const checksum of new Map(list.map((each) => [each.id, each])).values()) {
      const row = rowsById.get(checksum.id)
      if (row === undefined) continue
      const [mtimeUs, wasDisguised, , ...file] = row
      const [id, size, wasIncomplete, wasDamagedUs, type] = file
      if (checksum.size !== size || checksum.mtimeUs !== mtimeUs) continue
      valid.push(checksum)
      const incomplete = checksum.problem === 'incomplete' ? 1 : 0
      const disguised = checksum.problem === 'disguised' ? 1 : 0
      const isBroken = checksum.problem === 'broken'
      const flags = bitsOf(checksum.facts?.flags.map(({ flag }) => flag) ?? [])
      const isFlagged = isFlaggedBy(damagedBy, flags, type)
      const isBad = isDamaged({ size, incomplete: incomplete === 1, isBroken, isFlagged })
      const damaged_us = isBad ? (wasDamagedUs ?? nowUs) : null
      const marks = { incomplete, disguised, damaged_us }
      const isKnown = incomplete === wasIncomplete && disguised === wasDisguised
      if (!isKnown || damaged_us !== wasDamagedUs) marked.push({ id, ...marks })
      // When good content came in the place of a damaged one is not known.
      if (isBad !== (wasDamagedUs !== null)) turn(turned, { file, isBad, arrival_us: null })
    }
    const back = turned.gained.map(({ id }) => id)
    yield* execute(raiseDetails, { sql: this.#sql.mark, many: marked })
    if (back.length > 0) yield* execute({ sql: this.#sql.unseen, values: { ids: back } })
    yield* this.#deliver(turned, nowUs)
    yield* checksums.replace(ids, valid, nowUs)
    yield* execute(directories.hashed(list.flatMap(({ id }) => rowsById.get(id)?.[2] ?? [])))
  }

  *#deliver({ lost, gained }: Turned, nowUs: number): Question<void> {
    yield* this.#parts.deliveries.lose(lost)
    yield* this.#parts.deliveries.gain(gained, nowUs)
  }
}

/** Notes that a file became damaged, or is not any more. */
function turn(
  { lost, gained }: Turned,
  how: { readonly file: FileRow; readonly isBad: boolean; readonly arrival_us: number | null },
): void {
  const [id, , , , , station, kind, data_date] = how.file
  const slot = { id, station, kind, data_date }
  if (how.isBad) lost.push(slot)
  else gained.push({ ...slot, arrival_us: how.arrival_us })
}

const damagedBySql = 'SELECT damaged_by FROM catalogue WHERE one = 1'
const adopted = 'UPDATE catalogue SET damaged_by = CAST(@bits AS int) WHERE one = 1'

function hashingSql(dialect: Dialect) {
  const marks = { incomplete: 'int', disguised: 'int', damaged_us: 'bigint' } as const
  return {
    known: `SELECT f.mtime_us, f.disguised, f.directory, ${fileColumns}
      FROM file f JOIN kind k ON k.id = f.kind WHERE ${dialect.isIn('f.id', 'ids')}`,
    flagged: `SELECT x.flags, c.broken, f.arrival_us, ${fileColumns}
      FROM (SELECT id, flags FROM fact WHERE flags <> 0 AND id > @after
        ORDER BY id LIMIT ${judgedFiles}) x
      JOIN file f ON f.id = x.id JOIN checksum c ON c.id = x.id JOIN kind k ON k.id = f.kind
      ORDER BY x.id`,
    through: `UPDATE hashing SET seq = ${dialect.greatest('coalesce(seq, 0)', '@seq')}
      WHERE one = 1`,
    mark: dialect.update('file', { id: 'bigint' }, marks),
    judge: dialect.update('file', { id: 'bigint' }, { damaged_us: 'bigint' }),
    unseen: `UPDATE file SET arrival_us = NULL WHERE ${dialect.isIn('id', 'ids')}`,
  }
}
