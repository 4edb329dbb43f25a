/** Reads the query of the missing files. Pure. */
import { learningDays } from '../../insight/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { parseDay } from '../files/times.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { parseSeriesList } from '../series/series-filter.ts'
import { missingOrderKeys, missingStates } from './schema.ts'
import type { DayRange } from './missing-rows.ts'

/** Longest range: more deliveries would take seconds to read. */
const maxDays = 62

/**
 * The last 28 days by default.
 * @throws HttpError 400 with all faults
 */
export function parseMissing(query: Query, nowSeconds: number) {
  const texts = {
    from: (lastValue(query, 'from') ?? '').trim(),
    to: (lastValue(query, 'to') ?? '').trim(),
  }
  const days = { from: parseDay(texts.from), to: parseDay(texts.to) }
  const today = Math.floor(nowSeconds / secondsPerDay)
  const toDay = days.to ?? Math.min(today, (days.from ?? today) + maxDays - 1)
  const range: DayRange = { fromDay: days.from ?? toDay - learningDays + 1, toDay }
  const request = parseSeriesList(query, {
    states: missingStates,
    orderKeys: missingOrderKeys,
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
