/** What the rows of the matrix lost or have half, in words, and where it is listed. Pure. */
import { dayToIso } from '../../parse/calendar.ts'
import { twoDigits } from '../../parse/calendar.ts'
import { counted } from '../../runtime/readable.ts'
import { shortDays } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { slotMarks } from '../pages/marks.ts'
import type { Columns, StationRow, Sums } from './matrix-cells.ts'
import { columnsAt, hourColumns, isLost, parts } from './matrix-cells.ts'

/** Columns beside each other. */
interface Run {
  readonly part: (typeof parts)[number]
  readonly first: number
  readonly count: number
}

/** What is lost, or half, in columns beside each other. */
export interface Lost extends Run {
  /** `18 to 27 Nov: missing`, `13–14 h UTC: 3 of 8 stations` */
  readonly words: string
  readonly href: Html
}

export class Losses {
  readonly #asOf: number
  /** What many rows have alike. */
  readonly #times = new Map<string, ReturnType<typeof timeOf>>()

  /** @param asOf seconds since 1970 */
  constructor(asOf: number) {
    this.#asOf = asOf
  }

  ofStation({ station, days, hours }: StationRow): readonly Lost[] {
    const wordsOf = (cell: StationRow['days'][number]) =>
      cell !== undefined && (isLost(cell) || cell === 'half') ? slotMarks[cell] : undefined
    return this.#lost(
      { days: days.map(wordsOf), hours: hours.map(wordsOf) },
      html`station=${station}&amp;`,
    )
  }

  /** Short names have no country to ask for. */
  ofCountry(code: string | undefined, { days, hours }: Sums): readonly Lost[] {
    const wordsOf = ({ known, lost }: Sums['days'][number]) =>
      lost > 0 ? `${lost} of ${counted(known, 'station', 'stations')}` : undefined
    const who = code && html`country=${code}&amp;`
    return this.#lost({ days: days.map(wordsOf), hours: hours.map(wordsOf) }, who)
  }

  /** @param who whose files are asked for, as a query */
  #lost(words: Columns<string | undefined>, who: Child): readonly Lost[] {
    return parts.flatMap((part) =>
      runsOf(words[part]).map(({ text, first, count }) => {
        const key = `${part} ${first} ${count}`
        const time = this.#times.get(key) ?? timeOf({ part, first, count }, this.#asOf)
        this.#times.set(key, time)
        const state = text === slotMarks.half && html`state=half&amp;`
        const href = html`../missing/?${who}${state}${time.query}&amp;format=api`
        return { part, first, count, words: `${time.words}: ${text}`, href }
      }),
    )
  }
}

function runsOf(texts: readonly (string | undefined)[]) {
  const runs: { readonly text: string; readonly first: number; count: number }[] = []
  for (const [column, text] of texts.entries()) {
    const last = runs.at(-1)
    if (text === undefined) continue
    if (last?.text === text && last.first + last.count === column) last.count++
    else runs.push({ text, first: column, count: 1 })
  }
  return runs
}

/** `26 Nov`, `18 to 27 Nov`, `13–14 h UTC`; files of hours are asked for by their days. */
function timeOf({ part, first, count }: Run, asOf: number) {
  const { firstDay, firstHour } = columnsAt(asOf)
  const isHours = part === 'hours'
  const from = (isHours ? firstHour : firstDay) + first
  const last = from + count - 1
  const days = [from, last].map((column) => dayToIso(isHours ? Math.floor(column / 24) : column))
  return {
    words: isHours ? hoursWords(from, last) : shortDays(from, last, asOf),
    query: html`when=${[...new Set(days)].join('/')}${isHours && html`&amp;period=01H,15M`}`,
  }
}

/** @param last included; in hours since 1970 */
function hoursWords(from: number, last: number): string {
  if (last - from + 1 === hourColumns) return `all ${hourColumns} hours`
  return `${twoDigits(from % 24)}–${twoDigits((last % 24) + 1)} h UTC`
}
