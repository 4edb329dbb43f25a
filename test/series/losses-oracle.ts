/** Losses by their definition, slot by slot: slow, and without anything of `src/series`. */
import type { History, Period } from './oracle.ts'
import { oracleExpects, oracleMissing, oracleNow } from './oracle.ts'

export interface NetworkHistory {
  station: string
  type: 'o' | 'n'
  history: History
}

/** Times in seconds since 1970; a series as `station type period since`. */
export interface NaiveLoss {
  place: string
  kind: 'late' | 'down'
  since: number | null
  due: number
  alert: boolean
  expected: number | null
  series: string[]
}

interface Lost {
  station: string
  name: string
  period: Period
  isDown: boolean
  since: number | null
  due: number
  alertFrom: number
}

const hour = 3600
const day = 24 * hour
const lengths: Record<Period, number> = { '15M': 900, '01H': hour, '01D': day }
const country = (station: string): string => (station.length === 9 ? station.slice(6) : '')

function lostOf({ station, type, history }: NetworkHistory): Lost[] {
  const { state, since, late_after_s: limit } = oracleNow(history)
  if (state !== 'late' && state !== 'down') return []
  const { period, asOf, delivered } = history
  const length = lengths[period]
  const now = Math.floor(asOf / length)
  const absent = oracleMissing(history, { from: now - (200 * day) / length, to: now })
  const missing = absent.filter(({ state }) => state !== 'damaged')
  const last = missing.at(-1)?.slot ?? NaN
  // With rules, files that nobody expects may have come after the loss.
  const before = [...delivered.keys(), ...history.damaged.keys()].filter((slot) => slot < last)
  const due = missing.find(({ slot }) => slot > Math.max(...before))?.expected_by ?? NaN
  return [
    {
      station,
      name: `${station} ${type} ${period} ${since ?? '-'}`,
      period,
      isDown: state === 'down',
      since,
      due,
      alertFrom: due + Math.max(hour, limit),
    },
  ]
}

/** The end of the last slot of a station: hours say it better than days. */
function endOf(lost: readonly Lost[]): number {
  const hourly = lost.filter(({ period }) => period !== '01D')
  return Math.max(...(hourly.length > 0 ? hourly : lost).map(({ since }) => since ?? -Infinity))
}

export function naiveLosses(network: readonly NetworkHistory[], asOf: number): NaiveLoss[] {
  const lost = network.flatMap(lostOf)
  const isDaily = (station: string): boolean =>
    lost.every((each) => each.station !== station || each.period === '01D')
  const ofStation = (station: string): Lost[] => lost.filter((each) => each.station === station)
  const endAt = (station: string): number => endOf(ofStation(station))
  let left = [...new Set(lost.map(({ station }) => station))].sort(
    (a, b) =>
      Number(isDaily(a)) - Number(isDaily(b)) ||
      // Never delivered: `-Infinity` of both is no difference.
      (endAt(a) === endAt(b) ? 0 : endAt(a) - endAt(b)) ||
      (a < b ? -1 : 1),
  )
  const losses: NaiveLoss[] = []
  for (let [first] = left; first !== undefined; [first] = left) {
    const anchor = first
    const sameCountry = left.filter(
      (each) => country(each) === country(anchor) && endAt(each) !== -Infinity,
    )
    const hourly = sameCountry.filter(
      (each) => !isDaily(each) && endAt(each) - endAt(anchor) <= hour && !isDaily(anchor),
    )
    const days = [anchor, ...hourly].map((each) => Math.floor(endAt(each) / day))
    const daily = sameCountry.filter(
      (each) => isDaily(each) && days.includes(Math.floor(endAt(each) / day)),
    )
    const near = [...hourly, ...daily]
    const expected = new Set([
      ...near,
      ...network
        .filter((each) => country(each.station) === country(anchor) && oracleExpects(each.history))
        .map(({ station }) => station),
    ])
    const isOne = country(anchor) !== '' && near.length >= 3 && near.length >= expected.size / 2
    const taken = isOne ? near : [anchor]
    const series = taken.flatMap(ofStation)
    const start = Math.min(...(hourly.length > 0 ? hourly : taken).map(endAt))
    // Of a country, what stopped with it; of a station, all.
    const own = isOne ? series.filter(({ since }) => since !== null && since >= start) : series
    const [earliest] = own.toSorted((a, b) => a.due - b.due)
    losses.push({
      place: isOne ? country(anchor) : anchor,
      kind: series.some(({ isDown }) => isDown) ? 'down' : 'late',
      since: isOne ? start : (earliest?.since ?? null),
      due: earliest?.due ?? NaN,
      alert: own.some(({ alertFrom }) => alertFrom <= asOf),
      expected: isOne ? expected.size : null,
      series: series.map(({ name }) => name).sort(),
    })
    left = left.filter((each) => !taken.includes(each))
  }
  return losses
}

interface NaiveDamaged {
  station: string
  since: number
  alert: boolean
  series: string[]
}

/** The stations with damaged slots of the last seven days. */
export function naiveDamaged(network: readonly NetworkHistory[], asOf: number): NaiveDamaged[] {
  const found = network.flatMap(({ station, type, history }) => {
    const { period, damaged, delivered } = history
    return [...damaged].flatMap(([slot, since]) => {
      const end = (slot + 1) * lengths[period]
      const isShown = !delivered.has(slot) && end <= asOf && end > asOf - 7 * day
      return isShown ? [{ station, since, name: `${station} ${type} ${period}` }] : []
    })
  })
  return [...Map.groupBy(found, ({ station }) => station)].map(([station, own]) => {
    const since = Math.min(...own.map((each) => each.since))
    const series = [...new Set(own.map(({ name }) => name))].sort()
    return { station, since, alert: since + hour <= asOf, series }
  })
}
