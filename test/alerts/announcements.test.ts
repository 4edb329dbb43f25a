/**
 * Messages about alerts: tables of cases, and random sequences of checks that are compared with
 * what a receiver knows.
 */
import t, { exact } from '../tap.ts'
import type { Test } from 'tap'
import { announce, startAnnouncing } from '../../src/alerts/announcements.ts'
import type { AnnouncerState, Check, Found, Message } from '../../src/alerts/announcements.ts'
import type { StatusReply } from '../../src/control-socket/client.ts'
import { announcedAs } from '../../src/alerts/announced-incidents.ts'
import { keyOf } from '../../src/series/alerts.ts'
import type { Alert, IncidentAlert } from '../../src/series/alerts.ts'
import type { IncidentKind, IncidentSeries } from '../../src/series/incidents.ts'
import { watchingIndexer } from '../api/status/indexer-status.ts'
import { openBook } from './receiver-book.ts'
import { fc } from '../random.ts'

const hour = 3600
const start = 1_800_000_000

/** The alert of the hourly observation files of a station, or of several ones of a country. */
function alert(
  kind: IncidentKind,
  stations: string | readonly string[],
  since = '2026-01-22T10:00:00Z',
): IncidentAlert {
  const codes = typeof stations === 'string' ? [stations] : stations
  const [station = '', ...others] = codes
  const country = others.length === 0 ? null : station.slice(6)
  const id = `loss-${country ?? station}-01H-${since}`
  const times = { since, ended: null }
  const series = codes.map((station): IncidentSeries => ({
    station,
    file_type: 'o',
    period: '01H',
    kind,
    ...times,
  }))
  return {
    id,
    kind,
    incident: {
      id,
      kind,
      period: '01H',
      station: country === null ? station : null,
      country,
      stations: codes,
      expected_stations: country === null ? null : codes.length,
      series,
      as_of: since,
      ...times,
    },
    since,
    opened: since,
    changed: since,
    series,
  }
}

/** The alert after it has become `down`. */
const isDown = ({ incident, ...late }: IncidentAlert): IncidentAlert => ({
  ...late,
  kind: 'down',
  incident: { ...incident, kind: 'down' },
})

const [graz, wtzr, zimm] = ['GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'].map((code) =>
  alert('late', code),
) as [IncidentAlert, IncidentAlert, IncidentAlert]
const stalled: Alert = {
  id: 'ingest-stalled-2026-01-22T10:00:00Z',
  kind: 'ingest-stalled',
  since: '2026-01-22T10:00:00Z',
  opened: '2026-01-22T12:00:00Z',
  changed: '2026-01-22T12:00:00Z',
  series: [graz, wtzr].flatMap(({ series }) => series),
}

function statusOf(state: string, startedSeconds = 0): StatusReply {
  if (state === 'stopped') return undefined
  if (state === 'unknown') return { state, reason: '' }
  return { ...watchingIndexer, state, startedUs: startedSeconds * 1e6 } as StatusReply
}

/** What a check finds in a catalogue that is current, unless `more` says otherwise. */
const foundAt = (
  nowSeconds: number,
  alerts: readonly Alert[],
  more: Partial<Found['currency']> = {},
): Found => ({
  alerts,
  lost: new Set(alerts.flatMap(({ series }) => series.map(keyOf))),
  currency: {
    asOf: nowSeconds,
    notCurrent: undefined,
    problems: [],
    // As with a heartbeat each minute.
    isOld: more.asOf !== undefined && nowSeconds - more.asOf > 180,
    ...more,
  },
})

/** A process that delivers at once. */
function openProcess(
  memory: Pick<AnnouncerState, 'open' | 'messages'> = { open: [], messages: [] },
) {
  let state = startAnnouncing(memory, start)
  let count = 0
  /** Returns the messages of a check, as text. */
  const announced = (nowSeconds: number, found: Check['found'], status: StatusReply): string[] => {
    state = announce(state, { nowSeconds, status, found }, () => String(++count))
    const made = state.messages.map(textOf)
    state = { ...state, messages: [] }
    return made
  }
  return {
    get state() {
      return state
    },
    check: (
      seconds: number,
      alerts: readonly Alert[] | Error,
      indexer = 'watching',
      started = 0,
    ): string[] => {
      const now = start + seconds
      const found = alerts instanceof Error ? alerts : foundAt(now, alerts)
      return announced(now, found, statusOf(indexer, started))
    },
    /** A check of a catalogue that is not current since some seconds. */
    checkNotCurrent: (seconds: number, age: number | undefined, alerts: readonly Alert[] = []) => {
      const now = start + seconds
      const asOf = age === undefined ? undefined : now - age
      const more = { asOf, notCurrent: 'the indexer is stopped' }
      return announced(now, foundAt(now, alerts, more), statusOf('stopped'))
    },
  }
}

function textOf({ state, kind, series }: Message): string {
  return [state, kind, ...series.map(({ station }) => station.slice(0, 4))].join(' ')
}

t.test('each incident that opens or closes has one message', async (t) => {
  const { check } = openProcess()
  const opened = ['open late GRAZ', 'open late WTZR', 'open late ZIMM']
  t.same(check(hour, [graz, wtzr, zimm]), opened)
  t.same(check(hour + 300, [graz, wtzr, zimm]), [])
  const later = alert('late', 'GRAZ00AUT', '2026-01-22T12:00:00Z')
  t.same(check(hour + 600, [later, wtzr, zimm]), [], 'one file arrived, it is still late')
  t.same(check(hour + 900, [later, zimm]), ['closed late WTZR'])
  t.same(check(hour + 1200, []), ['closed late GRAZ', 'closed late ZIMM'])
})

t.test('an incident that is down is announced again, and closed as down', async (t) => {
  const process = openProcess()
  const { check } = process
  t.same(check(hour, [graz, zimm]), ['open late GRAZ', 'open late ZIMM'])
  const down = [isDown(graz), zimm]
  t.same(check(hour + 300, down), ['open down GRAZ'], 'nothing is closed')
  t.same(check(hour + 600, down), [])
  t.same(check(hour + 900, [isDown(graz)]), ['closed late ZIMM'])
  t.same(check(hour + 1200, [graz]), [], 'down is not taken back')
  t.same(check(hour + 1500, [isDown(graz)]), [], 'nor said again')
  t.same(check(hour + 1800, []), ['closed down GRAZ'])
  t.strictSame(process.state.open, [])
  const other = openProcess({ open: [announcedAs(graz)], messages: [] })
  t.same(other.check(hour - 1, [isDown(graz)]), [], 'not in the first hour')
  t.strictSame(other.state.open, [announcedAs(graz)])
  t.same(other.check(hour, [isDown(graz)]), ['open down GRAZ'])
  t.strictSame(other.state.open, [announcedAs(isDown(graz))])
})

const codes = ['BODO', 'OSLS', 'TRDS', 'VARD', 'KRSS', 'STAS', 'TROM', 'NABG']
const [bodo = '', osls = '', trds = '', vard = ''] = codes.map((code) => `${code}00NOR`)
const norway = (count: number, from = 0): IncidentAlert =>
  alert(
    'late',
    codes.slice(from, from + count).map((code) => `${code}00NOR`),
  )

t.test('eight stations of a country have one message, and one for their end', async (t) => {
  const process = openProcess()
  const { check } = process
  t.same(check(hour, [norway(8)]), [`open late ${codes.join(' ')}`])
  t.same(check(2 * hour, [norway(5)]), [], 'three are back')
  t.same(check(2 * hour + 300, [alert('late', bodo), alert('late', osls)]), [], 'six are back')
  const all = 'closed late STAS TROM NABG TRDS VARD KRSS BODO OSLS'
  t.same(check(2 * hour + 600, []), [all], 'those that were back first come first')
  t.strictSame(process.state.open, [])
})

t.test('an incident of a country grows without messages, under one id', async (t) => {
  const process = openProcess()
  t.same(process.check(hour, [norway(3)]), ['open late BODO OSLS TRDS'])
  t.same(process.check(2 * hour, [norway(8)]), [])
  t.match(process.state.open, exact([{ incident: { id: norway(3).id }, series: { length: 8 } }]))
})

t.test('stations that become an incident of their country', async (t) => {
  const process = openProcess()
  const { check } = process
  t.same(check(hour, [alert('late', bodo), alert('late', osls)]), [
    'open late BODO',
    'open late OSLS',
  ])
  t.same(check(hour + 300, [norway(3)]), ['open late BODO OSLS TRDS'])
  t.match(process.state.open, exact([{ incident: { country: 'NOR', station: null } }]))
  t.same(check(hour + 600, [norway(4)]), [])
  t.same(check(hour + 900, [isDown(norway(4))]), ['open down BODO OSLS TRDS VARD'])
  t.same(check(hour + 1200, []), ['closed down BODO OSLS TRDS VARD'])
  const state = startAnnouncing(
    { open: [alert('late', bodo), alert('late', osls)].map(announcedAs), messages: [] },
    0,
  )
  const [message] = announce(
    state,
    { nowSeconds: start, status: statusOf('watching'), found: foundAt(start, [norway(3)]) },
    () => 'an-id',
  ).messages
  const since = '2026-01-22T10:00:00Z'
  t.same(message?.incident, {
    id: `loss-NOR-01H-${since}`,
    station: null,
    country: 'NOR',
    since,
    replaces: ['BODO', 'OSLS'].map((code) => `loss-${code}00NOR-01H-${since}`),
  })
})

t.test('the message of its end names the incidents that continue', async (t) => {
  const open = [{ ...announcedAs(norway(3)), tooFewSince: start - hour }]
  const left = alert('late', bodo)
  const { messages } = announce(
    startAnnouncing({ open, messages: [] }, 0),
    { nowSeconds: start, status: statusOf('watching'), found: foundAt(start, [left]) },
    () => 'an-id',
  )
  t.match(
    messages,
    exact([{ state: 'closed', incident: { id: norway(3).id, continues: exact([left.id]) } }]),
  )
})

t.test('an hour after a country has too few lost stations, its incident ends', async (t) => {
  const process = openProcess()
  const { check } = process
  t.same(check(hour, [norway(8)]), [`open late ${codes.join(' ')}`])
  const left = [alert('late', bodo), alert('late', osls)]
  t.same(check(2 * hour, left), [])
  t.same(check(2.5 * hour, [norway(3)]), [], 'there are enough again')
  t.same(check(3 * hour, left), [])
  t.same(check(4 * hour - 1, left), [])
  t.same(check(4 * hour, left), ['closed late VARD KRSS STAS TROM NABG TRDS'])
  t.same(check(5 * hour, left), [], 'the others are known')
  t.same(check(6 * hour, [isDown(alert('late', bodo))]), ['closed late OSLS', 'open down BODO'])
})

t.test('a clock that was set back does not keep the incident of a country', async (t) => {
  const { check } = openProcess()
  t.same(check(100 * hour, [norway(8)]), [`open late ${codes.join(' ')}`])
  const left = [alert('late', bodo), alert('late', osls)]
  t.same(check(101 * hour, left), [])
  t.same(check(2 * hour, left), [])
  t.same(check(3 * hour, left), ['closed late TRDS VARD KRSS STAS TROM NABG'])
})

t.test('a station that is back and lost again is another incident', async (t) => {
  const { check } = openProcess()
  t.same(check(hour, [norway(4)]), ['open late BODO OSLS TRDS VARD'])
  t.same(check(2 * hour, [norway(3)]), [])
  const again = alert('late', vard, '2026-01-22T15:00:00Z')
  t.same(check(3 * hour, [norway(3), again]), ['open late VARD'])
  t.same(check(4 * hour, [again]), ['closed late BODO OSLS TRDS'])
  t.same(check(5 * hour, []), ['closed late VARD'])
})

t.test('a lost series that has no alert of its own yet is not back', async (t) => {
  const process = openProcess()
  t.same(process.check(hour, [norway(4)]), ['open late BODO OSLS TRDS VARD'])
  const lost = new Set([alert('late', trds)].flatMap(({ series }) => series.map(keyOf)))
  const at = (seconds: number, found: Partial<Found>): string[] => {
    const nowSeconds = start + seconds
    return announce(
      process.state,
      { nowSeconds, status: statusOf('watching'), found: { ...foundAt(nowSeconds, []), ...found } },
      () => 'id',
    ).messages.map(textOf)
  }
  t.same(at(2 * hour, { lost }), [])
  t.same(at(2 * hour, {}), ['closed late BODO OSLS TRDS VARD'])
})

t.test('a message has all its fields', async (t) => {
  const state = { ...startAnnouncing({ open: [], messages: [] }, 0) }
  const check = { nowSeconds: start, status: statusOf('watching'), found: foundAt(start, [graz]) }
  t.strictSame(announce(state, check, () => 'an-id').messages, [
    {
      id: 'an-id',
      at: '2027-01-15T08:00:00.000Z',
      kind: 'late',
      state: 'open',
      incident: {
        id: 'loss-GRAZ00AUT-01H-2026-01-22T10:00:00Z',
        station: 'GRAZ00AUT',
        country: null,
        since: '2026-01-22T10:00:00Z',
      },
      series: [
        { station: 'GRAZ00AUT', file_type: 'o', period: '01H', since: '2026-01-22T10:00:00Z' },
      ],
    },
  ])
  const more = { asOf: start - 181, notCurrent: 'obs/ cannot be read (EIO)' }
  const { open, messages } = announce(
    state,
    { ...check, found: foundAt(start, [graz], more) },
    () => 'an-id',
  )
  const facts = { id: 'an-id', at: '2027-01-15T08:00:00.000Z', kind: 'not-current', series: [] }
  t.match(messages, exact([{ ...facts, state: 'open', reason: 'obs/ cannot be read (EIO)' }]))
  const [closed] = announce({ ...state, open }, check, () => 'an-id').messages
  t.strictSame(closed, { ...facts, state: 'closed' })
})

t.test(
  'no alert is announced for an hour after a start, nor while the indexer starts or scans',
  async (t) => {
    const first = openProcess()
    t.same(first.check(hour - 1, [graz]), [], 'its own start')
    t.same(first.check(hour, [graz]), ['open late GRAZ'])
    const second = openProcess()
    const restarted = ['watching', start + 1800] as const
    t.same(second.check(hour, [graz], ...restarted), [], 'a start of the indexer')
    t.same(second.check(hour + 1800, [graz], ...restarted), ['open late GRAZ'])
    const starting = openProcess()
    t.same(starting.check(2 * hour, [graz], 'starting'), [])
    t.same(starting.check(3 * hour - 1, [graz]), [], 'less than an hour after it started')
    t.same(starting.check(3 * hour, [graz]), ['open late GRAZ'])
    for (const state of ['degraded', 'unknown']) {
      const { check } = openProcess()
      t.same(check(2 * hour, [graz], state), ['open late GRAZ'], `${state} stops nothing`)
    }
    const third = openProcess()
    t.same(third.check(2 * hour, [graz], 'scanning'), [])
    t.same(third.check(2 * hour + 300, [graz]), ['open late GRAZ'], 'at once after a rescan')
    t.same(
      third.check(2 * hour + 600, new Error('no catalogue')),
      [],
      'no catalogue closes nothing',
    )
    t.match(third.state, { quiet: 'no catalogue', open: exact([{ kind: 'late' }]) })
    t.same(third.check(3 * hour, []), [], 'less than an hour after it')
    t.same(third.check(3 * hour + 600, []), ['closed late GRAZ'])
  },
)

t.test('of a catalogue that is not current, only this is announced, once', async (t) => {
  const process = openProcess()
  const { check, checkNotCurrent } = process
  t.same(check(2 * hour, [graz]), ['open late GRAZ'])
  t.same(checkNotCurrent(2 * hour + 180, 180, [graz, wtzr]), [], 'three minutes')
  t.match(process.state, { quiet: 'the indexer is stopped' })
  t.same(checkNotCurrent(2 * hour + 181, 181, [graz, wtzr]), ['open not-current'])
  t.same(checkNotCurrent(3 * hour, hour, [isDown(graz)]), [])
  t.same(check(3 * hour + 1, new Error('no catalogue')), [], 'nor closed, while it is unknown')
  t.same(checkNotCurrent(9 * hour, 7 * hour, []), [])
  t.same(check(9 * hour + 300, [wtzr]), ['closed not-current'])
  t.same(check(10 * hour - 1, [wtzr]), [], 'less than an hour after it')
  t.same(check(10 * hour, [isDown(wtzr)]), ['closed late GRAZ', 'open down WTZR'])
})

t.test('a catalogue that is not current for a short time is only quiet', async (t) => {
  const { check, checkNotCurrent } = openProcess()
  t.same(checkNotCurrent(2 * hour, 120, [graz]), [])
  t.same(check(2 * hour + 300, [graz]), [])
  t.same(check(3 * hour, [graz]), ['open late GRAZ'])
  t.same(checkNotCurrent(4 * hour, undefined), [], 'nor before the end of the first scan')
})

t.test('a restart does not repeat that the catalogue is not current', async (t) => {
  const before = openProcess()
  t.same(before.checkNotCurrent(60, 200), ['open not-current'], 'also in the first hour')
  const { open } = before.state
  const other = openProcess({ open, messages: [] })
  t.same(other.checkNotCurrent(120, 260), [])
  t.same(other.check(180, []), ['closed not-current'])
})

t.test('a message that waits for its delivery holds back the others', async (t) => {
  let state = startAnnouncing({ open: [], messages: [] }, start)
  const at = (seconds: number, found: Found): void => {
    const check = { nowSeconds: start + seconds, status: statusOf('watching'), found }
    state = announce(state, check, () => 'an-id')
  }
  const old = { asOf: start, notCurrent: 'the indexer is stopped' }
  at(hour, foundAt(start + hour, [], old))
  at(2 * hour, foundAt(start + 2 * hour, []))
  t.strictSame(state.messages.map(textOf), ['open not-current'], 'it is not delivered yet')
  state = { ...state, messages: [] }
  at(2 * hour + 300, foundAt(start + 2 * hour + 300, []))
  t.strictSame(state.messages.map(textOf), ['closed not-current'])
})

t.test('a clock that is set back by a year delays messages by one hour only', async (t) => {
  const { check } = openProcess()
  t.same(check(-365 * 24 * hour, [graz]), [])
  t.same(check(-365 * 24 * hour + hour, [graz]), ['open late GRAZ'])
})

t.test('no series is announced during a stalled ingest, nor in the hour after it', async (t) => {
  const { check } = openProcess()
  t.same(check(hour, [graz]), ['open late GRAZ'])
  t.same(check(2 * hour, [stalled]), ['open ingest-stalled GRAZ WTZR'])
  t.same(check(3 * hour - 1, [graz, wtzr, zimm]), ['closed ingest-stalled GRAZ WTZR'])
  t.same(check(3 * hour, [wtzr]), ['closed late GRAZ', 'open late WTZR'])
})

t.test('after a restart the program knows which alerts it has announced', async (t) => {
  const { check } = openProcess({ open: [announcedAs(graz)], messages: [] })
  t.same(check(hour, [wtzr]), ['closed late GRAZ', 'open late WTZR'])
})

/** Stations that are lost at a check, and those of them that are down. */
const losses = fc.record({
  lost: fc.subarray([bodo, osls, trds, vard, 'GRAZ00AUT', 'WTZR00DEU']),
  down: fc.subarray([bodo, 'GRAZ00AUT']),
  isStalled: fc.nat(5).map((number) => number === 0),
})

type Losses = typeof losses extends fc.Arbitrary<infer One> ? One : never

/** The alerts of lost stations: three of a country are one. @param since of each station */
function alertsOf({ lost, down, isStalled }: Losses, since: ReadonlyMap<string, string>): Alert[] {
  if (isStalled) return [stalled]
  const groups = Map.groupBy(lost, (station) => station.slice(6))
  const places = [...groups.values()].flatMap((group) =>
    group.length < 3 ? group.map((each) => [each]) : [group],
  )
  return places.map((stations) => {
    const begins = stations.map((each) => since.get(each) ?? '').sort()
    const late = alert('late', stations, begins[0])
    return stations.some((each) => down.includes(each)) ? isDown(late) : late
  })
}

const steps = fc.record({
  seconds: fc.constantFrom(60, 300, 1800, 2 * hour),
  losses: fc.option(losses, { nil: new Error('no catalogue'), freq: 8 }),
  isCurrent: fc.constantFrom(true, true, true, false),
  state: fc.constantFrom('watching', 'watching', 'scanning', 'starting', 'degraded', 'unknown'),
  isDelivered: fc.boolean(),
  isRestarted: fc.constantFrom(false, false, false, true),
})

interface Step {
  readonly seconds: number
  readonly losses: Losses | Error
  readonly isCurrent: boolean
  readonly state: string
  readonly isDelivered: boolean
  readonly isRestarted: boolean
}

/** Replays steps, and checks each message. */
function openReplay(t: Test) {
  let nowSeconds = start
  let state = startAnnouncing({ open: [], messages: [] }, nowSeconds)
  let lastTrouble = start
  let lastStalled = -Infinity
  let asOf = start
  let ids = 0
  const since = new Map<string, string>()
  const book = openBook(t)
  const expectQuiet = (made: readonly Message[], { losses, isCurrent, state }: Step): void => {
    const others = made.filter(({ kind }) => kind !== 'not-current')
    if (others.length > 0) {
      t.ok(isCurrent)
      t.notMatch(state, /scanning|starting/)
      t.ok(nowSeconds - lastTrouble >= hour, 'quiet after trouble')
    }
    for (const message of made)
      if (message.kind === 'not-current' && message.state === 'open') {
        t.notOk(isCurrent)
        t.ok(nowSeconds - asOf > 180)
      } else t.notOk(losses instanceof Error)
    const keys = made.map((each) => `${each.incident?.id ?? each.kind} ${each.state}`)
    t.equal(new Set(keys).size, keys.length, 'one message for each')
    if (nowSeconds - lastStalled < hour)
      t.same(
        others.filter(({ kind }) => kind !== 'ingest-stalled'),
        [],
      )
  }
  const alertsAt = (losses: Losses): Alert[] => {
    for (const station of since.keys()) if (!losses.lost.includes(station)) since.delete(station)
    for (const station of losses.lost)
      since.set(station, since.get(station) ?? new Date(nowSeconds * 1000).toISOString())
    return alertsOf(losses, since)
  }
  const step = (each: Step): void => {
    const { losses, isCurrent } = each
    nowSeconds += each.seconds
    if (each.isRestarted) {
      state = startAnnouncing({ open: state.open, messages: state.messages }, nowSeconds)
      lastTrouble = nowSeconds
    }
    if (isCurrent) asOf = nowSeconds
    const notCurrent = isCurrent ? undefined : 'the indexer is stopped'
    const found =
      losses instanceof Error ? losses : foundAt(nowSeconds, alertsAt(losses), { asOf, notCurrent })
    const before = state.messages
    state = announce(state, { nowSeconds, status: statusOf(each.state), found }, () =>
      String(++ids),
    )
    if (found instanceof Error || !isCurrent || each.state === 'starting') lastTrouble = nowSeconds
    if (!(losses instanceof Error) && losses.isStalled) lastStalled = nowSeconds
    const made = state.messages.filter((message) => !before.includes(message))
    if (made.length > 0) t.equal(before.length, 0, 'earlier messages are delivered')
    expectQuiet(made, each)
    const announced = state.open.flatMap(({ incident, series }) => (incident ? series : []))
    t.equal(new Set(announced.map(keyOf)).size, announced.length, 'each series in one incident')
    if (!each.isDelivered) return
    state.messages.forEach(book.receive)
    state = { ...state, messages: [] }
  }
  return { ...book, step, announced: () => state.open }
}

t.test('a receiver knows all open alerts after failures, restarts and quiet times', async (t) => {
  const calm = { seconds: 2 * hour, state: 'watching', isDelivered: true, isRestarted: false }
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40 }), losses, (all, last) => {
      const { known, step, announced } = openReplay(t)
      for (const each of all) step(each)
      for (const isCurrent of [false, false]) step({ ...calm, losses: last, isCurrent })
      t.ok(known.has('not-current'))
      for (const isCurrent of [true, true, true, true, true])
        step({ ...calm, losses: last, isCurrent })
      t.notOk(known.has('not-current'))
      t.equal(known.has('ingest-stalled'), last.isStalled)
      const ids = announced().flatMap(({ incident }) => incident?.id ?? [])
      t.same([...known.keys()].filter((key) => key !== 'ingest-stalled').sort(), ids.sort())
      if (!last.isStalled)
        t.same(
          announced()
            .flatMap(({ series }) => series.map(({ station }) => station))
            .sort(),
          [...last.lost].sort(),
          'what is lost is announced',
        )
    }),
    { numRuns: 300 },
  )
})
