/** The page of missing files: a row for each outage, and the names to look for elsewhere. */
import { dayToIso, secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import { counted, readableNumber } from '../../runtime/readable.ts'
import type { DayRange } from '../../series/series.ts'
import type { QueryPair } from '../http/links.ts'
import { queryText } from '../http/links.ts'
import type { ViewColumn } from '../pages/collection.ts'
import { shortDay, shortDays } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { halfWords, slotMark } from '../pages/marks.ts'
import { link } from '../pages/parts.ts'
import type { SortOrder } from '../parameters/parameter.ts'
import type { Groups } from '../resources/collection.ts'
import { keyOf } from '../series/known-series.ts'
import { stationHref } from '../series/series-fields.ts'
import type { ListedState, MissingSlot } from './missing-slots.ts'
import { missingPatterns } from './missing-slots.ts'
import { knownWords, whatWords, whenWords, whoWords } from './outage-words.ts'
import type { Outage } from './outages.ts'
import { outagesOf, stationsOf, timeOf } from './outages.ts'

/** What the page lists, and of when. */
interface Listed {
  /** Seconds since 1970; `undefined` before the first scan has ended. */
  readonly asOf: number | undefined
  readonly states: readonly ListedState[]
}

/** True if nothing is listed that is missing. */
const isOfHalf = ({ states }: Pick<Listed, 'states'>): boolean =>
  states.every((state) => state === 'half')

/** The rows of the page. */
export function outageRows(
  { asOf = 0, states }: Listed,
  { descending }: Pick<SortOrder<string>, 'descending'>,
): Groups<MissingSlot> {
  const columns: readonly ViewColumn<Outage>[] = [
    {
      label: 'Station',
      isHeader: true,
      key: 'station',
      first: 'ascending',
      cell: (outage) => [markOf(outage), whoCell(outage)],
    },
    { label: 'What', isProse: true, cell: whatWords },
    {
      label: 'When',
      key: 'start',
      first: 'descending',
      cell: (outage) => whenCell(outage, asOf),
    },
    {
      label: 'Files',
      isNumber: true,
      cell: (outage) => readableNumber(outage.length),
    },
    { label: 'Known', isProse: true, cell: (outage) => knownWords(outage, asOf) },
    { label: 'Names', cell: namesLink },
  ]
  const noun = isOfHalf({ states })
    ? (['stretch', 'stretches'] as const)
    : (['outage', 'outages'] as const)
  return { noun, of: (slots) => inOrder(slots, descending), columns }
}

/**
 * The outages of sorted slots, each at the place of its lowest one: by `start` an outage stands
 * where it begins.
 */
function inOrder(slots: readonly MissingSlot[], descending: boolean): readonly Outage[] {
  const outageOf = new Map(outagesOf(slots).flatMap((own) => own.map((slot) => [slot, own])))
  const ascending = descending ? slots.toReversed() : slots
  const found = [...new Set(ascending.flatMap((slot) => [outageOf.get(slot) ?? []]))]
  return descending ? found.reverse() : found
}

/** The worst of its states: missing before late, late before damaged, damaged before half. */
export function markOf(outage: Outage): Html {
  const has = (state: MissingSlot['state']) => outage.some((each) => each.state === state)
  const state = (['missing', 'late', 'damaged'] as const).find(has) ?? 'half'
  return html`${slotMark(state)} <span class="unseen">${state}</span> `
}

function whoCell(outage: Outage): Child {
  const [station = '', ...others] = stationsOf(outage)
  const words = whoWords(outage)
  return link(words, others.length === 0 ? stationHref({ station }) : `?${ownQuery(outage)}`)
}

function whenCell(outage: Outage, asOf: number): Html {
  const { start, end } = timeOf(outage)
  const [from, to] = [start, end].map(secondsToIso)
  return html`<time datetime="${from}" title="${from}/${to}">${whenWords(outage, asOf)}</time>`
}

function namesLink(outage: Outage): Child {
  const label = `list of the names of ${whoWords(outage)}, ${whatWords(outage)}`
  return link('list', `?${ownQuery(outage)}#names`, label)
}

/** The query of the missing files of an outage, and of what else its stations miss then. */
function ownQuery(outage: Outage): string {
  const { start, end } = timeOf(outage)
  const days = [start, end - 1].map((seconds) => dayToIso(Math.floor(seconds / secondsPerDay)))
  const periods = new Set(outage.map(({ series }) => series.period))
  return queryText([
    ['station', stationsOf(outage).join(',')],
    ['when', [...new Set(days)].join('/')],
    ['period', [...periods].join(',')],
    ...(outage.some(({ state }) => state === 'half') ? ([['state', 'half']] as const) : []),
    ['format', 'api'],
  ])
}

/**
 * `Missing since 1 Oct: 783 files of 18 stations, 119 of them late, 2 damaged`; of files that were
 * all delivered `Less than half of the epochs since 1 Oct: 3 files of 2 stations`
 */
export function headlineOf(
  slots: readonly MissingSlot[],
  { fromDay, toDay, asOf, states, filters }: DayRange & Listed & { readonly filters: string },
): string {
  if (asOf === undefined) return 'What is missing is not known before the first scan has ended'
  const isToNow = toDay * secondsPerDay <= asOf && (toDay + 1) * secondsPerDay > asOf
  const days =
    isToNow && fromDay < toDay
      ? `since ${shortDay(fromDay, asOf)}`
      : shortDays(fromDay, toDay, asOf)
  const countOf = (state: MissingSlot['state']): number =>
    slots.filter((each) => each.state === state).length
  const [late, damaged, half] = [countOf('late'), countOf('damaged'), countOf('half')]
  const isHalf = isOfHalf({ states })
  const listed = isHalf ? slots : slots.filter(({ state }) => state !== 'half')
  const files = counted(listed.length, 'file', 'files')
  const stations = counted(stationsOf(listed).length, 'station', 'stations')
  const counts = [
    listed.length === 0 ? 'nothing' : `${files} of ${stations}`,
    late && `${readableNumber(late)} of them late`,
    damaged && `${readableNumber(damaged)} damaged`,
    !isHalf && half && `${readableNumber(half)} with less than half of their epochs`,
  ]
  const whose = filters === '' ? '' : `, ${filters}`
  return `${isHalf ? 'Less than half of the epochs' : 'Missing'} ${days}${whose}: ${counts.filter(Boolean).join(', ')}`
}

/** Names that are shown and copied; CSV and JSON have all. */
export const maxNames = 2000

/** The names of missing files, one for a day on which all are missing. */
export function namesOf(slots: readonly MissingSlot[]): readonly string[] {
  const bySeries = Map.groupBy(slots, ({ series }) => keyOf(series)).values()
  return Array.from(bySeries)
    .flatMap((own) => {
      const [first] = own
      const ascending = own.map(({ slot }) => slot).toSorted((a, b) => a - b)
      return first === undefined ? [] : missingPatterns(first.series, ascending)
    })
    .toSorted()
}

export function namesOfFiles(slots: readonly MissingSlot[], kept: readonly QueryPair[]): Child {
  const names = namesOf(slots)
  const files = counted(slots.length, 'file', 'files')
  const heading = `${counted(names.length, 'pattern', 'patterns')} of the names of ${files}, to look for elsewhere`
  return namesHtml({ heading, names, most: maxNames, kept })
}

/** Where the files are listed that are not missing, but half; nothing without such files. */
export function halfLink(files: number, kept: readonly QueryPair[]): Child {
  const others = kept.filter(([name]) => name !== 'state')
  const href = `?${queryText([...others, ['state', 'half'], ['format', 'api']])}`
  return files > 0 && html`<p>${slotMark('half')} <a href="${href}">${halfWords(files)}</a></p>\n`
}

interface Names {
  readonly heading: string
  readonly names: readonly string[]
  /** Names that are shown and copied. */
  readonly most: number
  /** The query of the page. */
  readonly kept: readonly QueryPair[]
}

/** The names to look for elsewhere, as one list to copy; nothing without names. */
export function namesHtml({ heading, names, most, kept }: Names): Child {
  const more = names.length - most
  const hrefOf = (format: string) => `?${queryText([...kept, ['format', format]])}`
  return (
    names.length > 0 &&
    html`<section class="names command panel row small" id="names">
<h2>${heading}</h2>
<button type="button" class="copy small" hidden>Copy</button> <a href="${hrefOf('csv')}">CSV</a> <a href="${hrefOf('json')}">JSON</a>
<pre tabindex="0"><code>${names.slice(0, most).join('\n')}</code></pre>
${more > 0 && html`<p class="quiet">${readableNumber(more)} more names are in CSV and JSON.</p>`}
</section>
`
  )
}
