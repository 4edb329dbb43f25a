/** A network of a few stations with gaps, and requests for many series of it. */
import type { Test } from 'tap'
import type { Period } from '../series/network.ts'
import { dayOf, lengths, nameOf, openNetwork } from '../series/network.ts'

/** 2026-01-22T05:06:07Z */
export const now = dayOf(2026, 1, 22) * 86_400 + 5 * 3600 + 6 * 60 + 7

/** A file: its slot, station, period, and source. */
export type NetworkFile = readonly [slot: number, station: string, period: Period, source?: string]

export async function openAsked(t: Test, files: readonly NetworkFile[]) {
  const network = await openNetwork(t, { startUs: now * 1e6 })
  const names = [...new Set(files.map((file) => nameOf(...file)))]
  await network.addNames('obs/2026/001', names)
  // The states may be a second older than the catalogue.
  await network.setNow(now + 2)
  const ask = (payload: string | Buffer, { query = '', headers = {} } = {}) =>
    network.app.inject({
      url: `/rinex/api/availability/${query}`,
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...headers },
      payload,
    })
  return { ...network, names, ask }
}

/** The slot that begins at a time. */
export const slotOf = (iso: string, period: Period) => Date.parse(iso) / 1000 / lengths[period]
