import type { IncomingHttpHeaders } from 'node:http'
import type { Validators } from '../../../src/api/http/conditional-requests.ts'
import {
  evaluatePreconditions,
  formatHttpDate,
  parseHttpDate,
  parseRange,
} from '../../../src/api/http/conditional-requests.ts'
import t from '../../tap.ts'

const lastModified = Date.UTC(2026, 0, 22, 5, 6, 7) / 1000
const validators: Validators = { tag: '"a"', lastModified, size: 100 }
const then = formatHttpDate(lastModified)
const before = formatHttpDate(lastModified - 1)
const after = formatHttpDate(lastModified + 1)

t.test('the Range header is parsed for a file of 100 bytes', async (t) => {
  const cases: [string, ReturnType<typeof parseRange>][] = [
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=0-99', { first: 0, last: 99 }],
    ['bytes=10-', { first: 10, last: 99 }],
    ['bytes=90-200', { first: 90, last: 99 }],
    ['bytes=99-99999999999999999999999', { first: 99, last: 99 }],
    ['bytes=-1', { first: 99, last: 99 }],
    ['bytes=-100', { first: 0, last: 99 }],
    ['bytes=-1000', { first: 0, last: 99 }],
    ['BYTES=1-2', { first: 1, last: 2 }],
    ['bytes= 1-2 ,', { first: 1, last: 2 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=0-1,5-6', 'whole'],
    ['bytes=5-4', 'whole'],
    ['bytes=99999999999999999999999-0', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1.5-2', 'whole'],
    ['bytes=--1', 'whole'],
    ['bytes 0-1', 'whole'],
    ['lines=0-1', 'whole'],
    ['', 'whole'],
  ]
  for (const [header, expected] of cases) t.same(parseRange(header, 100), expected, header)
  for (const header of ['bytes=0-', 'bytes=-1']) t.equal(parseRange(header, 0), 'unsatisfiable')
})

t.test('HTTP dates are parsed in three forms, and other texts are invalid', async (t) => {
  const seconds = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000
  const cases: [string, number | undefined][] = [
    ['Sun, 06 Nov 1994 08:49:37 GMT', seconds],
    ['Sunday, 06-Nov-94 08:49:37 GMT', seconds],
    ['Sun Nov  6 08:49:37 1994', seconds],
    ['Sun, 06 Nov 1994 08:49:37 +0000', undefined],
    ['1994-11-06T08:49:37Z', undefined],
    ['784111777', undefined],
    ['yesterday', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of cases) t.equal(parseHttpDate(text), expected, text)
  t.equal(formatHttpDate(seconds), 'Sun, 06 Nov 1994 08:49:37 GMT')
})

t.test('conditional headers are evaluated in the order of RFC 9110, 13.2.2', async (t) => {
  const part = { status: 206, range: { first: 1, last: 2 } }
  const range = 'bytes=1-2'
  const cases: [IncomingHttpHeaders, object][] = [
    [{}, { status: 200 }],
    [{ 'if-match': '"a"' }, { status: 200 }],
    [{ 'if-match': '"b", "a"' }, { status: 200 }],
    [{ 'if-match': '*' }, { status: 200 }],
    [{ 'if-match': 'W/"a"' }, { status: 412 }],
    [{ 'if-match': '"b"' }, { status: 412 }],
    [{ 'if-match': '"b"', 'if-none-match': '"a"' }, { status: 412 }],
    [{ 'if-match': '"a"', 'if-unmodified-since': before }, { status: 200 }],
    [{ 'if-match': '"a"', 'if-none-match': '"a"' }, { status: 304 }],
    [{ 'if-unmodified-since': before }, { status: 412 }],
    [{ 'if-unmodified-since': then }, { status: 200 }],
    [{ 'if-unmodified-since': 'nonsense' }, { status: 200 }],
    [{ 'if-none-match': '"a"' }, { status: 304 }],
    [{ 'if-none-match': 'W/"a"' }, { status: 304 }],
    [{ 'if-none-match': '"x" , W/"a"' }, { status: 304 }],
    [{ 'if-none-match': '*' }, { status: 304 }],
    [{ 'if-none-match': '"b"' }, { status: 200 }],
    [{ 'if-none-match': 'a' }, { status: 200 }],
    [{ 'if-none-match': '"x, a"' }, { status: 200 }],
    [{ 'if-none-match': '"b"', 'if-modified-since': then }, { status: 200 }],
    [{ 'if-modified-since': then }, { status: 304 }],
    [{ 'if-modified-since': after }, { status: 200 }],
    [{ 'if-modified-since': before }, { status: 200 }],
    [{ 'if-modified-since': 'nonsense' }, { status: 200 }],
    [{ range }, part],
    [{ range, 'if-none-match': '"a"' }, { status: 304 }],
    [{ range, 'if-none-match': '"b"' }, part],
    [{ range: 'bytes=100-' }, { status: 416 }],
    [{ range: 'bytes=100-', 'if-match': '"b"' }, { status: 412 }],
    [{ range, 'if-range': '"a"' }, part],
    [{ range, 'if-range': 'W/"a"' }, { status: 200 }],
    [{ range, 'if-range': '"b"' }, { status: 200 }],
    [{ range: 'bytes=100-', 'if-range': '"b"' }, { status: 200 }],
    [{ range, 'if-range': then }, { status: 200 }],
    [{ range, 'if-range': before }, { status: 200 }],
    [{ range, 'if-range': after }, { status: 200 }],
    [{ range, 'if-range': 'nonsense' }, { status: 200 }],
    [{ 'if-range': '"b"' }, { status: 200 }],
  ]
  for (const [headers, expected] of cases) {
    t.same(
      evaluatePreconditions({ method: 'GET', headers }, validators),
      expected,
      JSON.stringify(headers),
    )
  }
})

t.test('HEAD ignores ranges, and If-Range needs a strong date', async (t) => {
  const range = 'bytes=1-2'
  t.same(evaluatePreconditions({ method: 'HEAD', headers: { range } }, validators), { status: 200 })
  const headers = { range, 'if-range': then }
  const weak = { ...validators, lastModifiedIsStrong: false }
  t.same(evaluatePreconditions({ method: 'GET', headers }, weak), { status: 200 })
})

t.test('a file without a date matches only by its ETag', async (t) => {
  const undated = { ...validators, lastModified: undefined }
  const cases: [IncomingHttpHeaders, number][] = [
    [{ 'if-modified-since': then }, 200],
    [{ 'if-unmodified-since': before }, 200],
    [{ range: 'bytes=1-2', 'if-range': then }, 200],
    [{ range: 'bytes=1-2', 'if-range': 'nonsense' }, 200],
    [{ 'if-none-match': '"a"' }, 304],
  ]
  for (const [headers, status] of cases)
    t.equal(
      evaluatePreconditions({ method: 'GET', headers }, undated).status,
      status,
      JSON.stringify(headers),
    )
})
