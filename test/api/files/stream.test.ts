import { once } from 'node:events'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { lineFormats, listLines } from '../../../src/api/files/stream.ts'
import type { Requester } from '../../../src/api/http/limits.ts'
import {
  changesFilters as changesFiltersOf,
  fileFilters,
} from '../../../src/api/parameters/file-filters.ts'
import type { CatalogueReader } from '../../../src/catalogue/questions/reader.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { applySteps, steps } from '../../catalogue/random-steps.ts'
import { fc } from '../../random.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'
import { parseAnswer, readToEnd, runEventLoop } from '../wire.ts'

const filterParameters = fileFilters(defaultLayout)
const changesFilters = changesFiltersOf(defaultLayout)

const path = '/rinex/api/rinex-file/'

const lines = (text: string): string[] => text.split('\n').slice(0, -1)

/** Names of 1 January. */
const manyNames = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${i.toString(36).padStart(4, '0')}0010.26d.gz`)

t.test('a stream has all records, one per line', async (t) => {
  const service = await openService(t)
  const { app } = service
  await service.addNames(day, [dayFile, shortFile])
  await service.addNames(hour, [hourFile])
  const list = (await app.inject(path)).json<{ results: unknown[] }>().results
  const answer = await app.inject(`${path}?format=ndjson`)
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, {
    'content-type': 'application/x-ndjson',
    'catalogue-seq': '3',
    allow: 'GET, POST, HEAD, OPTIONS',
    link: /^<https:\/\/archive\.example\/rinex\/api\/changes\/\?epoch=\w+&format=api&since=3>; rel="monitor"$/,
  })
  t.strictSame(
    lines(answer.body).map((line) => JSON.parse(line) as unknown),
    list,
  )
  const urls = await app.inject(`${path}?format=urls`)
  t.equal(urls.headers['content-type'], 'text/plain; charset=utf-8')
  t.equal(lines(urls.body)[0], `https://archive.example/rinex/data/${hour}/${hourFile}`)
  const head = await app.inject({ method: 'HEAD', url: `${path}?format=csv` })
  t.match(head, { statusCode: 200, body: '', headers: { 'catalogue-seq': '3' } })
  for (const target of [`${path}1/?format=csv`, `${path}?format=constructor`, `${path}?format=CSV`])
    t.equal((await app.inject(target)).statusCode, 404, target)
})

t.test('a stream has the requested order, and ends at the limit', async (t) => {
  const service = await openService(t)
  const { app } = service
  // More than two chunks, in two directories with the same names.
  for (const directory of ['obs/2026/001', 'nrt/2026/001/05'])
    await service.addNames(directory, manyNames(700))
  const listed = async (ordering: string): Promise<string[]> => {
    const urls: string[] = []
    for (const offset of [0, 1000]) {
      const page = await app.inject(`${path}?ordering=${ordering}&limit=1000&offset=${offset}`)
      const { results } = page.json<{ results: { download_path: string }[] }>()
      urls.push(...results.map(({ download_path }) => download_path))
    }
    return urls
  }
  for (const key of ['id', 'data_date', 'filename', 'created'])
    for (const ordering of [key, `-${key}`]) {
      const all = await listed(ordering)
      t.equal(all.length, 1400)
      const whole = await app.inject(`${path}?format=urls&ordering=${ordering}`)
      t.strictSame(lines(whole.body), all, ordering)
      const filtered = `format=urls&ordering=${ordering}&area=obs`
      const part = await app.inject(`${path}?${filtered}`)
      t.strictSame(
        lines(part.body),
        all.filter((url) => url.includes('/obs/')),
        filtered,
      )
      const some = await app.inject(`${path}?format=urls&ordering=${ordering}&limit=601`)
      t.strictSame(lines(some.body), all.slice(0, 601), `${ordering}, limit 601`)
    }
  t.equal(lines((await app.inject(`${path}?format=csv&limit=2`)).body).length, 3)
  for (const invalid of ['0', '-1', 'x', ''])
    t.equal(lines((await app.inject(`${path}?format=urls&limit=${invalid}`)).body).length, 1400)
})

t.test('unknown parameters, offset and unsupported orderings get 400', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile, shortFile])
  const cases: Readonly<Record<string, object>> = {
    'statoin=GRAZ': { statoin: ['Unknown parameter. Did you mean station?'] },
    'Station=GRAZ': { Station: ['Unknown parameter. Did you mean station?'] },
    'data_date_gte=2026-01-01': {
      data_date_gte: ['Unknown parameter. Did you mean data_date__gte?'],
    },
    'page=2&colour=red': { page: ['Unknown parameter.'], colour: ['Unknown parameter.'] },
    'offset=0': { offset: [/starts at the first record/] },
    'ordering=modified': { ordering: [/sorted by one of/] },
    'ordering=data_date,id': { ordering: [/sorted by one of/] },
    'ordering=size': { ordering: [/not one of the available choices/] },
  }
  for (const format of ['csv', 'ndjson', 'urls'])
    for (const [query, fields] of Object.entries(cases)) {
      const answer = await service.app.inject(`${path}?format=${format}&${query}`)
      t.equal(answer.statusCode, 400, `${format} ${query}`)
      t.match(answer.json(), exact(fields))
    }
  const page = await service.app.inject(`${path}?statoin=GRAZ`)
  t.equal(page.statusCode, 200, 'a page ignores unknown parameters')
  t.equal(page.headers['ignored-parameters'], 'statoin')
})

t.test('CSV has a header line, and quotes values with commas', async (t) => {
  const settings = { baseUrl: () => 'https://archive.example/a,b' }
  const service = await openService(t, { settings })
  const { app } = service
  await service.addNames(day, [dayFile])
  const answer = await app.inject(`${path}?format=csv`)
  t.equal(answer.headers['content-type'], 'text/csv; charset=utf-8; header=present')
  const [header, first] = lines(answer.body)
  t.equal(
    header,
    'id,url,filename,data_date,file_duration,file_version,file_type,download_path,created,modified',
  )
  const root = 'https://archive.example/a,b/rinex'
  const time = '2026-01-22T05:06:07.000009Z'
  t.equal(
    first,
    `1,"${root}/api/rinex-file/1/?format=api",${dayFile},2026-01-01T00:00:00Z,d,r3,o,"${root}/data/${day}/${dayFile}",${time},${time}`,
  )
})

/** The query of the change feed to which a stream refers. */
function monitorOf(headers: Readonly<Record<string, unknown>>): URLSearchParams {
  const [, url = ''] = /^<([^>]*)>; rel="monitor"$/.exec(String(headers['link'])) ?? []
  t.match(url, 'https://archive.example/rinex/api/changes/?')
  return new URL(url).searchParams
}

t.test('all faults of a stream are named at once', async (t) => {
  const { app } = await openService(t)
  const query = 'format=csv&ordering=modified&offset=1&bogus=1&station=1&expand=bad'
  const answer = await app.inject(`/rinex/api/rinex-file/?${query}`)
  t.equal(answer.statusCode, 400)
  t.strictSame(Object.keys(answer.json<object>()).sort(), [
    ...['bogus', 'expand', 'offset', 'ordering', 'station'],
  ])
})

t.test('the feed to which a list refers has its filters, and expands records too', async (t) => {
  const { app, page } = await openService(t)
  const followed = [...changesFilters].map(([name, { example }]) => [name, example] as const)
  const others = [...filterParameters].filter(([name]) => !changesFilters.has(name))
  t.ok(followed.length > 20 && others.length > 10)
  for (const method of ['GET', 'HEAD'] as const)
    for (const [name, example] of followed) {
      const query = { format: 'ndjson', [name]: example, expand: 'file', limit: '5', strict: '1' }
      const { headers } = await app.inject({ method, url: path, query })
      const { epoch, since, format, ...rest } = Object.fromEntries(monitorOf(headers))
      t.strictSame(rest, { [name]: example, expand: 'file' }, name)
      t.match({ epoch, since, format }, { epoch: /./, since: '0', format: 'api' })
      const feed = await app.inject(`/rinex/api/changes/?${monitorOf(headers).toString()}`)
      t.equal(feed.statusCode, 200, name)
    }
  for (const [name, { example }] of others) {
    const query = { format: 'csv', [name]: example, ordering: 'filename' }
    const { headers } = await app.inject({ url: path, query })
    t.strictSame([...monitorOf(headers).keys()].sort(), ['epoch', 'format', 'since'], name)
    const list = await page(`rinex-file/?file_type=o&${name}=${encodeURIComponent(example)}`)
    const changes = new URL(list.hrefOf('follow changes'), 'http://localhost')
    changes.searchParams.delete('format')
    t.strictSame([...changes.searchParams], [['file_type', 'o']], name)
  }
  const repeated = 'station=graz,wtzr&station=zimm&filename__contains=a%26b&filename__contains=O'
  const { headers } = await app.inject(`${path}?format=urls&${repeated}`)
  t.strictSame(monitorOf(headers).getAll('station'), ['graz,wtzr', 'zimm'])
  t.strictSame(monitorOf(headers).getAll('filename__contains'), ['a&b', 'O'])
})

t.test('a mirror of a filter that follows the link gets the changes of this filter', async (t) => {
  const service = await openService(t)
  const { app } = service
  await service.addNames(day, [dayFile, 'wtzr0010.26d.gz'])
  const filter = 'station=graz&file_duration=d&expand=file'
  const { headers, body } = await app.inject(`${path}?format=ndjson&${filter}`)
  const mirror = lines(body).map((line) => (JSON.parse(line) as { filename: string }).filename)
  t.strictSame(mirror, [dayFile])
  await service.addNames(day, ['wtzr0020.26d.gz', shortFile, 'graz001a.26d.gz'])
  const feed = await app.inject(`/rinex/api/changes/?${monitorOf(headers).toString()}`)
  const { results, next } = feed.json<{
    next: string
    results: { record: { filename: string; file: object } }[]
  }>()
  t.strictSame(
    results.map(({ record }) => record.filename),
    [shortFile],
  )
  t.ok(results[0]?.record.file)
  t.match(next, 'station=graz', 'the next pages have the filter too')
})

t.test('a link that would be too long for a proxy is left out', async (t) => {
  const { app } = await openService(t)
  const codes = Array.from({ length: 500 }, (_, n) => `s${String(n).padStart(3, '0')}`).join(',')
  const answer = await app.inject(`${path}?format=urls&station=${codes}`)
  t.match(answer, { statusCode: 200, headers: { link: undefined, 'catalogue-seq': '0' } })
})

t.test('a stream of an empty catalogue is empty, an unavailable catalogue gets 503', async (t) => {
  const { app, reader } = await openService(t)
  t.match(await app.inject(`${path}?format=ndjson`), { statusCode: 200, body: '' })
  t.equal(lines((await app.inject(`${path}?format=csv`)).body).length, 1)
  reader.close()
  t.equal((await app.inject(`${path}?format=ndjson`)).statusCode, 503)
})

t.test('a long stream is complete while requests are served and files are added', async (t) => {
  let served = 0
  // Before each chunk, the stream waits until another request was served.
  const gated = (reader: CatalogueReader): CatalogueReader => ({
    ...reader,
    records: async (range) => {
      const before = served
      await until('another request is served', () => served > before)
      return reader.records(range)
    },
  })
  const service = await openService(t, { deps: ({ reader }) => ({ reader: gated(reader) }) })
  for (const doy of ['001', '002', '003', '004'])
    await service.addNames(`obs/2026/${doy}`, manyNames(5000))
  const port = await service.listen()
  const url = `http://127.0.0.1:${port}${path}`
  const stream = fetch(`${url}?format=ndjson`)
  let reading = true
  const isReading = () => reading
  const others = (async () => {
    for (; isReading(); served++) await (await fetch(`${url}?limit=1`)).arrayBuffer()
  })()
  await service.addNames('obs/2026/005', manyNames(10))
  const answer = await stream
  const text = await answer.text()
  reading = false
  await others
  const ids = lines(text).map((line) => (JSON.parse(line) as { id: number }).id)
  t.ok(ids.length === 20_000 || ids.length === 20_010)
  t.ok(ids.every((id, i) => i === 0 || id < (ids[i - 1] ?? 0)))
  t.ok(served > 5)
})

t.test('a stream pauses while its client does not read, and ends when it leaves', async (t) => {
  let chunks = 0
  const counting = (reader: CatalogueReader): CatalogueReader => ({
    ...reader,
    records: (range) => (
      chunks++,
      reader.records({ ...range, after: { id: 25_001, key: 25_001 } })
    ),
  })
  const service = await openService(t, { deps: ({ reader }) => ({ reader: counting(reader) }) })
  for (const doy of ['001', '002']) await service.addNames(`obs/2026/${doy}`, manyNames(2000))
  const port = await service.listen()
  // The reader returns the same chunk forever, so the stream ends only if it is stopped.
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path}?format=ndjson HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until('it has started', () => chunks > 2)
  socket.pause()
  const isIdle = async () => {
    const before = chunks
    await runEventLoop()
    return chunks === before
  }
  await until('it pauses', isIdle)
  socket.destroy()
  const connections = () =>
    new Promise((resolve) => service.app.server.getConnections((_error, count) => resolve(count)))
  await until('the connection is closed', async () => (await connections()) === 0)
  await until('it has stopped', isIdle)
})

/** A service whose streams wait for `open`. */
async function openGated(t: Test) {
  let started = 0
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const service = await openService(t, {
    reader: (reader) => ({
      head: () => (started++, reader.head()),
      records: (range) => gate.then(() => reader.records(range)),
    }),
  })
  return { service, started: () => started, open }
}

t.test('above the total limit a stream gets 429, until some clients leave', async (t) => {
  const { service, started, open } = await openGated(t)
  const port = await service.listen()
  const target = `${path}?format=ndjson`
  const from = (client: number) =>
    connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${client}` })
  const streams = Array.from({ length: 50 }, (_, n) => from(2 + Math.floor(n / 4)))
  for (const socket of streams) {
    t.teardown(() => socket.destroy())
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
  }
  await until('all have started', () => started() === 50)
  const late = await service.app.inject(target)
  t.equal(late.statusCode, 429)
  t.match(late.headers['retry-after'], /^\d+$/)
  t.strictSame(late.json(), { detail: 'Too many clients are reading the whole list.' })
  t.equal((await service.app.inject(path)).statusCode, 200, 'pages are served')
  t.equal((await service.app.inject({ method: 'HEAD', url: target })).statusCode, 200)
  for (const socket of streams) socket.destroy()
  open()
  await until(
    'accepted after clients left',
    async () => (await service.app.inject(target)).statusCode === 200,
  )
})

t.test('one address may have four streams at a time', async (t) => {
  const { service, started, open } = await openGated(t)
  await service.addNames(day, [dayFile])
  const port = await service.listen()
  const request = `GET ${path}?format=urls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  const from = (client: number) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${client}` })
    t.teardown(() => socket.destroy())
    socket.write(request)
    return socket
  }
  const four = Array.from({ length: 4 }, () => from(2))
  await until('all have started', () => started() === 4)
  const fifth = parseAnswer(await readToEnd(from(2)))
  t.equal(fifth.status, 429)
  t.match(fifth.head, /retry-after: \d+/i)
  const other = from(3)
  open()
  for (const socket of [...four, other]) t.equal(parseAnswer(await readToEnd(socket)).status, 200)
})

t.test('a pipelined stream does not count towards the limit before it starts', async (t) => {
  let started = 0
  const service = await openService(t, {
    reader: (reader) => ({ head: () => (started++, reader.head()) }),
  })
  await service.add(`${day}/${dayFile}`, Buffer.alloc(32 * 1024 * 1024))
  const port = await service.listen()
  const target = `${path}?format=ndjson`
  const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`
  const clients = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'))
  for (const client of clients) {
    t.teardown(() => client.destroy())
    client.write(get(`/rinex/data/${day}/${dayFile}`) + get(target).repeat(9))
    await once(client, 'readable')
  }
  t.equal(started, 0)
  t.equal((await service.app.inject(target)).statusCode, 200)
})

t.test('a stream fails when the database is replaced', async (t) => {
  const service = await openService(t)
  const { reader } = service
  await service.addNames(day, manyNames(1500))
  const replaced: CatalogueReader = {
    ...reader,
    records: async (range) => ({ ...(await reader.records(range)), epoch: 'another' }),
  }
  const links = { api: 'https://a.example/api/', data: 'https://a.example/data/' }
  const requester: Requester = {
    client: 'a',
    signal: new AbortController().signal,
    turn: () => Promise.resolve(),
  }
  const ordering = { key: 'id', descending: true } as const
  const query = { filter: {}, ordering, details: false, facts: false, limit: Infinity }
  const source = {
    ...query,
    reader: replaced,
    links,
    layout: defaultLayout,
    epoch: 'one',
    requester,
  }
  const stream = listLines(source, lineFormats.urls)
  await t.rejects(stream.next(), { code: 'CATALOGUE_UNAVAILABLE' })
})

interface Feed {
  readonly next: string
  readonly last_seq: number
  readonly results: { change: string; record: { id: number } }[]
}

/** Mirrors by the API: streams the list during changes, then follows the feed to its end. */
async function mirrorTree(t: Test): Promise<void> {
  const { app, writer, reader } = await openService(t)
  const get = async <T>(target: string) =>
    (await app.inject(target.replace('https://archive.example', ''))).json<T>()
  const holds = fc.asyncProperty(
    ...[steps, steps, steps, fc.integer({ min: 1, max: 5 })],
    async (before, during, after, limit) => {
      await applySteps(writer, before)
      const streaming = app.inject(`${path}?format=ndjson`)
      await applySteps(writer, during)
      const { headers, body } = await streaming
      const mirror = new Map<number, unknown>()
      for (const line of lines(body)) {
        const record = JSON.parse(line) as { id: number }
        mirror.set(record.id, record)
      }
      const seq = String(headers['catalogue-seq'])
      let next = `/rinex/api/changes/?since=${seq}&limit=${limit}`
      const follow = async () => {
        for (let page: Feed; ; next = page.next) {
          page = await get<Feed>(next)
          for (const { change, record } of page.results)
            if (change === 'removed') mirror.delete(record.id)
            else mirror.set(record.id, record)
          if (page.results.length === 0) return
        }
      }
      await follow()
      await applySteps(writer, after)
      await follow()
      const live = await get<{ results: { id: number }[] }>(`${path}?limit=1000`)
      t.strictSame(mirror, new Map(live.results.map((record) => [record.id, record])))
      await writer.purgeRemovals(Number.MAX_SAFE_INTEGER)
      const { seq: since } = await reader.head()
      const { purgedSeq } = await reader.changes({ since, limit: 1, filters: {} })
      if (purgedSeq > 0) {
        const old = await app.inject(`/rinex/api/changes/?since=${purgedSeq - 1}`)
        t.equal(old.statusCode, 410)
      }
    },
  )
  await fc.assert(holds, { numRuns: 15 })
}

t.test('a stream and the changes after its number give exactly the current list', mirrorTree)
