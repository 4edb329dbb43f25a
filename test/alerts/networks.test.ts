/**
 * Messages about random networks, hour by hour: each incident has few of them, under one id, and a
 * receiver knows what is lost.
 */
import { fc } from '../random.ts'
import t from '../tap.ts'
import { announce, startAnnouncing } from '../../src/alerts/announcements.ts'
import type { AnnouncerState, Message } from '../../src/alerts/announcements.ts'
import { keyOf, lostSeries, openAlerts } from '../../src/series/alerts.ts'
import { openIncidents } from '../../src/series/incidents.ts'
import { watchingIndexer } from '../api/status/indexer-status.ts'
import { hour, midnight, networks, seriesAt, statesOf } from '../series/incident-networks.ts'
import { openBook } from './receiver-book.ts'

const status = { ...watchingIndexer, startedUs: 0 }

const numRuns = process.env['SLOW'] === '1' ? 300 : 12

t.test('messages about networks are few, and say what is lost', async (t) => {
  let [ids, countries] = [0, 0]
  fc.assert(
    fc.property(networks, ({ asOf, described }) => {
      const book = openBook(t)
      let state: AnnouncerState = startAnnouncing({ open: [], messages: [] }, 0)
      const opened = new Map<string, number>()
      const receive = (message: Message): void => {
        book.receive(message)
        const { incident } = message
        if (message.state !== 'open' || incident === undefined) return
        opened.set(incident.id, (opened.get(incident.id) ?? 0) + 1)
        if (incident.country !== null) countries++
      }
      for (let after = asOf - 40 * hour; after <= asOf + 30 * hour; after += hour) {
        const nowSeconds = midnight + after
        const states = statesOf(described.map((each) => seriesAt(after, each)))
        const alerts = openAlerts(states, nowSeconds)
        const lost = lostSeries(states)
        const currency = { asOf: nowSeconds, notCurrent: undefined, isOld: false, problems: [] }
        const found = { alerts, lost, currency }
        state = announce(state, { nowSeconds, status, found }, () => String(++ids))
        state.messages.forEach(receive)
        state = { ...state, messages: [] }
        const incidents = openIncidents(states, nowSeconds).flatMap(({ series }) => series)
        t.same(incidents.map(keyOf).sort(), [...lost].sort(), 'each in one incident')
        if (alerts[0]?.kind === 'ingest-stalled' || nowSeconds < state.seriesQuietUntil) continue
        const announced = state.open.flatMap(({ series }) => series.map(keyOf))
        t.equal(new Set(announced).size, announced.length, 'none announced twice')
        const alerted = alerts.flatMap(({ series }) => series.map(keyOf))
        t.same(
          alerted.filter((each) => !announced.includes(each)),
          [],
          'all alerts announced',
        )
        t.same(
          announced.filter((each) => !lost.has(each)),
          [],
          'and only what is lost',
        )
      }
      for (const [id, messages] of opened) t.ok(messages <= 3, `${id}: ${messages} messages`)
    }),
    { numRuns },
  )
  t.ok(countries > numRuns / 3, `${countries} messages of countries`)
})
