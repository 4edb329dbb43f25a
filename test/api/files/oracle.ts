/**
 * A simple reference implementation of the list (the oracle): filters and sorts all records in
 * memory.
 */
import { parseFilename } from '../../../src/parse/filename.ts'
import type { ParsedName } from '../../../src/parse/types.ts'
import type { Facts } from '../../../src/rinex/facts.ts'

/** A record of the service, with its parsed name. */
export interface Known {
  readonly id: number
  readonly filename: string
  readonly data_date: string
  readonly created: string
  readonly modified: string
  readonly area: string
  readonly parsed: ParsedName
  readonly problems: readonly string[]
  /** What is inside it, if that is known. */
  readonly facts: Facts | undefined
}

export type Listed = Omit<Known, 'area' | 'parsed' | 'problems' | 'facts'> & {
  readonly download_path: string
}

export function know(record: Listed, problems: readonly string[] = [], facts?: Facts): Known {
  const parsed = parseFilename(record.filename) as ParsedName
  return {
    ...record,
    parsed,
    problems,
    facts,
    area: /data\/(\w+)\//.exec(record.download_path)?.[1] ?? '',
  }
}

/** Parameters of a query; a list is a repeated parameter. */
export type Parameters = Readonly<Record<string, string | readonly string[]>>

type Test = (record: Known, value: string, known: readonly Known[]) => boolean

const micros = (iso: string): bigint => {
  const [, whole = '', fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(iso) ?? []
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}
const midnight = (value: string) => (value.length === 10 ? `${value}T00:00:00Z` : value)
const compare =
  (field: 'data_date' | 'created' | 'modified', holds: (sign: number) => boolean): Test =>
  (record, value) => {
    const [a, b] = [micros(record[field]), micros(midnight(value))]
    return holds(a < b ? -1 : a > b ? 1 : 0)
  }
const anyOf =
  (holds: Test): Test =>
  (record, value, known) =>
    value.split(',').some((item) => holds(record, item, known))

const timeTests = (field: 'data_date' | 'created' | 'modified'): Record<string, Test> => ({
  [field]: compare(field, (sign) => sign === 0),
  [`${field}__gt`]: compare(field, (sign) => sign > 0),
  [`${field}__gte`]: compare(field, (sign) => sign >= 0),
  [`${field}__lt`]: compare(field, (sign) => sign < 0),
  [`${field}__lte`]: compare(field, (sign) => sign <= 0),
})

const longCodesOf = new WeakMap<readonly Known[], Map<string, string[]>>()

/** The long codes by their first four characters. */
function longCodes(known: readonly Known[]): Map<string, string[]> {
  const found = longCodesOf.get(known) ?? new Map<string, string[]>()
  if (longCodesOf.has(known)) return found
  longCodesOf.set(known, found)
  for (const code of new Set(known.map(({ parsed }) => parsed.station)))
    if (code.length === 9)
      found.set(code.slice(0, 4), [...(found.get(code.slice(0, 4)) ?? []), code])
  return found
}

const station = anyOf(({ parsed }, code) => parsed.station.startsWith(code.toUpperCase()))

function touches({ parsed }: Known, from: number, to: number): boolean {
  const { startSeconds, spanSeconds = 0 } = parsed
  return startSeconds <= to && (startSeconds >= from || startSeconds + spanSeconds > from)
}

const seconds = (text: string, open: number) =>
  text === '..' ? open : Date.parse(midnight(text)) / 1000

/** A text of the header: whole, and by its begin. */
function texts(name: string, of: (facts: Facts) => string | undefined): Record<string, Test> {
  const compared =
    (holds: (text: string, value: string) => boolean): Test =>
    ({ facts }, value) =>
      holds((facts && of(facts))?.toLowerCase() ?? '', value.toLowerCase())
  return {
    [name]: compared((text, value) => text === value),
    [`${name}__startswith`]: compared((text, value) => text.startsWith(value)),
  }
}

function isBetween(west: number, longitude: number, east: number): boolean {
  return west <= longitude && longitude <= east
}

const year = anyOf(({ data_date }, value) => data_date.startsWith(`${value}-`))

export const tests: Readonly<Record<string, Test>> = {
  filename: ({ filename }, value) => filename.toLowerCase() === value.toLowerCase(),
  filename__startswith: ({ filename }, value) =>
    filename.toLowerCase().startsWith(value.toLowerCase()),
  filename__contains: ({ filename }, value) => filename.toLowerCase().includes(value.toLowerCase()),
  ...timeTests('data_date'),
  ...timeTests('created'),
  ...timeTests('modified'),
  id: ({ id }, value) => id === Number(value),
  id__gt: ({ id }, value) => id > Number(value),
  id__lt: ({ id }, value) => id < Number(value),
  id__gte: ({ id }, value) => id >= Number(value),
  id__lte: ({ id }, value) => id <= Number(value),
  year,
  data_date__year: year,
  file_duration: anyOf(({ parsed }, value) => parsed.duration === value.at(-1)?.toLowerCase()),
  file_version: anyOf(({ parsed }, value) => parsed.version === `r${value.replace('r', '')}`),
  file_type: anyOf(({ parsed }, value) => parsed.type === value.charAt(0).toLowerCase()),
  station,
  stationId: station,
  area: anyOf(({ area }, value) => area === value.toLowerCase()),
  country: anyOf(({ parsed: { station: code } }, value, known) => {
    const [long = code, another] = code.length === 4 ? (longCodes(known).get(code) ?? []) : []
    return another === undefined && long.slice(6) === value.toUpperCase()
  }),
  date: anyOf(({ data_date }, value) => data_date.startsWith(value)),
  doy: anyOf(({ data_date }, value) => {
    const day = new Date(data_date)
    const start = Date.UTC(day.getUTCFullYear(), 0, 1)
    const dayOfYear = Math.floor((day.getTime() - start) / 86_400_000) + 1
    return `${day.getUTCFullYear()}-${String(dayOfYear).padStart(3, '0')}` === value
  }),
  interval: anyOf(({ parsed }, value) => parsed.interval === value.toUpperCase()),
  content: anyOf(({ parsed }, value) => parsed.content === value.toUpperCase()),
  source: anyOf(({ parsed }, value) => parsed.source === value.toUpperCase()),
  problem: anyOf(({ problems }, value) => problems.includes(value)),
  overlaps: (record, value) => {
    const [from = '', to = ''] = value.split('/')
    // A bare date is its whole day.
    const whole = to.length === 10 ? 86_399.999999 : 0
    return touches(record, seconds(from, -Infinity), seconds(to, Infinity) + whole)
  },
  when: (record, value) => {
    const [from = '', to = from] = value.split('/')
    const whole = to.includes('T') ? 0 : 86_399.999999
    return touches(record, seconds(from, 0), seconds(to, 0) + whole)
  },
  covers: (record, value) => touches(record, seconds(value, 0), seconds(value, 0)),
  startDate: (record, value) => touches(record, seconds(value, 0), Infinity),
  // A bare date is its whole day.
  endDate: (record, value) =>
    touches(record, -Infinity, seconds(value, 0) + (value.length === 10 ? 86_399.999999 : 0)),
  rinexVersion: anyOf(
    ({ parsed }, value) => /^all$/i.test(value) || parsed.version === (value === '2' ? 'r2' : 'r3'),
  ),
  filePeriod: anyOf(
    ({ parsed }, value) =>
      parsed.duration === { '01d': 'd', '01h': 'h', '15m': 'm' }[value.toLowerCase()],
  ),
  fileType: anyOf(({ parsed }, value) => value.toLowerCase().startsWith(parsed.type)),
  flag: anyOf(({ facts }, value) => facts?.flags.some(({ flag }) => flag === value) === true),
  share__lt: ({ facts }, value) => facts?.share !== undefined && facts.share < Number(value),
  ...texts('rinex_version', ({ rinex_version }) => rinex_version),
  ...texts('receiver', ({ receiver }) => receiver?.type),
  ...texts('firmware', ({ receiver }) => receiver?.version),
  ...texts('antenna', ({ antenna }) => antenna?.type),
  ...texts('radome', ({ antenna }) => antenna?.radome),
  system: anyOf(({ facts }, value) => facts?.systems?.includes(value) === true),
  signal: anyOf(({ facts }, value) =>
    Object.values(facts?.signals ?? {}).some((signals) => signals.includes(value)),
  ),
  bbox: ({ facts }, value) => {
    const [west = 0, south = 0, east = 0, north = 0] = value.split(',').map(Number)
    const { latitude = NaN, longitude = NaN } = facts?.position ?? {}
    if (!isBetween(south, latitude, north)) return false
    if (west <= east) return isBetween(west, longitude, east)
    return isBetween(west, longitude, 180) || isBetween(-180, longitude, east)
  },
}

/** Choices: any of several values may match. */
const choices =
  /^(file_(duration|version|type)|station(Id)?|area|country|date|doy|year|data_date__year|interval|content|source|problem|rinexVersion|filePeriod|fileType|flag|system|signal|(rinex_version|receiver|firmware|antenna|radome)(__startswith)?)$/

/** The ids of all matching records, sorted. */
export function expected(
  known: readonly Known[],
  parameters: Parameters,
  ordering = '-id',
): number[] {
  const matching = known.filter((record) =>
    Object.entries(parameters).every(([name, value]) => {
      const test = tests[name]
      if (test === undefined) throw new Error(`no test for ${name}`)
      const values = typeof value === 'string' ? [value] : value
      const holds = (item: string): boolean => test(record, item, known)
      return choices.test(name) ? values.some(holds) : values.every(holds)
    }),
  )
  const steps = ordering.split(',')
  const keyOf = (record: Known, key: string): number | bigint | string => {
    if (key === 'id') return record.id
    if (key === 'filename') return record.filename.toLowerCase()
    return micros(record[key as 'data_date' | 'created' | 'modified'])
  }
  const last = steps.at(-1)?.startsWith('-') === true ? '-id' : 'id'
  matching.sort((a, b) => {
    for (const step of [...steps, last]) {
      const [first, second] = [a, b].map((record) => keyOf(record, step.replace('-', '')))
      if (first === undefined || second === undefined || first === second) continue
      return first < second === step.startsWith('-') ? 1 : -1
    }
    return 0
  })
  return matching.map(({ id }) => id)
}
