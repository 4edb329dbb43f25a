/** Messages about alerts: tables of cases, and random sequences of checks that are compared with what a receiver knows. */
import t, { exact } from '../tap.ts'
import { announce, startAnnouncing } from '../../src/alerts/announcements.ts'
import type { AnnouncerState, Check, Message } from '../../src/alerts/announcements.ts'
import type { StatusReply } from '../../src/control-socket/client.ts'
import type { Alert, AlertKind } from '../../src/series/alerts.ts'
import { watchingIndexer } from '../api/status/indexer-status.ts'
import { fc } from '../random.ts'

const hour = 3600
const start = 1_800_000_000

function alert(kind: AlertKind, station: string, since = '2026-01-22T10:00:00Z'): Alert {
  const series = { station, file_type: 'o', period: '01H', since } as const
  return { id: `${kind}-${station}-${since}`, kind, since, opened: since, series: [series] }
}

const [graz, wtzr, zimm] = ['GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'].map((code) =>
  alert('late', code),
) as [Alert, Alert, Alert]
const stalled: Alert = {
  ...{ ...alert('ingest-stalled', ''), series: [graz, wtzr].flatMap(({ series }) => series) },
}

function statusOf(state: string, startedSeconds = 0): StatusReply {
  if (state === 'stopped') return undefined
  if (state === 'unknown') return { state, reason: '' }
  const figures = { ...watchingIndexer.figures, startedUs: startedSeconds * 1e6 }
  return { ...watchingIndexer, state, figures } as StatusReply
}

/** A process that checks every five minutes and delivers at once, unless the options say otherwise. */
function openProcess(
  memory: Pick<AnnouncerState, 'open' | 'messages'> = { open: [], messages: [] },
) {
  let state = startAnnouncing(memory, start)
  let count = 0
  return {
    get state() {
      return state
    },
    /** Returns the messages of a check, as text. */
    check: (
      seconds: number,
      alerts: Check['alerts'],
      indexer = 'watching',
      started = 0,
    ): string[] => {
      const status = statusOf(indexer, started)
      const check = { nowSeconds: start + seconds, status, alerts }
      state = announce(state, check, () => String(++count))
      const made = state.messages.map(textOf)
      state = { ...state, messages: [] }
      return made
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
  const missing = alert('missing', 'ZIMM00CHE')
  t.same(check(hour + 900, [later, missing]), ['closed late WTZR ZIMM', 'open missing ZIMM'])
  t.same(check(hour + 1200, []), ['closed late GRAZ', 'closed missing ZIMM'])
})

t.test('a message has all its fields', async (t) => {
  const state = { ...startAnnouncing({ open: [], messages: [] }, 0) }
  const check = { nowSeconds: start, status: statusOf('watching'), alerts: [graz] }
  t.same(announce(state, check, () => 'an-id').messages, [
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
})

t.test(
  'no alert is announced for an hour after a start, nor while the indexer is not well',
  async (t) => {
    const first = openProcess()
    t.same(first.check(hour - 1, [graz]), [], 'its own start')
    t.same(first.check(hour, [graz]), ['open late GRAZ'])
    const second = openProcess()
    const restarted = ['watching', start + 1800] as const
    t.same(second.check(hour, [graz], ...restarted), [], 'a start of the indexer')
    t.same(second.check(hour + 1800, [graz], ...restarted), ['open late GRAZ'])
    for (const state of ['degraded', 'starting', 'stopped', 'unknown']) {
      const { check } = openProcess()
      t.same(check(2 * hour, [graz], state), [], state)
      t.same(check(3 * hour - 1, [graz]), [], `less than an hour after ${state}`)
      t.same(check(3 * hour, [graz]), ['open late GRAZ'])
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
  },
)

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
    isStalled: fc.boolean(),
    isMissing: fc.boolean(),
  })
  .map(({ picked, isStalled, isMissing }) => [
    ...(isStalled && picked.length > 1 ? [stalled] : picked),
    ...(isMissing ? [alert('missing', 'ONSA00SWE')] : []),
  ])
const steps = fc.record({
  seconds: fc.constantFrom(60, 300, 1800, 2 * hour),
  alerts: fc.option(alertSets, { nil: new Error('no catalogue'), freq: 8 }),
  state: fc.constantFrom('watching', 'watching', 'watching', 'scanning', 'degraded', 'stopped'),
  isDelivered: fc.boolean(),
  isRestarted: fc.constantFrom(false, false, false, true),
})

t.test('a receiver knows all open alerts after failures, restarts and quiet times', async (t) => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 30 }), alertSets, (all, last) => {
      let nowSeconds = start
      let state = startAnnouncing({ open: [], messages: [] }, nowSeconds)
      let lastTrouble = start
      let lastStalled = -Infinity
      let ids = 0
      /** What the receiver knows, by its messages. */
      const known = new Set<string>()
      const receive = ({ kind, state: change, series }: Message): void => {
        const keys =
          kind === 'ingest-stalled' ? [kind] : series.map((each) => `${kind} ${each.station}`)
        for (const key of keys) {
          t.equal(known.has(key), change === 'closed', `${change} ${key}`)
          if (change === 'open') known.add(key)
          else known.delete(key)
        }
      }
      const step = ({
        seconds,
        alerts,
        state: indexer,
        isDelivered,
        isRestarted,
      }: typeof calm): void => {
        nowSeconds += seconds
        if (isRestarted) {
          state = startAnnouncing({ open: state.open, messages: state.messages }, nowSeconds)
          lastTrouble = nowSeconds
        }
        const before = state.messages
        state = announce(state, { nowSeconds, status: statusOf(indexer), alerts }, () =>
          String(++ids),
        )
        const isTrouble = alerts instanceof Error || !/watching|scanning/.test(indexer)
        if (isTrouble) lastTrouble = nowSeconds
        if (!(alerts instanceof Error) && alerts.includes(stalled)) lastStalled = nowSeconds
        const made = state.messages.filter((each) => !before.includes(each))
        if (made.length > 0) {
          t.equal(before.length, 0, 'earlier messages are delivered')
          t.equal(indexer, 'watching')
          t.ok(nowSeconds - lastTrouble >= hour, 'quiet after trouble')
          const groups = made.map((each) => `${each.kind} ${each.state}`)
          t.equal(new Set(groups).size, groups.length, 'grouped')
        }
        if (nowSeconds - lastStalled < hour)
          t.same(
            made.filter(({ kind }) => kind !== 'ingest-stalled'),
            [],
          )
        if (!isDelivered) return
        for (const message of state.messages) receive(message)
        state = { ...state, messages: [] }
      }
      const calm = {
        ...{ seconds: 2 * hour, alerts: last as Check['alerts'], state: 'watching' },
        ...{ isDelivered: true, isRestarted: false },
      }
      for (const each of all) step(each)
      step(calm)
      step(calm)
      const keys = last.map(({ kind, series: [first] }) =>
        kind === 'ingest-stalled' ? kind : `${kind} ${first?.station ?? ''}`,
      )
      if (last.includes(stalled)) t.ok(known.has('ingest-stalled'))
      else t.same([...known].sort(), keys.sort())
    }),
    { numRuns: 300 },
  )
})
