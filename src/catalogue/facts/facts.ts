/** The facts of files, as they were found when they were read for their checksums. */
import type { Facts } from '../../rinex/facts.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'
import type { FactRow } from './values.ts'
import { factColumns, factParts, toFacts } from './values.ts'

interface DialectContext {
  readonly dialect: Dialect
}

/** The facts of files by their id; those of files without a valid checksum are unknown. */
export function* facts(
  { ids }: { readonly ids: readonly number[] },
  { dialect }: DialectContext,
): Question<ReadonlyMap<number, Facts>> {
  const found = yield* rows<[id: number, ...FactRow]>(
    `SELECT x.id, ${factColumns} FROM fact x ${factParts} WHERE ${dialect.isIn('x.id', 'ids')}`,
    { ids },
  )
  return new Map(found.map(([id, ...row]) => [id, toFacts(row)]))
}

/** Files with their facts, `null` while these are not known. */
export function* withFacts<File extends { readonly id: number }>(
  files: readonly File[],
  context: DialectContext,
): Question<(File & { readonly facts: Facts | null })[]> {
  const known = yield* facts({ ids: files.map(({ id }) => id) }, context)
  return files.map((file) => ({ ...file, facts: known.get(file.id) ?? null }))
}
