/** Writes the network at a glance as JSON. Pure. */
import { isoOrNull } from '../../parse/calendar.ts'
import { lossFields } from '../alerts/loss-fields.ts'
import type { Links } from '../http/links.ts'
import { serialise } from '../resources/fields.ts'
import { serialiseAsOf } from '../series/network-context.ts'
import { shareOrNull } from '../series/series-fields.ts'
import type { KnownNetwork } from './figures.ts'
import type { WireNetwork } from './schema.ts'

const maxLosses = 100

export function serialiseNetwork({ network, figures }: KnownNetwork, links: Links): WireNetwork {
  const { asOf, losses } = network
  const { verdict, stations, inStates, ended, total, arrivals } = figures
  const { ok, words, indexer, newest, late, down } = verdict
  return {
    ...serialiseAsOf(asOf),
    verdict: { ok, words, indexer, newest_file: isoOrNull(newest), late, down },
    stations,
    states: inStates,
    ended,
    possible_28d: total.possible,
    delivered_28d: total.delivered,
    half_28d: total.half,
    completeness_28d: shareOrNull(total.completeness),
    arrivals_1h: arrivals ?? null,
    losses: losses.slice(0, maxLosses).map((loss) => serialise(lossFields, loss, links)),
  }
}
