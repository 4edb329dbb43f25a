/** Serves the files that are expected and not delivered: in pages, or all at once as CSV. */
import type { FastifyInstance } from 'fastify'
import { learningDays } from '../../series/series.ts'
import { parseDay, secondsPerDay } from '../../parse/calendar.ts'
import type { Requester } from '../http/context.ts'
import { mediaTypes } from '../http/negotiate.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import type { NetworkStatus } from '../series/network-status.ts'
import { answerList } from '../series/route.ts'
import type { NetworkContext } from '../series/route.ts'
import { matchesSeries, parseSeriesList } from '../series/series-list.ts'
import { missingSlots, serialiseMissing, sortMissing } from './missing-rows.ts'
import type { DayRange, MissingSlot } from './missing-rows.ts'
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

type MissingRequest = Pick<ReturnType<typeof parseMissing>, 'range' | 'filter'> & {
  readonly current: NetworkStatus
  readonly requester: Requester
}

async function readMissing(
  network: NetworkContext['network'],
  { current, range, filter, requester }: MissingRequest,
): Promise<readonly MissingSlot[]> {
  // The summaries in memory contain the slots of the last 28 days.
  const isRecent = (range.fromDay + learningDays) * secondsPerDay >= current.nowSeconds
  const series = isRecent
    ? current.states.map((each) => ({ ...each, runs: each.summary.runs }))
    : (await network.days(range.fromDay, range.toDay, requester)).series.map((each) => ({
        ...each,
        runs: each.slots.runs,
      }))
  return series
    .filter((each) => matchesSeries(each, filter))
    .flatMap((each) => missingSlots(each, each.runs, range))
}

/** Maximum number of days of a range, because the deliveries of more days would take seconds to read. */
const maxDays = 62

/**
 * Parses a request; its range is the last 28 days by default.
 * @throws HttpError 400 with all faults
 */
function parseMissing(query: Query, nowSeconds: number) {
  const texts = {
    from: (lastValue(query, 'from') ?? '').trim(),
    to: (lastValue(query, 'to') ?? '').trim(),
  }
  const days = { from: parseDay(texts.from), to: parseDay(texts.to) }
  const today = Math.floor(nowSeconds / secondsPerDay)
  const toDay = days.to ?? Math.min(today, (days.from ?? today) + maxDays - 1)
  const range: DayRange = { fromDay: days.from ?? toDay - learningDays + 1, toDay }
  const request = parseSeriesList(query, {
    states: schemas.missingStates,
    orderKeys: schemas.missingOrderKeys,
    defaultOrdering: '-start',
    further: ['from', 'to'],
    check: (faults) => {
      for (const name of ['from', 'to'] as const)
        if (texts[name] !== '' && days[name] === undefined)
          faults.set(name, ['Enter a valid date.'])
      const fault = rangeFault(range)
      if (fault !== undefined && !faults.has('from') && !faults.has('to'))
        faults.set('from', [fault])
    },
  })
  const kept = Object.entries(texts).filter(([, text]) => text !== '')
  return { ...request, kept: [...request.kept, ...kept], range }
}

function rangeFault({ fromDay, toDay }: DayRange): string | undefined {
  if (fromDay > toDay) return 'The range ends before it begins.'
  return toDay - fromDay + 1 > maxDays ? `A range has at most ${maxDays} days.` : undefined
}
