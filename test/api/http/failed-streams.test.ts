/**
 * A body that is made in chunks: if its first chunk fails, the answer is an error like any other.
 */
import { connect } from 'node:net'
import type { Test } from 'tap'
import { CatalogueUnavailable } from '../../../src/catalogue/errors.ts'
import type { CatalogueReader } from '../../../src/catalogue/questions/reader.ts'
import t from '../../tap.ts'
import { day, dayFile, openService } from '../service.ts'
import { parseAnswer, readToEnd } from '../wire.ts'

const list = '/rinex/api/rinex-file/'
const listing = `/rinex/data/${day}/`

/** Headers of an error that describe no other body than its own. */
const own = [
  ...['access-control-allow-origin', 'access-control-expose-headers', 'allow', 'cache-control'],
  ...['connection', 'content-length', 'content-security-policy', 'content-type', 'date'],
  ...['keep-alive', 'referrer-policy', 'retry-after', 'vary', 'x-content-type-options'],
  'x-request-id',
]

/** A service whose chunks fail from one on, counted from 0. */
async function openFailing(t: Test, from: number) {
  let chunks = 0
  const failing = <T>(read: () => Promise<T>): Promise<T> =>
    chunks++ >= from ? Promise.reject(new CatalogueUnavailable('away')) : read()
  const fails = (reader: CatalogueReader): CatalogueReader => ({
    ...reader,
    records: (...query) => failing(() => reader.records(...query)),
    subdirectories: (...query) => failing(() => reader.subdirectories(...query)),
    filesIn: (...query) => failing(() => reader.filesIn(...query)),
    checksums: (...query) => failing(() => reader.checksums(...query)),
  })
  const service = await openService(t, { deps: ({ reader }) => ({ reader: fails(reader) }) })
  const names = Array.from({ length: 300 }, (_, n) => `${String(n).padStart(4, 'a')}0010.26d.gz`)
  await service.addNames(day, [dayFile, ...names])
  return { app: service.app, listen: () => service.listen(), restart: () => (chunks = 0) }
}

t.test('if the first chunk fails, the answer is a plain 503', async (t) => {
  const { app } = await openFailing(t, 0)
  for (const target of [
    ...['csv', 'ndjson', 'urls', 'csv&area=obs', 'ndjson&expand=file'].map(
      (format) => `${list}?format=${format}`,
    ),
    ...['', '?format=json', 'SHA256SUMS'].map((name) => `${listing}${name}`),
  ])
    for (const offer of ['identity', 'gzip', 'br']) {
      const answer = await app.inject({ url: target, headers: { 'accept-encoding': offer } })
      t.equal(answer.statusCode, 503, `${target} ${offer}`)
      t.equal(
        answer.json<{ detail: string }>().detail,
        'The catalogue cannot be read at this moment.',
      )
      const others = Object.keys(answer.headers).filter((name) => !own.includes(name))
      t.strictSame(others, [], `${target} ${offer}`)
    }
})

t.test('if a later chunk fails before a byte was sent, the answer is a plain 503', async (t) => {
  const { app } = await openFailing(t, 1)
  // The compressor keeps the first chunk for itself.
  const headers = { 'accept-encoding': 'br' }
  const answer = await app.inject({ url: `${list}?format=urls`, headers })
  t.equal(answer.statusCode, 503)
  t.equal(answer.json<{ detail: string }>().detail, 'The catalogue cannot be read at this moment.')
  const others = Object.keys(answer.headers).filter((name) => !own.includes(name))
  t.strictSame(others, [])
})

t.test('if a later chunk fails, the connection ends before the body does', async (t) => {
  const { listen, restart } = await openFailing(t, 1)
  const port = await listen()
  for (const format of ['urls', 'csv']) {
    restart()
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${list}?format=${format} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const { status, head, body } = parseAnswer(await readToEnd(socket))
    t.equal(status, 200, format)
    t.match(head, /transfer-encoding: chunked/i)
    t.notMatch(body.toString(), /\r\n0\r\n\r\n$/, format)
  }
})
