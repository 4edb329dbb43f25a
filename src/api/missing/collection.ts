/**
 * The list of the files that are expected and not delivered, and of damaged ones; when asked for,
 * of those that hold less than half of their epochs.
 */
import type { FastifyInstance } from 'fastify'
import { secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import type { DayRange } from '../../series/series.ts'
import { recentDays } from '../../series/series.ts'
import { BadFields } from '../http/errors.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import { downloadUrl } from '../http/links.ts'
import * as schema from '../openapi/schema.ts'
import type { Worded, WordedFilters } from '../pages/active-filters.ts'
import { filterWords } from '../pages/active-filters.ts'
import { seriesFilters } from '../parameters/file-filters.ts'
import {
  choices,
  endsBeforeItBegins,
  firstDay,
  lastDay,
  ordering,
} from '../parameters/parameter.ts'
import type { WhenDays } from '../parameters/when.ts'
import { whenDays } from '../parameters/when.ts'
import type { RequestOf } from '../resources/answer.ts'
import { addCollection } from '../resources/collection.ts'
import { csvOf, fieldOf, sortKeys } from '../resources/fields.ts'
import type { NetworkStatus, SeriesStatus } from '../series/known-series.ts'
import { keyOf, matchesSeries, period } from '../series/known-series.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { asOfMembers, networkState } from '../series/network-context.ts'
import { keyFields, shareOrNull, stationHref } from '../series/series-fields.ts'
import { withSizes } from './damaged-sizes.ts'
import type { ListedState, MissingSlot } from './missing-slots.ts'
import {
  countHalf,
  halfSlots,
  listedStates,
  missingPattern,
  missingSlots,
  missingStates,
  timesOf,
} from './missing-slots.ts'
import { halfLink, headlineOf, namesOfFiles, outageRows } from './page.ts'

const field = fieldOf<MissingSlot>()

/** A time of a slot, by which the list can be sorted. @param secondsOf since 1970 */
function time(
  description: string,
  example: string,
  secondsOf: (slot: MissingSlot) => number,
  label: string,
) {
  return field(schema.moment(description, example), (slot) => secondsToIso(secondsOf(slot)), {
    label,
    first: 'descending',
    sortedBy: secondsOf,
  })
}

const fields = {
  ...keyFields<MissingSlot>(({ series }) => series, stationHref),
  start: time('Start of the slot.', '2026-01-22T03:00:00Z', (slot) => timesOf(slot).start, 'From'),
  end: field(schema.moment('End of the slot.', '2026-01-22T04:00:00Z'), (slot) =>
    secondsToIso(timesOf(slot).end),
  ),
  expected_by: time(
    'The end of the slot plus the limit of lateness of the series.',
    '2026-01-22T04:10:00Z',
    (slot) => timesOf(slot).expectedBy,
    'Expected by',
  ),
  state: field(
    schema.oneOf(
      '`late` until 3 days after the end of the slot (01D: 7 days), then `missing`; `damaged` if there are files and all are incomplete, broken or empty: a better copy is wanted. `half`, which is no loss: the best file holds less than half of its epochs.',
      listedStates,
      'late',
    ),
    ({ state }) => state,
  ),
  since: time(
    'Time since which the slot has this state; of a damaged one, when its file was found so; of a half one, its end.',
    '2026-01-22T04:10:00Z',
    (slot) => timesOf(slot).since,
    'Since',
  ),
  name: field(
    schema.text(
      'A pattern of the names of the file in the syntax of the shell, to look for it elsewhere.',
      'GRAZ00AUT_?_202602203??_01H_*O.*',
    ),
    ({ series, slot }) => missingPattern(series, slot),
  ),
  file: field(
    schema.orNull(
      schema.url('The download URL of the damaged file, or of the best one of a half slot.'),
      null,
    ),
    ({ path }, links): string | null =>
      path === undefined ? null : downloadUrl(links, ...placeOf(path)),
  ),
  share: field(
    schema.shareOrNull(
      'Of a half slot: the share of the expected epochs that this file holds; otherwise null.',
      null,
    ),
    ({ share }): number | null => shareOrNull(share),
  ),
}

function placeOf(path: string): [directory: string, name: string] {
  const slash = path.lastIndexOf('/')
  return [path.slice(0, slash), path.slice(slash + 1)]
}

const parameters = {
  period,
  state: choices(listedStates, {
    meaning: 'The states of the slots; by default `late`, `missing` and `damaged`.',
    example: 'late',
    label: 'State',
  }),
  when: whenDays(
    'The days of the slots, in place of `from` and `to`: a day, a month, a year, a range, a GPS week or a moment, as in the list of files.',
  ),
  from: firstDay({
    meaning:
      'The first day, by the start of the slots; without it 27 days before `to`. A range has at most 62 days; with one station in `station` it has at most 40 years.',
    example: '2026-01-16',
    field: { label: 'From', hint: '2026-022, 2026-01-22', isRare: true },
  }),
  to: lastDay({
    meaning:
      'The last day; without it today, but at most the last day that a range from `from` may have.',
    example: '2026-01-22',
    field: { label: 'To', hint: '2026-023, 2026-01-23', isRare: true },
  }),
  ordering: ordering(sortKeys(fields), { default: '-start', missing: '', example: 'station' }),
}

/** What says a filter in words; the days have words of their own. */
const worded: WordedFilters = new Map<string, Worded>([
  ...seriesFilters,
  ...Object.entries({ period: parameters.period, state: parameters.state }),
])

export function addMissing(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'missing',
    item: {
      name: 'MissingFile',
      description: 'A slot of a series whose expected file was not delivered, or is damaged.',
      fields,
    },
    filters: seriesFilters,
    parameters,
    check: {
      of: ['from', 'to'],
      fault: ({ when, ...days }, { stations }) =>
        when === undefined ? rangeFault(days, isOne(stations), today(context)) : undefined,
    },
    whole: { csv: csvOf(fields) },
    state: () => networkState(context),
    find: async (asked, current, requester) => {
      const { values, filter, kept, format } = asked
      const { seconds: asOf = 0 } = current.asOf
      const range = askedRange(asked, { last: dayOf(asOf), today: today(context) })
      const isWanted = (series: SeriesStatus): boolean =>
        matchesSeries(series, filter, values.period)
      const states = values.state.length === 0 ? missingStates : values.state
      const found = await readMissing(context, { current, range, isWanted, states, requester })
      const items = await withFiles(context, found, { range, requester })
      if (format !== 'html') return { items }
      const listed = { ...range, asOf: current.asOf.seconds, states }
      // The headline says itself that it is of these.
      const said = kept.filter(([name, value]) => name !== 'state' || value !== 'half')
      const half = states.includes('half') ? 0 : countHalf(current.states.filter(isWanted), range)
      return {
        items: await withSizes(context, items, requester),
        groups: outageRows(listed, values.ordering),
        headline: headlineOf(items, { ...listed, filters: filterWords(said, worded) }),
        below: [namesOfFiles(items, kept), halfLink(half, kept)],
      }
    },
    page: {
      noun: ['missing file', 'missing files'],
      section: 'missing',
      rows: 100,
      all: 'All of 28 days',
      className: 'cards',
      form: ['station', 'country', 'when', 'period', 'from', 'to'],
      caption: 'One row for what one cause may explain; times in UTC',
    },
    operation: {
      id: 'listMissingFiles',
      tag: 'Stations',
      name: 'Missing File List',
      summary: 'List missing files',
      about:
        'The slots that are expected and not delivered, late or missing, and those with damaged files.',
      description: `The CSV has all rows at once, as a worklist for backfilling. ${asOfMembers.clock}`,
      further: asOfMembers,
      samples: ['missing/?station={station}&period=01H&format=csv'],
    },
  })
}

/** Adds the files of damaged and of half slots. */
async function withFiles(
  { reader }: NetworkContext,
  slots: readonly MissingSlot[],
  { range, requester }: Pick<Wanted, 'range' | 'requester'>,
): Promise<readonly MissingSlot[]> {
  const has = (state: MissingSlot['state']): boolean => slots.some((each) => each.state === state)
  const half = has('half') ? await reader.halfFiles({ series: bySeries(slots) }, requester) : []
  const damaged = has('damaged') ? await reader.damagedFiles(range, requester) : []
  const files = new Map<string, Pick<MissingSlot, 'path' | 'share'>>(
    [...damaged, ...half].map((file) => [`${keyOf(file)} ${file.slot}`, file]),
  )
  return slots.flatMap((each) => {
    if (each.state !== 'half' && each.state !== 'damaged') return each
    const file = files.get(`${keyOf(each.series)} ${each.slot}`)
    // A better file may have come a moment ago.
    if (each.state === 'half' && file === undefined) return []
    return { ...each, path: file?.path, share: file?.share }
  })
}

/** The half slots, by series. */
function bySeries(slots: readonly MissingSlot[]) {
  const half = slots.filter(({ state }) => state === 'half')
  return Array.from(
    Map.groupBy(half, ({ series }) => series),
    ([{ station, fileType, period }, own]) => ({
      station,
      fileType,
      period,
      slots: own.map(({ slot }) => slot),
    }),
  )
}

interface Wanted {
  readonly current: NetworkStatus
  readonly range: DayRange
  readonly isWanted: (series: SeriesStatus) => boolean
  readonly states: readonly ListedState[]
  readonly requester: Requester
}

async function readMissing(
  { network }: NetworkContext,
  { current, range, isWanted, states, requester }: Wanted,
): Promise<readonly MissingSlot[]> {
  // The summaries in memory contain the slots of the last 28 days, and all half ones.
  const { seconds: asOf = 0 } = current.asOf
  const isRecent = (range.fromDay + recentDays) * secondsPerDay >= asOf
  const isInMemory = isRecent || states.every((state) => state === 'half')
  const series = isInMemory
    ? current.states.filter(isWanted).map((each) => ({ ...each, runs: each.summary.runs }))
    : (await network.days(current, { ...range, isWanted }, requester)).map((each) => ({
        ...each,
        runs: each.slots.runs,
      }))
  const found: MissingSlot[] = []
  function* slotsOf(each: (typeof series)[number]) {
    yield* missingSlots(each, each.runs, range)
    yield* halfSlots(each, range)
  }
  for (const each of series)
    for (const missing of slotsOf(each)) {
      if (!states.includes(missing.state)) continue
      if (found.length >= maxRows)
        throw new BadFields({ from: [`The range has more than ${maxRows} missing files.`] })
      found.push(missing)
    }
  return found
}

/** Maximum number of rows, because all of them are sorted for each page. */
const maxRows = 100_000

/** Maximum numbers of days: of the network, which is read at once, and of one station. */
const maxDays = { network: 62, station: 40 * 366 }

/** @throws BadFields for a `when` of too many days, or beside `from` and `to` */
function askedRange(
  { values: { when, from, to }, filter: { stations } }: RequestOf<typeof parameters, Format>,
  days: { readonly last: number; readonly today: number },
): DayRange {
  if (when === undefined) return rangeOf({ from, to }, isOne(stations), days.last)
  const fault =
    (from ?? to) === undefined
      ? rangeFault(when, isOne(stations), days.today)
      : 'Give `when`, or `from` and `to`.'
  if (fault !== undefined) throw new BadFields({ when: [fault] })
  return rangeOf(when, isOne(stations), days.last)
}

/** True for one station, of which a longer time can be read. */
const isOne = (stations: readonly string[] | undefined): boolean =>
  stations?.length === 1 && stations[0]?.endsWith('*') === false

const dayOf = (seconds: number): number => Math.floor(seconds / secondsPerDay)
const today = ({ nowUs }: NetworkContext): number => dayOf(nowUs() / 1e6)

/** By default the 28 days up to the last one. @param last the last day with states */
function rangeOf({ from, to }: WhenDays, isOneStation: boolean, last: number): DayRange {
  const most = isOneStation ? maxDays.station : maxDays.network
  const toDay = to ?? Math.min(last, (from ?? last) + most - 1)
  return { fromDay: from ?? toDay - recentDays + 1, toDay }
}

function rangeFault(asked: WhenDays, isOneStation: boolean, last: number): string | undefined {
  const { fromDay, toDay } = rangeOf(asked, isOneStation, last)
  const days = toDay - fromDay + 1
  if (days < 1) return endsBeforeItBegins
  if (isOneStation)
    return days > maxDays.station ? 'A range of one station has at most 40 years.' : undefined
  return days > maxDays.network
    ? `A range has at most ${maxDays.network} days; that of one station has at most 40 years.`
    : undefined
}
