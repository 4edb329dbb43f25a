/**
 * Routes, links, listings, pages and redirects below dataset prefixes with dots and several
 * segments.
 */
import type { Test } from 'tap'
import t from '../tap.ts'
import type { OpenApiDocument } from '../../src/api/openapi/openapi.ts'
import { parseSample } from './openapi/cases.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from './service.ts'

/** Paths of all routes below the prefix, with their media types. */
const paths: Readonly<Record<string, readonly string[]>> = {
  'api/': ['application/json', 'text/html'],
  'api/rinex-file/': ['application/json', 'text/html'],
  'api/rinex-file/1/': ['application/json', 'text/html'],
  'api/station/': ['application/json', 'text/html'],
  'api/station/GRAZ/': ['application/json', 'text/html'],
  'api/station/GRAZ00AUT/': ['application/json', 'text/html'],
  'api/changes/': ['application/json', 'text/html'],
  'api/status/': ['application/json', 'text/html'],
  'api/search/': ['application/json', 'text/html'],
  'api/schema/': ['application/json'],
  'api/docs/': ['text/html'],
  'data/': ['text/html'],
  'data/obs/': ['text/html'],
  [`data/${day}/`]: ['text/html'],
  [`data/${day}/${dayFile}`]: ['application/gzip'],
  [`data/${day}/SHA256SUMS`]: ['text/plain'],
  [`data/${hour}/`]: ['text/html'],
  [`data/${hour}/${hourFile}`]: ['application/gzip'],
  'assets/page.css': ['text/css'],
}

/** A listening service whose links lead to itself. */
async function serve(t: Test, datasetPrefix: string) {
  let base = ''
  const service = await openService(t, { settings: { datasetPrefix, baseUrl: () => base } })
  for (const path of [`${day}/${dayFile}`, `${day}/${shortFile}`, `${hour}/${hourFile}`])
    await service.add(path)
  base = `http://127.0.0.1:${await service.listen()}`
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL(path, base), { headers, redirect: 'manual' })
    const type = (answer.headers.get('content-type') ?? '').replace(/;.*/, '')
    const location = answer.headers.get('location')
    return { status: answer.status, type, location, body: await answer.text() }
  }
  return { root: `${base}/${datasetPrefix}/`, get }
}

/**
 * The links of an HTML page, or the URLs in a JSON response: absolute, without fragment. The icon
 * of a listing is none.
 */
function linksOf(url: string, type: string, body: string): string[] {
  const links: string[] = []
  if (type === 'text/html')
    for (const [, link = ''] of body.matchAll(/ href="(?!data:)([^"]+)"/g))
      links.push(link.replaceAll('&amp;', '&'))
  if (type === 'application/json')
    JSON.parse(body, (_key, value: unknown) => {
      if (typeof value === 'string' && value.startsWith('http')) links.push(value)
      return value
    })
  return links.map((link) => new URL(link, url).href.replace(/#.*/, ''))
}

/** Two filters of the list or more: its facets combine them in thousands of ways. */
function isCombined(url: string): boolean {
  const { pathname, searchParams } = new URL(url)
  const others = new Set(['format', 'limit', 'offset', 'ordering'])
  const filters = [...searchParams.keys()].filter((name) => !others.has(name))
  return pathname.endsWith('/rinex-file/') && filters.length > 1
}

for (const prefix of ['at.gv.bev.dc', 'gnss/at.gv.bev.dc/v1.0', 'a..b.', '-_a.b-/_/0', 'data/api'])
  t.test(`all routes work below the prefix ${prefix}`, async (t) => {
    const { root, get } = await serve(t, prefix)

    t.test('every path answers 200 in each of its media types', async (t) => {
      for (const [path, types] of Object.entries(paths))
        for (const accept of types) {
          const { status, type } = await get(root + path, { accept })
          t.equal(status, 200, path)
          t.equal(type, accept, path)
        }
    })

    t.test('a path without its slash is redirected', async (t) => {
      for (const path of Object.keys(paths).filter((each) => each.endsWith('/'))) {
        const bare = root + path.slice(0, -1)
        const { status, location } = await get(`${bare}?x=1`)
        t.equal(status, 301, bare)
        t.equal(new URL(location ?? '', bare).href, `${root}${path}?x=1`)
      }
    })

    t.test('the prefix is not matched as a pattern', async (t) => {
      const others = [
        prefix.replaceAll('.', 'x'),
        prefix.replaceAll(/[.-]/g, ''),
        prefix.replaceAll('.', '/'),
        prefix.toUpperCase(),
        `${prefix}.`,
        `.${prefix}`,
        `x${prefix}`,
        `${prefix}/${prefix}`,
        prefix.replace(/.$/, ''),
      ].filter((other) => other !== prefix && other !== '')
      for (const other of others)
        for (const path of Object.keys(paths))
          t.equal((await get(`/${other}/${path}`)).status, 404, `${other} ${path}`)
    })

    t.test('the OpenAPI document has the prefix in its server and examples', async (t) => {
      const document = JSON.parse((await get(`${root}api/schema/`)).body) as OpenApiDocument
      t.strictSame(document.servers[0]?.url, root.slice(0, -1))
      const operations = Object.values(document.paths).flatMap((each) => Object.values(each))
      const samples = operations.flatMap((each) => each['x-codeSamples'] ?? [])
      for (const { source } of samples) t.ok(source.includes(`'${root}`), source)
      for (const { source } of samples)
        t.ok(parseSample(source).url.startsWith(`/${prefix}/`), source)
    })
  })

t.test('every link leads to an existing path below the prefix, with a format', async (t) => {
  const { root, get } = await serve(t, 'gnss/at.gv.bev.dc/v1.0')
  const waiting = ['api/', 'data/'].map((path) => root + path)
  const seen = new Set(waiting)
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    for (const accept of ['text/html,*/*;q=0.8', '*/*']) {
      const { status, type, body, location } = await get(url, { accept })
      const isLed = /\/api\/search\//.test(url) && status === 303
      t.equal(status, isLed ? 303 : 200, url)
      if (isLed) t.ok(new URL(location ?? '', url).href.startsWith(root), url)
      // Examples of the OpenAPI document name no file of this archive, and one link is a long poll.
      if (/\/api\/(schema|docs)\/|[?&]wait=/.test(url) || isCombined(url)) break
      const found = linksOf(url, type, body).filter((link) => !seen.has(link))
      for (const link of found) seen.add(link)
      waiting.push(...found)
    }
  }
  const isBelow = (link: string) => link.startsWith(root)
  t.strictSame(
    [...seen].filter((link) => !isBelow(link)),
    [],
  )
  const named = /[?&]format=(api|json|csv|ndjson|urls|txt|svg)(&|$)/
  const inApi = [...seen].filter((link) => link.startsWith(`${root}api/`)).slice(1)
  t.strictSame(
    inApi.filter((link) => !named.test(link)),
    [],
  )
  t.ok(seen.size > 25, `${seen.size} links`)
})
