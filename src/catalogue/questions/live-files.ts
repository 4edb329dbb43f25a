/** The live files of a series, read by `file_station` and `station_count`, and the damaged ones. */
import { lowerBound } from '../../series/ascending.ts'
import type { Period, SeriesKey } from '../../series/series.ts'
import { seriesOf, slotAt, startOf } from '../../series/series.ts'
import type { SlotRange } from '../../series/slot-states.ts'
import type { Dialect } from '../dialect.ts'
import type { Question, Statement } from '../question.ts'
import { all, row, value } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Kind } from '../selection/kinds.ts'

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

/** The files that fill the slots of a series, and which of them are damaged. */
export class LiveFiles {
  readonly #dialect: Dialect
  readonly #series: LiveSeries
  readonly #sources: readonly Source[]
  /** The damaged files of each slot: their number, and when the first was found so. */
  readonly #damaged: ReadonlyMap<number, { readonly files: number; readonly foundUs: number }>

  private constructor(
    dialect: Dialect,
    series: LiveSeries,
    { sources, damaged }: { sources: readonly Source[]; damaged: readonly DamagedRow[] },
  ) {
    this.#dialect = dialect
    this.#series = series
    this.#sources = sources
    this.#damaged = bySlot(damaged, series.period)
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
    const statements = sources.map(({ station }) =>
      damagedRows(dialect, { kinds: series.kinds, station }),
    )
    const damaged = (yield* all(...statements)).flat() as unknown as DamagedRow[]
    return new LiveFiles(dialect, series, { sources, damaged })
  }

  /** The slots up to one with damaged files, and when the first was found so, in seconds. */
  damagedUpTo(slot: number): (readonly [slot: number, foundSeconds: number])[] {
    return [...this.#damaged].flatMap(([each, { foundUs }]) =>
      each <= slot ? [[each, Math.floor(foundUs / 1e6)] as const] : [],
    )
  }

  /** The distinct slots of some ranges with a file that is not damaged, ascending. */
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
    const found = yield* all(...statements)
    const perRange = ranges.map((_range, index) => {
      const own = found.slice(index * this.#sources.length, (index + 1) * this.#sources.length)
      return this.#good(own.flat().map(([start]) => slotAt(start as number, period)))
    })
    return distinct(perRange.flat())
  }

  /** The slots that have more files than damaged ones. @param slots one for each file */
  #good(slots: readonly number[]): readonly number[] {
    if (this.#damaged.size === 0) return slots
    const files = new Map<number, number>()
    for (const slot of slots) files.set(slot, (files.get(slot) ?? 0) + 1)
    return slots.filter((slot) => (files.get(slot) ?? 0) > (this.#damaged.get(slot)?.files ?? 0))
  }

  /** The first slot that is not before another one and has a file that is not damaged. */
  *firstFrom(slot: number): Question<number | undefined> {
    let found = yield* this.#anyFrom(slot)
    while (found !== undefined && !(yield* this.#isGood(found)))
      found = yield* this.#anyFrom(found + 1)
    return found
  }

  /** The last slot that is not after another one and has a file that is not damaged. */
  *lastUpTo(slot: number): Question<number | undefined> {
    let found = yield* this.#anyUpTo(slot)
    while (found !== undefined && !(yield* this.#isGood(found)))
      found = yield* this.#anyUpTo(found - 1)
    return found
  }

  *#isGood(slot: number): Question<boolean> {
    if (!this.#damaged.has(slot)) return true
    return (yield* this.slotsIn({ from: slot, to: slot })).length > 0
  }

  *#anyFrom(slot: number): Question<number | undefined> {
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

  *#anyUpTo(slot: number): Question<number | undefined> {
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

function bySlot(damaged: readonly DamagedRow[], period: Period) {
  const slots = new Map<number, { files: number; foundUs: number }>()
  for (const [, , start, foundUs] of damaged) {
    const slot = slotAt(start, period)
    const { files = 0, foundUs: first = Infinity } = slots.get(slot) ?? {}
    slots.set(slot, { files: files + 1, foundUs: Math.min(first, foundUs) })
  }
  return slots
}

/** The distinct values, ascending. */
function distinct(values: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort()
  return Array.from(sorted.filter((each, index) => each !== sorted[index - 1]))
}

export function liveFiles(
  stations: readonly number[],
  key: SeriesKey,
  context: QuestionContext,
): Question<LiveFiles> {
  const kinds = kindsOf(key, context.lookups.kinds)
  return LiveFiles.of(context.dialect, { stations, kinds, period: key.period })
}

/** The first and the last delivered slot of a series, without those after now. */
export function* endsOf(
  live: LiveFiles,
  recorded: readonly number[],
  now: number,
): Question<{ readonly first: number | undefined; readonly last: number | undefined }> {
  const first = Math.min((yield* live.firstFrom(-Infinity)) ?? Infinity, recorded[0] ?? Infinity)
  const last = Math.max(
    (yield* live.lastUpTo(now)) ?? -Infinity,
    recorded[lowerBound(recorded, now + 1) - 1] ?? -Infinity,
  )
  return { first: first > now ? undefined : first, last: last === -Infinity ? undefined : last }
}

export function kindsOf(
  { fileType, period }: SeriesKey,
  kinds: ReadonlyMap<number, Kind>,
): number[] {
  return [...kinds].flatMap(([id, kind]) => {
    const series = seriesOf(kind)
    return series?.fileType === fileType && series.period === period ? [id] : []
  })
}

export type DamagedRow = readonly [station: number, kind: number, start: number, foundUs: number]

/** All rows, or those of a station. @param kinds ids of the kinds of a series */
export function damagedRows(
  dialect: Dialect,
  of?: { readonly station: number; readonly kinds: readonly number[] },
): Statement {
  const own = `AND station = @station AND ${dialect.isIn('+kind', 'kinds')}`
  return {
    sql: `SELECT station, kind, data_date, damaged_us FROM file ${dialect.using('file_damaged')}
      WHERE damaged_us IS NOT NULL ${of === undefined ? '' : own}
      ORDER BY station, data_date, kind, id`,
    values: { ...of },
  }
}
