/** Incidents by their definition, slot by slot: slow, and without anything of `src/series`. */
import { oracleExpects, oracleMissing, oracleNow } from './oracle.ts'
import type { History, Period } from './oracle.ts'

export interface NetworkHistory {
  station: string
  type: 'o' | 'n'
  history: History
}

interface Lost {
  station: string
  type: string
  since: number | null
  ended: number | null
}

/** The place, the begin and the end of an incident, and its series as `station type since`. */
export interface NaiveIncident {
  place: string
  period: Period
  since: number | null
  ended: number | null
  expected: number | null
  series: string[]
}

const hour = 3600
const lengths: Record<Period, number> = { '15M': 900, '01H': hour, '01D': 24 * hour }
const country = (station: string): string => (station.length === 9 ? station.slice(6) : '')
const least = (...times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}
const most = (...times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Groups of losses that are one at their station, and then those of a country. */
function incidentsOf(
  groups: Lost[][],
  period: Period,
  isExpected: (station: string, end: number) => boolean,
  stations: string[],
): NaiveIncident[] {
  const incidents: NaiveIncident[] = []
  let left = groups.map((lost) => ({ lost, end: most(...lost.map(({ since }) => since)) }))
  left.sort((a, b) => (a.end ?? 0) - (b.end ?? 0))
  for (let [first] = left; first !== undefined; [first] = left) {
    const { lost, end } = first
    const code = country(lost[0]?.station ?? '')
    const near = left.filter(
      (each) =>
        country(each.lost[0]?.station ?? '') === code &&
        each.end !== null &&
        each.end - (end ?? -Infinity) <= hour,
    )
    const names = new Set(near.map((each) => each.lost[0]?.station ?? ''))
    const last = most(...near.map((each) => each.end)) ?? 0
    const all = stations.filter((each) => country(each) === code)
    const expected = all.filter((each) => names.has(each) || isExpected(each, last)).length
    const isOne = code !== '' && names.size >= 3 && names.size >= expected / 2
    const taken = isOne ? near : [first]
    const series = taken.flatMap((each) => each.lost)
    incidents.push({
      place: isOne ? code : (lost[0]?.station ?? ''),
      period,
      since: isOne ? end : least(...series.map(({ since }) => since)),
      ended: most(...series.map(({ ended }) => ended)),
      expected: isOne ? expected : null,
      series: series.map(({ station, type, since }) => `${station} ${type} ${since ?? '-'}`).sort(),
    })
    left = left.filter((each) => !taken.includes(each))
  }
  return incidents
}

function ofPeriods(
  network: readonly NetworkHistory[],
  find: (own: NetworkHistory[], period: Period, stations: string[]) => NaiveIncident[],
): NaiveIncident[] {
  return (['15M', '01H', '01D'] as const).flatMap((period) => {
    const own = network.filter(({ history }) => history.period === period)
    return find(own, period, [...new Set(own.map(({ station }) => station))])
  })
}

const isLost = (history: History): boolean => /late|down/.test(oracleNow(history).state)

export function naiveOpen(network: readonly NetworkHistory[]): NaiveIncident[] {
  return ofPeriods(network, (own, period, stations) => {
    const groups = stations.map((station) =>
      own
        .filter((each) => each.station === station && isLost(each.history))
        .map(({ type, history }) => ({
          station,
          type,
          since: oracleNow(history).since,
          ended: null,
        })),
    )
    const isExpected = (station: string): boolean =>
      own.some((each) => each.station === station && oracleExpects(each.history))
    return incidentsOf(
      groups.filter(({ length }) => length > 0),
      period,
      isExpected,
      stations,
    )
  })
}

/** The losses of a series that have ended in the last 57 days. */
function closedOf({ station, type, history }: NetworkHistory): Lost[] {
  const { asOf, delivered, period } = history
  const length = lengths[period]
  const now = Math.floor(asOf / length)
  const ended = [...delivered.keys()].filter((slot) => slot <= now)
  const from = now - (200 * 24 * hour) / length
  const losses: (Lost & { slots: number })[] = []
  for (const { slot } of oracleMissing(history, { from, to: now })) {
    const before = Math.max(...ended.filter((each) => each < slot))
    const since = before === -Infinity ? null : (before + 1) * length
    const known = losses.at(-1)
    const end = (slot + 1) * length
    if (known?.since === since) Object.assign(known, { ended: end, slots: known.slots + 1 })
    else losses.push({ station, type, since, ended: end, slots: 1 })
  }
  if (isLost(history)) losses.pop()
  const oldest = asOf - 57 * 24 * hour
  return losses.filter(
    (each) => each.slots >= (period === '01D' ? 2 : 3) && (each.ended ?? 0) >= oldest,
  )
}

export function naiveClosed(network: readonly NetworkHistory[]): NaiveIncident[] {
  const open = naiveOpen(network)
  return ofPeriods(network, (own, period, stations) => {
    const begun = open.filter((each) => each.period === period && each.since !== null)
    const isOpen = ({ station, since }: Lost): boolean =>
      begun.some(
        (each) =>
          (each.place === station || each.place === country(station)) &&
          since !== null &&
          since >= (each.since ?? 0) &&
          since - (each.since ?? 0) <= hour,
      )
    const groups: Lost[][] = []
    for (const station of stations) {
      const lost = own
        .filter((each) => each.station === station)
        .flatMap(closedOf)
        .filter((each) => !isOpen(each))
        .sort((a, b) => (a.since ?? 0) - (b.since ?? 0))
      for (const each of lost) {
        const group = groups.at(-1)
        const first = group?.[0]
        const isSame = first?.station === station && (each.since ?? 0) - (first.since ?? 0) <= hour
        if (isSame) group?.push(each)
        else groups.push([each])
      }
    }
    const isExpected = (station: string, end: number): boolean =>
      own.some(
        (each) =>
          each.station === station &&
          oracleExpects(each.history, Math.floor(end / lengths[period])),
      )
    return incidentsOf(groups, period, isExpected, stations)
  })
}
