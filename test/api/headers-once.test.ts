/**
 * No response has a header twice, for all routes, methods and statuses; read from the raw bytes.
 */
import { CatalogueUnavailable } from '../../src/catalogue/errors.ts'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { day, dayFile, openService } from './service.ts'
import { sendRaw } from './wire.ts'

const api = '/rinex/api/'
const data = '/rinex/data/'

const targets = [
  ...['/', '/healthz', '/readyz', '/metrics', '/nothing', '/%zz', '/rinex/assets/page.css'],
  ...['', 'rinex-file/', 'rinex-file', 'rinex-file/1/', 'rinex-file/99/', 'rinex-file/x/'],
  ...['rinex-file/?offset=0', 'rinex-file/?limit=1&x=1', 'rinex-file/?year=x&id__gt=x'],
  ...['rinex-file/?format=csv', 'rinex-file/?format=ndjson', 'rinex-file/?format=urls'],
  ...['rinex-file/?format=nope', 'rinex-file/?format=json', 'station/', 'station/GRAZ/'],
  ...[
    'station/none/',
    'changes/',
    'changes/?since=0',
    'changes/?since=99',
    'archive/',
    'status/',
    'schema/',
  ],
  ...['docs/', 'rescan/', 'availability/'],
].map((target) => (target.startsWith('/') ? target : `${api}${target}`))

const downloads = ['', 'obs', 'obs/', `${day}/`, `${day}/?format=json`, `${day}/SHA256SUMS`]
  .concat(`${day}/${dayFile}`, `${day}/none.gz`, 'nowhere/')
  .map((target) => `${data}${target}`)

/** Sets of request headers that lead to different responses. */
const variants: Record<string, readonly string[]> = {
  plain: [],
  page: ['Accept: text/html'],
  'not acceptable': ['Accept: image/png'],
  'an old tag': ['If-None-Match: W/"old"'],
  'any tag': ['If-None-Match: *'],
  dated: ['If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT'],
  range: ['Range: bytes=0-1'],
  'no such range': ['Range: bytes=999-'],
  precondition: ['If-Match: "x"'],
  preflight: ['Origin: https://a.example', 'Access-Control-Request-Method: GET'],
  expectation: ['Expect: wonders'],
  body: ['Content-Type: application/json', 'Content-Length: 2'],
  'another body': ['Content-Type: text/plain', 'Content-Length: 2'],
  'no Host': ['Host:'],
}

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'BREW']

/** Headers that may occur several times (RFC 9110, 5.3). */
const lists = ['set-cookie']

interface Seen {
  readonly statuses: Set<number>
  readonly twice: string[]
}

async function sendAll(service: Service, seen: Seen): Promise<void> {
  const port = await service.listen()
  for (const target of [...targets, ...downloads])
    for (const method of methods)
      for (const [variant, headers] of Object.entries(variants)) {
        if (method !== 'GET' && method !== 'POST' && !['plain', 'preflight'].includes(variant))
          continue
        const lines = [
          `${method} ${target} HTTP/1.1`,
          ...(variant === 'no Host' ? [] : ['Host: x', ...headers]),
          'Connection: close',
        ]
        const body = variant.endsWith('body') ? '{}' : ''
        const { status, head } = await sendRaw(port, `${lines.join('\r\n')}\r\n\r\n${body}`)
        seen.statuses.add(status)
        const names = Array.from(head.matchAll(/^([^:\r\n]+):/gm), ([, name = '']) =>
          name.toLowerCase(),
        ).filter((name) => !lists.includes(name))
        const twice = names.filter((name, index) => names.indexOf(name) !== index)
        if (twice.length > 0)
          seen.twice.push(`${method} ${target} ${variant}: ${status} ${twice.join()}`)
      }
}

t.test('no header is sent twice', async (t) => {
  const seen: Seen = { statuses: new Set(), twice: [] }
  const service = await openService(t, {
    settings: { trustedProxies: [] },
    deps: () => ({
      administration: {
        tokenHash: Buffer.alloc(32),
        register: () => Promise.reject(new Error('no')),
        rescan: () => Promise.reject(new Error('no')),
      },
    }),
  })
  await service.add(`${day}/${dayFile}`, 'content')
  await sendAll(service, seen)
  const broken = await openService(t, {
    reader: () => ({
      head: () => Promise.reject(new Error('internal error')),
      summary: () => Promise.reject(new CatalogueUnavailable('away')),
    }),
  })
  await sendAll(broken, seen)
  t.strictSame(seen.twice, [])
  t.strictSame(
    [...seen.statuses].sort((a, b) => a - b),
    [
      ...[200, 204, 206, 301, 303, 304],
      ...[400, 401, 403, 404, 405, 406, 410, 412, 415, 416, 417, 500, 503],
    ],
    'all statuses that these requests can have',
  )
})

t.test('a request with an old tag does not change the ETag of later responses', async (t) => {
  const service = await openService(t)
  await service.add(`${day}/${dayFile}`)
  const port = await service.listen()
  const tagsOf = async (target: string, header = '') => {
    const { head } = await sendRaw(
      port,
      `GET ${target} HTTP/1.1\r\nHost: x\r\n${header}Connection: close\r\n\r\n`,
    )
    return Array.from(head.matchAll(/^etag: (.*)$/gim), ([, tag]) => tag)
  }
  for (const target of [`${api}rinex-file/`, `${data}${day}/`, `${data}${day}/${dayFile}`]) {
    const [tag = ''] = await tagsOf(target, 'If-None-Match: W/"old"\r\n')
    for (const header of ['If-None-Match: W/"old"\r\n', '', `If-None-Match: ${tag}\r\n`, ''])
      t.strictSame(await tagsOf(target, header), [tag], `${target} ${header}`)
  }
})
