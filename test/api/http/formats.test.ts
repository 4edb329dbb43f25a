import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { preferredFormat } from '../../../src/api/http/formats.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import type { Service } from '../service.ts'
import { day, openService } from '../service.ts'

const browser =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

t.test('clients that prefer HTML get HTML, and all other clients get JSON', async (t) => {
  const cases: [string | undefined, 'json' | 'html' | undefined][] = [
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/html', 'html'],
    [browser, 'html'],
    ['text/html, application/json', 'json'],
    ['application/json, text/html', 'json'],
    ['text/html;q=0.5, application/json;q=0.5', 'json'],
    ['text/html, */*', 'html'],
    ['application/json, */*', 'json'],
    // w3m
    ['text/html, text/*;q=0.5, image/*, application/*, video/*, audio/*', 'html'],
    ['application/*, text/html', 'html'],
    ['application/*, text/*', 'json'],
    ['application/json;q=0.9, text/html;q=0.9, */*', 'json'],
    ['text/html, */*;q=0.1', 'html'],
    ['text/html;q=0.9, application/json', 'json'],
    ['text/html;q=0.9, application/json;q=0.8', 'html'],
    ['text/html;q=0.1, application/json;q=0', 'html'],
    ['application/json;q=0, */*', 'html'],
    ['text/*', 'html'],
    ['text/*;q=0.4, application/*;q=0.3', 'html'],
    ['text/*, text/html;q=0.1, application/json;q=0.5', 'json'],
    ['TEXT/HTML', 'html'],
    ['text/html ; Q=0.9 , application/json ; q=0.8', 'html'],
    ['application/json; charset=utf-8', 'json'],
    ['application/json; indent=4', 'json'],
    ['text/html;level=1', 'html'],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'html'],
    ['text/html;q=2, application/json', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['text/csv', undefined],
    ['image/png, text/plain;q=0.5', undefined],
    ['application/json;q=0', undefined],
    ['*/*;q=0', undefined],
    ['text/html;q=nonsense', undefined],
    ['nonsense', undefined],
    [',;,', undefined],
  ]
  for (const [accept, expected] of cases) {
    t.equal(preferredFormat(['json', 'html'], accept), expected, accept ?? 'no Accept')
  }
})

t.test('a resource with more formats answers by Accept as by format', async (t) => {
  const cases: [string | undefined, string | undefined][] = [
    ['text/csv', 'csv'],
    ['text/csv, application/json;q=0.9', 'csv'],
    ['application/json, text/plain, */*', 'json'],
    [browser, 'html'],
    ['*/*', 'json'],
    ['text/*', 'html'],
    [undefined, 'json'],
    ['application/pdf', undefined],
  ]
  const formats = ['json', 'html', 'csv'] as const
  for (const [accept, expected] of cases)
    t.equal(preferredFormat(formats, accept), expected, accept ?? 'no Accept')
})

const api = '/rinex/api'
const page = { accept: 'text/html' }
const manyNames = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const site = `s${n.toString(36).padStart(3, '0')}`
    return `${site}0010.26d.gz`
  })

const compressed: readonly [path: string, headers?: Record<string, string>][] = [
  ['rinex-file/?format=ndjson'],
  ['rinex-file/?format=csv'],
  ['rinex-file/?format=urls'],
  ['rinex-file/', page],
  ['rinex-file/1/', page],
  ['rinex-file/?limit=5&year=x', page],
  ['station/', page],
  ['changes/?since=0', page],
  ['status/', page],
  ['', page],
  ['docs/', page],
  ['schema/'],
  ['schema/', { accept: 'application/vnd.oai.openapi+json' }],
]

const others: readonly [path: string, headers?: Record<string, string>][] = [
  ['api/rinex-file/'],
  ['api/rinex-file/?limit=40&expand=file'],
  ['api/rinex-file/1/'],
  ['api/station/?limit=40'],
  ['api/changes/?since=0&limit=40'],
  ['api/status/'],
  ['api/nothing/'],
  [`data/${day}/SHA256SUMS`],
  [`data/${day}/${manyNames(1)[0] ?? ''}`],
]

async function openWithFiles(t: Test): Promise<Service> {
  const service = await openService(t)
  await service.add(`${day}/${manyNames(1)[0] ?? ''}`, 'x'.repeat(2000))
  await service.addNames(day, manyNames(200).slice(1))
  // Waits until the states of the series are known; the page of the stations shows them then.
  await service.app.inject(`${api}/series/`)
  return service
}

const offers = [
  { offer: 'gzip', encoding: 'gzip', plain: gunzipSync },
  { offer: 'br', encoding: 'br', plain: brotliDecompressSync },
  { offer: 'GZIP;q=0.5, br;q=0.1', encoding: 'gzip', plain: gunzipSync },
  { offer: 'deflate, gzip;q=0.1', encoding: 'gzip', plain: gunzipSync },
]
const none = [undefined, '', 'identity', 'gzip;q=0', 'zstd, deflate', 'br;q=0, gzip;q=0, *']

t.test('a long response is compressed in the encoding that the client prefers', async (t) => {
  const { app } = await openWithFiles(t)
  let long = 0
  for (const [path, headers] of compressed) {
    const get = (offer: string | undefined, method: 'GET' | 'HEAD' = 'GET') => {
      const accepted = offer === undefined ? {} : { 'accept-encoding': offer }
      return app.inject({ method, url: `${api}/${path}`, headers: { ...headers, ...accepted } })
    }
    const whole = await get(undefined)
    const isLong = whole.rawPayload.length >= 1024
    if (isLong) long++
    for (const { offer, encoding, plain } of isLong ? offers : []) {
      const answer = await get(offer)
      t.match(answer.headers, { vary: 'Accept, Accept-Encoding', 'content-encoding': encoding })
      t.ok(answer.rawPayload.length < whole.rawPayload.length / 1.5, `${path} ${offer}`)
      t.ok(whole.rawPayload.equals(plain(answer.rawPayload)), `${path} ${offer}`)
      const head = await get(offer, 'HEAD')
      t.equal(head.headers.vary, 'Accept, Accept-Encoding')
      t.equal(head.headers.etag, answer.headers.etag, 'the same weak ETag')
      const { 'content-length': length = answer.headers['content-length'] } = head.headers
      t.equal(length, answer.headers['content-length'])
    }
    for (const offer of none) {
      const answer = await get(offer)
      t.equal(answer.headers['content-encoding'], undefined, `${path} ${offer}`)
      t.equal(answer.headers.vary, 'Accept, Accept-Encoding', path)
      t.ok(answer.rawPayload.equals(whole.rawPayload))
    }
  }
  t.ok(long > 1, 'some responses are long')
})

t.test('listings and assets are compressed, whatever Accept says', async (t) => {
  const { app } = await openWithFiles(t)
  const assets = ['assets/page.css', 'assets/page.js']
  for (const path of [`data/${day}/`, `data/${day}/?format=json`, ...assets]) {
    const get = (offer: string) =>
      app.inject({ url: `/rinex/${path}`, headers: { 'accept-encoding': offer } })
    const whole = await get('identity')
    t.match(whole.headers, { vary: 'Accept-Encoding', etag: /^W\// }, path)
    t.equal(whole.headers['content-encoding'], undefined)
    for (const { offer, encoding, plain } of offers) {
      const { headers, rawPayload } = await get(offer)
      t.equal(headers['content-encoding'], encoding, path)
      t.equal(headers.etag, whole.headers.etag)
      const { 'content-length': length = rawPayload.length } = headers
      t.equal(Number(length), rawPayload.length)
      t.ok(rawPayload.length < whole.rawPayload.length / 1.5, path)
      t.ok(whole.rawPayload.equals(plain(rawPayload)), path)
    }
    const head = await app.inject({ method: 'HEAD', url: `/rinex/${path}` })
    t.match(head, { statusCode: 200, body: '', headers: { vary: 'Accept-Encoding' } })
  }
})

t.test('JSON of the API, files and their checksums are not compressed', async (t) => {
  const { app } = await openWithFiles(t)
  for (const [path, headers] of others) {
    const accepted = { ...headers, 'accept-encoding': 'gzip, br' }
    const answer = await app.inject({ url: `/rinex/${path}`, headers: accepted })
    t.equal(answer.headers['content-encoding'], undefined, path)
    t.notMatch(answer.headers.vary ?? '', 'Encoding', path)
  }
})

t.test('only two responses are compressed at a time, others are sent as they are', async (t) => {
  /** One for each second chunk of the streams, in order. */
  const gates: (() => void)[] = []
  const service = await openService(t, {
    reader: (reader) => ({
      async records(query, signal) {
        if (query.after !== undefined) await new Promise<void>((resolve) => gates.push(resolve))
        return reader.records(query, signal)
      },
    }),
  })
  await service.addNames(day, manyNames(300))
  const base = `http://127.0.0.1:${await service.listen()}${api}`
  const get = async (path: string, signal: AbortSignal | null = null) => {
    const answer = await fetch(base + path, { headers: { 'accept-encoding': 'br' }, signal })
    return { encoding: answer.headers.get('content-encoding'), text: await answer.text() }
  }
  const list = '/rinex-file/?format=csv&area=obs'
  const leaving = new AbortController()
  const left = t.rejects(get(list, leaving.signal))
  await until('one stream waits for its second chunk', () => gates.length === 1)
  const second = get(list)
  await until('the second stream waits', () => gates.length === 2)
  t.equal((await get('/schema/')).encoding, null)
  leaving.abort()
  await left
  gates[0]?.()
  await until('the first has left', async () => (await get('/schema/')).encoding === 'br')
  gates[1]?.()
  const { encoding, text } = await second
  t.match({ encoding, lines: text.split('\n').length }, { encoding: 'br', lines: 302 })
})
