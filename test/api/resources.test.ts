import fc from 'fast-check'
import type { IndexerStatus } from '../../src/control-socket/protocol.ts'
import { change, newFile } from '../catalogue/change.ts'
import t, { exact } from '../tap.ts'
import { readPage } from './html.ts'
import { day, dayFile, openService, startUs } from './service.ts'

const api = '/rinex/api/'

t.test('the framework does not log the address on which it listens', async (t) => {
  const service = await openService(t)
  await service.listen()
  t.equal((await service.app.inject('/rinex/api/')).statusCode, 200)
  t.notMatch(service.logText(), 'Server listening')
})

t.test('the root lists the resources', async (t) => {
  const { app } = await openService(t)
  const answer = await app.inject(api)
  t.same(answer.json(), {
    network: 'https://archive.example/rinex/api/network/?format=api',
    'rinex-file': 'https://archive.example/rinex/api/rinex-file/?format=api',
    station: 'https://archive.example/rinex/api/station/?format=api',
    receiver: 'https://archive.example/rinex/api/receiver/?format=api',
    antenna: 'https://archive.example/rinex/api/antenna/?format=api',
    series: 'https://archive.example/rinex/api/series/?format=api',
    missing: 'https://archive.example/rinex/api/missing/?format=api',
    report: 'https://archive.example/rinex/api/report/?format=api',
    alerts: 'https://archive.example/rinex/api/alerts/?format=api',
    changes: 'https://archive.example/rinex/api/changes/?format=api',
    archive: 'https://archive.example/rinex/api/archive/?format=api',
    status: 'https://archive.example/rinex/api/status/?format=api',
    search: 'https://archive.example/rinex/api/search/?format=api',
    schema: 'https://archive.example/rinex/api/schema/?format=api',
    docs: 'https://archive.example/rinex/api/docs/?format=api',
  })
  const known = { 'if-none-match': String(answer.headers.etag) }
  t.equal((await app.inject({ url: api, headers: known })).statusCode, 304)
})

/** The resources: their names and, if there are others than those of `reads`, their methods. */
const reads = 'GET, HEAD, OPTIONS'
const resources: readonly (readonly [path: string, name: string, allow?: string])[] = [
  ['', 'Api Root'],
  ['rinex-file/', 'Rinex File List', 'GET, POST, HEAD, OPTIONS'],
  ['rinex-file/1/', 'Rinex File Instance'],
  ['changes/', 'Changes'],
  ['archive/', 'Archive'],
  ['status/', 'Status'],
  ['rescan/', 'Rescan', 'POST, OPTIONS'],
  ['docs/', 'Docs'],
]
/** Other routes: none describes itself. */
const others = ['/healthz', '/readyz', '/metrics', '/rinex/data/', `/rinex/data/${day}/`]
others.push(`/rinex/data/${day}/?format=json`, `/rinex/data/${day}/${dayFile}`)

const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' }

t.test('OPTIONS describes a resource, and a CORS preflight request gets 204', async (t) => {
  const { app } = await openService(t)
  for (const [path, name, allow = reads] of resources) {
    const plain = await app.inject({ url: api + path, method: 'OPTIONS' })
    t.match(plain, { statusCode: 200, headers: { allow, 'content-type': 'application/json' } })
    t.match(plain.json(), { name, description: /\w/, parses: exact(['application/json']) })
    const permitted = await app.inject({ url: api + path, method: 'OPTIONS', headers: preflight })
    t.equal(permitted.statusCode, 204, path)
    t.match(permitted.headers, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': reads,
    })
  }
  const renders = async (path: string) => {
    const answer = await app.inject({ url: api + path, method: 'OPTIONS' })
    return answer.json<{ renders: string[] }>().renders
  }
  const both = ['application/json', 'text/html']
  const lines = ['application/x-ndjson', 'text/csv', 'text/plain']
  t.same(await renders('rinex-file/'), [...both, ...lines])
  t.same(await renders('changes/'), both)
  for (const url of others)
    t.match(await app.inject({ url, method: 'OPTIONS' }), {
      statusCode: 204,
      headers: { allow: reads },
    })
  for (const headers of [{}, preflight]) {
    const missing = await app.inject({ url: `${api}nothing/`, method: 'OPTIONS', headers })
    t.equal(missing.statusCode, 404)
    t.same(missing.json(), { detail: 'Not found.' })
  }
})

t.test('a method that is not allowed gets 405', async (t) => {
  const { app } = await openService(t)
  const routes = [
    ...resources.map(([path, , allow = reads]) => [api + path, allow] as const),
    ...others.map((path) => [path, reads] as const),
  ]
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'] as const
  const headers = { 'content-type': 'text/x-nonsense' }
  for (const [url, allow] of routes)
    for (const method of methods.filter((each) => !allow.includes(each))) {
      const answer = await app.inject({ method: method as 'PUT', url, payload: '{', headers })
      t.match(answer, { statusCode: 405, headers: { allow } }, `${method} ${url}`)
      const detail = `Method "${method}" not allowed.`
      if (method !== 'HEAD') t.same(answer.json(), { detail })
    }
  t.equal((await app.inject({ method: 'DELETE', url: '/nothing' })).statusCode, 404)
})

t.test('if no administrator is configured, every POST gets 403', async (t) => {
  const { app } = await openService(t)
  const payloads = ['{"path":"obs/2026/001/x"}', '{', '', 'x'.repeat(20_000)]
  for (const path of [`${api}rinex-file/`, `${api}rescan/`]) {
    for (const payload of payloads) {
      for (const type of ['application/json', 'text/x-nonsense']) {
        const headers = { 'content-type': type, authorization: 'Bearer guess' }
        const answer = await app.inject({ method: 'POST', url: path, payload, headers })
        t.equal(answer.statusCode, 403, path)
        t.match(answer.json(), { detail: /administrator/ })
      }
    }
  }
})

t.test('a path without its slash is redirected, and similar paths get 404', async (t) => {
  const service = await openService(t)
  const { app } = service
  await service.addNames(day, [dayFile])
  const cases: [string, string][] = [
    ['/rinex/api', 'api/'],
    ['/rinex/api/rinex-file', 'rinex-file/'],
    [
      '/rinex/api/rinex-file?limit=1&x=%2f%0d%0a//evil.example',
      'rinex-file/?limit=1&x=%2f%0d%0a//evil.example',
    ],
    ['/rinex/api/rinex-file/7', '7/'],
    ['/rinex/api/rinex-file/7?a?b', '7/?a?b'],
    ['/rinex/api/status', 'status/'],
    ['/rinex/api/changes?since=1', 'changes/?since=1'],
    ['/rinex/data', 'data/'],
    ['/rinex/data?format=json', 'data/?format=json'],
    ['/rinex/data/obs', 'obs/'],
    [`/rinex/data/${day}?C=N;O=D`, '001/?C=N;O=D'],
    [`/rinex/data/${day}?x=//evil.example`, '001/?x=//evil.example'],
  ]
  for (const [url, location] of cases) {
    for (const method of ['GET', 'HEAD'] as const)
      t.match(await app.inject({ method, url }), { statusCode: 301, headers: { location } }, url)
    if (url.startsWith(api))
      t.equal((await app.inject({ method: 'POST', url })).statusCode, 404, `POST ${url}`)
  }
  const none = [
    '/rinex/api/x',
    '/rinex/api/rinex-file/x',
    '//evil.example',
    '/rinex/data/nowhere',
    '/rinex/data/obs/2027',
    `/rinex/data/${day}/x.gz`,
  ]
  for (const target of [...none, '//rinex/api/', '/RINEX/api/']) {
    const answer = await app.inject(target)
    t.equal(answer.statusCode, 404, target)
    t.same(answer.json(), { detail: 'Not found.' })
    t.notOk(answer.headers.location)
  }
  for (const target of ['/rinex/api//', '/rinex//api/rinex-file//']) {
    const answer = await app.inject(target)
    t.equal(answer.statusCode, 200, target)
    t.notOk(answer.headers.location)
  }
})

/** Parts of names that would mean something in HTML, in a header, or in a URL. */
const partOfName = fc.constantFrom(
  ...[
    '<x-mark>',
    '</title>',
    '&amp;',
    '"',
    "'",
    '%',
    '%3C',
    '%0d%0a',
    '#',
    '?',
    '//',
    '\\',
    ':',
    ';',
  ],
  ...['..', '\r\n', '\u202e', 'ü', '😀', ' ', 'x', 'GRAZ', 'javascript:', '@evil.example'],
)

t.test('a path is text in pages and headers, whatever somebody asks for', async (t) => {
  const { app } = await openService(t)
  const headers = { accept: 'text/html' }
  const roots = [
    '/',
    api,
    `${api}station/`,
    `${api}rinex-file/`,
    '/rinex/data/',
    '/rinex/data/obs/',
  ]
  const root = 'https://archive.example'
  const check = async (parts: readonly string[], slash: string, isQuery: boolean) => {
    const name = encodeURIComponent(parts.join(''))
    for (const place of roots) {
      const url = isQuery ? `${place.slice(0, -1)}?x=${name}` : `${place}${name}${slash}`
      const { statusCode, headers: answered, body } = await app.inject({ url, headers })
      const { location } = answered
      if (location !== undefined) {
        t.match(location, /^[\x21-\x7e]+$/, url)
        t.equal(new URL(location, root + url).origin, root, url)
      }
      if (statusCode < 400 && statusCode !== 200) continue
      const page = readPage(body)
      t.notOk(page.has('x-mark'), url)
      t.equal(page.all('title').length, 1, url)
      for (const { href } of page.links())
        t.equal(new URL(href, root + url).origin, root, `${url} ${href}`)
    }
  }
  const names = fc.array(partOfName, { minLength: 1, maxLength: 6 })
  const property = fc.asyncProperty(names, fc.constantFrom('', '/'), fc.boolean(), check)
  await fc.assert(property, { numRuns: 40 })
})

const entrances = ['/', '/rinex/', '/rinex/?x=1', '/rinex//', '/?format=api']

t.test('/, the dataset prefix and the API root lead browsers to the start page', async (t) => {
  const { app } = await openService(t)
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const url of [...entrances, api, `${api}?format=api&x=1`])
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await app.inject({ url, method, headers: browser })
      const headers = { vary: 'Accept, Accept-Encoding' }
      t.match(answer, { statusCode: 303, body: '', headers }, url)
      // A browser resolves the location by the path that it requested, with all its slashes.
      const { pathname, search } = new URL(String(answer.headers.location), `http://a${url}`)
      const [, rest] = /^\/(?:rinex\/)?(.*)/.exec(pathname) ?? []
      t.equal(`${rest}${search}`, 'api/network/?format=api', url)
    }
})

t.test('programs get the API root at / and at the dataset prefix', async (t) => {
  const { app } = await openService(t)
  const root = await app.inject(api)
  for (const url of [...entrances, '/?format=json'])
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await app.inject({ url, headers })
      t.match(answer, { statusCode: 200, headers: { vary: 'Accept' } }, url)
      t.equal(answer.body, root.body, url)
    }
  for (const url of ['/', '/rinex/']) {
    const options = await app.inject({ url, method: 'OPTIONS' })
    t.match(options, { statusCode: 204, headers: { allow: reads } }, url)
    const put = await app.inject({ url, method: 'PUT' })
    t.match(put, { statusCode: 405, headers: { allow: reads } }, url)
  }
  t.match(await app.inject('/rinex'), { statusCode: 301, headers: { location: 'rinex/' } })
})

const scan = {
  startedUs: startUs,
  endedUs: startUs + 1_500_000,
  directories: 2,
  files: 3,
  added: 1,
  modified: 0,
  removed: 0,
}

const indexer: IndexerStatus = {
  state: 'degraded',
  sinceUs: startUs,
  problems: [{ text: 'the archive is <gone>', advice: 'Mount it.' }],
  notCurrent: 'the archive is <gone>',
  pid: 4711,
  version: '1.2.3',
  scan: {
    startedUs: startUs,
    directoriesDone: 1,
    directoriesFound: 2,
    files: 30,
    done: 0.5,
    rate: 12.5,
    secondsLeft: undefined,
  },
  lastScan: undefined,
  lastSweepUs: startUs + 1,
  dirtyDirectories: 1,
  watching: { directories: 3, limit: null, overflows: 0 },
  settlingFiles: 4,
  withheldRemovals: 5,
  rescans: { running: 2, waiting: undefined, done: 1 },
  hashing: { all: false, allFacts: false, behind: 6 },
  startedUs: startUs,
  endedRescans: [],
}

t.test('the status has the state of the indexer and the counts of the catalogue', async (t) => {
  const service = await openService(t, { deps: () => ({ indexerStatus: async () => indexer }) })
  const rejections = [{ reason: 'unknown-form', count: 2, names: ['<b>.gz'] }]
  const added = [newFile(dayFile)]
  await service.writer.apply([change(day, { added, rejections })])
  await service.writer.scanned(scan)
  const { epoch } = await service.reader.head()
  const answer = await service.app.inject(`${api}status/`)
  t.match(answer.headers, { vary: 'Accept', 'cache-control': 'no-cache', etag: /^W\// })
  const { disks, flagged, ...rest } = answer.json<Record<string, unknown>>()
  t.match(flagged, { files: 0, flags: { length: 0 } })
  t.match(disks, exact([{ holds: exact(['archive', 'obs', 'nrt']), free_bytes: /\d/ }]))
  t.same(rest, {
    state: 'degraded',
    since: '2026-01-22T05:06:07.000008Z',
    reasons: ['the archive is <gone>'],
    indexer: { pid: 4711, version: '1.2.3', host: null, waiting: [] },
    scan: {
      started: '2026-01-22T05:06:07.000008Z',
      directories_done: 1,
      directories_found: 2,
      files: 30,
      done: 0.5,
      files_per_second: 12.5,
      seconds_left: null,
    },
    last_scan: {
      started: '2026-01-22T05:06:07.000008Z',
      ended: '2026-01-22T05:06:08.500008Z',
      directories: 2,
      files: 3,
      added: 1,
      modified: 0,
      removed: 0,
    },
    last_sweep: '2026-01-22T05:06:07.000009Z',
    as_of: null,
    dirty_directories: 1,
    watching: { directories: 3, limit: null, overflows: 0 },
    settling_files: 4,
    held_removals: 5,
    rescans: { running: 2, waiting: null, done: 1, ended: [] },
    areas: {
      obs: { files: 1, bytes: 10, directories: 1 },
      nrt: { files: 0, bytes: 0, directories: 0 },
    },
    newest_file: '2026-01-22T05:06:07.000009Z',
    rejected: [{ reason: 'unknown-form', count: 2, examples: [`${day}/<b>.gz`] }],
    misplaced: 0,
    unclear_paths: [],
    incomplete: { count: 0, examples: [] },
    disguised: { count: 0, examples: [] },
    checksums: { files: 0, facts: 0, waiting: 6, broken: { count: 0, examples: [] } },
    seq: 1,
    epoch,
    version: '1.2.3',
    unserved: { count: 0, latest: [] },
  })
  const page = await service.page('status/')
  t.equal(page.texts('strong')[0], 'degraded')
  t.match(page.text, 'The indexer is degraded. A problem needs attention')
  t.match(page.text, 'the archive is <gone>')
  t.match(page.text, '2: not the form of a RINEX name')
})

t.test('without an indexer the state is stopped, and the status has the counts', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile])
  const answer = await service.app.inject(`${api}status/`)
  t.match(answer.json(), {
    state: 'stopped',
    since: null,
    indexer: null,
    scan: null,
    last_scan: null,
    dirty_directories: null,
    watching: null,
    rescans: null,
    areas: { obs: { files: 1 } },
    seq: 1,
  })
  t.equal((await service.page('status/')).one('strong').text, 'stopped')
})

t.test('if the indexer does not answer, the state is degraded with the reason', async (t) => {
  const unknown = { state: 'unknown', reason: 'no answer' } as const
  const service = await openService(t, { deps: () => ({ indexerStatus: async () => unknown }) })
  const answer = await service.app.inject(`${api}status/`)
  t.match(answer.json(), { state: 'degraded', reasons: exact([unknown.reason]), indexer: null })
  const page = await service.page('status/')
  t.equal(page.texts('strong')[0], 'degraded')
  t.ok(page.texts('li').some((text) => /^no answer Check that the indexer runs/.test(text)))
})

t.test('healthz answers 200 at once, and readyz answers 200 after the first scan', async (t) => {
  const service = await openService(t)
  const ready = () => service.app.inject('/readyz')
  t.same((await service.app.inject('/healthz')).json(), { status: 'ok' })
  const before = await ready()
  t.match(before, { statusCode: 503, headers: { 'retry-after': '5' } })
  t.same(before.json(), { status: 'not ready', reason: 'the first scan has not ended' })
  await service.writer.scanned(scan)
  t.equal((await ready()).statusCode, 200)
  service.reader.close()
  const after = await ready()
  t.equal(after.statusCode, 503)
  t.same(after.json(), { status: 'not ready', reason: 'the catalogue cannot be read' })
  t.equal((await service.app.inject('/healthz')).statusCode, 200)
})

t.test('a request with the current ETag gets 304, which changes no stored header', async (t) => {
  const { app, ...service } = await openService(t)
  await service.add(`${day}/${dayFile}`)
  // Waits until the states of the series are known; the page of the stations shows them then.
  await app.inject(`${api}series/`)
  const paths = ['rinex-file/', 'rinex-file/1/', 'station/', 'station/GRAZ/', 'status/']
  paths.push(
    'archive/',
    'network/',
    'series/',
    'missing/',
    'report/',
    'alerts/',
    'changes/',
    'docs/',
  )
  const urls = [...paths.map((path) => api + path), `/rinex/data/${day}/`]
  for (const url of [...urls, `/rinex/data/${day}/${dayFile}`])
    for (const accept of ['text/html', '*/*']) {
      const headers = { accept, 'accept-encoding': 'gzip' }
      const first = await app.inject({ url, headers })
      t.equal(first.statusCode, 200, url)
      const etag = String(first.headers.etag)
      for (const known of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
        const name = `${url} ${accept} ${known}`
        const again = await app.inject({ url, headers: { ...headers, 'if-none-match': known } })
        t.match(again, { statusCode: 304, body: '', headers: { etag } }, name)
        for (const header of ['vary', 'cache-control'])
          t.equal(again.headers[header], first.headers[header], `${name} ${header}`)
        t.equal(again.headers['content-encoding'], undefined, name)
        const { 'content-security-policy': policy } = again.headers
        t.ok(policy === undefined || policy === first.headers['content-security-policy'], name)
      }
      const other = await app.inject({ url, headers: { ...headers, 'if-none-match': '"x"' } })
      t.equal(other.statusCode, 200, url)
    }
})
