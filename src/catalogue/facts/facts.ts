/** The facts of files, as they were found when they were read for their checksums. */
import type { Facts, FlagName } from '../../rinex/facts.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'
import type { FactRow } from './values.ts'
import { factColumns, factParts, flagsIn, toFacts } from './values.ts'

interface DialectContext {
  readonly dialect: Dialect
}

interface KnownFacts {
  /** `null` while they are not known. */
  readonly facts: Facts | null
  /** Of its flags, those that make files damaged. */
  readonly damaging: readonly FlagName[]
}

/** The facts of files by their id; those of files without a valid checksum are unknown. */
export function* facts(
  { ids }: { readonly ids: readonly number[] },
  { dialect }: DialectContext,
): Question<ReadonlyMap<number, KnownFacts>> {
  const found = yield* rows<[id: number, damaging: number, ...FactRow]>(
    `SELECT x.id, x.flags & coalesce(c.damaged_by, 0), ${factColumns} FROM fact x ${factParts}
     JOIN catalogue c ON c.one = 1 WHERE ${dialect.isIn('x.id', 'ids')}`,
    { ids },
  )
  return new Map(
    found.map(([id, damaging, ...row]) => [
      id,
      { facts: toFacts(row), damaging: flagsIn(damaging) },
    ]),
  )
}

/** Files with their facts. */
export function* withFacts<File extends { readonly id: number }>(
  files: readonly File[],
  context: DialectContext,
): Question<(File & KnownFacts)[]> {
  const known = yield* facts({ ids: files.map(({ id }) => id) }, context)
  return files.map((file) => ({
    ...file,
    ...(known.get(file.id) ?? { facts: null, damaging: [] }),
  }))
}
