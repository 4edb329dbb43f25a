/**
 * Routes, listings, pages and redirects below dataset prefixes with dots and several
 * segments.
 */
import type { Test } from 'tap'
import type { OpenApiDocument } from '../../src/api/openapi/openapi.ts'
import t from '../tap.ts'
import { parseSample } from './openapi/cases.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from './service.ts'

/** Paths of all routes below the prefix, with their media types. */
const paths: Readonly<Record<string, readonly string[]>> = {
  'api/': ['application/json'],
  'api/network/': ['application/json', 'text/html'],
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
