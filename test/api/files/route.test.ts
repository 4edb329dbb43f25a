import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'

const list = '/rinex/api/rinex-file/'
const url = (path: string) => `https://archive.example/rinex/api/${path}`
const names = Array.from({ length: 45 }, (_, i) => `s${String(i).padStart(3, '0')}0010.26d.gz`)

t.test('the list is a page of records, the highest id first', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile, shortFile])
  await service.addNames(hour, [hourFile])
  const answer = await service.app.inject(`${list}?limit=2`)
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, {
    'content-type': /^application\/json$/,
    vary: /^Accept$/,
    allow: /^GET, POST, HEAD, OPTIONS$/,
    'cache-control': 'no-cache',
    etag: /^W\/"[^"]+"$/,
    'catalogue-seq': '3',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    link: `<${url('rinex-file/?format=api&limit=2&offset=2')}>; rel="next"`,
  })
  t.notOk(answer.headers['strict-transport-security'])
  t.same(answer.json(), {
    count: 3,
    next: url('rinex-file/?format=api&limit=2&offset=2'),
    previous: null,
    results: [
      {
        id: 3,
        url: url('rinex-file/3/?format=api'),
        filename: hourFile,
        data_date: '2026-01-01T05:00:00Z',
        file_duration: 'h',
        file_version: 'r3',
        file_type: 'o',
        download_path: `https://archive.example/rinex/data/nrt/2026/001/05/${hourFile}`,
        created: '2026-01-22T05:06:07.000011Z',
        modified: '2026-01-22T05:06:07.000011Z',
      },
      {
        id: 2,
        url: url('rinex-file/2/?format=api'),
        filename: shortFile,
        data_date: '2026-01-01T00:00:00Z',
        file_duration: 'd',
        file_version: 'r2',
        file_type: 'm',
        download_path: `https://archive.example/rinex/data/obs/2026/001/${shortFile}`,
        created: '2026-01-22T05:06:07.000009Z',
        modified: '2026-01-22T05:06:07.000009Z',
      },
    ],
  })
})

t.test('the links lead through all pages of the list', async (t) => {
  const service = await openService(t, { settings: { maxLimit: 30 } })
  await service.addNames(day, names)
  interface Page {
    next: string | null
    previous: string | null
    results: { id: number }[]
  }
  const get = async (target: string) => (await service.app.inject(target)).json<Page>()
  const seen: number[] = []
  let next: string | null = list
  while (next !== null) {
    const page: Page = await get(next.replace('https://archive.example', ''))
    seen.push(...page.results.map(({ id }) => id))
    next = page.next
  }
  t.same(seen, names.map((_, i) => i + 1).reverse())
  t.equal(
    (await get(`${list}?offset=20`)).previous,
    url('rinex-file/?format=api&limit=20&offset=0'),
  )
  t.equal((await get(`${list}?limit=31`)).results.length, 30, 'the maximum')
  const past = await get(`${list}?limit=20&offset=9223372036854775808`)
  t.same(past.results, [])
  t.equal(past.next, null)
  t.equal(past.previous, url('rinex-file/?format=api&limit=20&offset=40'), 'the last page')
  const unknown = await get(`${list}?next=//evil.example&limit=1`)
  t.equal(
    unknown.next,
    url('rinex-file/?format=api&limit=1&offset=1'),
    'unknown parameters are not repeated',
  )
})

t.test('a record is found by its id, and any other id gets 404', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile])
  const page = await service.app.inject(list)
  const answer = await service.app.inject(`${list}1/`)
  t.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
  t.equal(answer.headers['content-type'], 'application/json')
  t.same(answer.json(), page.json<{ results: object[] }>().results[0])
  t.equal((await service.app.inject(`${list}0001/`)).statusCode, 200, 'as Python reads integers')
  const unknown = ['2', '0', '-1', '1.0', 'x', '%20', '1e0', '9007199254740993', '9'.repeat(200)]
  for (const id of [...unknown, '9'.repeat(3000)]) {
    const missing = await service.app.inject(`${list}${id}/`)
    t.equal(missing.statusCode, 404, id.slice(0, 20))
    t.same(missing.json(), { detail: 'Not found.' })
    t.notOk(missing.headers.etag)
  }
})

t.test('the parameter format and the header Accept choose the representation', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile])
  const html = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const cases: [string, string | undefined, number, string][] = [
    ['', undefined, 200, 'json'],
    ['', '*/*', 200, 'json'],
    ['', html, 200, 'html'],
    ['?format=api', undefined, 200, 'json'],
    ['?format=api', html, 200, 'html'],
    ['?format=', html, 200, 'html'],
    ['?format=json', html, 200, 'json'],
    ['?format=json', 'image/png', 200, 'json'],
    ['?format=api&format=json', html, 200, 'json'],
    ['?format=json&format=api', html, 200, 'html'],
    ['?format=json&format=', html, 200, 'html'],
    ['?format=nonsense&format=api', html, 200, 'html'],
    ['?format=nonsense', html, 404, 'html'],
    ['?format=nonsense', '*/*', 404, 'json'],
    ['?format=JSON', undefined, 404, 'json'],
    ['?format=xlsx', undefined, 404, 'json'],
    ['?format=json&format=x', undefined, 404, 'json'],
    ['', 'application/pdf', 406, 'json'],
    ['?format=api', 'application/pdf', 406, 'json'],
    ['?format=nonsense', 'application/pdf', 404, 'json'],
  ]
  for (const [query, accept, status, type] of cases) {
    for (const path of [list, `${list}1/`]) {
      const headers = accept === undefined ? {} : { accept }
      const answer = await service.app.inject({ url: path + query, headers })
      const name = `${path}${query} Accept: ${accept ?? ''}`
      t.equal(answer.statusCode, status, name)
      const expected = type === 'html' ? 'text/html; charset=utf-8' : 'application/json'
      t.equal(answer.headers['content-type'], expected, name)
      const vary = type === 'html' ? 'Accept, Accept-Encoding' : 'Accept'
      t.equal(answer.headers.vary, vary, name)
      const detail = { 404: 'Not found.', 406: 'Could not satisfy the request Accept header.' }
      if (type === 'json' && (status === 404 || status === 406))
        t.match(answer.json(), { detail: detail[status] }, name)
      if (type === 'json' && status === 404) {
        const formats = path === list ? ['json', 'csv', 'ndjson', 'urls'] : ['json']
        t.strictSame(answer.json<{ formats: string[] }>().formats.toSorted(), formats.toSorted())
      }
    }
  }
})

t.test('HTML pages have the files, and link to them', async (t) => {
  const service = await openService(t)
  await service.addNames(day, names)
  const { page } = service
  const whole = await page('rinex-file/?limit=20&offset=20')
  t.equal(whole.one('h1').text, 'All 45 files, 450 bytes')
  t.equal(whole.title, 'All 45 files, 450 bytes – RINEX file catalogue')
  t.match(whole.text, '21 to 40 of 45 files')
  t.equal(whole.all('tbody').flatMap((rows) => rows.all('tr')).length, 20)
  const [record, get] = whole.links({ href: /rinex-file\/25\/|s0240010/ })
  t.same(record, { text: 's0240010.26d.gz', href: url('rinex-file/25/?format=api') })
  const download = `https://archive.example/rinex/data/${day}/s0240010.26d.gz`
  t.same(get, { text: '↓', href: download }, 'beside the link to the record')
  t.ok(whole.has('a', { href: download, 'aria-label': 'Download s0240010.26d.gz' }))
  for (const [rel, offset] of Object.entries({ first: 0, prev: 0, next: 40, last: 40 })) {
    const href = url(`rinex-file/?format=api&limit=20&offset=${offset}`)
    t.ok(whole.has('a', { href, rel }), rel)
  }
  const one = await page('rinex-file/25/')
  t.equal(one.one('h1').text, 's0240010.26d.gz')
  t.match(one.text, 'observations, whole day 1 Jan 2026 (001)')
  t.match((await page('rinex-file/?offset=100')).text, 'This page is after the last of 45 files.')
  await service.addNames('nrt/2026/022/05', ['GRAZ00AUT_S_20260220515_15M_01S_MO.crx.gz'])
  t.match((await page('rinex-file/46/')).text, 'observations, 05:15–05:30 of 22 Jan 2026 (022)')
})

t.test('a conditional request gets 304 without a page being read', async (t) => {
  let pages = 0
  const service = await openService(t, {
    reader: (reader) => ({
      page: (range) => (pages++, reader.page(range)),
      record: (query) => (pages++, reader.record(query)),
    }),
  })
  await service.addNames(day, [dayFile])
  for (const path of [list, `${list}1/`]) {
    const first = await service.app.inject(path)
    const etag = String(first.headers.etag)
    pages = 0
    const headers = { 'if-none-match': etag }
    t.equal((await service.app.inject({ url: path, headers })).statusCode, 304)
    t.equal(pages, 0)
    const html = await service.app.inject({
      url: path,
      headers: { accept: 'text/html', 'if-none-match': etag },
    })
    t.equal(html.statusCode, 200, 'another representation has another ETag')
    await service.addNames(`obs/2026/${path === list ? '002' : '003'}`, [hourFile])
    const later = await service.app.inject({ url: path, headers: { 'if-none-match': etag } })
    t.equal(later.statusCode, 200, 'another state of the catalogue has another ETag')
  }
})

t.test('another release and another base URL change the ETag', async (t) => {
  const tags = new Set<unknown>()
  for (const settings of [{}, { version: '2' }, { baseUrl: () => 'https://b.example' }]) {
    await t.test('each deployment sends an ETag', async (t) => {
      const service = await openService(t, {
        settings,
        // A fixed head, because the random epoch would change the ETag.
        reader: () => ({
          head: async () => ({ epoch: 'e', seq: 1, detailsSeq: 0, asOf: undefined }),
        }),
      })
      const answer = await service.app.inject('/rinex/api/')
      tags.add(answer.headers.etag)
    })
  }
  t.equal(tags.size, 3)
})

t.test('without a catalogue a request gets 503, and the cause is only in the log', async (t) => {
  const database = `${testFolder(t)}/missing/catalogue.db`
  const service = await openService(t, { deps: () => ({ reader: openReader({ database }) }) })
  for (const path of [list, `${list}1/`, '/rinex/api/status/', `/rinex/data/${day}/${dayFile}`]) {
    const answer = await service.app.inject(path)
    t.equal(answer.statusCode, 503, path)
    t.equal(answer.headers['retry-after'], '5')
    const id = answer.headers['x-request-id']
    t.same(answer.json(), {
      detail: 'The catalogue cannot be read at this moment.',
      request_id: id,
    })
    t.ok(
      service.log.some(({ reqId, level }) => reqId === id && level === 40),
      'the log has the cause with the request id',
    )
  }
  t.match(service.logText(), 'catalogue.db')
  t.notMatch(service.logText(), '    at ', 'without a stack trace')
  t.equal((await service.app.inject('/rinex/api/')).statusCode, 200, 'the root needs no catalogue')
})

t.test('an internal error gets 500, and its message is only in the log', async (t) => {
  const service = await openService(t, {
    reader: () => ({ page: () => Promise.reject(new Error('secret of the inside')) }),
  })
  const answer = await service.app.inject(`${list}?limit=1`)
  t.equal(answer.statusCode, 500)
  const id = answer.headers['x-request-id']
  t.same(answer.json(), { detail: 'A server error occurred.', request_id: id })
  t.notOk(answer.headers.etag)
  t.ok(service.log.some(({ reqId, level }) => reqId === id && level === 50))
  t.match(service.logText(), 'secret of the inside')
})
