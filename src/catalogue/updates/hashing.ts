/** Stores checksums, with what they say of files and their deliveries, and marks them as stale. */
import type { Dialect } from '../dialect.ts'
import type { Question, Values } from '../question.ts'
import { execute, rows } from '../question.ts'
import { isDamaged } from '../tables/record.ts'
import type { UpdateParts } from './apply.ts'
import type { Checksum } from './checksum-rows.ts'
import { raiseDetails } from './checksum-rows.ts'
import type { SlotFile } from './deliveries.ts'

/** A live file whose checksum is stored. */
type HashedFileRow = [
  id: number,
  size: number,
  mtimeUs: number,
  incomplete: number,
  disguised: number,
  damagedUs: number | null,
  station: number,
  kind: number,
  start: number,
  directory: number,
]

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

  *#keepAll(list: readonly Checksum[], nowUs: number): Question<void> {
    const { checksums, deliveries, directories } = this.#parts
    const ids = list.map(({ id }) => id)
    const found = yield* rows<HashedFileRow>(this.#sql.known, { ids })
    const rowsById = new Map(found.map((each) => [each[0], each]))
    const valid: Checksum[] = []
    const facts: Values[] = []
    const [lost, gained]: [SlotFile[], SlotFile[]] = [[], []]
    yield* deliveries.begin()
    // A file has one checksum: the last one of the list.
    for (const checksum of new Map(list.map((each) => [each.id, each])).values()) {
      const file = rowsById.get(checksum.id)
      if (file === undefined) continue
      const [id, size, mtimeUs, wasIncomplete, wasDisguised, wasDamagedUs, ...slot] = file
      const [station, kind, data_date] = slot
      if (checksum.size !== size || checksum.mtimeUs !== mtimeUs) continue
      valid.push(checksum)
      const incomplete = checksum.problem === 'incomplete' ? 1 : 0
      const disguised = checksum.problem === 'disguised' ? 1 : 0
      const isBroken = checksum.problem === 'broken'
      const isBad = isDamaged({ size, incomplete: incomplete === 1, isBroken })
      const damaged_us = isBad ? (wasDamagedUs ?? nowUs) : null
      const marks = { incomplete, disguised, damaged_us }
      const isKnown = incomplete === wasIncomplete && disguised === wasDisguised
      if (!isKnown || damaged_us !== wasDamagedUs) facts.push({ id, ...marks })
      if (wasDamagedUs === null && isBad) lost.push({ id, station, kind, data_date })
      if (wasDamagedUs !== null && !isBad) gained.push({ id, station, kind, data_date })
    }
    yield* execute(raiseDetails, { sql: this.#sql.facts, many: facts })
    yield* deliveries.lose(lost)
    // When the good content came is not known.
    if (gained.length > 0)
      yield* execute({ sql: this.#sql.unseen, values: { ids: gained.map(({ id }) => id) } })
    yield* deliveries.gain(
      gained.map((file) => ({ ...file, arrival_us: null })),
      nowUs,
    )
    yield* checksums.replace(ids, valid, nowUs)
    yield* execute(directories.hashed(list.flatMap(({ id }) => rowsById.get(id)?.[9] ?? [])))
  }
}

function hashingSql(dialect: Dialect) {
  return {
    known: `SELECT f.id, f.size, f.mtime_us, f.incomplete, f.disguised, f.damaged_us, f.station, f.kind, f.data_date,
        f.directory
      FROM file f WHERE ${dialect.isIn('f.id', 'ids')}`,
    through: `UPDATE hashing SET seq = ${dialect.greatest('coalesce(seq, 0)', '@seq')}
      WHERE one = 1`,
    facts: dialect.update(
      'file',
      { id: 'bigint' },
      { incomplete: 'int', disguised: 'int', damaged_us: 'bigint' },
    ),
    unseen: `UPDATE file SET arrival_us = NULL WHERE ${dialect.isIn('id', 'ids')}`,
  }
}
