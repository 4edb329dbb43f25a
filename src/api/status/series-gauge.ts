import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import {
  CatalogueUnavailable,
  NotBuilt,
  QueryTimeout,
  TooManyQueries,
} from '../../catalogue/reader.ts'
import type { NetworkStates } from '../series/network-states.ts'

const temporary = [CatalogueUnavailable, NotBuilt, QueryTimeout, TooManyQueries]

/** Adds the number of series by state; it is left out while the catalogue cannot answer. */
export function countSeries(registry: Registry, network: Pick<NetworkStates, 'current'>): void {
  new Gauge({
    name: 'rinex_series',
    help: 'Series of files by their state now: present, late, missing, silent or unknown.',
    labelNames: ['state', 'period', 'file_type'],
    registers: [registry],
    async collect() {
      this.reset()
      try {
        const { states } = await network.current()
        for (const { summary, period, fileType } of states)
          this.inc({ state: summary.state, period, file_type: fileType })
      } catch (error) {
        if (!temporary.some((each) => error instanceof each)) throw error
      }
    },
  })
}
