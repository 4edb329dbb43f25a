/** The numbers of files with the same equipment, observables and flags. */
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { execute } from '../question.ts'

/** The id of a row of `fact`, and the columns by which it is counted. */
export type CountedFact = readonly [
  id: number,
  equipment: number | null,
  observables: number | null,
  flags: number,
]

const [equipment, observables] = ['coalesce(equipment, 0)', 'coalesce(observables, 0)']

/** SQL for the rows that `fact_count` should have. */
export const countedFacts = `SELECT ${equipment} AS equipment, ${observables} AS observables, flags,
    count(*) AS files, max(id) AS last_id
  FROM fact GROUP BY ${equipment}, ${observables}, flags`

const keys = { equipment: 'bigint', observables: 'bigint', flags: 'bigint' } as const

/** Keeps `fact_count` consistent with `fact`. */
export class FactCounts {
  readonly #add: string
  readonly #drop: string

  constructor(dialect: Dialect) {
    this.#add = dialect.insert(
      'fact_count',
      { ...keys, files: 'bigint', last_id: 'bigint' },
      `ON CONFLICT (${Object.keys(keys).join(', ')})
       DO UPDATE SET files = fact_count.files + excluded.files,
         last_id = ${dialect.greatest('fact_count.last_id', 'excluded.last_id')}`,
    )
    this.#drop = dialect.delete('fact_count', keys, 'files = 0')
  }

  /** @param sign 1 for rows that were added, -1 for rows that were removed */
  *count(facts: readonly CountedFact[], sign: 1 | -1): Question<void> {
    const counted = Map.groupBy(facts, ([, ...columns]) => columns.join())
    const many = Array.from(counted.values(), (same) => {
      const [, equipment, observables, flags] = same[0] ?? [0, null, null, 0]
      const key = { equipment: equipment ?? 0, observables: observables ?? 0, flags }
      const last_id = Math.max(...same.map(([id]) => id))
      return { ...key, files: sign * same.length, last_id }
    })
    yield* execute({ sql: this.#add, many })
    if (sign < 0) yield* execute({ sql: this.#drop, many })
  }
}
