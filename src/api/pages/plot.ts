/**
 * The axes of pictures: scales with named ticks, and plots with two of them. A plot is as wide as
 * its place, its text has 12 pixels, time runs from left to right. Pure.
 */
import { dateOf, parseDay, twoDigits } from '../../parse/calendar.ts'
import { months } from '../../runtime/readable.ts'
import type { Child, Html } from './html.ts'
import { html } from './html.ts'

/** A tick of an axis: a value, and its text with the unit. */
interface Tick {
  readonly value: number
  readonly text: string
}

/** Where values lie on an axis: 0 at its begin, 1 at its end. */
export interface Scale {
  readonly at: (value: number) => number
  readonly ticks: readonly Tick[]
}

/** Quantities from a true zero to the tick at or above the largest one. */
export function quantities(most: number, textOf: (value: number) => string): Scale {
  const step = niceStep(Math.max(most, 1) / 4)
  const steps = Math.max(1, Math.ceil(most / step))
  const values = Array.from({ length: steps + 1 }, (_, index) => index * step)
  return {
    at: (value) => value / (steps * step),
    ticks: values.map((value) => ({ value, text: textOf(value) })),
  }
}

/** The lowest of 1, 2, 5, 10, 20 … that is not below a value. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10)
}

/** Durations that have a name, in seconds. */
const named = [
  ...([
    [10, '10 s'],
    [60, '1 min'],
    [300, '5 min'],
    [900, '15 min'],
    [3600, '1 h'],
  ] as const),
  ...([
    [21_600, '6 h'],
    [86_400, '1 day'],
    [604_800, '7 days'],
    [2_419_200, '28 days'],
  ] as const),
  ...([
    [31_536_000, '1 year'],
    [315_360_000, '10 years'],
  ] as const),
] as const

/**
 * Durations in seconds, logarithmic, from the named one at or below the shortest to that at or
 * above the longest. Shorter ones than the first tick lie at it.
 */
export function durations(shortest: number, longest: number): Scale {
  const begin = Math.max(
    0,
    named.findLastIndex(([value]) => value <= shortest),
  )
  const found = named.findIndex(([value], index) => index > begin && value >= longest)
  const ticks = named.slice(begin, found === -1 ? undefined : found + 1)
  const [first = 1, last = 1] = [ticks[0]?.[0], ticks.at(-1)?.[0]]
  return {
    at: (value) => Math.log(Math.max(value, first) / first) / Math.log(last / first),
    ticks: ticks.map(([value, text]) => ({
      value,
      text: value === first && shortest < first ? `≤ ${text}` : text,
    })),
  }
}

/** Days since 1970, with parts of them, from the begin of a first to the end of a last one. */
export function days(first: number, last: number): Scale {
  const count = last - first + 1
  const ticks = count <= 92 ? weekTicks(first, last) : monthTicks(first, last)
  return { at: (day) => (day - first) / count, ticks }
}

/** Every day, or the last one and those some weeks before. */
function weekTicks(first: number, last: number): readonly Tick[] {
  const count = last - first + 1
  const step = count <= 7 ? 1 : Math.ceil(count / 42) * 7
  const values = Array.from({ length: Math.ceil(count / step) }, (_, index) => last - index * step)
  return values.reverse().map((value) => ({ value, text: shortDay(value) }))
}

/** The first days of some months or years. */
function monthTicks(first: number, last: number): readonly Tick[] {
  const monthOf = (day: number): number => dateOf(day).year * 12 + dateOf(day).month - 1
  const [begin, end] = [monthOf(first - 1) + 1, monthOf(last)]
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((each) => (end - begin) / each < 5) ?? 240
  const start = Math.ceil(begin / step) * step
  const count = Math.max(0, Math.floor((end - start) / step) + 1)
  return Array.from({ length: count }, (_, index) => {
    const month = start + index * step
    const [year, ofYear] = [Math.floor(month / 12), month % 12]
    const value = parseDay(`${year}-${twoDigits(ofYear + 1)}-01`) ?? NaN
    return { value, text: step < 12 ? `${shortMonth(ofYear)} ${year}` : String(year) }
  })
}

/** Years, each as wide as the others also where nothing is; the tick is in the middle. */
export function years(first: number, last: number): Scale {
  const count = last - first + 1
  const step = [1, 2, 5, 10, 20].find((each) => count / each <= 8) ?? 50
  const own = Array.from({ length: count }, (_, index) => first + index)
  return {
    at: (year) => (year - first) / count,
    ticks: own
      .filter((year) => year % step === 0)
      .map((year) => ({ value: year + 0.5, text: String(year) })),
  }
}

/** What a plot is drawn with: percents across, so that it fits any screen, and pixels down. */
export interface Places {
  readonly x: (value: number) => string
  readonly y: (value: number) => number
  /** A bar from one place to another across, and from one value to another up. */
  readonly bar: (across: readonly [number, number], up: readonly [number, number]) => Html
  /** A line at a value across the whole plot, with its text. */
  readonly line: (value: number, text: string) => Html
}

/** Values at two axes. */
export interface Plot {
  readonly title: string
  readonly x: Scale
  readonly y: Scale
  readonly height?: number
  readonly draw: (places: Places) => Child
}

const margin = { top: 8, bottom: 22 }

/** Draws a plot: the axis of values at the left, that of time or classes below. */
export function plotSvg({ title, x, y, height = 180, draw }: Plot): Html {
  const places = placesOf(x, y, height)
  const [bottom, total] = [margin.top + height, margin.top + height + margin.bottom]
  const levels = y.ticks.map(({ value, text }) => {
    const place = places.y(value)
    return html`<line class="grid" x2="100%" y1="${place}" y2="${place}"/><text class="value" x="-8" y="${place + 4}">${text}</text>\n`
  })
  const times = x.ticks.map(({ value, text }) => {
    const share = x.at(value)
    const anchor = share < 0.02 ? 'start' : share > 0.95 ? 'end' : 'middle'
    return html`<text x="${places.x(value)}" y="${bottom + 18}" text-anchor="${anchor}">${text}</text>\n`
  })
  return html`<svg class="plot" height="${total}" role="img" aria-label="${title}">
${levels}${times}${draw(places)}
</svg>
`
}

function placesOf(x: Scale, y: Scale, height: number): Places {
  const across = (value: number): string => percent(x.at(value))
  const up = (value: number): number => rounded(margin.top + height * (1 - y.at(value)))
  return {
    x: across,
    y: up,
    bar([from, to], [low, high]) {
      const top = up(high)
      const width = percent(x.at(to) - x.at(from))
      return html`<rect x="${across(from)}" y="${top}" width="${width}" height="${rounded(Math.max(up(low) - top, 1))}"/>`
    },
    line(value, text) {
      const place = up(value)
      return html`<line class="limit" x2="100%" y1="${place}" y2="${place}"/><text class="limit" x="100%" y="${place - 5}" text-anchor="end">${text}</text>`
    },
  }
}

function percent(share: number): string {
  return `${Math.round(share * 1e4) / 100}%`
}

/** `26 Nov` */
export function shortDay(day: number): string {
  const { day: ofMonth, month } = dateOf(day)
  return `${ofMonth} ${shortMonth(month - 1)}`
}

/** @param month from 0 */
function shortMonth(month: number): string {
  return months[month]?.slice(0, 3) ?? ''
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
