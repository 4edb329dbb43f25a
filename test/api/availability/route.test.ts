/** Requests for many series: bodies, options, limits, and what they answer to bad ones. */
import { readFileSync } from 'node:fs'
import { fc } from '../../random.ts'
import t, { exact } from '../../tap.ts'
import { dayOf } from '../series/network.ts'
import { openService } from '../service.ts'
import type { NetworkFile } from './network.ts'
import { openAsked, slotOf } from './network.ts'

const day = (date: string, station: string): NetworkFile => [
  slotOf(`${date}T00:00Z`, '01D'),
  station,
  '01D',
]

const files: readonly NetworkFile[] = [
  ...['2026-01-18', '2026-01-19', '2026-01-21'].map((date) => day(date, 'GRAZ00AUT')),
  day('2026-01-20', 'GRAZ'),
  day('2026-01-19', 'WTZR00DEU'),
  [slotOf('2026-01-19T07:00Z', '01H'), 'WTZR00DEU', '01H'],
]
const range = '2026-01-18 2026-01-21'

t.test('comments, blank lines, lists, beginnings and options are understood', async (t) => {
  const { ask } = await openAsked(t, files)
  const body = [
    ...['# my stations', '', 'merge_gaps = 86400', 'format=csv', '  '],
    ...[`graz,ZIMM o 01D ${range}`, '# the others', `W*  o\t01h ${range}`],
  ]
  const answer = await ask(body.join('\r\n'))
  t.equal(answer.headers['content-type'], 'text/csv; charset=utf-8')
  t.same(answer.body.split('\r\n'), [
    'station,file_type,period,start,end',
    'GRAZ,o,01D,2026-01-18T00:00:00Z,2026-01-22T00:00:00Z',
    'WTZR00DEU,o,01H,2026-01-19T07:00:00Z,2026-01-19T08:00:00Z',
    '',
  ])
})

t.test('the answer says how current it is, and which stations are unknown', async (t) => {
  const { ask, passTo } = await openAsked(t, files)
  const first = await ask(`GRAZ,ZIMM,zimm o 01D ${range}`)
  t.match(first.json(), {
    as_of: '2026-01-22T05:06:09Z',
    not_current: null,
    unknown: exact(['ZIMM']),
    series: exact([
      {
        station: 'GRAZ',
        file_type: 'o',
        period: '01D',
        from: '2026-01-18T00:00:00Z',
        to: '2026-01-22T00:00:00Z',
        delivered: 4,
        spans: [['2026-01-18T00:00:00Z', '2026-01-22T00:00:00Z']],
      },
    ]),
  })
  t.equal(first.headers['as-of'], '2026-01-22T05:06:09Z')
  passTo(dayOf(2026, 1, 23) * 86_400)
  const later = await ask(`GRAZ o 01D ${range}`)
  t.match(later.headers, { 'as-of': '2026-01-22T05:06:09Z', 'not-current': /\w/ })
})

t.test('a file that was removed was delivered, and is in no stretch', async (t) => {
  const { ask, app, remove } = await openAsked(t, files)
  await remove(dayOf(2026, 1, 19), 'GRAZ00AUT', '01D')
  const own = await app.inject('/rinex/api/station/GRAZ/availability/?from=2026-01-18')
  t.match(own.json(), { possible: 4, delivered: 4, states: 'P1R1P2F1' })
  t.match((await ask('GRAZ o 01D 2026-01-18 2026-01-22')).json(), {
    series: exact([
      {
        delivered: 4,
        spans: exact([
          exact(['2026-01-18T00:00:00Z', '2026-01-19T00:00:00Z']),
          exact(['2026-01-20T00:00:00Z', '2026-01-22T00:00:00Z']),
        ]),
      },
    ]),
  })
})

t.test('the URLs are by series and time, each once', async (t) => {
  const { ask } = await openAsked(t, files)
  const body = `W* o 01H ${range}\n* o 01D ${range}\nGRAZ o 01D 2026-01-20 2026-01-20`
  const { headers, body: text } = await ask(body, { query: '?format=urls' })
  t.equal(headers['content-type'], 'text/plain; charset=utf-8')
  const root = 'https://archive.example/rinex/data/obs/2026/001/'
  t.same(
    text.split('\n'),
    [
      'WTZR00DEU_R_20260190700_01H_30S_MO.crx.gz',
      'GRAZ00AUT_R_20260180000_01D_30S_MO.crx.gz',
      'GRAZ00AUT_R_20260190000_01D_30S_MO.crx.gz',
      'graz0200.26d.gz',
      'GRAZ00AUT_R_20260210000_01D_30S_MO.crx.gz',
      'WTZR00DEU_R_20260190000_01D_30S_MO.crx.gz',
    ]
      .map((name) => root + name)
      .concat(''),
  )
})

t.test('`Accept` chooses the format, and an unknown one gets 404 or 406', async (t) => {
  const { ask } = await openAsked(t, files)
  const typeFor = async (accept: string) => {
    const { statusCode, headers } = await ask(`* o 01D ${range}`, { headers: { accept } })
    return statusCode === 200 ? headers['content-type'] : statusCode
  }
  t.equal(await typeFor('*/*'), 'application/json')
  t.equal(await typeFor('text/csv'), 'text/csv; charset=utf-8')
  t.equal(await typeFor('text/plain'), 'text/plain; charset=utf-8')
  t.equal(await typeFor('image/png'), 406)
  t.equal((await ask(`* o 01D ${range}`, { query: '?format=svg' })).statusCode, 404)
})

const line = (text: string) => [`Line 1: ${text}`]
const stationFault = line('Enter station codes of 4 or 9 characters, beginnings such as GR*, or *.')
const choice = (word: string) =>
  line(`Select a valid choice. ${word} is not one of the available choices.`)

const faults: readonly (readonly [body: string, faults: object])[] = [
  ['', { station: line('Enter a line for each question: station file_type period from to.') }],
  ['# only this', { station: [/Line 1/] }],
  ['GRAZ o 01D', { station: line('Enter 5 words: station file_type period from to.') }],
  [`GRAZ o 01D ${range} more`, { station: [/Enter 5 words/] }],
  [`GRA o 01D ${range}`, { station: stationFault }],
  [`GRAZ, o 01D ${range}`, { station: [/Enter 5 words|Enter station codes/] }],
  [`*AZ o 01D ${range}`, { station: stationFault }],
  [`GRAZ%* o 01D ${range}`, { station: stationFault }],
  [`GRAZ * 01D ${range}`, { file_type: choice('*') }],
  [`GRAZ o 05M ${range}`, { period: choice('05M') }],
  ['GRAZ o 01D 2026-02-30 2026-03-01', { from: line('Enter a valid date.') }],
  ['GRAZ o 01D 2026-01-01 *', { to: line('Enter a valid date.') }],
  ['GRAZ o 01D 2026-01-02 2026-01-01', { from: line('The range ends before it begins.') }],
  ['GRAZ o 01D 1980-01-06 2026-01-01', { from: line('A range has at most 40 years.') }],
  ['GRAZ o 15M 2020-01-01 2026-01-01', { from: [/at most 100000 slots/] }],
  [`merge_gaps=-1\nGRAZ o 01D ${range}`, { merge_gaps: ['Enter a whole number of seconds.'] }],
  [`colour=red\nGRAZ o 01D ${range}`, { colour: ['Unknown parameter.'] }],
  [`__proto__=1\nGRAZ o 01D ${range}`, {}],
  [`format=svg\nGRAZ o 01D ${range}`, { format: [/Select a valid choice. svg/] }],
  [
    `GRAZ o 01D ${range}\nformat=csv`,
    { format: ['Line 2: An option stands before the first question.'] },
  ],
  [`GR o 01D ${range}\nGRAZ q 02D ${range}`, { station: [/Line 1/], file_type: [/Line 2: .*q/] }],
]

t.test('a fault names its field and its line', async (t) => {
  const { ask } = await openAsked(t, files)
  for (const [body, expected] of faults) {
    const answer = await ask(body)
    t.equal(answer.statusCode, 400, body)
    t.match(answer.json(), expected, body)
  }
  const many = await ask('x\n'.repeat(1000))
  t.equal(many.json<{ station: string[] }>().station.length, 20)
  t.equal((await ask(`GRAZ o 01D ${range}`, { query: '?colour=red' })).statusCode, 400)
})

t.test('a request has at most 1,000 series and 10,000,000 slots', async (t) => {
  const { ask } = await openAsked(t, files)
  const questions = (count: number) => `GRAZ o 01D ${range}\n`.repeat(count)
  t.equal((await ask(questions(1000))).json<{ series: [] }>().series.length, 1000)
  const tooMany = await ask(questions(1001))
  t.match(tooMany, { statusCode: 400 })
  t.match(tooMany.json(), { station: exact(['Line 1001: A request has at most 1000 series.']) })
  const beginnings = `ZZZ*,${'ZZ*,'.repeat(1000)}Z* o 01D ${range}`
  t.equal((await ask(beginnings)).statusCode, 200, 'the same beginning counts once')
  const others = Array.from({ length: 1001 }, (_, n) => `${n.toString(36)}*`).join()
  t.match((await ask(`${others} o 01D ${range}`)).json(), {
    station: exact([/at most 1000 series/]),
  })
  const long = await ask('GRAZ o 15M 2024-01-01 2026-10-31\n'.repeat(101))
  t.match(long.json(), { from: exact([/^Line 101: A request has at most 10000000 slots/]) })
})

t.test('an address gets four answers at a time', async (t) => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const { app, writer } = await openService(t, {
    reader: (reader) => ({ stations: (query) => held.then(() => reader.stations(query)) }),
  })
  await writer.setAsOf({ atUs: Date.now() * 1000, limitSeconds: 180 })
  const ask = () =>
    app.inject({
      url: '/rinex/api/availability/',
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      payload: `* o 01D ${range}`,
    })
  const first = Array.from({ length: 4 }, async () => (await ask()).statusCode)
  const fifth = await ask()
  t.match(fifth, { statusCode: 429, headers: { 'retry-after': '10' } })
  release()
  t.strictSame(await Promise.all(first), [200, 200, 200, 200])
  t.equal((await ask()).statusCode, 200)
})

t.test('other bodies and methods are refused', async (t) => {
  const { ask, app } = await openAsked(t, files)
  const body = `GRAZ o 01D ${range}`
  const statusOf = async (type: string, headers = {}) =>
    (await ask(body, { headers: { 'content-type': type, ...headers } })).statusCode
  t.equal(await statusOf('application/x-www-form-urlencoded'), 200, 'as curl and wget call it')
  t.equal(await statusOf('text/plain; charset=utf-8'), 200)
  t.equal(await statusOf('application/json'), 415)
  t.equal(await statusOf('text/html'), 415)
  t.equal(await statusOf('text/plain', { 'content-encoding': 'gzip' }), 415)
  t.equal((await ask('#'.repeat(128 * 1024))).statusCode, 400)
  t.equal((await ask('#'.repeat(128 * 1024 + 1))).statusCode, 413)
  const url = '/rinex/api/availability/'
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'] as const) {
    const answer = await app.inject({ url, method })
    t.match(answer, { statusCode: 405, headers: { allow: 'POST, OPTIONS' } })
  }
  const options = await app.inject({ url, method: 'OPTIONS' })
  t.match(options.json(), {
    name: /\w/,
    parses: exact(['text/plain']),
    renders: exact(['application/json', 'text/csv', 'text/plain']),
  })
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' }
  const preflight = await app.inject({ url, method: 'OPTIONS', headers })
  t.equal(preflight.headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS')
})

t.test('the example of the documents is answered', async (t) => {
  const { ask } = await openAsked(t, files)
  const [, body = ''] = /<<'END'\n(.*?)^END$/ms.exec(readFileSync('docs/api.md', 'utf8')) ?? []
  const { series } = (await ask(body)).json<{ series: { station: string }[] }>()
  t.strictSame(
    series.map(({ station }) => station),
    ['GRAZ', 'WTZR'],
  )
})

t.test('no body causes an internal error', async (t) => {
  const { ask } = await openAsked(t, files)
  const word = fc.oneof(
    fc.constantFrom('GRAZ', '*', 'W*', 'o', '01D', '2026-01-18', '2026-01-21', '', 'null', '9e9'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.array(word, { minLength: 4, maxLength: 6 }).map((words) => words.join(' ')),
        { maxLength: 5 },
      )
      .map((lines) => lines.join('\n')),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fc.string(), fc.string()).map(([name, value]) => `${name}=${value}\n* o 01D ${range}`),
  )
  const property = fc.asyncProperty(text, async (body) => {
    const { statusCode, body: answer } = await ask(body)
    return statusCode === 200 || (statusCode === 400 && answer.length < 20_000)
  })
  await fc.assert(property, { numRuns: 500 })
})
