/** Serves the files that are expected and not delivered: in pages, or all at once as CSV. */
import type { FastifyInstance } from 'fastify'
import { recentDays } from '../../series/series.ts'
import type { DayRange } from '../../series/series.ts'
import { parseDay, secondsPerDay } from '../../parse/calendar.ts'
import type { Requester } from '../http/context.ts'
import { badFields } from '../http/errors.ts'
import { mediaTypes } from '../http/negotiate.ts'
import { lastValue, listedValues } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import type { NetworkStatus, SeriesStatus } from '../series/known-series.ts'
import { answerList } from '../series/route.ts'
import type { NetworkContext } from '../series/route.ts'
import { matchesSeries, parseSeriesList } from '../series/series-list.ts'
import { missingSlots, serialiseMissing, sortMissing } from './missing-rows.ts'
import type { MissingSlot } from './missing-rows.ts'
import { missingView } from './page.ts'
import * as schemas from './schema.ts'

export function addMissing(app: FastifyInstance, context: NetworkContext): void {
  app.addSchema(schemas.missingSchema).addSchema(schemas.missingPageSchema)
  addResource(app, {
    path: `${context.apiPath}missing/`,
    get: answerList(context, {
      name: 'missing',
      view: missingView,
      csvColumns: schemas.missingColumns,
      parse: parseMissing,
      find: async (current, request, requester) => {
        const found = await readMissing(context.network, { current, ...request, requester })
        const chosen = found.filter(({ state }) => request.states.includes(state))
        return sortMissing(chosen, request.ordering)
      },
      serialise: serialiseMissing,
    }),
    schema: schemas.listMissing(context.settings.maxLimit),
    config: { faultForm: missingView },
    renders: [mediaTypes.json, mediaTypes.html, 'text/csv'],
    about: {
      name: 'Missing File List',
      description: 'The slots that are expected and not delivered.',
    },
  })
}

type MissingRequest = Pick<ReturnType<typeof parseMissing>, 'rangeUpTo' | 'filter'> & {
  readonly current: NetworkStatus
  readonly requester: Requester
}

async function readMissing(
  network: NetworkContext['network'],
  { current, rangeUpTo, filter, requester }: MissingRequest,
): Promise<readonly MissingSlot[]> {
  // The summaries in memory contain the slots of the last 28 days.
  const { asOf = 0 } = current.currency
  const range = rangeUpTo(Math.floor(asOf / secondsPerDay))
  const isRecent = (range.fromDay + recentDays) * secondsPerDay >= asOf
  const isWanted = (series: SeriesStatus): boolean => matchesSeries(series, filter)
  const series = isRecent
    ? current.states.filter(isWanted).map((each) => ({ ...each, runs: each.summary.runs }))
    : (await network.days(current, { ...range, isWanted }, requester)).map((each) => ({
        ...each,
        runs: each.slots.runs,
      }))
  const found: MissingSlot[] = []
  for (const each of series)
    for (const missing of missingSlots(each, each.runs, range)) {
      if (found.length >= maxRows)
        throw badFields({ from: [`The range has more than ${maxRows} missing files.`] })
      found.push(missing)
    }
  return found
}

/** Maximum number of rows, because all of them are sorted for each page. */
const maxRows = 100_000

/**
 * Maximum number of days of a range: of the whole network, because that many are read at once, and
 * of one station.
 */
const maxDays = { network: 62, station: 40 * 366 }

/**
 * Parses a request; its range is by default the 28 days up to the last day for which states are
 * known.
 * @throws HttpError 400 with all faults
 */
function parseMissing(query: Query, nowSeconds: number) {
  const texts = {
    from: (lastValue(query, 'from') ?? '').trim(),
    to: (lastValue(query, 'to') ?? '').trim(),
  }
  const days = { from: parseDay(texts.from), to: parseDay(texts.to) }
  const today = Math.floor(nowSeconds / secondsPerDay)
  const isOneStation = listedValues(query, 'station').length === 1
  const most = isOneStation ? maxDays.station : maxDays.network
  const rangeUpTo = (last: number): DayRange => {
    const toDay = days.to ?? Math.min(last, (days.from ?? last) + most - 1)
    return { fromDay: days.from ?? toDay - recentDays + 1, toDay }
  }
  const request = parseSeriesList(query, {
    states: schemas.missingStates,
    orderKeys: schemas.missingOrderKeys,
    defaultOrdering: '-start',
    further: ['from', 'to'],
    check: (faults) => {
      for (const name of ['from', 'to'] as const)
        if (texts[name] !== '' && days[name] === undefined)
          faults.set(name, ['Enter a valid date.'])
      const fault = rangeFault(rangeUpTo(today), isOneStation)
      if (fault !== undefined && !faults.has('from') && !faults.has('to'))
        faults.set('from', [fault])
    },
  })
  const kept = Object.entries(texts).filter(([, text]) => text !== '')
  return { ...request, kept: [...request.kept, ...kept], rangeUpTo }
}

function rangeFault({ fromDay, toDay }: DayRange, isOneStation: boolean): string | undefined {
  const days = toDay - fromDay + 1
  if (days < 1) return 'The range ends before it begins.'
  if (isOneStation)
    return days > maxDays.station ? 'A range of one station has at most 40 years.' : undefined
  return days > maxDays.network
    ? `A range has at most ${maxDays.network} days; that of one station has at most 40 years.`
    : undefined
}
