/** Answers that are there before the framework sees a request, over real connections. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import type { Observation } from '../../src/api/observation.ts'
import { openPress } from '../../src/api/press/press.ts'
import { answerAgain, headerList, readyAnswer } from '../../src/api/ready-answers.ts'
import type { ReadyAnswer, ReadyAnswers } from '../../src/api/ready-answers.ts'
import { sendRaw } from './wire.ts'

/** A server with answers that are ready, that says `other` where it has none. */
async function openWith(t: Test, find: ReadyAnswers['find']) {
  const observed: Observation[] = []
  const again = answerAgain([{ find: () => undefined }, { find }], (observation) =>
    observed.push(observation),
  )
  const server = createServer((request, response) => {
    again(request, response, () => response.end('other'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const ask = (headers = '', method = 'GET') =>
    sendRaw(port, `${method} /x HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`)
  return { observed, ask }
}

const headers = {
  'content-type': 'text/plain',
  'content-length': 4,
  'content-security-policy': "default-src 'none'",
  'accept-ranges': 'bytes',
  etag: '"1"',
  'x-request-id': 'of another request',
}
const ready = (given: Record<string, unknown> = headers): ReadyAnswer =>
  readyAnswer(openPress(), {
    ...{ route: '/*', tag: '"1"', body: 'text' },
    headers: headerList(given),
  })

for (const [what, find] of [
  ['at once', () => ready()],
  ['after a look', () => Promise.resolve(ready())],
] as const)
  t.test(`an answer that holds is given ${what}`, async (t) => {
    const { observed, ask } = await openWith(t, find)
    const whole = await ask()
    t.match(whole, { status: 200, body: Buffer.from('text') })
    t.match(whole.head, /^content-length: 4\r$/m)
    t.match(whole.head, /^x-request-id: [\da-f-]{36}$/m)
    t.notMatch(whole.head, 'of another request')
    const head = await ask('', 'HEAD')
    t.match(head, { status: 200, body: Buffer.alloc(0) })
    t.match(head.head, /^content-length: 4\r$/m)
    for (const known of ['"1"', 'W/"1"', '"0", "1"', '*']) {
      const { status, body, head } = await ask(`If-None-Match: ${known}\r\n`)
      t.equal(status, 304, known)
      t.equal(body.length, 0)
      t.match(head, /^etag: "1"\r$/m)
      t.match(head, /^content-security-policy: /m)
      t.notMatch(head, /^(content-type|content-length|accept-ranges): /m)
    }
    t.equal((await ask('If-None-Match: "2"\r\n')).status, 200)
    const [first] = observed
    t.match(first, { method: 'GET', target: '/x', route: '/*', status: 200 })
    t.equal(observed.length, 7)
    t.match(whole.head, first?.id)
  })

for (const [what, find] of [
  ['at once', () => undefined],
  ['after a look', () => Promise.resolve(undefined)],
  ['because the look failed', () => Promise.reject(new Error('no'))],
] as const)
  t.test(`what has no answer, ${what}, is left to others`, async (t) => {
    const { observed, ask } = await openWith(t, find)
    t.match((await ask()).body.toString(), 'other')
    t.strictSame(observed, [])
  })

t.test('an answer that cannot be sent ends the connection, and nothing else', async (t) => {
  const broken = ready({ ...headers, 'x-broken': 'a\nb' })
  const { observed, ask } = await openWith(t, () => broken)
  for (let n = 0; n < 2; n++) t.equal((await ask()).status, 0)
  t.strictSame(observed, [])
})
