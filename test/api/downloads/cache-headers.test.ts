/**
 * Each answer of a real server below `data/`, errors too, has `Cache-Control`, and `Vary` if its
 * form depends on a header of the request.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { change } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import type { ServiceOptions } from '../service.ts'
import { day, dayFile, openService, shortFile } from '../service.ts'
import { sendRaw } from '../wire.ts'

const data = '/rinex/data/'
const file = `${data}${day}/${dayFile}`
const since = 'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT'

type Row = readonly [status: number, request: string, header?: string]

const rows: readonly Row[] = [
  [200, `GET ${file}`],
  [200, `HEAD ${file}`],
  [200, `GET ${file}`, since],
  [206, `GET ${file}`, 'Range: bytes=0-1'],
  [304, `GET ${file}`, 'If-None-Match: *'],
  [412, `GET ${file}`, 'If-Match: "x"'],
  [416, `GET ${file}`, 'Range: bytes=999-'],
  [416, `GET ${file}`, 'Range: bytes=-0'],
  ...[data, `${data}${day}/`, `${data}${day}/?format=json`, `${data}${day}/SHA256SUMS`].flatMap(
    (path): Row[] => [
      [200, `GET ${path}`],
      [200, `HEAD ${path}`],
      [304, `GET ${path}`, 'If-None-Match: *'],
    ],
  ),
  ...[data, file, `${data}nothing/`].flatMap((path): Row[] => [
    [204, `OPTIONS ${path}`],
    [204, `OPTIONS ${path}`, 'Origin: https://a.example\r\nAccess-Control-Request-Method: GET'],
    [405, `PUT ${path}`],
    [405, `POST ${path}`],
    [405, `PROPFIND ${path}`],
    [417, `GET ${path}`, 'Expect: wonders'],
    [431, `GET ${path}`, 'X: x\r\n'.repeat(120).trim()],
  ]),
  [301, 'GET /rinex/data'],
  [301, `GET ${data}obs`],
  [301, `HEAD ${data}${day}`],
  [303, `GET ${file.toLowerCase().replace('.26m', '.26M')}`],
  [404, `GET ${data}${day}/none.gz`],
  [404, `HEAD ${data}${day}/none.gz`],
  [404, `GET ${data}nothing`],
  [404, `GET ${data}nothing/`],
  [404, `GET ${data}obs/1999/`],
  [404, `GET ${data}obs/1999/SHA256SUMS`],
  [404, `GET ${data}SHA256SUMS`],
  [404, `GET ${data}${day}/?format=none`],
  [404, `GET ${data}${day}/../${dayFile}`],
  [404, `GET ${data}%`],
  [404, `GET ${data}${day}/%41.gz`],
  [404, `GET ${data}${'x'.repeat(2000)}`],
]

const accepts = ['application/json', 'text/html', 'image/png']
const codings = ['identity', 'br, gzip']

async function check(t: Test, port: number, [status, request, header]: Row): Promise<void> {
  const isEarly = [417, 431].includes(status)
  const what = `${status} ${request} ${header?.slice(0, 40) ?? ''}`
  const forms: (readonly [type: string, coding: string, vary: string])[] = []
  for (const accept of accepts)
    for (const coding of codings) {
      const headers = ['Host: x', `Accept: ${accept}`, `Accept-Encoding: ${coding}`, header]
      const lines = headers.filter((line) => line !== undefined).join('\r\n')
      const { status: had, head } = await sendRaw(
        port,
        `${request} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`,
      )
      t.equal(had, status, what)
      const valueOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? ''
      t.equal(valueOf('cache-control'), 'no-cache', `${what}: Cache-Control`)
      forms.push([valueOf('content-type'), valueOf('content-encoding'), valueOf('vary')])
    }
  // Errors are pages for people, except those that are found before the request is routed.
  const hasPages = status >= 400 && !isEarly
  const isListing = [200, 304].includes(status) && /\/(?:\?|$)/.test(request)
  for (const [type, coding, vary] of forms) {
    const isPage = hasPages && type.startsWith('text/html')
    const plain = isListing ? 'Accept-Encoding' : hasPages ? 'Accept' : ''
    t.equal(vary, isPage ? 'Accept, Accept-Encoding' : plain, `${what}: Vary`)
    if (!isPage && !isListing) t.equal(coding, '', `${what}: Content-Encoding`)
  }
  const types = new Set(forms.map(([type]) => type))
  const isJson = request.startsWith('POST')
  t.equal(types.size, hasPages && !isJson ? 2 : 1, `${what}: forms`)
}

async function listening(t: Test, options: ServiceOptions = {}) {
  const service = await openService(t, options)
  await service.add(`${day}/${dayFile}`, 'content')
  return { service, port: await service.listen() }
}

t.test('answers of every status', async (t) => {
  const { port } = await listening(t)
  for (const row of rows) await check(t, port, row)
})

t.test('a file that is being written, is away, is withheld, or fails', async (t) => {
  const { port, service } = await listening(t)
  const { archive, writer } = service
  await service.add(`${day}/${shortFile}`, 'before')
  writeFileSync(join(archive, day, shortFile), 'being written')
  await check(t, port, [503, `GET ${data}${day}/${shortFile}`])
  rmSync(join(archive, day, dayFile))
  await check(t, port, [404, `GET ${file}`])
  await writer.apply([change(day, { withheldSinceUs: 1 })])
  await check(t, port, [503, `GET ${file}`])
  rmSync(join(archive, 'obs'), { recursive: true })
  await check(t, port, [503, `GET ${file}`])
  const other = await listening(t, {
    reader: () => ({ file: () => Promise.reject(new Error('internal error')) }),
  })
  await check(t, other.port, [500, `GET ${file}`])
})

t.test('a catalogue that is away', async (t) => {
  const { port, service } = await listening(t)
  service.reader.close()
  for (const path of ['', `${day}/`, `${day}/${dayFile}`, `${day}/SHA256SUMS`, 'obs'])
    await check(t, port, [503, `GET ${data}${path}`])
})

t.test('a request that is not HTTP', async (t) => {
  const { port } = await listening(t)
  for (const [status, request] of [
    [400, `GET ${data} HTTP/9.9\r\nHost: x\r\n\r\n`],
    [400, `GET ${data} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    [431, `GET ${data} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ] as const) {
    const answer = await sendRaw(port, request)
    t.equal(answer.status, status)
    t.match(answer.head, /^cache-control: no-cache$/im, `${status}`)
  }
})
