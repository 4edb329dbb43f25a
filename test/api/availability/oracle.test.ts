/** What a request for many series answers, against the availability of each and the list. */
import { parseFilename } from '../../../src/parse/filename.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { dayOf, iso, lengths } from '../series/network.ts'
import type { NetworkFile } from './network.ts'
import { now, openAsked } from './network.ts'

interface Asked {
  readonly station: string
  readonly file_type: string
  readonly period: keyof typeof lengths
  readonly from: string
  readonly to: string
  readonly delivered: number
  readonly spans: readonly (readonly [string, string])[]
}

const firstDay = dayOf(2026, 1, 18)
/** One site with both forms, one with short names, two that share a short code, one of them all. */
const stations = ['GRAZ00AUT', 'GRAZ', 'HKBL', 'WTZR00DEU', 'WTZR01DEU', 'WTZR', 'GRAC00FRA']
const periods = ['15M', '01H', '01D'] as const

const anyFile = fc
  .record({
    station: fc.constantFrom(...stations),
    period: fc.constantFrom(...periods),
    share: fc.double({ min: 0, max: 0.9999, noNaN: true }),
    source: fc.constantFrom('R', 'S'),
  })
  .map(({ station, period, share, source }): NetworkFile => {
    const perDay = 86_400 / lengths[period]
    // Six days, of which the last one is in the future.
    return [firstDay * perDay + Math.floor(share * 6 * perDay), station, period, source]
  })

const anyWord = fc.constantFrom(...stations, 'GR*', 'W*', '*', 'graz', 'ZIMM')
const anyDay = fc.integer({ min: firstDay - 1, max: firstDay + 7 })
const anyQuestion = fc.record({
  stations: fc.array(anyWord, { minLength: 1, maxLength: 3 }),
  period: fc.constantFrom(...periods),
  days: fc.tuple(anyDay, anyDay),
  type: fc.constantFrom('o', 'o', 'obs', 'n'),
})

const dayText = (day: number) => iso(day * 86_400).slice(0, 10)

t.test(
  'each series is that of its own resource, and the URLs are those of its files',
  async (t) => {
    const property = fc.asyncProperty(
      fc.array(anyFile, { maxLength: 60 }),
      fc.array(anyQuestion, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(0, 0, 3600, 86_400, 200_000),
      async (files, questions, mergeGaps) => {
        const { app, ask } = await openAsked(t, files)
        const body = questions.map(({ stations, period, days, type }) => {
          const [from = 0, to = 0] = [...days].sort((a, b) => a - b)
          const word = type === 'obs' ? 'o' : type
          return [stations.join(), word, period, dayText(from), dayText(to)].join(' ')
        })
        const text = [`merge_gaps=${mergeGaps}`, ...body].join('\n')
        const answer = await ask(text)
        t.equal(answer.statusCode, 200, answer.body)
        const { series, unknown } = answer.json<{ series: Asked[]; unknown: string[] }>()
        for (const code of unknown)
          t.equal((await app.inject(`/rinex/api/station/${code}/availability/`)).statusCode, 404)
        const listed = await app.inject('/rinex/api/rinex-file/?limit=10000&ordering=data_date')
        const { results } = listed.json<{ results: { filename: string }[] }>()
        const names = results.map(({ filename }) => filename)
        for (const each of series) {
          const { station, file_type: type, period, from, to } = each
          const query = `file_type=${type}&period=${period}&from=${from.slice(0, 10)}`
          const last = iso(Date.parse(to) / 1000 - 1).slice(0, 10)
          const url = `/rinex/api/station/${station}/availability/?${query}&to=${last}`
          const own = (await app.inject(url)).json<Asked>()
          t.equal(each.delivered, own.delivered, url)
          t.same(each.spans, merged(own.spans, mergeGaps), url)
          t.same([each.from, each.to], [own.from, own.to], url)
        }
        const urls = (await ask(`format=urls\n${text}`)).body.split('\n').slice(0, -1)
        t.same(
          urls.map((each) => each.slice(each.lastIndexOf('/') + 1)).toSorted(),
          namesOf(series, names).toSorted(),
          text,
        )
        const rows = (await ask(text, { query: '?format=csv' })).body.split('\r\n').slice(1, -1)
        t.same(
          rows,
          series.flatMap(({ station, file_type, period, spans }) =>
            spans.map((span) => [station, file_type, period, ...span].join()),
          ),
        )
      },
    )
    await fc.assert(property, { numRuns: 25 })
  },
)

function merged(spans: Asked['spans'], seconds: number): string[][] {
  const all: string[][] = []
  for (const [start, end] of spans) {
    const last = all.at(-1)
    const gap = (Date.parse(start) - Date.parse(last?.[1] ?? '')) / 1000
    if (gap <= seconds) last?.splice(1, 1, end)
    else all.push([start, end])
  }
  return all
}

/** The names of the files of some series. */
function namesOf(series: readonly Asked[], names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const parsed = parseFilename(name)
    if (parsed.kind !== 'parsed') throw new Error(name)
    const { station, startSeconds, spanSeconds } = parsed
    return series.some(
      (each) =>
        siteOf(each.station, names) === siteOf(station, names) &&
        lengths[each.period] === spanSeconds &&
        each.file_type === parsed.type &&
        startSeconds <= now + 2 &&
        iso(startSeconds) >= each.from &&
        iso(startSeconds) < each.to,
    )
  })
}

/** A short code means the only long one that begins with it. */
function siteOf(code: string, names: readonly string[]): string {
  const longs = new Set(
    names.map((name) => name.slice(0, 9)).filter((each) => /^[A-Z0-9]{9}$/.test(each)),
  )
  const [only, ...others] = [...longs].filter((each) => each.startsWith(code))
  return only !== undefined && others.length === 0 ? only : code
}
