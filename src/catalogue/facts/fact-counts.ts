/**
 * The numbers of files with the same equipment, observables and flags; and of those that lack
 * epochs, with the same share of them and the same flags.
 */
import type { Columns, Dialect } from '../dialect.ts'
import type { Question, Values } from '../question.ts'
import { execute } from '../question.ts'

/** The id of a row of `fact`, and the columns by which it is counted. */
export type CountedFact = readonly [
  id: number,
  equipment: number | null,
  observables: number | null,
  flags: number,
  sharePpm: number | null,
]

/** Shares are counted by the percent, rounded down. */
export const ppmPerPercent = 10_000

const [equipment, observables] = ['coalesce(equipment, 0)', 'coalesce(observables, 0)']

/** SQL for the rows that each table should have. */
export const countedFacts = {
  fact_count: `SELECT ${equipment} AS equipment, ${observables} AS observables, flags,
      count(*) AS files, max(id) AS last_id
    FROM fact GROUP BY ${equipment}, ${observables}, flags`,
  share_count: `SELECT share_ppm / ${ppmPerPercent} AS share, flags, count(*) AS files
    FROM fact WHERE share_ppm IS NOT NULL GROUP BY 1, 2`,
} as const

/** Keeps both tables consistent with `fact`. */
export class FactCounts {
  readonly #facts: CountRows
  readonly #shares: CountRows

  constructor(dialect: Dialect) {
    const last_id = dialect.greatest('fact_count.last_id', 'excluded.last_id')
    const ofFacts = { equipment: 'bigint', observables: 'bigint', flags: 'bigint' } as const
    this.#facts = new CountRows(dialect, 'fact_count', ofFacts, { last_id })
    this.#shares = new CountRows(dialect, 'share_count', { share: 'bigint', flags: 'bigint' })
  }

  /** @param sign 1 for rows that were added, -1 for rows that were removed */
  *count(facts: readonly CountedFact[], sign: 1 | -1): Question<void> {
    const groups = Map.groupBy(facts, ([, equipment, observables, flags]) =>
      [equipment, observables, flags].join(),
    )
    const ofFacts = Array.from(groups.values(), (same) => {
      const [, equipment, observables, flags] = same[0] ?? [0, null, null, 0]
      const key = { equipment: equipment ?? 0, observables: observables ?? 0, flags }
      const last_id = Math.max(...same.map(([id]) => id))
      return { ...key, files: sign * same.length, last_id }
    })
    yield* this.#facts.add(ofFacts, sign)
    const lacking = facts.flatMap(([, , , flags, ppm]) =>
      ppm === null ? [] : [{ share: Math.floor(ppm / ppmPerPercent), flags }],
    )
    const shares = Map.groupBy(lacking, ({ share, flags }) => `${share},${flags}`)
    const ofShares = Array.from(shares.values(), (same) => ({
      ...same[0],
      files: sign * same.length,
    }))
    yield* this.#shares.add(ofShares, sign)
  }
}

/** The rows of a table of numbers of files. */
class CountRows {
  readonly #add: string
  readonly #drop: string

  /** @param others further columns, with what becomes of them where there is a row */
  constructor(
    dialect: Dialect,
    table: string,
    keys: Columns,
    others: Readonly<Record<string, string>> = {},
  ) {
    const set = { files: `${table}.files + excluded.files`, ...others }
    const columns = Object.fromEntries(Object.keys(set).map((name) => [name, 'bigint' as const]))
    this.#add = dialect.insert(
      table,
      { ...keys, ...columns },
      `ON CONFLICT (${Object.keys(keys).join(', ')}) DO UPDATE SET ${Object.entries(set)
        .map(([name, sql]) => `${name} = ${sql}`)
        .join(', ')}`,
    )
    this.#drop = dialect.delete(table, keys, 'files = 0')
  }

  *add(many: readonly Values[], sign: 1 | -1): Question<void> {
    yield* execute({ sql: this.#add, many })
    if (sign < 0) yield* execute({ sql: this.#drop, many })
  }
}
