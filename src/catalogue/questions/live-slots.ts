/** The live files of a series, read by `file_station`. Needs also the counts `station_count`. */
import { slotAt, startOf } from '../../series/series.ts'
import type { Period } from '../../series/series.ts'
import type { SlotRange } from '../../series/slot-states.ts'
import type { Dialect } from '../dialect.ts'
import { all, row, value } from '../question.ts'
import type { Question, Statement } from '../question.ts'

/** A station of the series, with the start of its first and last file; infinite without files. */
interface Source {
  readonly station: number
  readonly first: number
  readonly last: number
}

interface LiveSeries {
  /** Ids of the stations whose files fill the slots. */
  readonly stations: readonly number[]
  /** Ids of the kinds of the series. */
  readonly kinds: readonly number[]
  readonly period: Period
}

export class LiveFiles {
  readonly #dialect: Dialect
  readonly #series: LiveSeries
  readonly #sources: readonly Source[]

  private constructor(dialect: Dialect, series: LiveSeries, sources: readonly Source[]) {
    this.#dialect = dialect
    this.#series = series
    this.#sources = sources
  }

  static *of(dialect: Dialect, series: LiveSeries): Question<LiveFiles> {
    const sources: Source[] = []
    for (const station of series.stations) {
      const [first, last] = (yield* row<[number | null, number | null]>(
        `SELECT min(first_date), max(last_date) FROM station_count
         WHERE station = @station AND ${dialect.isIn('kind', 'kinds')}`,
        { station, kinds: series.kinds },
      )) ?? [null, null]
      sources.push({ station, first: first ?? Infinity, last: last ?? -Infinity })
    }
    return new LiveFiles(dialect, series, sources)
  }

  /** The distinct slots of some ranges, ascending. */
  *slotsIn(...ranges: readonly SlotRange[]): Question<number[]> {
    const { period } = this.#series
    const statements = ranges.flatMap(({ from, to }) =>
      this.#sources.map(({ station }) =>
        this.#starts(station, 'data_date >= @start AND data_date < @end', {
          start: startOf(from, period),
          end: startOf(to + 1, period),
        }),
      ),
    )
    const found = (yield* all(...statements)).flat()
    return distinct(found.map(([start]) => slotAt(start as number, period)))
  }

  /** The first slot that is not before another one. */
  *firstFrom(slot: number): Question<number | undefined> {
    const start = startOf(slot, this.#series.period)
    let earliest = Infinity
    for (const { station, first, last } of this.#sources) {
      if (start > last) continue
      const condition = 'data_date >= @start ORDER BY data_date LIMIT 1'
      const next = start <= first ? first : yield* this.#start(station, condition, { start })
      earliest = Math.min(earliest, next ?? Infinity)
    }
    return this.#slotOf(earliest)
  }

  /** The last slot that is not after another one. */
  *lastUpTo(slot: number): Question<number | undefined> {
    const end = startOf(slot + 1, this.#series.period)
    let latest = -Infinity
    for (const { station, first, last } of this.#sources) {
      if (end <= first) continue
      const condition = 'data_date < @end ORDER BY data_date DESC LIMIT 1'
      const previous = last < end ? last : yield* this.#start(station, condition, { end })
      latest = Math.max(latest, previous ?? -Infinity)
    }
    return this.#slotOf(latest)
  }

  #slotOf(start: number): number | undefined {
    return Number.isFinite(start) ? slotAt(start, this.#series.period) : undefined
  }

  #start(station: number, condition: string, limits: Readonly<Record<string, number>>) {
    const { sql, values } = this.#starts(station, condition, limits)
    return value<number>(sql, values)
  }

  #starts(station: number, condition: string, limits: Readonly<Record<string, number>>): Statement {
    return {
      sql: `SELECT f.data_date FROM file f ${this.#dialect.using('file_station')}
        WHERE ${this.#dialect.inTime('f.id')} AND f.station = @station
          AND ${this.#dialect.isIn('+f.kind', 'kinds')} AND ${condition}`,
      values: { station, kinds: this.#series.kinds, ...limits },
    }
  }
}

/** The distinct values, ascending. */
function distinct(values: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort()
  return Array.from(sorted.filter((each, index) => each !== sorted[index - 1]))
}
