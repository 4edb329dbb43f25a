/** The strict reader takes answers apart as RFC 9112 says, and finds each kind of wrong framing. */
import t from 'tap'
import { WrongFraming, takeAnswer } from './strict-answer.ts'
import type { Asked } from './strict-answer.ts'

const asked: Asked = { method: 'GET', version: '1.1', expectsContinue: false }

const take = (text: string, how: Partial<Asked> = {}, isEnded = false) =>
  takeAnswer(Buffer.from(text, 'latin1'), 0, { ...asked, ...how }, isEnded)

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`
const chunked = head('Transfer-Encoding: chunked')
const sized = head('Content-Length: 2')

t.test('whole answers, and where the next one begins', async (t) => {
  const bodies: [text: string, how: Partial<Asked>, body: string, left: number][] = [
    [`${sized}abHTTP`, {}, 'ab', 4],
    [`${chunked}2\r\nab\r\n0\r\n\r\nHT`, {}, 'ab', 2],
    [`${sized}HTTP`, { method: 'HEAD' }, '', 4],
    ['HTTP/1.1 204 No Content\r\nA: b\r\n\r\n', {}, '', 0],
    ['HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n', {}, '', 0],
    [`HTTP/1.1 100 Continue\r\n\r\n${sized}ab`, { expectsContinue: true }, 'ab', 0],
  ]
  for (const [text, how, body, left] of bodies) {
    const taken = take(text, how)
    t.equal(taken?.answer.body.toString(), body, text)
    t.equal(text.length - (taken?.end ?? 0), left, text)
  }
  const open = head('Connection: close')
  t.equal(take(`${open}ab`, { version: '1.0' }), undefined)
  t.equal(take(`${open}ab`, { version: '1.0' }, true)?.answer.body.toString(), 'ab')
})

t.test('each beginning of an answer waits for the rest', async (t) => {
  for (const text of [`${sized}ab`, `${chunked}2\r\nab\r\n0\r\n\r\n`])
    for (let length = 0; length < text.length; length++)
      t.equal(take(text.slice(0, length)), undefined, `${length} bytes`)
})

t.test('what is framed wrongly', async (t) => {
  const wrong: [text: string, how?: Partial<Asked>][] = [
    ['HTTP/1.0 200 OK\r\n\r\n'],
    ['{"detail":"x"}'],
    ['HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'],
    [head('Content-Length: 2', 'Transfer-Encoding: chunked')],
    [head('Content-Length: 2', 'Content-Length: 2')],
    [head('Content-Length: +2')],
    [head('Transfer-Encoding: gzip')],
    [head('A: b')],
    [head('A : b', 'Content-Length: 0')],
    [head('A: b\x00', 'Content-Length: 0')],
    [head('A: b\nC: d', 'Content-Length: 0')],
    [head('A: b', ' folded', 'Content-Length: 0')],
    [chunked, { version: '1.0' }],
    [`${chunked}2\r\nabc\r\n`],
    [`${chunked}x\r\n`],
    [`${chunked}2;a=b\r\nab\r\n`],
    [`${chunked}0\r\nTrailer: x\r\n\r\n`],
    ['HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n'],
    [`HTTP/1.1 100 Continue\r\n\r\n${sized}ab`],
  ]
  for (const [text, how] of wrong) t.throws(() => take(text, how), WrongFraming, text)
})
