/**
 * Delivery of messages to a real HTTP server: signatures, failures, redirects, timeouts and
 * restarts.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import t, { exact } from '../tap.ts'
import type { Test } from 'tap'
import { runAlertLoop } from '../../src/alerts/alert-loop.ts'
import type { AlertLoopDeps } from '../../src/alerts/alert-loop.ts'
import type { Found, Message } from '../../src/alerts/announcements.ts'
import { MemoryFile } from '../../src/alerts/memory-file.ts'
import { createWebhook } from '../../src/alerts/webhook.ts'
import { CatalogueUnavailable } from '../../src/catalogue/reader-errors.ts'
import { announcedAs } from '../../src/alerts/announced-incidents.ts'
import type { Announced } from '../../src/alerts/announced-incidents.ts'
import { keyOf } from '../../src/series/alerts.ts'
import type { IncidentAlert } from '../../src/series/alerts.ts'
import { watchingIndexer } from '../api/status/indexer-status.ts'
import { testFolder } from '../folder.ts'
import { openReceiver, secret } from './receiver.ts'

const start = 1_800_000_000
const late = (station: string): IncidentAlert => {
  const since = '2027-01-15T05:00:00Z'
  const id = `loss-${station}-01H-${since}`
  const facts = { kind: 'late', period: '01H', since, ended: null } as const
  const series = [{ ...facts, station, file_type: 'o' as const }]
  const of = { station, country: null, stations: [station], expected_stations: null }
  const incident = { ...facts, id, ...of, series, as_of: since }
  return { id, kind: 'late', incident, since, opened: since, changed: since, series }
}

/** Each round is a check with these alerts; time passes as the process waits. */
type Alerts = readonly IncidentAlert[]
type Round = Alerts | 'unavailable' | 'not-current' | (() => Alerts)

const stopped = 'the indexer is stopped'

function foundIn(round: Exclude<Round, 'unavailable'>, nowSeconds: number): Found {
  if (round === 'not-current')
    return {
      alerts: [],
      lost: new Set(),
      currency: { asOf: nowSeconds - 600, notCurrent: stopped, isOld: true, problems: [] },
    }
  const alerts = typeof round === 'function' ? round() : round
  return {
    alerts,
    lost: new Set(alerts.flatMap(({ series }) => series.map(keyOf))),
    currency: { asOf: nowSeconds, notCurrent: undefined, isOld: false, problems: [] },
  }
}

function openLoop(t: Test, url: string, file = join(testFolder(t), 'state/alerts.json')) {
  let nowSeconds = start
  const lines: string[] = []
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString())
      done()
    },
  })
  const waits: number[] = []
  return {
    file,
    waits,
    lines,
    stored: () =>
      JSON.parse(readFileSync(file, 'utf8')) as { open: Announced[]; messages: object[] },
    messages: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    /** Starts a process an hour before the first round, ends it after the last one. */
    async run(rounds: readonly Round[], more: Partial<AlertLoopDeps> = {}) {
      const end = new AbortController()
      const left = [[], ...rounds]
      const deps: AlertLoopDeps = {
        openAlerts: async () => {
          const round = left.shift() ?? []
          if (round === 'unavailable') throw new CatalogueUnavailable('no catalogue')
          return foundIn(round, nowSeconds)
        },
        indexerStatus: async () => watchingIndexer,
        send: createWebhook({ url, secret, version: '1.2.3' }),
        memory: new MemoryFile(file),
        nowSeconds: () => nowSeconds,
        logger: pino({ level: 'info' }, stream),
        wait: async (ms) => {
          waits.push(ms / 1000)
          const isQuietHour = left.length === rounds.length
          nowSeconds += isQuietHour ? 3600 : ms / 1000
          if (left.length === 0) end.abort()
        },
        ...more,
      }
      await runAlertLoop(deps, end.signal)
    },
  }
}

t.test('a message is signed and delivered once', async (t) => {
  const { received, url } = await openReceiver(t)
  const loop = openLoop(t, url)
  await loop.run([[late('GRAZ00AUT')], [late('GRAZ00AUT')], []])
  t.same(
    received.map(({ message, isSigned }) => [message.state, message.kind, isSigned]),
    [
      ['open', 'late', true],
      ['closed', 'late', true],
    ],
  )
  const [{ request, message, body }] = received as [(typeof received)[0]]
  t.match(request, { method: 'POST', url: '/hook?token=in-the-url' })
  t.match(request.headers, {
    'content-type': 'application/json',
    'user-agent': 'rinex-catalogue/1.2.3',
  })
  t.same(Object.keys(message), ['id', 'at', 'kind', 'state', 'incident', 'series'])
  t.equal(message.at, '2027-01-15T09:00:00.000Z')
  t.match(body, '"station":"GRAZ00AUT","file_type":"o","period":"01H"')
  t.not(message.id, received[1]?.message.id)
  t.same(loop.stored(), { version: 3, open: [], messages: [] })
})

const failures: Readonly<Record<string, (response: ServerResponse, url: string) => void>> = {
  'HTTP status 500': (response) => response.writeHead(500).end('x'.repeat(100_000)),
  'HTTP status 404': (response) => response.writeHead(404).end(),
  'HTTP status 302, and redirects are not followed': (response, url) =>
    response.writeHead(302, { location: url }).end(),
  'HTTP status 308, and redirects are not followed': (response, url) =>
    response.writeHead(308, { location: url }).end(),
  'no response in time': () => undefined,
  UND_ERR_SOCKET: (response) => response.destroy(),
}

for (const [reason, fail] of Object.entries(failures))
  t.test(`a message is sent again after this failure: ${reason}`, async (t) => {
    const other = await openReceiver(t)
    let attempts = 0
    const { received, url } = await openReceiver(t, (response) => {
      if (attempts > 3) response.writeHead(200).end('thanks')
      else fail(response, other.url)
    })
    const sendWithin = (timeoutMs: number) =>
      createWebhook({ url, secret, version: '1.2.3', timeoutMs })
    // Only what is to fail for lack of time has little: on a busy machine, another attempt would
    // fail too.
    const failing = sendWithin(reason === 'no response in time' ? 500 : 60_000)
    const last = sendWithin(60_000)
    const send: AlertLoopDeps['send'] = (message) => (++attempts > 3 ? last : failing)(message)
    const loop = openLoop(t, url)
    const rounds = Array.from({ length: 5 }, () => [late('GRAZ00AUT')])
    await loop.run(rounds, { send })
    t.same(other.received, [], 'no request to the target of a redirect')
    t.equal(attempts, 4)
    t.ok(received.length <= attempts, 'each attempt is one request')
    t.equal(new Set(received.map(({ body }) => body)).size, 1, 'the same message')
    t.same(loop.waits, [300, 10, 20, 40, 300, 300])
    t.same(loop.messages(), ['quiet', 'sending alerts', 'alert not delivered', 'alert delivered'])
    t.match(loop.lines.join(''), `"reason":"${reason}"`)
    t.notMatch(loop.lines.join(''), /in-the-url|127\.0\.0\.1|nobody-logs/)
  })

t.test('a receiver that was away gets each change of the meantime once', async (t) => {
  const receiver = await openReceiver(t)
  const { url, server, received } = receiver
  const { port } = new URL(url)
  server.close()
  server.closeAllConnections()
  const [graz, wtzr, zimm] = ['GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'].map(late) as [
    IncidentAlert,
    IncidentAlert,
    IncidentAlert,
  ]
  const loop = openLoop(t, url)
  await loop.run([[graz], [graz, wtzr], [wtzr]])
  t.equal(loop.stored().messages.length, 1)
  t.match(loop.lines.join(''), '"reason":"ECONNREFUSED"')
  await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve))
  const restarted = openLoop(t, url, loop.file)
  await restarted.run([[wtzr], [wtzr, zimm]])
  t.same(
    received.map(({ message: { state, series } }) => [
      state,
      ...series.map((each) => each.station),
    ]),
    [
      ['open', 'GRAZ00AUT'],
      ['closed', 'GRAZ00AUT'],
      ['open', 'WTZR00DEU'],
      ['open', 'ZIMM00CHE'],
    ],
  )
  await openLoop(t, url, loop.file).run([[wtzr, zimm]])
  t.equal(received.length, 4, 'a restart repeats nothing')
})

t.test('a process that is killed before it notes a delivery sends the message again', async (t) => {
  const { received, url } = await openReceiver(t)
  const loop = openLoop(t, url)
  const memory = new MemoryFile(loop.file)
  const killed = {
    load: () => memory.load(),
    putAside: () => memory.putAside(),
    async store(state: Parameters<typeof memory.store>[0]) {
      if (received.length > 0) throw new Error('killed')
      await memory.store(state)
    },
  }
  await t.rejects(loop.run([[late('GRAZ00AUT')]], { memory: killed }), /killed/)
  await loop.run([[late('GRAZ00AUT')]])
  t.equal(received.length, 2)
  t.equal(received[0]?.body, received[1]?.body)
})

t.test('a message that the receiver never accepts is dropped after a day', async (t) => {
  const { received, url } = await openReceiver(t, (response) => response.writeHead(400).end())
  const loop = openLoop(t, url)
  const rounds = Array.from({ length: 300 }, () => [late('GRAZ00AUT')])
  await loop.run([...rounds, []])
  t.equal(Math.max(...loop.waits), 300)
  t.strictSame(loop.messages(), [
    'quiet',
    'sending alerts',
    'alert not delivered',
    'alert dropped after a day',
  ])
  t.equal(new Set(received.map(({ message }) => message.id)).size, 2)
  t.match(received.at(-1)?.message, { state: 'closed' })
})

t.test('a missing catalogue closes no alert', async (t) => {
  const { received, url } = await openReceiver(t)
  const loop = openLoop(t, url)
  await loop.run([[late('GRAZ00AUT')], 'unavailable', 'unavailable', [late('GRAZ00AUT')]])
  t.equal(received.length, 1, 'nothing is closed')
  t.equal(loop.lines.filter((line) => line.includes('"no catalogue"')).length, 1)
})

/** What is remembered of an alert. */
const known = announcedAs(late('GRAZ00AUT'))

t.test('a message says why the catalogue is not current, and another that it is', async (t) => {
  const { received, url } = await openReceiver(t)
  const loop = openLoop(t, url)
  await loop.run([[late('GRAZ00AUT')], 'not-current', 'not-current'])
  await openLoop(t, url, loop.file).run([])
  t.strictSame(
    received.map(({ body }) => JSON.parse(body.replace(/"id":.*?,"at":.*?,/, '')) as object),
    [
      { kind: 'late', state: 'open', incident: known.incident, series: known.series },
      { kind: 'not-current', state: 'open', series: [], reason: stopped },
      { kind: 'not-current', state: 'closed', series: [] },
    ],
  )
  t.match(loop.lines.join(''), `"reason":"${stopped}","msg":"quiet"`)
})

const graz = late('GRAZ00AUT')
const message = {
  id: '0b6f8a52',
  at: '2027-01-15T09:00:00.000Z',
  kind: 'late',
  state: 'open',
  incident: known.incident,
  series: known.series,
}
const openOnly = (...open: unknown[]) => JSON.stringify({ version: 3, open, messages: [] })
const messagesOnly = (...messages: unknown[]) => JSON.stringify({ version: 3, open: [], messages })

const damages: Readonly<Record<string, string>> = {
  empty: '',
  'cut off': '{"version":3,"open":[{"id"',
  garbage: '\x00\x01',
  null: 'null',
  'an array': '[]',
  'of another version': '{"version":1,"open":[],"messages":[]}',
  'without lists': '{"version":3}',
  'a text as a list': '{"version":3,"open":"x","messages":[]}',
  'a table as a list': '{"version":3,"open":[],"messages":{}}',
  'an alert that is null': openOnly(null),
  'an alert without series': openOnly({}),
  'an alert with no series': openOnly({ ...known, series: [] }),
  'an alert of an unknown kind': openOnly({ ...known, kind: 'test' }),
  'an alert of a kind of earlier releases': openOnly({ ...known, kind: 'missing' }),
  'an alert since no time': openOnly({ ...known, incident: { ...known.incident, since: 'then' } }),
  'an alert without its incident': openOnly({ ...known, incident: undefined }),
  'an alert of no place': openOnly({ ...known, incident: { ...known.incident, station: null } }),
  'an alert without the series that are back': openOnly({ ...known, back: undefined }),
  'an alert with too few stations since a text': openOnly({ ...known, tooFewSince: 'then' }),
  'a series that is null': openOnly({ ...known, series: [null] }),
  'a series of an unknown period': openOnly({
    ...known,
    series: [{ ...known.series[0], period: '02H' }],
  }),
  'an alert of the earlier version without series': JSON.stringify({
    version: 2,
    open: [{ ...graz, incident: undefined, series: [] }],
    messages: [],
  }),
  'a series of an unknown type': messagesOnly({
    ...message,
    series: [{ ...known.series[0], file_type: 'x' }],
  }),
  'a message that is null': messagesOnly(null),
  'a message of another shape': messagesOnly({ id: 'x' }),
  'a message of no time': messagesOnly({ ...message, at: 'soon' }),
  'a message of an unknown state': messagesOnly({ ...message, state: 'half' }),
  'a message with a number as its reason': messagesOnly({ ...message, reason: 7 }),
  'a message whose incident replaces a number': messagesOnly({
    ...message,
    incident: { ...message.incident, replaces: [7] },
  }),
  'a message with no series': messagesOnly({ ...message, series: [] }),
  'a second message of another shape': messagesOnly(message, { ...message, id: 7 }),
}

for (const [name, damaged] of Object.entries(damages))
  t.test(`a damaged state file is put aside, and the process goes on: ${name}`, async (t) => {
    const { received, url } = await openReceiver(t)
    const loop = openLoop(t, url, join(testFolder(t, { 'alerts.json': damaged }), 'alerts.json'))
    await loop.run([[graz]])
    t.equal(received.length, 1, 'open alerts are sent again')
    t.strictSame(loop.stored(), { version: 3, open: [known], messages: [] })
    t.equal(readFileSync(`${loop.file}.damaged`, 'utf8'), damaged)
    const warnings = loop.lines.filter((line) => line.includes('alerts_state_file damaged'))
    t.equal(warnings.length, 1)
    t.match(warnings[0], `"set_aside":"${loop.file}.damaged"`)
    await loop.run([[graz]])
    t.equal(received.length, 1, 'the next start knows them')
  })

t.test('what the process writes is what it reads', async (t) => {
  const memory = new MemoryFile(join(testFolder(t), 'alerts.json'))
  const { incident, series } = known
  const never = {
    ...known,
    incident: { ...incident, since: null },
    series: [{ ...series[0], since: null }],
  } as Announced
  const none = { id: 'x', at: message.at, kind: 'not-current', series: [] }
  const norway = { ...incident, station: null, country: 'NOR' }
  const replaces = { ...norway, replaces: ['loss-BODO00NOR-01H-never'] }
  const state = {
    open: [
      known,
      { ...known, kind: 'down' },
      never,
      { kind: 'late', incident: norway, series, back: series, tooFewSince: start },
      { kind: 'ingest-stalled', series: [...series, ...never.series], back: [] },
      { kind: 'not-current', series: [], back: [] },
    ] as Announced[],
    messages: [
      message,
      { ...message, kind: 'down', state: 'closed' },
      { ...message, incident: replaces },
      { ...message, state: 'closed', incident: { ...norway, continues: ['a'] } },
      { ...none, state: 'open', reason: stopped },
      { ...none, state: 'closed' },
    ] as Message[],
  }
  await memory.store(state)
  t.strictSame(await memory.load(), state)
})

t.test('a file of the earlier version is understood: nothing is announced again', async (t) => {
  const { received, url } = await openReceiver(t)
  const old = (station: string, file_type: 'o' | 'n') => {
    const since = '2027-01-15T05:00:00Z'
    const series = [{ station, file_type, period: '01H', since }]
    const id = `loss-${station}-${file_type}-01H-${since}`
    return { id, kind: 'late', since, opened: since, changed: since, series }
  }
  const open = [old('GRAZ00AUT', 'o'), old('GRAZ00AUT', 'n'), old('WTZR00DEU', 'o')]
  const waiting = { id: 'a', at: '2027-01-15T07:00:00Z', kind: 'late', state: 'open' }
  const messages = [{ ...waiting, series: open[2]?.series }]
  const file = testFolder(t, { 'alerts.json': JSON.stringify({ version: 2, open, messages }) })
  const loop = openLoop(t, url, join(file, 'alerts.json'))
  const both = late('GRAZ00AUT')
  const [first] = both.series
  const series = [...both.series, { ...first, file_type: 'n' } as typeof first & object]
  await loop.run([[{ ...both, series }, late('WTZR00DEU')], []])
  t.same(
    received.map(({ message: { state, series } }) => [
      state,
      ...series.map(({ station, file_type }) => station + file_type),
    ]),
    [
      ['open', 'WTZR00DEUo'],
      ['closed', 'GRAZ00AUTo', 'GRAZ00AUTn'],
      ['closed', 'WTZR00DEUo'],
    ],
  )
  t.match(loop.stored(), { version: 3, open: exact([]) })
})

t.test('on a full disk the alerts are sent, and stored when there is room again', async (t) => {
  const { received, url } = await openReceiver(t)
  const loop = openLoop(t, url)
  const [wtzr, zimm] = [late('WTZR00DEU'), late('ZIMM00CHE')]
  mkdirSync(dirname(loop.file))
  const fill = (): void => symlinkSync('/dev/full', `${loop.file}.new`)
  const free = (): void => rmSync(`${loop.file}.new`)
  fill()
  await loop.run([
    [graz],
    [graz, wtzr],
    () => {
      free()
      return [graz, wtzr]
    },
    () => {
      t.strictSame(loop.stored().open, [graz, wtzr].map(announcedAs))
      fill()
      return [graz, wtzr, zimm]
    },
    () => {
      free()
      return [graz, wtzr, zimm]
    },
  ])
  const stations = received.map(({ message: { series } }) => series.map(({ station }) => station))
  t.strictSame(stations, [['GRAZ00AUT'], ['WTZR00DEU'], ['ZIMM00CHE']])
  const file = loop.messages().filter((text) => text.startsWith('alerts_state_file'))
  const [failed, again] = [
    'alerts_state_file cannot be written; trying again',
    'alerts_state_file written again',
  ]
  t.strictSame(file, [failed, again, failed, again], 'each failure is logged once')
  t.match(
    loop.lines.find((line) => line.includes(failed)),
    /"level":50.*"reason":"ENOSPC/,
  )
  t.strictSame(
    loop.messages().filter((text) => text === 'quiet').length,
    1,
    'no further quiet hour',
  )
  t.strictSame(loop.stored(), {
    version: 3,
    open: [graz, wtzr, zimm].map(announcedAs),
    messages: [],
  })
})

const withoutPython = spawnSync('python3', ['--version']).error !== undefined && 'no python3 here'

t.test('the receiver of operate.md accepts signed messages', { skip: withoutPython }, async (t) => {
  const folder = testFolder(t, { secret: `${secret}\n` })
  const [, example = ''] =
    /^```python\n(.*?)^```$/ms.exec(readFileSync('docs/operate.md', 'utf8')) ?? []
  const program = example
    .replace('/etc/rinex-catalogue/alerts-secret', join(folder, 'secret'))
    .replace(/^(.*)HTTPServer\(\("127.0.0.1", 9000\), Receiver\).serve_forever\(\)$/m, (line) =>
      line
        .replace('9000', '0')
        .replace(
          /^(.*)\.serve_forever.*$/,
          's = $1\nprint(s.server_port, flush=True)\ns.serve_forever()',
        ),
    )
  const receiver = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(async () => {
    receiver.kill()
    await once(receiver, 'exit')
  })
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => (await lines.next()).value as string
  const url = `http://127.0.0.1:${await next()}/`
  const { series } = late('GRAZ00AUT')
  const message = {
    id: 'a',
    at: '2026-01-22T05:00:00Z',
    kind: 'late',
    state: 'open',
    series,
  } as const
  const signed = createWebhook({ url, secret, version: '1' })
  const forged = createWebhook({ url, secret: 'another', version: '1' })
  t.equal(await forged(message), 'HTTP status 403')
  t.equal(await signed(message), undefined)
  t.equal(await next(), 'open late GRAZ00AUT')
})
