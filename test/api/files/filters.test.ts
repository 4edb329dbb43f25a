/** Filtered, sorted and paged lists, compared with the oracle. */
import t from 'tap'
import type { Test } from 'tap'
import { change, newFile } from '../../catalogue/change.ts'
import { fc } from '../../random.ts'
import { openService } from '../service.ts'
import type { Service } from '../service.ts'
import { expected, know, timeOf } from './oracle.ts'
import type { Known, Listed, Parameters } from './oracle.ts'

const stations = ['graz', 'wtzr', 'abpo', 'brux', 'graa']
const codes = ['GRAZ00AUT', 'WTZR00DEU', 'ABPO00MDG', 'WTZR10DEU', 'GRAA01XAU']
const days = [1, 2, 31, 59, 60, 364, 365]

/** Names of all forms and kinds, by directory. */
function directories(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const add = (directory: string, name: string): void => {
    found.set(directory, [...(found.get(directory) ?? []), name])
  }
  for (const [index, day] of days.entries()) {
    const ddd = String(day).padStart(3, '0')
    for (const year of [2019, 2024]) {
      const daily = `obs/${String(year)}/${ddd}`
      const yy = String(year).slice(2)
      for (const station of stations) {
        add(daily, `${station}${ddd}0.${yy}${'dnmo'.charAt((index + day) % 4)}.gz`)
        add(daily, `${station.toUpperCase()}${ddd}1.${yy}D.gz`)
        add(`nrt/${String(year)}/${ddd}/05`, `${station}${ddd}f.${yy}d.gz`)
        add(`nrt/${String(year)}/${ddd}/05`, `${station}${ddd}f15.${yy}d.gz`)
      }
      for (const code of codes) {
        const start = `${code}_${'RSU'.charAt(day % 3)}_${String(year)}${ddd}`
        add(daily, `${start}0000_01D_30S_MO.crx.gz`)
        add(daily, `${start}0000_01D_MN.rnx.gz`)
        add(daily, `${start}0000_02D_05M_MM.rnx.gz`)
        add(daily, `${start}1230_00U_01S_GO.crx.gz`)
        add(`nrt/${String(year)}/${ddd}/23`, `${start}2345_15M_01S_MO.crx.gz`)
        add(`nrt/${String(year)}/${ddd}/23`, `${start}2300_01H_30S_MO.crx.gz`)
      }
    }
  }
  add('obs/2019', 'GRAZ00AUT_R_20190010000_01Y_30S_MO.crx.gz')
  add('obs/odd', 'GRAZ00AUT_R_19690010000_01D_30S_MO.crx.gz')
  add('obs/odd', 'GRAZ00AUT_R_21500010000_01D_30S_MO.crx.gz')
  return found
}

/** A service with records of which some were modified, removed or restored. */
async function openArchive(t: Test) {
  const service = await openService(t)
  const { writer } = service
  for (const [directory, names] of directories()) {
    const added = names.map((name) => newFile(name, { size: 1, mtimeUs: 1 }))
    await writer.apply([change(directory, { added })])
  }
  for (const [index, directory] of [...directories().keys()].entries()) {
    const files = [...((await writer.directory(directory))?.files ?? [])]
    const [first, second, third] = files
    if (first === undefined || second === undefined || third === undefined) continue
    if (index % 3 === 0) {
      const facts = { id: first[1].id, name: first[0], size: 2, mtimeUs: 2 }
      await writer.apply([change(directory, { modified: [facts] })])
    }
    if (index % 2 === 0)
      await writer.apply([change(directory, { removed: [second[1].id, third[1].id] })])
    if (index % 4 === 0)
      await writer.apply([
        change(directory, { added: [newFile(third[0], { size: 1, mtimeUs: 1 })] }),
      ])
  }
  return { service, known: await allRecords(service) }
}

async function allRecords({ app }: Service): Promise<Known[]> {
  const { body } = await app.inject('/rinex/api/rinex-file/?format=ndjson')
  const lines = body.trimEnd().split('\n')
  return lines.map((line) => know(JSON.parse(line) as Listed))
}

function queryOf(parameters: Parameters, more: Record<string, string | number>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value].flat()) query.append(name, each)
  for (const [name, value] of Object.entries(more)) query.append(name, String(value))
  return query.toString()
}

/** Random parameters; most of their values occur in some records. */
function parametersOf(known: readonly Known[]): fc.Arbitrary<Parameters> {
  const pick = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values)
  const lists = (values: readonly string[]) =>
    fc.oneof(
      fc.subarray([...values], { minLength: 1, maxLength: 2 }).map((list) => list.join(',')),
      fc.subarray([...values], { minLength: 1, maxLength: 2 }),
    )
  const times = pick([
    ...known.map(({ data_date }) => data_date),
    ...known.map(({ created }) => created),
    ...known.map(({ modified }) => modified),
    ...known.map(({ data_date }) => data_date.slice(0, 10)),
    '2018-01-01',
    '2024-02-29T12:00:00.5Z',
  ])
  const dates = pick([...known.map(({ data_date }) => data_date.slice(0, 10)), '2018-01-01'])
  const cut = pick(known).chain(({ filename }) =>
    fc.nat({ max: filename.length }).map((length) => filename.slice(0, length) || 'g'),
  )
  const part = pick(known).chain(({ filename }) =>
    fc
      .tuple(fc.nat(20), fc.integer({ min: 1, max: 9 }))
      .map(([at, n]) => filename.slice(at, at + n) || '.'),
  )
  const ids = fc.integer({ min: -3, max: known.length + 50 }).map(String)
  const someCodes = [
    ...stations,
    'GRAZ',
    ...codes,
    codes[0]?.toLowerCase() ?? '',
    'NONE',
    'NONE00ZZZ',
  ]
  const range = fc
    .tuple(fc.oneof(dates, times, fc.constant('..')), fc.oneof(dates, times, fc.constant('..')))
    .filter(([from, to]) => from === '..' || to === '..' || timeOf(from) <= timeOf(to))
    .map((ends) => ends.join('/'))
  return fc
    .record(
      {
        filename: pick(known).map(({ filename }) => filename.toUpperCase()),
        filename__startswith: cut,
        filename__contains: part,
        ...Object.fromEntries(
          ['data_date', 'created', 'modified'].flatMap((name) =>
            ['', '__gt', '__gte', '__lt', '__lte'].map((lookup) => [
              name + lookup,
              fc.oneof(times, fc.tuple(times, times)),
            ]),
          ),
        ),
        id__gt: ids,
        id__lt: ids,
        file_duration: lists(['m', 'h', 'd', 'y', 'u']),
        file_version: lists(['r2', 'r3']),
        file_type: lists(['o', 'n', 'm']),
        station: lists(someCodes),
        area: lists(['obs', 'nrt']),
        country: lists(['AUT', 'deu', 'ZZZ']),
        date: lists(known.map(({ data_date }) => data_date.slice(0, 10)).slice(0, 9)),
        doy: lists(['2019-001', '2024-060', '2024-365']),
        interval: lists(['30S', '01s', '05M']),
        content: lists(['MO', 'mn', 'GO']),
        source: lists(['R', 'S', 'U']),
        overlaps: range,
        stationId: lists(someCodes),
        startDate: fc.oneof(dates, times),
        endDate: fc.oneof(dates, times),
        rinexVersion: lists(['2', '3', '4', 'latest', 'all', 'ALL']),
        filePeriod: lists(['01D', '01h', '15M', '15m']),
        fileType: lists(['obs', 'NAV', 'Met']),
      },
      { requiredKeys: [] },
    )
    .chain((all: Readonly<Record<string, string | string[]>>) =>
      // At most three, so that some records match.
      fc
        .subarray(Object.keys(all), { maxLength: 3 })
        .map((names) => Object.fromEntries(names.map((name) => [name, all[name] ?? '']))),
    )
}

const orderings = ['id', 'data_date', 'created', 'modified', 'filename'].flatMap((key) => [
  key,
  `-${key}`,
])

t.test('for random parameters the list equals that of the oracle', async (t) => {
  const { service, known } = await openArchive(t)
  const get = async (parameters: Parameters, ordering: string, limit: number, offset: number) => {
    const query = queryOf(parameters, { ordering, limit, offset })
    const response = await service.app.inject(`/rinex/api/rinex-file/?${query}`)
    if (response.statusCode !== 200) throw new Error(`${query}: ${response.body}`)
    return response.json<{
      count: number
      next: string | null
      previous: string | null
      results: Known[]
    }>()
  }
  await fc.assert(
    fc.asyncProperty(
      parametersOf(known),
      fc.constantFrom(...orderings),
      fc.integer({ min: 1, max: 300 }),
      fc.nat(500),
      async (parameters, ordering, limit, offset) => {
        const ids = expected(known, parameters, ordering)
        const page = await get(parameters, ordering, limit, offset)
        const found = { ids: page.results.map(({ id }) => id), count: page.count }
        const correct = { ids: ids.slice(offset, offset + limit), count: ids.length }
        if (JSON.stringify(found) !== JSON.stringify(correct))
          throw new Error(`found ${JSON.stringify(found)}, not ${JSON.stringify(correct)}`)
        const link = (start: number): string => {
          const more = ordering === '-id' ? {} : { ordering }
          const query = new URLSearchParams(
            queryOf(parameters, { ...more, format: 'api', limit, offset: start }),
          )
          query.sort()
          return query.toString()
        }
        const queryString = (url: string | null) => url && new URL(url).searchParams.toString()
        const next = offset + limit < ids.length ? link(offset + limit) : null
        const previous = offset === 0 ? null : link(Math.max(0, offset - limit))
        if (queryString(page.next) !== next || queryString(page.previous) !== previous)
          throw new Error(`links ${String(page.next)} and ${String(page.previous)}`)
      },
    ),
    { numRuns: 2000 },
  )
  t.pass('2,000 queries')
})

t.test(
  'the parameters of two national archives have the meaning that they have there',
  async (t) => {
    const service = await openService(t)
    const { app } = service
    const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
    for (const hour of hours)
      await service.addNames(`nrt/2026/022/${hour}`, [
        `GRAZ00AUT_S_2026022${hour}00_01H_30S_MO.crx.gz`,
      ])
    await service.addNames('nrt/2026/022/05', ['GRAZ00AUT_S_20260220515_15M_01S_MO.crx.gz'])
    await service.addNames('obs/2026/021', ['graz0210.26d.gz', 'graz0210.26n.gz'])
    const cases: [query: string, count: number][] = [
      // The hourly file of 05:00 and one of 15 minutes in it; bounds are times, not days.
      ['startDate=2026-01-22T05:10:00Z&endDate=2026-01-22T05:20:00Z', 2],
      ['startDate=2026-01-22T05:40:00Z&endDate=2026-01-22T05:50:00Z', 1],
      ['startDate=2026-01-22T05:00:00Z&endDate=2026-01-22T05:59:59Z&filePeriod=01h', 1],
      ['startDate=2026-01-22 05:10&endDate=2026-01-22 05:10', 1],
      ['startDate=2026-01-22T07:10:00+02:00&endDate=2026-01-22T07:20:00+02:00', 2],
      ['startDate=2026-01-22T23:00:00Z', 1],
      ['endDate=2026-01-22T00:00:00Z', 3],
      ['startDate=2026-01-22&endDate=2026-01-22', 25],
      ['startDate=2026-01-21&endDate=2026-01-21', 2],
      ['startDate=2026-01-22T12:00:00Z&endDate=2026-01-22', 12],
      ['filePeriod=15M', 1],
      ['filePeriod=01d', 2],
      ['filePeriod=01D,15m', 3],
      ['rinexVersion=2', 2],
      ['rinexVersion=4', 25],
      ['rinexVersion=latest', 25],
      ['rinexVersion=all', 27],
      ['rinexVersion=all&strict=1&fileType=NAV', 1],
      ['fileType=Obs', 26],
    ]
    for (const [query, count] of cases) {
      const encoded = query.replaceAll('+', '%2b').replaceAll(' ', '%20')
      const answer = await app.inject(`/rinex/api/rinex-file/?${encoded}`)
      t.equal(answer.statusCode, 200, query)
      t.equal(answer.json<{ count: number }>().count, count, query)
      t.equal(answer.headers['ignored-parameters'], undefined)
    }
  },
)
