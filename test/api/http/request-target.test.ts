/** The normalisation of request targets, alone and over raw connections. */
import { connect } from 'node:net'
import { normaliseTarget } from '../../../src/api/http/http-server.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { day, dayFile, openService } from '../service.ts'
import type { RawAnswer } from '../wire.ts'
import { readToEnd, sendRaw } from '../wire.ts'

t.test('normalising a target removes its scheme, its authority and empty segments', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    '/rinex/data/obs/': '/rinex/data/obs/',
    '/rinex/data//obs/2026/022/': '/rinex/data/obs/2026/022/',
    '/rinex//data///obs////': '/rinex/data/obs/',
    '/rinex/api//rinex-file/': '/rinex/api/rinex-file/',
    '/rinex//evil.example/': '/rinex/evil.example/',
    // Only below the prefix.
    '//rinex/data/': '//rinex/data/',
    '///etc///passwd': '///etc///passwd',
    '/healthz//': '/healthz//',
    '/rinexx//data/': '/rinexx//data/',
    '/rinex': '/rinex',
    '//evil.example/rinex/data//obs/': '//evil.example/rinex/data//obs/',
    // Not in the query, and not after `#`.
    '/rinex/api/?next=//evil.example//': '/rinex/api/?next=//evil.example//',
    '/rinex//api/?a=//b?c=//d': '/rinex/api/?a=//b?c=//d',
    '/rinex?//api': '/rinex?//api',
    '/rinex//api/#//x?//y': '/rinex/api/#//x?//y',
    // Nothing is decoded or resolved.
    '/rinex/data/%2F%2f/..//./': '/rinex/data/%2F%2f/.././',
    '/rinex/data\\\\obs/': '/rinex/data\\\\obs/',
    '/%72inex//data/': '/%72inex//data/',
    // Scheme and authority are removed once.
    'http://archive.example/rinex/data/': '/rinex/data/',
    'https://archive.example/rinex//data/?x=//': '/rinex/data/?x=//',
    'HttP://archive.example:8080/rinex/data/': '/rinex/data/',
    'http://user@[::1]:80/rinex/data/': '/rinex/data/',
    'http://archive.example': '/',
    'http://archive.example?x=/rinex/data/': '/?x=/rinex/data/',
    'http://archive.example#/rinex/data/': '/#/rinex/data/',
    'http://archive.example//rinex/data/': '//rinex/data/',
    'http://a/http://b/rinex/data/': '/http://b/rinex/data/',
    'http://http://a/rinex/data/': '//a/rinex/data/',
    'http://a/rinex//http://b//': '/rinex/http:/b/',
    // Not an http URL.
    'http:///rinex/data/': 'http:///rinex/data/',
    'http:/rinex/data/': 'http:/rinex/data/',
    'ftp://a/rinex/data/': 'ftp://a/rinex/data/',
    'xhttp://a/rinex/data/': 'xhttp://a/rinex/data/',
    '/http://a/rinex/data/': '/http://a/rinex/data/',
    ' http://a/rinex/data/': ' http://a/rinex/data/',
    '*': '*',
    '': '',
  }
  for (const [target, normal] of Object.entries(cases))
    t.equal(normaliseTarget(target, 'rinex'), normal, target)
})

t.test('a dataset prefix is compared as text', async (t) => {
  const cases: [prefix: string, target: string, normal: string][] = [
    ['at.gv.bev.dc', '/at.gv.bev.dc//data/', '/at.gv.bev.dc/data/'],
    ['at.gv.bev.dc', '/atxgvxbevxdc//data/', '/atxgvxbevxdc//data/'],
    ['a/b.c', '/a/b.c//data//', '/a/b.c/data/'],
    ['a/b.c', '/a//b.c//data//', '/a//b.c//data//'],
  ]
  for (const [prefix, target, normal] of cases)
    t.equal(normaliseTarget(target, prefix), normal, target)
})

t.test('normalising a target twice has the same result as normalising it once', async () => {
  const unit = fc.constantFrom('/', '//', '?', '#', 'data', 'obs', 'http:', '%2f', '.', '..', '\\')
  fc.assert(
    fc.property(fc.array(unit), (parts) => {
      const normal = normaliseTarget(`/rinex/${parts.join('')}`, 'rinex')
      const [path = ''] = normal.split(/[?#]/)
      return normaliseTarget(normal, 'rinex') === normal && !path.includes('//')
    }),
    { numRuns: 2000 },
  )
})

const file = `${day}/${dayFile}`

function get(port: number, target: string, method = 'GET'): Promise<RawAnswer> {
  return sendRaw(port, `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
}

function locationOf({ head }: RawAnswer): string | undefined {
  return /^location: (.*)$/im.exec(head)?.[1]
}

/** The head without headers that differ in each response. */
function headOf({ head }: RawAnswer): string {
  return head.replaceAll(/^(x-request-id|date): .*$/gim, '')
}

const statuses: Readonly<Record<string, number>> = {
  'data/': 200,
  'data/obs/': 200,
  [`data/${day}/`]: 200,
  [`data/${day}/?format=json`]: 200,
  [`data/${file}`]: 200,
  [`data/${day}/SHA256SUMS`]: 200,
  data: 301,
  [`data/${day}`]: 301,
  [`data/${day}?x=//evil.example`]: 301,
  [`data/${day}/absent.gz`]: 404,
  'data/obs/2026/002/': 404,
  api: 301,
  'api/': 200,
  'api/rinex-file': 301,
  'api/rinex-file/': 200,
  'api/rinex-file/?limit=1&x=//y': 200,
  'api/rinex-file/?format=urls': 200,
  'api/rinex-file/1': 301,
  'api/rinex-file/1/': 200,
  'api/rinex-file/7/': 404,
  'api/station/GRAZ/': 200,
  'api/changes/?since=0': 200,
  'api/status': 301,
  'api/schema/': 200,
  'api/docs/': 200,
  'assets/page.css': 200,
}

/** Variants of a target below the prefix: additional slashes, origin form and absolute form. */
function variantsOf(path: string): string[] {
  const [before = '', query = ''] = path.split(/(?=\?)/)
  const forms = [`/rinex/${path}`, `/rinex//${before.replaceAll('/', '///')}${query}`]
  return ['', 'http://x', 'HTTPS://evil.example:1'].flatMap((at) => forms.map((form) => at + form))
}

t.test('every variant of a target has the response of the normalised target', async (t) => {
  const service = await openService(t)
  await service.add(file, 'content')
  const port = await service.listen()
  for (const [path, status] of Object.entries(statuses))
    for (const method of ['GET', 'HEAD']) {
      const normal = await get(port, `/rinex/${path}`, method)
      t.equal(normal.status, status, `${method} ${path}`)
      for (const target of variantsOf(path)) {
        const answer = await get(port, target, method)
        t.equal(headOf(answer), headOf(normal), `${method} ${target}`)
        t.same(answer.body, normal.body)
        if (status === 301) t.match(locationOf(answer), /^[\w-]+\/(\?|$)/)
      }
    }
})

t.test('targets that only look similar get 404', async (t) => {
  const service = await openService(t)
  await service.add(file, 'content')
  const port = await service.listen()
  const targets = [
    `//rinex/data/${file}`,
    `http://x//rinex/data/${file}`,
    `http:///rinex/data/${file}`,
    `ftp://x/rinex/data/${file}`,
    `/http://x/rinex/data/${file}`,
    'http:///rinex/api/',
    '//rinex/api/',
    '//evil.example/rinex/data',
    '/rinex//evil.example/',
    '/rinex/data//evil.example',
    '/rinex/api//evil.example/rinex-file',
    `/rinex/data/${day}//%47RAZ00AUT_R_20260010000_01D_30S_MO.crx.gz`,
    `/rinex/data/obs%2f/2026/001/${dayFile}`,
    `/rinex/data//./${file}`,
    `/rinex/data//../data/${file}`,
    `/rinex/data/${file}//`,
    '/healthz//',
    '//healthz',
  ]
  for (const target of targets) {
    const answer = await get(port, target)
    t.equal(answer.status, 404, target)
    t.equal(answer.body.toString(), '{"detail":"Not found."}')
    t.equal(locationOf(answer), undefined)
  }
  // What follows the question mark is a query: these ask for the entrance.
  for (const target of [`http://x?/rinex/data/${file}`, 'http://x?/rinex/api/'])
    t.match((await get(port, target)).body.toString(), '{"network":"', target)
  t.equal((await get(port, 'http://x/healthz')).status, 200, 'all routes accept the absolute form')
})

t.test('caches give the same response to all variants of a target', async (t) => {
  const service = await openService(t)
  await service.add(file, 'content')
  const port = await service.listen()
  const paths = ['api/rinex-file/?limit=1', `data/${file}`, `data/${day}/`]
  for (const path of paths)
    for (const target of [`/rinex//${path}`, `/rinex/${path}`, `http://x/rinex/${path}`]) {
      const bodies: string[] = []
      for (let n = 0; n < 3; n++) bodies.push((await get(port, target)).body.toString())
      t.equal(new Set(bodies).size, 1, target)
    }
  // After a change, all variants have the new response.
  await service.addNames(day, ['graz0010.26m.gz'])
  for (const target of [
    '/rinex//api/rinex-file/?limit=1',
    'http://x/rinex/api/rinex-file/?limit=1',
  ])
    t.match((await get(port, target)).body.toString(), 'graz0010.26m.gz', target)
})

t.test('pipelined requests in all forms are answered in order', async (t) => {
  const service = await openService(t)
  await service.add(file, 'content')
  const port = await service.listen()
  const socket = connect(port, '127.0.0.1')
  const targets = [`//rinex/data/${file}`, `/rinex//data/${file}`, `http://x/rinex/data/${file}`]
  const close = 'Connection: close\r\n'
  for (const [index, target] of targets.entries())
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n${index === 2 ? close : ''}\r\n`)
  const received = (await readToEnd(socket)).toString('latin1')
  const statuses = Array.from(received.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => status)
  t.strictSame(statuses, ['404', '200', '200'])
})

t.test('the log has the target as it was sent', async (t) => {
  const service = await openService(t)
  const port = await service.listen()
  await get(port, 'http://x/rinex//data/')
  const targets = service.log.map(({ target }) => target)
  t.ok(targets.includes('http://x/rinex//data/'), JSON.stringify(targets))
})
