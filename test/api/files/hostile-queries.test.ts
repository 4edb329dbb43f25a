/**
 * Hostile queries: each gets the response of its row in the table, and none causes an internal
 * error.
 */
import { fileFilters } from '../../../src/api/parameters/file-filters.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { change, newFile } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import type { Service } from '../service.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'
import type { RawAnswer } from '../wire.ts'
import { sendRaw } from '../wire.ts'

const filterParameters = fileFilters(defaultLayout)

const api = '/rinex/api/'
const total = 3
const megabyte = 2 ** 20

/** The words of a text. */
const listed = (text: string): string[] => text.trim().split(/\s+/)

/** Values that are no code, number, date or choice, URL-encoded. */
const nonsense = [
  ...listed(`
    - 0x10 1e3 1.5 NaN Infinity null true [] {} %00 GRAZ%00 %00GRAZ %7F%1B[31m %ff %fe%ff %c3%28
    %c0%af %ed%a0%80 %f0%9f%9b%b0 % %zz %u0041 %2500 * %25 _ %5f%5f%5f%5f%25 ..%2f..%2fetc%2fpasswd
    %27%20OR%201=1-- 1';DROP%20TABLE%20file;-- %22%20UNION%20SELECT%20*%20FROM%20catalogue
    %0d%0aX-Evil:%20yes %0d%0a%0d%0a%3Chtml%3E a%0ab x%e2%80%a8%e2%80%a9y %d9%a1%d9%a2
    %ef%bc%91%ef%bc%92 %e2%85%a2 __proto__ constructor toString hasOwnProperty
    %3Cscript%3Ealert(1)%3C/script%3E $%7B7*7%7D //evil.example
  `),
  'x'.repeat(3000),
  '%00'.repeat(900),
]

/** Invalid times, as they are sent; `iso-times.test.ts` has those without an encoding. */
const invalidTimes = listed(`
  %2b2026-01-01 2026-01-01T05:00%2b24:00 2026-01-01T05:00%2b1 2026-01-01%0900:00
  %d9%a2%d9%a0%d9%a2%d9%a6-01-01
`)

/** Values of `nonsense` that have the form of a code. */
const looksRight: Readonly<Record<string, readonly string[]>> = {
  station: ['null', 'true', '0x10'],
  country: ['NaN'],
}

interface Row {
  /** As it is sent. */
  readonly query: string
  /** Parameters that the 400 names, in any order; or the number of records found. */
  readonly faults?: readonly string[]
  readonly found?: number
  readonly ignored?: string
}

const parametersWithFaults = listed(`
  file_duration file_version file_type area source rinexVersion filePeriod fileType station
  country interval content id__gt date doy data_date__gte endDate overlaps
`)

const times = ['data_date', 'created__gt', 'modified__lte', 'startDate']

const rows: readonly Row[] = [
  ...parametersWithFaults.flatMap((name) =>
    nonsense
      .filter((value) => !(looksRight[name] ?? []).includes(value))
      .map((value) => ({ query: `${name}=${value}`, faults: [name] })),
  ),
  ...times.flatMap((name) =>
    invalidTimes.map((value) => ({ query: `${name}=${value}`, faults: [name] })),
  ),
  ...nonsense
    .filter((value) => !['_', '-'].includes(value))
    .flatMap((value) => [
      { query: `filename=${value}`, found: 0 },
      { query: `filename__startswith=${value}`, found: 0 },
      { query: `filename__contains=${value}`, found: 0 },
    ]),
  // Empty values are ignored.
  ...['', ',', ',,,', '%20', ',%20,', '%09', ','.repeat(3000)].flatMap((value) => [
    { query: `station=${value}`, found: total },
    { query: `station=${value}&station=${value}`, found: total },
    { query: `file_type=${value}`, found: total },
    { query: `doy=${value}`, found: total },
  ]),
  ...['id__gt', 'created__lt', 'overlaps', 'filename', 'ordering'].map((name) => ({
    query: `${name}=`,
    found: total,
  })),
  // Numbers of any size.
  { query: 'id__gt=-1', found: total },
  { query: 'id__gt=-0', found: total },
  { query: 'id__gt=+1', found: total - 1 },
  { query: 'id__gt=%2b1', found: total - 1 },
  { query: 'id__gt=%201%20', found: total - 1 },
  { query: 'id__gt=0001', found: total - 1 },
  { query: `id__gt=${'9'.repeat(3000)}`, found: 0 },
  { query: `id__lt=${'9'.repeat(3000)}`, found: total },
  { query: `id__lt=-${'9'.repeat(3000)}`, found: 0 },
  { query: 'id__gt=9007199254740991', found: 0 },
  { query: 'id__gt=9007199254740993', found: 0 },
  { query: 'id__lt=9223372036854775808', found: total },
  { query: 'id__gt=1&id__gt=2', found: 1 },
  { query: 'id__gt=2&id__lt=2', found: 0 },
  { query: 'id__gt=1&id__gt=x', faults: ['id__gt'] },
  // Invalid limits and offsets are ignored.
  ...['-1', '0', '1e3', '1.5', 'x', '', '%00', '%ff', '9'.repeat(3000), '%d9%a1'].flatMap(
    (value) => [
      { query: `limit=${value}`, found: total },
      { query: `offset=${value}`, found: total },
      { query: `limit=${value}&offset=${value}&station=GRAZ`, found: total },
    ],
  ),
  // Times far in the past and future.
  { query: 'data_date__gt=0000-01-01', found: total },
  { query: 'data_date__lt=0000-01-01', found: 0 },
  { query: 'data_date__lt=9999-12-31T23:59:59.999999999Z', found: total },
  { query: 'data_date__gt=9999-12-31', found: 0 },
  { query: 'created__gte=0000-01-01T00:00:00-23:59', found: total },
  { query: 'data_date__lte=2026-01-01T05:00:00%2b05:00', found: 2 },
  { query: 'data_date__lte=2026-01-01T05:00:00+05:00', found: 2 },
  { query: 'data_date__lte=2026-01-01T05:00:00%2b05', found: 2 },
  { query: 'data_date__lte=2025-12-31T19:00:00-0500', found: 2 },
  { query: 'data_date=2026-01-01', found: 2 },
  { query: 'date=2026-01-01', found: total },
  { query: 'doy=2024-366', found: 0 },
  { query: 'doy=0000-001', found: 0 },
  // Ranges.
  { query: 'overlaps=../..', found: total },
  { query: 'overlaps=2026-01-01/2026-01-01', found: 3 },
  { query: 'overlaps=2026-01-01T00:00/2026-01-01T00:00', found: 2 },
  { query: `overlaps=${'/'.repeat(3000)}`, faults: ['overlaps'] },
  { query: `overlaps=${'../'.repeat(1000)}`, faults: ['overlaps'] },
  { query: 'overlaps=../..&'.repeat(400), found: total },
  { query: 'overlaps=../2026-01-01&overlaps=2026-01-03/..', found: 0 },
  // Orderings.
  { query: 'ordering=id;', faults: ['ordering'] },
  { query: 'ordering=%00', faults: ['ordering'] },
  { query: 'ordering=x&ordering=id', found: total },
  ...['+id', 'filename%20', '%20-id,', ','].map((value) => ({
    query: `ordering=${value}`,
    found: total,
  })),
  { query: `ordering=${'id,-id,'.repeat(400)}`, found: total },
  { query: 'ordering=id&ordering=x', faults: ['ordering'] },
  // Contradicting filters find nothing.
  { query: 'file_version=r2&rinexVersion=3', found: 0 },
  { query: `filename__contains=a&`.repeat(370), found: total },
  {
    query: `station=${Array.from({ length: 1500 }, (_, i) => `x${String(i).padStart(3, '0').slice(-3)}`).join()}`,
    found: 0,
  },
  // Many unknown parameters.
  { query: 'x', found: total, ignored: 'x' },
  { query: 'X=1&X=2', found: total, ignored: 'X' },
  { query: '=1', found: total },
  { query: '&&&', found: total },
  { query: '?', found: total, ignored: '%3F' },
  { query: 'Station=GRAZ', found: total, ignored: 'Station' },
  { query: 'station[]=GRAZ', found: total, ignored: 'station%5B%5D' },
  { query: 'station%00=GRAZ', found: total, ignored: 'station%00' },
  { query: 'station__in=GRAZ', found: total, ignored: 'station__in' },
  { query: 'id=1', found: 1 },
  { query: 'url=1', found: total, ignored: 'url' },
  { query: '__proto__=1', found: total, ignored: '__proto__' },
  { query: '__proto__[x]=1', found: total, ignored: '__proto__%5Bx%5D' },
  { query: 'constructor=1', found: total, ignored: 'constructor' },
  { query: 'constructor.prototype=1', found: total, ignored: 'constructor.prototype' },
  { query: 'a%0d%0aSet-Cookie:%20b=1', found: total, ignored: 'a%0D%0ASet-Cookie%3A%20b' },
  { query: 'a,b%22;=1', found: total, ignored: 'a%2Cb%22%3B' },
  { query: '%f0%9f%9b%b0=1', found: total, ignored: '%F0%9F%9B%B0' },
  { query: '%ff=1', found: total },
  { query: '%ed%a0%80=1', found: total },
  { query: `${'k'.repeat(5000)}=1`, found: total, ignored: 'k'.repeat(64) },
  { query: `${'%0a'.repeat(2000)}=1`, found: total, ignored: '%0A'.repeat(21) },
  {
    query: Array.from({ length: 1500 }, (_, i) => `k${i}`).join('&'),
    found: total,
    ignored: Array.from({ length: 20 }, (_, i) => `k${i}`).join(', '),
  },
  // All faults in one response; `unknown-parameters.test.ts` has more of `strict`.
  {
    query: 'id__gt=x&date=x&station=x&ordering=x&area=x',
    faults: ['id__gt', 'date', 'station', 'ordering', 'area'],
  },
  { query: 'x=1&y=2&date=x&strict=true', faults: ['x', 'y', 'date'] },
  { query: 'strict=1&toString=1', faults: ['toString'] },
  {
    query: `strict=1&${Array.from({ length: 1000 }, (_, i) => `k${i}`).join('&')}`,
    faults: Array.from({ length: 1000 }, (_, i) => `k${i}`),
  },
]

/** A quarter of the rows, for routes that share the parser with the list. */
const someRows = rows.filter((_row, index) => index % 4 === 0)

async function openList(t: Parameters<typeof openService>[0]): Promise<Service> {
  const service = await openService(t)
  await service.writer.apply([
    change(day, { added: [dayFile, shortFile].map((name) => newFile(name)) }),
  ])
  await service.writer.apply([change(hour, { added: [newFile(hourFile)] })])
  return service
}

function get(target: string, accept = '*/*', method = 'GET'): string {
  return `${method} ${target} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`
}

function headersOf({ head }: RawAnswer): Map<string, string> {
  const lines = head.split('\r\n').slice(1)
  return new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ]),
  )
}

/** Faults of a response to any query. */
function faultsOf(answer: RawAnswer): string[] {
  const { status, head, body } = answer
  const lines = head.split('\r\n')
  return [
    status >= 200 && status < 500 ? '' : `status ${status}`,
    lines.every((line) => /^[\x20-\x7e]+$/.test(line))
      ? ''
      : 'a byte that is not allowed in headers',
    head.length < 4096 ? '' : `headers of ${head.length} bytes`,
    body.length < megabyte ? '' : `a body of ${body.length} bytes`,
    /^(x-evil|set-cookie):/im.test(head) ? 'a header of the client' : '',
  ].filter((fault) => fault !== '')
}

/** Faults of the response to a row. */
function faultsOfRow({ faults, found, ignored }: Row, answer: RawAnswer, count: number): string[] {
  const wrong = faultsOf(answer)
  if (answer.status !== (faults === undefined ? 200 : 400)) wrong.push(`status ${answer.status}`)
  else if (faults !== undefined) {
    const body = JSON.parse(answer.body.toString()) as Record<string, unknown>
    const named = Object.entries(body)
    if (JSON.stringify(named.map(([name]) => name).sort()) !== JSON.stringify(faults.toSorted()))
      wrong.push(`names ${Object.keys(body).join()}`)
    if (
      !named.every(
        ([, list]) => Array.isArray(list) && list.every((message) => typeof message === 'string'),
      )
    )
      wrong.push('not lists of messages')
  } else {
    if (count !== found) wrong.push(`found ${count}`)
    const header = headersOf(answer).get('ignored-parameters')
    if (ignored !== undefined && header !== ignored) wrong.push(`ignored ${header ?? 'nothing'}`)
  }
  return wrong
}

interface ListBody {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
}

/** Links repeat the known parameters in alphabetical order, and no others. */
function faultsOfLinks({ next, previous }: ListBody): string[] {
  return [next, previous].flatMap((link) => {
    if (link === null) return []
    const query = new URL(link).searchParams
    const keys = [...query.keys()]
    return [
      link.startsWith('https://archive.example/rinex/api/rinex-file/?') ? '' : `URL ${link}`,
      JSON.stringify(keys) === JSON.stringify(keys.toSorted()) ? '' : `keys ${keys.join()}`,
      keys.every(
        (key) =>
          filterParameters.has(key) ||
          ['format', 'limit', 'offset', 'ordering', 'strict'].includes(key),
      )
        ? ''
        : 'a key of the client',
    ].filter((fault) => fault !== '')
  })
}

t.test(`the list answers ${rows.length} hostile queries correctly`, async (t) => {
  const service = await openList(t)
  const port = await service.listen()
  t.ok(rows.length >= 300)
  for (const row of rows) {
    const answer = await sendRaw(port, get(`${api}rinex-file/?${row.query}`))
    const body =
      answer.status === 200 ? (JSON.parse(answer.body.toString()) as ListBody) : undefined
    const faults = [
      ...faultsOfRow(row, answer, body?.count ?? 0),
      ...(body === undefined ? [] : faultsOfLinks(body)),
    ]
    if (faults.length > 0) t.fail(`${row.query.slice(0, 100)}: ${faults.join('; ')}`)
  }
  t.notMatch(service.logText(), /[^\x20-\x7e\n]/, 'no control characters in the log')
  t.notOk(
    service.log.some(({ level }) => Number(level) >= 40),
    'nothing failed',
  )
})

t.test('a thousand days within a range of times give correct results everywhere', async (t) => {
  const service = await openList(t)
  const port = await service.listen()
  const years = [2026, 2027, 2028, 2029, 2030, 2031]
  const days = years
    .flatMap((year) => Array.from({ length: 182 }, (_, n) => year * 1000 + 2 * n + 1))
    .slice(0, 1002)
  // The daily files of the first day reach into the range; the hourly file ends before.
  const query = `startDate=2026-01-01T12:00&date=${days.join()}`
  for (const target of ['rinex-file/?', 'rinex-file/?ordering=data_date&', 'changes/?since=0&']) {
    const { status, body } = await sendRaw(port, get(`${api}${target}${query}`))
    t.equal(status, 200, target)
    const { results } = JSON.parse(body.toString()) as { results?: unknown[] }
    t.equal(results?.length, 2, target)
  }
  const urls = await sendRaw(port, get(`${api}rinex-file/?format=urls&${query}`))
  t.equal(linesOf(urls), 2, 'stream')
})

const lineCounts: Readonly<Record<string, (lines: number) => number>> = {
  csv: (lines) => lines - 1,
  ndjson: (lines) => lines,
  urls: (lines) => lines,
}

/** A stream has no offset, and an unknown parameter is an error. */
function isPageOnly({ query, ignored }: Row): boolean {
  return ignored !== undefined || /(^|&)(offset=[^&]|%ff=|%ed%a0%80=|=)/.test(query)
}

t.test('streams answer hostile queries like the list, but reject page parameters', async (t) => {
  const service = await openList(t)
  const port = await service.listen()
  for (const [format, countOf] of Object.entries(lineCounts))
    for (const row of someRows) {
      const answer = await sendRaw(
        port,
        get(`${api}rinex-file/?${row.query}&format=${format}`, '*/*'),
      )
      const lines = linesOf(answer)
      const faults = isPageOnly(row)
        ? [...faultsOf(answer), ...(answer.status === 400 ? [] : [`status ${answer.status}`])]
        : faultsOfRow(row, answer, answer.status === 200 ? countOf(lines) : 0)
      if (faults.length > 0) t.fail(`${format} ${row.query.slice(0, 100)}: ${faults.join('; ')}`)
    }
  t.pass(Object.keys(lineCounts).join())
})

/** Counts the lines of a chunked body. */
function linesOf({ body }: RawAnswer): number {
  return body
    .toString()
    .split('\n')
    .filter((line) => /^(\{|https:|id,url|\d+,)/.test(line)).length
}

t.test(
  'HTML pages, HEAD, stations and changes answer hostile queries without errors',
  async (t) => {
    const service = await openList(t)
    const port = await service.listen()
    const others: [name: string, (query: string) => string, statuses: readonly number[]][] = [
      ['page', (query) => get(`${api}rinex-file/?${query}`, 'text/html'), [200, 400]],
      ['HEAD', (query) => get(`${api}rinex-file/?${query}`, '*/*', 'HEAD'), [200, 400]],
      ['stations', (query) => get(`${api}station/?${query}`), [200, 400]],
      ['page of stations', (query) => get(`${api}station/?${query}`, 'text/html'), [200, 400]],
      ['changes', (query) => get(`${api}changes/?since=0&${query}`), [200, 400]],
    ]
    for (const [name, request, statuses] of others)
      for (const { query, faults: named } of someRows) {
        const answer = await sendRaw(port, request(query))
        const faults = faultsOf(answer)
        if (!statuses.includes(answer.status)) faults.push(`status ${answer.status}`)
        const isOfList = name === 'page' || name === 'HEAD'
        if (isOfList && answer.status !== (named === undefined ? 200 : 400))
          faults.push(`status ${answer.status}`)
        if (name === 'HEAD' && answer.body.length > 0) faults.push('a body')
        if (
          /<script(?! src="[./]*assets\/page\.js")|javascript:/i.test(answer.body.toString()) &&
          name.startsWith('page')
        )
          faults.push('a script')
        if (faults.length > 0) t.fail(`${name} ${query.slice(0, 100)}: ${faults.join('; ')}`)
      }
    t.pass(others.map(([name]) => name).join())
  },
)

t.test('a query with invalid bytes gets 400, a query that is too long gets 431', async (t) => {
  const service = await openList(t)
  const port = await service.listen()
  const cases: [name: string, query: string, statuses: readonly number[]][] = [
    ['a NUL', 'station=\0', [400]],
    ['a tab', 'station=\t', [400]],
    ['an escape', 'station=\x1b[31m', [400]],
    ['letters beyond ASCII', 'x=\xff\xfe', [400, 200]],
    ['a value of 8 KB', `filename=${'x'.repeat(8192)}`, [431]],
    ['thousands of keys', Array.from({ length: 3000 }, (_, i) => `k${i}`).join('&'), [431]],
  ]
  for (const [name, query, statuses] of cases)
    for (const path of ['rinex-file/', 'station/', 'changes/']) {
      const answer = await sendRaw(port, get(`${api}${path}?${query}`))
      t.ok(statuses.includes(answer.status), `${name}: ${answer.status}`)
      t.same(faultsOf(answer), [])
    }
})

t.test(
  'stations check their own parameters; changes answer an invalid since with 400, a wrong since with 410',
  async (t) => {
    const { app } = await openList(t)
    const stations = await app.inject(`${api}station/?country=AUTT&area=x&content=x&ordering=id`)
    t.equal(stations.statusCode, 400)
    t.same(Object.keys(stations.json<object>()).sort(), ['area', 'country', 'ordering'])
    const ignoring = await app.inject(`${api}station/?country=aut&content=x&ordering=-code&date=x`)
    t.match(ignoring.json(), { count: 1 })
    t.equal(ignoring.headers['ignored-parameters'], 'content, date')
    const strict = await app.inject(`${api}station/?strict=1&doy=2026-001`)
    t.same(strict.json(), { doy: ['Unknown parameter.'] })
    for (const since of ['%00', '1e3', '1.0', '-0', '+1', '%d9%a1', '0x1', ''])
      t.equal((await app.inject(`${api}changes/?since=${since}`)).statusCode, 400, since)
    for (const since of ['4', '9'.repeat(3000)])
      t.equal(
        (await app.inject(`${api}changes/?since=${since}`)).statusCode,
        410,
        since.slice(0, 9),
      )
  },
)

t.test('a conditional request with filters gets 304, or 400 if a filter is invalid', async (t) => {
  const { app, writer } = await openList(t)
  for (const method of ['GET', 'HEAD'] as const) {
    const url = `${api}rinex-file/?station=graz&file_type=o&unknown=1`
    const first = await app.inject({ url, method })
    const headers = { 'if-none-match': String(first.headers.etag) }
    const again = await app.inject({ url, method, headers })
    t.equal(again.statusCode, 304)
    t.equal(again.body, '')
    t.equal(again.headers['ignored-parameters'], 'unknown')
    const wrong = await app.inject({ url: `${url}&date=x`, method, headers })
    t.equal(wrong.statusCode, 400)
    t.notOk(wrong.headers.etag)
    t.notOk(wrong.headers.link)
    await writer.apply([
      change(`obs/2026/00${method === 'GET' ? 2 : 3}`, { added: [newFile(dayFile)] }),
    ])
    t.equal((await app.inject({ url, method, headers })).statusCode, 200)
  }
})

t.test('links of a filtered HTML page repeat the filters', async (t) => {
  const { page } = await openList(t)
  const query = 'station=graz&ordering=filename&filename__contains=a&limit=1&offset=1'
  const html = await page(`rinex-file/?${query}`)
  t.match(html.text, '2 to 2 of 3 files')
  const { search } = new URL(html.one('a', { rel: 'next' }).attribute('href') ?? '')
  t.equal(
    search,
    '?filename__contains=a&format=api&limit=1&offset=2&ordering=filename&station=graz',
  )
  for (const [rel, offset] of Object.entries({ first: 0, prev: 0, last: 2 })) {
    const href = `https://archive.example${api}rinex-file/${search.replace('offset=2', `offset=${offset}`)}`
    t.ok(html.has('a', { href, rel }), rel)
  }
  t.ok(html.has('a', { href: /format=json&limit=1&offset=1&ordering=filename&station=graz$/ }))
})
