/**
 * Migrates the tables of an earlier release, to be run in one transaction. Rows, ids, seqs,
 * tombstones and checksums stay. The builder of the indexes makes again what is missing in `built`.
 */
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { execute, value } from '../question.ts'
import type { Migration } from './migrations.ts'
import type { SchemaWords } from './schema.ts'
import { inWords } from './schema.ts'

export function* migrate(
  dialect: Dialect,
  words: SchemaWords,
  list: readonly Migration[],
): Question<void> {
  const from = (yield* value<number>(dialect.schema)) ?? 0
  for (const [schema, statements, remade = []] of list) {
    if (schema <= from) continue
    for (const sql of statements) yield* execute({ sql: inWords(sql, words) })
    yield* execute(
      {
        sql: `DELETE FROM built WHERE ${dialect.isIn('name', 'remade', 'text')}`,
        values: { remade },
      },
      { sql: dialect.setSchema(schema) },
    )
  }
}
