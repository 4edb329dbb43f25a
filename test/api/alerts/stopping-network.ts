/** A service whose stations stop to deliver. */
import type { Test } from 'tap'
import { arriving, change, newFile } from '../../catalogue/change.ts'
import { directoryOf, nameOf } from '../../rinex-names.ts'
import { openService } from '../service.ts'

export const hour = 3600
/** 2026-01-22T00:00:00Z */
export const midnight = Date.UTC(2026, 0, 22) / 1000

/** Hours of 22 January after which the files of a station are lost, until another hour. */
type Stop = number | readonly [from: number, to: number]

/**
 * Stations deliver hourly files for three days, each two minutes late, then stop at these hours of
 * 22 January. The service is open at 12:02.
 * @param until the last hour of files
 */
export async function openNetwork(t: Test, stops: Readonly<Record<string, Stop>>, until = 12) {
  const service = await openService(t, { nowUs: (midnight - 72 * hour) * 1e6 })
  /** The files of an hour arrive. */
  const deliver = async (end: number): Promise<void> => {
    await service.setNow(end + 120)
    const start = end - hour
    const isLost = (stop: Stop): boolean => {
      const [from, to] = typeof stop === 'number' ? [stop, Infinity] : stop
      return end > midnight + from * hour && end <= midnight + to * hour
    }
    const added = Object.entries(stops)
      .filter(([, stop]) => !isLost(stop))
      .map(([station]) => newFile(nameOf(station, start, { period: '01H' })))
    await service.writer.apply([
      change(directoryOf('nrt', start), { added: arriving(added, service.clock.us) }),
    ])
  }
  for (let end = midnight - 71 * hour; end <= midnight + until * hour; end += hour)
    await deliver(end)
  return { ...service, deliver }
}
