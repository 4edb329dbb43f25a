/**
 * Messages about alerts: tables of cases, and random sequences of checks that are compared with
 * what a receiver knows.
 */
import t, { exact } from '../tap.ts'
import type { Test } from 'tap'
import { announce, startAnnouncing } from '../../src/alerts/announcements.ts'
import type { AnnouncerState, Check, Found, Message } from '../../src/alerts/announcements.ts'
import type { StatusReply } from '../../src/control-socket/client.ts'
import type { Alert, AlertKind } from '../../src/series/alerts.ts'
import { watchingIndexer } from '../api/status/indexer-status.ts'
import { fc } from '../random.ts'

const hour = 3600
const start = 1_800_000_000

function alert(kind: AlertKind, station: string, since = '2026-01-22T10:00:00Z'): Alert {
  const series = { station, file_type: 'o', period: '01H', since } as const
  return {
    id: `${kind}-${station}-${since}`,
    kind,
    since,
    opened: since,
    changed: since,
    series: [series],
  }
}

/** A late series that is down now. */
const isDown = (late: Alert): Alert => ({ ...late, kind: 'down' })

const [graz, wtzr, zimm] = ['GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'].map((code) =>
  alert('late', code),
) as [Alert, Alert, Alert]
const stalled: Alert = {
  ...alert('ingest-stalled', ''),
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

t.test('alerts of the same kind that open or close together share one message', async (t) => {
  const { check } = openProcess()
  t.same(check(hour, [graz, wtzr, zimm]), ['open late GRAZ WTZR ZIMM'])
  t.same(check(hour + 300, [graz, wtzr, zimm]), [])
  const later = alert('late', 'GRAZ00AUT', '2026-01-22T12:00:00Z')
  t.same(check(hour + 600, [later, wtzr, zimm]), [], 'one file arrived, it is still late')
  t.same(check(hour + 900, [later, zimm]), ['closed late WTZR'])
  t.same(check(hour + 1200, []), ['closed late GRAZ ZIMM'])
})

t.test('a late series that is down is announced again, and closed as down', async (t) => {
  const process = openProcess()
  const { check } = process
  t.same(check(hour, [graz, wtzr, zimm]), ['open late GRAZ WTZR ZIMM'])
  const down = [isDown(graz), isDown(wtzr), zimm]
  t.same(check(hour + 300, down), ['open down GRAZ WTZR'], 'nothing is closed')
  t.same(check(hour + 600, down), [])
  t.same(check(hour + 900, [isDown(graz)]), ['closed late ZIMM', 'closed down WTZR'])
  t.same(check(hour + 1200, []), ['closed down GRAZ'])
  t.strictSame(process.state.open, [])
  const other = openProcess({ open: [graz], messages: [] })
  t.same(other.check(hour - 1, [isDown(graz)]), [], 'not in the first hour')
  t.strictSame(other.state.open, [graz])
  t.same(other.check(hour, [isDown(graz)]), ['open down GRAZ'])
  t.strictSame(other.state.open, [isDown(graz)])
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
  const { check } = openProcess({ open: [graz], messages: [] })
  t.same(check(hour, [wtzr]), ['closed late GRAZ', 'open late WTZR'])
})

const alertSets = fc
  .record({
    picked: fc.subarray([graz, wtzr, zimm]),
    down: fc.subarray([graz, wtzr, zimm]),
    isStalled: fc.boolean(),
    hasOther: fc.boolean(),
  })
  .map(({ picked, down, isStalled, hasOther }) => [
    ...(isStalled && picked.length > 1
      ? [stalled]
      : picked.map((late) => (down.includes(late) ? isDown(late) : late))),
    ...(hasOther ? [alert('down', 'ONSA00SWE')] : []),
  ])
const steps = fc.record({
  seconds: fc.constantFrom(60, 300, 1800, 2 * hour),
  alerts: fc.option(alertSets, { nil: new Error('no catalogue'), freq: 8 }),
  isCurrent: fc.constantFrom(true, true, true, false),
  state: fc.constantFrom('watching', 'watching', 'scanning', 'starting', 'degraded', 'unknown'),
  isDelivered: fc.boolean(),
  isRestarted: fc.constantFrom(false, false, false, true),
})

interface Step {
  readonly seconds: number
  readonly alerts: readonly Alert[] | Error
  readonly isCurrent: boolean
  readonly state: string
  readonly isDelivered: boolean
  readonly isRestarted: boolean
}

/** Replays steps, and checks each message; `known` is what the receiver knows, by its messages. */
function openReplay(t: Test) {
  let nowSeconds = start
  let state = startAnnouncing({ open: [], messages: [] }, nowSeconds)
  let lastTrouble = start
  let lastStalled = -Infinity
  let asOf = start
  let ids = 0
  const known = new Map<string, string>()
  const receive = ({ kind, state: change, series }: Message): void => {
    const isOne = kind === 'ingest-stalled' || kind === 'not-current'
    for (const key of isOne ? [kind] : series.map(({ station }) => station)) {
      if (change === 'open') {
        t.not(known.get(key), kind, `open ${kind} ${key}`)
        known.set(key, kind)
      } else {
        t.equal(known.get(key), kind, `closed ${kind} ${key}`)
        known.delete(key)
      }
    }
  }
  const expectQuiet = (made: readonly Message[], { alerts, isCurrent, state }: Step): void => {
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
      } else t.notOk(alerts instanceof Error)
    const groups = made.map((each) => `${each.kind} ${each.state}`)
    t.equal(new Set(groups).size, groups.length, 'grouped')
    if (nowSeconds - lastStalled < hour)
      t.same(
        others.filter(({ kind }) => kind !== 'ingest-stalled'),
        [],
      )
  }
  const step = (each: Step): void => {
    const { alerts, isCurrent } = each
    nowSeconds += each.seconds
    if (each.isRestarted) {
      state = startAnnouncing({ open: state.open, messages: state.messages }, nowSeconds)
      lastTrouble = nowSeconds
    }
    if (isCurrent) asOf = nowSeconds
    const notCurrent = isCurrent ? undefined : 'the indexer is stopped'
    const found =
      alerts instanceof Error ? alerts : foundAt(nowSeconds, alerts, { asOf, notCurrent })
    const before = state.messages
    state = announce(state, { nowSeconds, status: statusOf(each.state), found }, () =>
      String(++ids),
    )
    if (found instanceof Error || !isCurrent || each.state === 'starting') lastTrouble = nowSeconds
    if (!(alerts instanceof Error) && alerts.includes(stalled)) lastStalled = nowSeconds
    const made = state.messages.filter((message) => !before.includes(message))
    if (made.length > 0) t.equal(before.length, 0, 'earlier messages are delivered')
    expectQuiet(made, each)
    if (!each.isDelivered) return
    state.messages.forEach(receive)
    state = { ...state, messages: [] }
  }
  return { known, step }
}

t.test('a receiver knows all open alerts after failures, restarts and quiet times', async (t) => {
  const calm = { seconds: 2 * hour, state: 'watching', isDelivered: true, isRestarted: false }
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 30 }), alertSets, (all, last) => {
      const { known, step } = openReplay(t)
      for (const each of all) step(each)
      for (const isCurrent of [false, false]) step({ ...calm, alerts: last, isCurrent })
      t.ok(known.has('not-current'))
      for (const isCurrent of [true, true, true]) step({ ...calm, alerts: last, isCurrent })
      if (last.includes(stalled)) t.ok(known.has('ingest-stalled'))
      else
        t.strictSame(
          known,
          new Map(last.map(({ kind, series: [first] }) => [first?.station ?? '', kind])),
        )
      t.notOk(known.has('not-current'))
    }),
    { numRuns: 300 },
  )
})
