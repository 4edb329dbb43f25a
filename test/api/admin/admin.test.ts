import type { Test } from 'tap'
import { hashToken } from '../../../src/api/admin/authentication.ts'
import type { Administration } from '../../../src/api/http/settings.ts'
import type { RegisterAnswer, RescanOrder } from '../../../src/control-socket/protocol.ts'
import { IndexerUnreachable, RequestRejected } from '../../../src/control-socket/protocol.ts'
import t, { exact } from '../../tap.ts'
import type { Service } from '../service.ts'
import { day, dayFile, openService } from '../service.ts'
import { sendRaw } from '../wire.ts'

const files = '/rinex/api/rinex-file/'
const rescans = '/rinex/api/rescan/'
const token = 'a-secret-that-nobody-logs'
const authorization = `Bearer ${token}`
const json = { 'content-type': 'application/json' }

/** A service with administrators; records their orders, and answers them as the test sets. */
async function openAdministered(t: Test, answers: Partial<Administration> = {}) {
  const orders: (string | RescanOrder)[] = []
  const administration: Administration = {
    tokenHash: hashToken(token),
    register: (path) => {
      orders.push(path)
      return Promise.resolve<RegisterAnswer>({ outcome: 'refused', reason: 'not-in-the-tree' })
    },
    rescan: (order) => {
      orders.push(order)
      return Promise.resolve({ number: 7, place: 'waiting' })
    },
    ...answers,
  }
  const service = await openService(t, { deps: () => ({ administration }) })
  const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    service.app.inject({
      method: 'POST',
      url,
      payload: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...json, authorization, ...headers },
    })
  return { ...service, orders, post, service }
}

t.test('a POST without the token gets 401 before its body is read', async (t) => {
  const { app, orders, logText } = await openAdministered(t)
  const cases: [string | undefined, string][] = [
    [undefined, 'Authentication credentials were not provided.'],
    ['', 'Authentication credentials were not provided.'],
    [`Basic ${token}`, 'Authentication credentials were not provided.'],
    ['Bearer', 'Authentication credentials were not provided.'],
    ['Bearer wrong', 'Invalid token.'],
    [`Bearer ${token}x`, 'Invalid token.'],
    [`Bearer ${token.slice(1)}`, 'Invalid token.'],
  ]
  for (const url of [files, rescans]) {
    for (const [value, detail] of cases) {
      const headers = value === undefined ? json : { ...json, authorization: value }
      const answer = await app.inject({ method: 'POST', url, payload: '{', headers })
      t.equal(answer.statusCode, 401, value ?? 'none')
      t.equal(answer.headers['www-authenticate'], 'Bearer')
      t.strictSame(answer.json(), { detail })
    }
  }
  t.strictSame(orders, [])
  t.notMatch(logText(), token)
})

t.test('an order for a rescan gets 202 with the number of the rescan', async (t) => {
  const { post, orders, logText } = await openAdministered(t)
  const status = 'https://archive.example/rinex/api/status/?format=api'
  const everything = { path: undefined, acceptRemovals: false }
  const cases: [unknown, RescanOrder][] = [
    [{}, everything],
    ['', everything],
    [{ path: '.' }, everything],
    [{ path: '/' }, everything],
    [
      { path: 'obs/2026/', full: true },
      { path: 'obs/2026', acceptRemovals: false },
    ],
    [
      { path: 'nrt', accept_removals: true },
      { ...everything, path: 'nrt', acceptRemovals: true },
    ],
  ]
  for (const [body, order] of cases) {
    const answer = await post(rescans, body)
    t.equal(answer.statusCode, 202)
    t.equal(answer.headers['content-type'], 'application/json')
    t.strictSame(answer.json(), { rescan: 7, place: 'waiting', status })
    t.strictSame(orders.pop(), order)
  }
  t.match(await post(rescans, {}, { authorization: `bearer  ${token}` }), { statusCode: 202 })
  t.notMatch(logText(), token)
})

t.test('an order to rescan a missing directory gets 400', async (t) => {
  const { post } = await openAdministered(t, {
    rescan: () => Promise.resolve({ place: 'missing' }),
  })
  const answer = await post(rescans, { path: 'obs/1900' })
  t.equal(answer.statusCode, 400)
  t.strictSame(answer.json(), { path: ['There is no such directory in the archive.'] })
})

t.test('a 400 response names the faults of each field', async (t) => {
  const { post, orders } = await openAdministered(t)
  const cases: [string, unknown, object][] = [
    [files, {}, { path: ['This field is required.'] }],
    [files, { path: 1 }, { path: ['Not a valid string.'] }],
    [files, { path: '' }, { path: ['This field may not be blank.'] }],
    [
      files,
      { path: 'x'.repeat(1025) },
      { path: ['Ensure this field has no more than 1024 characters.'] },
    ],
    [files, { path: 'a', name: 'b' }, { name: ['There is no such field.'] }],
    [files, JSON.parse('{"path":"a","__proto__":1}'), {}],
    [
      files,
      { path: 'a', download_path: 'https://archive.example/rinex/data/a' },
      { download_path: ['Give either this field or path.'] },
    ],
    [
      files,
      { download_path: 'https://evil.example/rinex/data/a' },
      { download_path: ['Enter a URL below https://archive.example/rinex/data/.'] },
    ],
    [files, 'null', { path: ['This field is required.'] }],
    [files, { download_path: 1 }, { download_path: ['Not a valid string.'] }],
    [files, { download_path: 'a/b' }, { download_path: ['Enter a valid URL.'] }],
    [
      files,
      { download_path: 'https://archive.example/rinex/data/a b' },
      { download_path: ['Enter a valid URL.'] },
    ],
    [rescans, { path: '' }, { path: ['This field may not be blank.'] }],
    [
      rescans,
      { full: null, toString: 1 },
      {
        full: ['Must be a valid boolean.'],
        toString: ['There is no such field.'],
      },
    ],
    [
      files,
      [],
      { non_field_errors: ['Invalid data. Expected an object with path, download_path.'] },
    ],
    [
      rescans,
      { path: '../etc', full: 'yes', accept_removals: 1, x: 2 },
      {
        path: ['Enter a directory below the archive root, such as obs/2026.'],
        full: ['Must be a valid boolean.'],
        accept_removals: ['Must be a valid boolean.'],
        x: ['There is no such field.'],
      },
    ],
    [rescans, '{', { detail: /^JSON parse error - / }],
    [rescans, 'null x', { detail: /^JSON parse error - / }],
  ]
  for (const [url, body, expected] of cases) {
    const answer = await post(url, body)
    t.equal(answer.statusCode, 400)
    t.match(answer.json(), exact(expected))
  }
  t.strictSame(orders, [])
})

t.test('a body that is not JSON gets 415, a body that is too long gets 413', async (t) => {
  const { post, app } = await openAdministered(t)
  const text = await post(rescans, '{}', { 'content-type': 'text/plain' })
  t.equal(text.statusCode, 415)
  t.strictSame(text.json(), { detail: 'Unsupported media type "text/plain" in request.' })
  const long = await post(rescans, { path: 'x'.repeat(20_000) })
  t.equal(long.statusCode, 413)
  t.type(long.json<{ detail: unknown }>().detail, 'string')
  const charset = { 'content-type': 'application/json; charset=utf-8' }
  t.equal((await post(rescans, {}, charset)).statusCode, 202)
  const others = {
    'Unsupported charset "latin1" in request.': {
      'content-type': 'application/json; charset=latin1',
    },
    'Unsupported charset "UTF-16" in request.': {
      'content-type': 'application/json;charset="UTF-16"',
    },
    'Unsupported content encoding "gzip" in request.': {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
  }
  for (const [detail, headers] of Object.entries(others)) {
    const rejected = await post(rescans, '{}', headers)
    t.equal(rejected.statusCode, 415)
    t.strictSame(rejected.json(), { detail })
  }
  const identity = { 'content-type': 'application/json', 'content-encoding': 'identity' }
  t.equal((await post(rescans, {}, identity)).statusCode, 202)
  const none = await app.inject({ method: 'POST', url: rescans, headers: { authorization } })
  t.equal(none.statusCode, 202)
})

t.test('a request to register a file gets 201 or 200, or 400 with the reason', async (t) => {
  const paths: string[] = []
  let outcome: 'created' | 'known' = 'created'
  const administered = await openAdministered(t, {
    register: async (path) => {
      paths.push(path)
      if (outcome === 'created') await administered.service.addNames(day, [dayFile])
      return { outcome, id: 1 }
    },
  })
  const port = await administered.service.listen()
  const sendTo = (port: number, body: object) => {
    const text = JSON.stringify(body)
    const head = [
      `POST ${files} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: ${authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
    ]
    return sendRaw(port, `${head.join('\r\n')}\r\n\r\n${text}`)
  }
  const send = (body: object) => sendTo(port, body)
  const created = await send({ path: `${day}/${dayFile}` })
  t.equal(created.status, 201)
  const url = 'https://archive.example/rinex/api/rinex-file/1/?format=api'
  t.match(created.head.toLowerCase(), `location: ${url}\r\n`)
  const record = (await administered.app.inject(`${files}1/`)).json<object>()
  t.strictSame(JSON.parse(created.body.toString()), record)
  outcome = 'known'
  const known = await send({
    download_path: `https://archive.example/rinex/data/${day}/${dayFile}`,
  })
  t.equal(known.status, 200)
  t.notMatch(known.head.toLowerCase(), '\r\nlocation:')
  t.strictSame(JSON.parse(known.body.toString()), record)
  t.strictSame(paths, [`${day}/${dayFile}`, `${day}/${dayFile}`])

  for (const [reason, message] of [
    ['still-being-written', 'The file is still being written.'],
    ['not-in-the-tree', 'There is no such file in the archive.'],
    ['not-gz', 'This is no RINEX file of the archive: not-gz.'],
  ] as const) {
    const refusing = await openAdministered(t, {
      register: () => Promise.resolve({ outcome: 'refused', reason }),
    })
    const other = await refusing.service.listen()
    const text = '{"path":"obs/2026/001/x"}'
    const head = `POST ${files} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\n`
    const lines = `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`
    const answer = await sendRaw(other, head + lines + text)
    t.equal(answer.status, 400)
    t.strictSame(JSON.parse(answer.body.toString()), { path: [message] })
  }

  const unsure = await openAdministered(t, {
    register: () => Promise.resolve({ outcome: 'unsure' }),
  })
  const later = await sendTo(await unsure.service.listen(), { path: `${day}/${dayFile}` })
  t.equal(later.status, 503)
  t.match(later.head.toLowerCase(), /\r\nretry-after: \d+\r\n/)
  t.match(later.body.toString(), 'The file cannot be catalogued at this moment.')
})

const warnings = ({ log }: Service) => log.filter(({ level }) => Number(level) >= 40)

/** Sends both orders over real connections: registering sets the timeout of its connection. */
async function orderBoth(service: Service) {
  const port = await service.listen()
  const orders = [
    [rescans, {}],
    [files, { path: `${day}/${dayFile}` }],
  ] as const
  const answers = orders.map(async ([target, body]) => {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, {
      method: 'POST',
      headers: { ...json, authorization, connection: 'close' },
      body: JSON.stringify(body),
    })
    const { status, headers } = answer
    return { target, status, headers, body: (await answer.json()) as object }
  })
  return Promise.all(answers)
}

t.test('without an indexer, orders to rescan and to register get 503', async (t) => {
  const unavailable = () => Promise.reject(new IndexerUnreachable('nobody is there'))
  const { service } = await openAdministered(t, { rescan: unavailable, register: unavailable })
  for (const { target, status, headers, body } of await orderBoth(service)) {
    t.equal(status, 503)
    t.match(headers.get('retry-after'), /^\d+$/)
    const id = headers.get('x-request-id')
    const detail = 'The indexer does not answer at this moment.'
    t.strictSame(body, { detail, request_id: id })
    t.match(
      warnings(service).find(({ reqId }) => reqId === id),
      { reason: 'nobody is there', method: 'POST', target },
    )
  }
  t.equal(warnings(service).length, 2)
  t.notMatch(service.logText(), '    at ', 'without a stack trace')
})

t.test('an order that the indexer refuses gets 400 with the message of the indexer', async (t) => {
  const refuse = () => Promise.reject(new RequestRejected('said the indexer'))
  const { service } = await openAdministered(t, { rescan: refuse, register: refuse })
  for (const { status, body } of await orderBoth(service)) {
    t.equal(status, 400)
    t.strictSame(body, { detail: 'said the indexer' })
  }
})

t.test('an order that fails in the indexer gets 503', async (t) => {
  const fail = () => Promise.reject(new RequestRejected('said the indexer', { failed: true }))
  const { service } = await openAdministered(t, { rescan: fail, register: fail })
  for (const { status, headers, body } of await orderBoth(service)) {
    t.equal(status, 503)
    t.match(headers.get('retry-after'), /^\d+$/)
    t.match(body, { detail: 'The indexer failed to do it, its log says why.' })
  }
  t.match(
    warnings(service),
    exact([{ reason: 'said the indexer' }, { reason: 'said the indexer' }]),
  )
  t.notMatch(service.logText(), '    at ')
})
