import { once } from 'node:events'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { change, newFile } from '../../catalogue/change.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'
import type { Html } from '../html.ts'
import { Table } from '../html.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'
import { runEventLoop } from '../wire.ts'

const path = '/rinex/api/changes/'
const url = `https://archive.example${path}`

interface Page {
  last_seq: number
  next: string
  results: { seq: number; change: string; at: string; record: { id: number; filename: string } }[]
}

/** Three files; one is modified and one removed. The feed has the numbers 2, 4 and 5. */
async function openFeed(t: Test, options?: ServiceOptions): Promise<Service> {
  const service = await openService(t, options)
  const facts = { size: 1, mtimeUs: 1 }
  const added = [dayFile, shortFile].map((name) => newFile(name, facts))
  await service.writer.apply([change(day, { added })])
  await service.writer.apply([change(hour, { added: [newFile(hourFile, facts)] })])
  const modified = [{ id: 1, name: dayFile, size: 2, mtimeUs: 2 }]
  await service.writer.apply([change(day, { modified })])
  await service.writer.apply([change(hour, { removed: [3] })])
  return service
}

const seqs = ({ results }: Page): string =>
  results.map(({ seq, change, record }) => `${seq} ${change} ${record.id}`).join(', ')

t.test('a page of changes has the fields last_seq, next and results', async (t) => {
  const { app, reader } = await openFeed(t)
  const { epoch, seq } = await reader.head()
  const answer = await app.inject(`${path}?since=0`)
  const page = answer.json<Page>()
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, {
    'content-type': 'application/json',
    vary: 'Accept',
    allow: 'GET, HEAD, OPTIONS',
    etag: /^W\//,
    link: `<${page.next}>; rel="next"`,
  })
  t.strictSame(Object.keys(page), ['last_seq', 'next', 'results'])
  t.equal(page.last_seq, seq)
  t.equal(page.next, `${url}?epoch=${epoch}&format=api&limit=20&since=${seq}`)
  t.strictSame(Object.keys(page.results[0] ?? {}), ['seq', 'change', 'at', 'record'])
  t.equal(Object.keys(page.results[0]?.record ?? {}).length, 10)
  t.match(page.results[0]?.at, /^2026-01-22T05:06:07\.\d{6}Z$/)
})

t.test('the next links lead through all changes to the end of the feed', async (t) => {
  const { app } = await openFeed(t)
  const found: string[] = []
  let target = `${path}?since=0&limit=1`
  for (let more = true; more;) {
    const page = (await app.inject(target)).json<Page>()
    found.push(seqs(page))
    more = page.results.length > 0
    target = page.next.slice('https://archive.example'.length)
  }
  t.strictSame(found, ['2 created 2', '4 modified 1', '5 removed 3', ''])
  const head = (await app.inject(path)).json<Page>()
  t.match(head, { last_seq: 5, results: exact([]) }, 'without since the page starts at the head')
  t.match(head.next, /&since=5$/)
})

t.test('an invalid limit is ignored, and a limit that is too large becomes 1000', async (t) => {
  const { app } = await openFeed(t)
  const cases = { '2': 2, '0': 20, x: 20, '-1': 20, '1000': 1000, '99999999999999999999': 1000 }
  for (const [limit, expected] of Object.entries(cases)) {
    const { next } = (await app.inject(`${path}?since=0&limit=${limit}`)).json<Page>()
    t.match(next, `&limit=${expected}&`, limit)
  }
})

t.test('filters select changes, and the links repeat the filters', async (t) => {
  const { app, reader } = await openFeed(t)
  const { epoch } = await reader.head()
  const cases: Record<string, string> = {
    'station=graz': '2 created 2, 4 modified 1, 5 removed 3',
    'station=graz00aut': '4 modified 1, 5 removed 3',
    'station=ZIMM,Graz00Aut&station=': '4 modified 1, 5 removed 3',
    'area=obs': '2 created 2, 4 modified 1',
    'file_type=m&file_type=n': '2 created 2',
    'file_duration=h': '5 removed 3',
    'file_version=r2': '2 created 2',
    'file_version=r2&area=nrt': '',
    'area=': '2 created 2, 4 modified 1, 5 removed 3',
  }
  for (const [query, expected] of Object.entries(cases)) {
    const page = (await app.inject(`${path}?since=0&${query}`)).json<Page>()
    t.equal(seqs(page), expected, query)
    t.match(page.next, /since=5\b/)
  }
  const { next } = (
    await app.inject(`${path}?since=0&station=a000&station=graz&area=obs`)
  ).json<Page>()
  t.equal(
    next,
    `${url}?area=obs&epoch=${epoch}&format=api&limit=20&since=5&station=a000&station=graz`,
  )
})

t.test('filtered pages have all changes, however many others lie between them', async (t) => {
  const service = await openService(t)
  const { app } = service
  // One query examines 2,000 changes, so the second one begins with a matching change. A page has
  // at most 1,000.
  const batches = [
    ['obs', 900],
    ['nrt', 1100],
    ['obs', 900],
    ['nrt', 2100],
    ['obs', 700],
  ] as const
  let named = 0
  const expected: number[] = []
  for (const [area, count] of batches) {
    const names = Array.from(
      { length: count },
      () => `${(named++).toString(36).padStart(4, '0')}0010.26d.gz`,
    )
    if (area === 'obs') expected.push(...names.map((_, n) => named - count + n + 1))
    await service.addNames(area === 'obs' ? day : hour, names)
  }
  const pages: number[][] = []
  for (let target = `${path}?since=0&limit=1000&area=obs`; ;) {
    const page = (await app.inject(target)).json<Page>()
    pages.push(page.results.map(({ seq }) => seq))
    if (page.results.length === 0) break
    target = page.next.slice('https://archive.example'.length)
  }
  t.strictSame(
    pages.map(({ length }) => length),
    [1000, 1000, 500, 0],
  )
  t.strictSame(pages.flat(), expected)
})

t.test('a 400 response names all invalid values', async (t) => {
  const { app } = await openFeed(t)
  const query =
    'since=x&wait=-1&station=gra&area=foo,bar&file_type=o,x&file_duration=z&file_version=r9'
  const answer = await app.inject(`${path}?${query}`)
  t.equal(answer.statusCode, 400)
  const choice = (value: string) =>
    `Select a valid choice. ${value} is not one of the available choices.`
  t.strictSame(answer.json(), {
    since: ['Enter a whole number.'],
    wait: ['Enter a whole number.'],
    station: ['Enter station codes of 4 or 9 characters, or their beginning with an asterisk.'],
    area: [choice('foo'), choice('bar')],
    file_type: [choice('x')],
    file_duration: [choice('z')],
    file_version: [choice('r9')],
  })
  t.equal((await app.inject(`${path}?since=`)).statusCode, 400)
})

t.test('empty parameters are ignored', async (t) => {
  const { app } = await openFeed(t)
  const plain = await app.inject(`${path}?since=1`)
  const empty = await app.inject(`${path}?since=1&wait=&epoch=&area=&limit=`)
  t.equal(empty.statusCode, 200)
  t.strictSame(empty.json(), plain.json())
})

t.test('an unknown parameter gets 400', async (t) => {
  const { app } = await openFeed(t)
  t.equal((await app.inject(`${path}?since=0&country=AUT`)).statusCode, 200)
  const bad = await app.inject(`${path}?since=y&created__gt=2026-01-01&ordering=id&x=1`)
  t.equal(bad.statusCode, 400)
  t.strictSame(bad.json(), {
    since: ['Enter a whole number.'],
    created__gt: ['Unknown parameter.'],
    ordering: ['Unknown parameter.'],
    x: ['Unknown parameter.'],
  })
  const page = (await app.inject(`${path}?since=0&strict=1`)).json<Page>()
  t.match(page.next, /&strict=1$/, 'the link repeats strict')
})

t.test('a host that is behind the number of its own history gets 503', async (t) => {
  const { app } = await openService(t)
  const { epoch } = (await app.inject('/rinex/api/status/')).json<{ epoch: string }>()
  const behind = await app.inject(`${path}?since=7&epoch=${epoch}`)
  t.equal(behind.statusCode, 503)
  t.match(behind.headers, { 'retry-after': /^\d+$/ })
  t.equal((await app.inject(`${path}?since=7&epoch=other`)).statusCode, 410)
})

t.test('a number or epoch from which the feed cannot continue gets 410', async (t) => {
  const { app, writer } = await openFeed(t)
  for (const query of ['since=6', 'since=99999999999999999999', 'since=5&epoch=another']) {
    const answer = await app.inject(`${path}?${query}`)
    t.equal(answer.statusCode, 410, query)
    t.match(answer.json(), { detail: /start again with the whole list\.$/ })
  }
  await writer.purgeRemovals(Number.MAX_SAFE_INTEGER)
  t.equal((await app.inject(`${path}?since=4`)).statusCode, 410)
  t.equal((await app.inject(`${path}?since=5`)).statusCode, 200)
})

t.test('the HTML page links to records and to the next page', async (t) => {
  const { page } = await openFeed(t)
  const first = await page('changes/?since=0&limit=2')
  t.match(first.text, 'The first 2 changes after number 0; newer ones follow.')
  t.equal(first.hrefOf(dayFile), 'https://archive.example/rinex/api/rinex-file/1/?format=api')
  t.match(first.one('a', { rel: 'next' }).text, /^Newer/)
  t.ok(first.has('a', { rel: 'next', href: /since=4$/ }))
  const latest = await page('changes/?limit=2')
  t.match(latest.text, 'The latest change has number 5.')
  t.match(latest.text, 'The latest 2 changes.')
  const numbers = (html: Html) => html.texts('td', { 'data-label': 'Number' })
  t.strictSame(numbers(latest), ['5', '4'], 'the newest first')
  const filtered = await page('changes/?limit=1&file_duration=d')
  t.equal(numbers(filtered).length, 1)
  t.match(filtered.text, dayFile)
  const end = await page('changes/?since=5')
  t.match(end.text, 'No changes after number 5.')
  t.notOk(end.has('a', { rel: 'next' }), 'nothing is newer')
})

t.test('the HTML page describes each change, with present size and time of the file', async (t) => {
  const { page, writer } = await openFeed(t)
  const facts = { size: 1_400_000, mtimeUs: 1_769_058_367_000_008 }
  await writer.apply([change(hour, { added: [newFile(hourFile, facts)] })])
  await writer.apply([change(day, { removed: [2] })])
  await writer.apply([change(day, { added: [newFile('zimm0010.26d.gz')] })])
  const whole = await page('changes/')
  const timeColumn = 2
  const { rows } = new Table(whole.one('table'))
  t.strictSame(
    rows.map((row) => row.slice(0, 5).toSpliced(timeColumn, 1).join('|')),
    [
      'zimm0010.26d.gz|new|10 bytes|1 Jan 1970 00:00:00',
      `${shortFile}|removed|1 byte|1 Jan 1970 00:00:00`,
      `${hourFile}|restored, with another size or time|1.4 MB|22 Jan 2026 05:06:07`,
      `${dayFile}|replaced|2 bytes|1 Jan 1970 00:00:00`,
    ],
  )
  const filtered = await page('changes/?filename=%3Cb%3E&file_duration=d&wait=0')
  t.ok(filtered.has('a', { 'aria-label': 'Remove the filter Filename <b>' }))
})

t.test('a filter by the kind of change applies to all pages of the feed', async (t) => {
  const service = await openService(t)
  const names = Array.from({ length: 30 }, (_, n) => `a0${String(n).padStart(2, '0')}0010.26d.gz`)
  await service.addNames(day, names)
  for (const id of [3, 9, 27]) {
    const modified = [{ id, name: names[id - 1] ?? '', size: 2, mtimeUs: 2 }]
    await service.writer.apply([change(day, { modified })])
  }
  await service.writer.apply([change(day, { removed: [5] })])
  const get = async (query: string) => (await service.app.inject(`${path}?${query}`)).json<Page>()
  t.equal(
    seqs(await get('since=0&change=modified,removed')),
    '31 modified 3, 32 modified 9, 33 modified 27, 34 removed 5',
  )
  const first = await get('since=0&change=modified&limit=2')
  t.equal(seqs(first), '31 modified 3, 32 modified 9')
  t.match(first.next, /change=modified&.*since=32$/)
  const second = await get('since=32&change=modified&limit=2')
  t.equal(seqs(second), '33 modified 27')
  t.match(second.next, /since=34$/)
  t.equal((await service.app.inject(`${path}?change=replaced`)).statusCode, 400)
  const page = await service.page('changes/?change=modified')
  t.match(page.title, /^Changes, replaced/)
  t.match(page.text, 'The latest 3 changes.')
})

/** The request that a page shows, as a program gets it. */
async function shownRequest({ app }: Service, page: Html): Promise<Page> {
  const { pathname, search } = new URL(page.links({ href: /format=json/ })[0]?.href ?? '', url)
  return (await app.inject(pathname + search)).json<Page>()
}

t.test('the page shows the request that returns its list', async (t) => {
  const service = await openFeed(t)
  await service.addNames(day, ['zimm0010.26d.gz'])
  for (const query of [
    '',
    'limit=2',
    'limit=1&file_duration=d',
    'change=modified',
    'change=created,removed&limit=1',
    'since=2',
    'since=2&change=removed',
    'since=2026-01-22',
    'since=1+hour&change=created',
  ]) {
    const page = await service.page(`changes/?${query}`)
    const { results } = await shownRequest(service, page)
    t.strictSame(
      page.texts('td', { 'data-label': 'Number' }),
      results.map(({ seq }) => String(seq)).reverse(),
      query,
    )
  }
})

t.test('a page begins at a time as people say it, JSON at a number alone', async (t) => {
  const noon = Date.UTC(2026, 0, 22, 12) * 1000
  const service = await openService(t, { nowUs: noon - 30 * 3600e6 })
  const at = async (hoursAgo: number, name: string) => {
    service.clock.us = noon - hoursAgo * 3600e6
    await service.addNames(day, [name])
  }
  await at(30, 'a0010010.26d.gz')
  await at(20, 'a0020010.26d.gz')
  await at(3, 'a0030010.26d.gz')
  await at(1, 'a0040010.26d.gz')
  service.clock.us = noon
  for (const [since, numbers] of [
    ['today', '4 3'],
    ['Yesterday', '4 3 2 1'],
    ['2 h', '4'],
    ['3 hours ago', '4 3'],
    ['10 min', ''],
    ['a week', '4 3 2 1'],
    ['2026-01-22 08:00', '4 3'],
    ['2026-022T10', '4'],
    ['2026-01', '4 3 2 1'],
    ['2030-01-01', ''],
    ['2', '4 3'],
    ['', '4 3 2 1'],
  ] as const) {
    const page = await service.page(`changes/?since=${encodeURIComponent(since)}`)
    t.equal(page.texts('td', { 'data-label': 'Number' }).join(' '), numbers, since)
    t.equal(page.one('input', { name: 'since' }).attribute('value'), since, 'in the form')
  }
  t.match((await service.page('changes/?since=yesterday')).text, '4 changes since yesterday.')
  const refused = await service.page('changes/?since=soon', 400)
  t.match(refused.text, 'Enter a time, or the number of a change.')
  t.equal((await service.app.inject(`${path}?since=yesterday`)).statusCode, 400)
})

t.test('HEAD does not wait', async (t) => {
  const { app } = await openFeed(t)
  const head = await app.inject({ method: 'HEAD', url: `${path}?wait=60` })
  t.match(head, { statusCode: 200, body: '' })
})

/**
 * Starts a GET; the text of the response grows as it arrives.
 * @param client the last byte of its address in 127.0.0.0/24
 */
async function openGet(t: Test, port: number, target: string, client = 1) {
  const localAddress = `127.0.0.${client}`
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  t.teardown(() => socket.destroy())
  const got = { text: '', ended: false, socket }
  socket.on('data', (chunk: Buffer) => (got.text += chunk.toString()))
  socket.on('error', () => {})
  socket.on('close', () => (got.ended = true))
  await once(socket, 'connect')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return got
}

t.test('a long poll is answered at a change or at its timeout', async (t) => {
  let polls = 0
  const service = await openService(t, {
    reader: (reader) => ({ head: () => (polls++, reader.head()) }),
  })
  const port = await service.listen()
  await service.addNames(day, [shortFile])
  const waiting = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      openGet(t, port, `${path}?since=1&wait=60`, 2 + Math.floor(n / 16)),
    ),
  )
  const filtered = await openGet(t, port, `${path}?since=1&wait=60&area=nrt`)
  const [first, begunMs] = [polls, performance.now()]
  await until('the clients wait', () => polls > first + 5)
  t.ok(performance.now() - begunMs > 300, 'one poll serves all clients')
  t.ok(waiting.every(({ text }) => text === ''))
  await service.addNames(day, [dayFile])
  await until('all are answered', () => waiting.every(({ ended }) => ended))
  for (const { text } of waiting) t.match(text, /"last_seq":2,.*"seq":2,"change":"created"/)
  t.equal(filtered.text, '', 'a client with another filter still waits')
  await service.addNames(hour, [hourFile])
  await until('it is answered at its change', () => filtered.ended)
  t.match(filtered.text, /"last_seq":3,.*"results":\[\{"seq":3,/)
  const unchanged = await openGet(t, port, `${path}?since=1&wait=1&area=nrt&station=zimm`)
  await until('an empty page at the timeout', () => unchanged.ended)
  t.match(unchanged.text, /"last_seq":3,"next":"[^"]*&since=3&station=ZIMM&wait=1","results":\[\]/i)
  const before = polls
  await runEventLoop()
  await new Promise((resolve) => setTimeout(resolve, 200))
  t.equal(polls, before, 'no polls while no client waits')
})

/** Counts reads of the feed: a waiting client reads it once when it starts to wait. */
function countingChanges(count: () => void): ServiceOptions {
  return {
    reader: (reader) => ({
      changes: (query) => {
        count()
        return reader.changes(query)
      },
    }),
  }
}

t.test('a stopping server ends long polls at once', async (t) => {
  let reads = 0
  const service = await openFeed(
    t,
    countingChanges(() => reads++),
  )
  const poll = await openGet(t, await service.listen(), `${path}?wait=60`)
  await until('it waits', () => reads === 1)
  const started = performance.now()
  await service.app.close()
  const ms = performance.now() - started
  t.ok(ms < 30_000, `closed after ${Math.round(ms)} ms, long before its timeout`)
  await until('it has ended', () => poll.ended)
  t.match(poll.text, /"results":\[\]\}$/)
})

t.test('polls read changes in turns, however many of others lie between them', async (t) => {
  let reads = 0
  let most = 0
  const service = await openService(
    t,
    countingChanges(() => (most = Math.max(most, ++reads))),
  )
  const names = Array.from({ length: 4000 }, (_, n) => {
    const site = (n + 10 * 36 ** 3).toString(36).toUpperCase()
    return `${site}${dayFile.slice(4)}`
  })
  await service.addNames(day, names)
  await service.addNames(hour, [hourFile])
  const port = await service.listen()
  let isRunning = true
  const countTick = (): void => {
    reads = 0
    if (isRunning) setImmediate(countTick)
  }
  countTick()
  const all = await Promise.all(
    [2, 3, 4, 5].map((client) =>
      openGet(t, port, `${path}?since=0&wait=60&area=nrt&limit=1000`, client),
    ),
  )
  await until('all polls are answered', () => all.every(({ ended }) => ended))
  isRunning = false
  for (const { text } of all) t.match(text, /"last_seq":4001,.*"seq":4001/)
  t.equal(most, 1, 'one read in each tick of the event loop')
})

t.test('polls of one address share one limit', async (t) => {
  let reads = 0
  const service = await openFeed(
    t,
    countingChanges(() => reads++),
  )
  const port = await service.listen()
  const wait = (client = 2) => openGet(t, port, `${path}?wait=60`, client)
  const waiting = await Promise.all(Array.from({ length: 16 }, () => wait()))
  await until('all wait', () => reads === 16)
  const late = await wait()
  await until('rejected', () => late.ended)
  t.match(late.text, /^HTTP\/1\.1 429 /)
  t.match(late.text, '{"detail":"Too many requests of your address are waiting for changes."}')
  const other = await wait(3)
  await until('another address has its own limit', () => reads === 17)
  t.equal(other.text, '')
  waiting[0]?.socket.destroy()
  await until('accepted after another client left', async () => {
    const again = await openGet(t, port, `${path}?since=0&wait=60`, 2)
    await until('a response', () => again.ended)
    return again.text.startsWith('HTTP/1.1 200 ')
  })
})

t.test('above the total limit a waiting client gets 429, until some clients leave', async (t) => {
  let reads = 0
  const service = await openFeed(
    t,
    countingChanges(() => reads++),
  )
  const port = await service.listen()
  const waiting = await Promise.all(
    Array.from({ length: 500 }, (_, n) =>
      openGet(t, port, `${path}?wait=60`, 2 + Math.floor(n / 16)),
    ),
  )
  await until('all wait', () => reads >= 500)
  const late = await openGet(t, port, `${path}?wait=60`)
  await until('rejected', () => late.ended)
  t.match(late.text, /^HTTP\/1\.1 429 /)
  t.match(late.text, /^retry-after: \d+\r?$/m)
  t.match(late.text, '{"detail":"Too many clients are waiting for changes."}')
  t.equal((await service.app.inject(path)).statusCode, 200, 'a request without wait is served')
  for (const { socket } of waiting) socket.destroy()
  await until('accepted after other clients left', async () => {
    const again = await openGet(t, port, `${path}?since=0&wait=60`)
    await until('a response', () => again.ended)
    return again.text.startsWith('HTTP/1.1 200 ')
  })
})
