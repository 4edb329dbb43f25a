import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Tells whether another disk lies under an area than when it was first seen to hold something: what is missing
 * from that one says nothing of what was catalogued. Which disk it is is asked anew in each process, since the
 * numbers of devices do not survive a restart of the machine.
 */
export function openDisks(archive: string): (area: string) => boolean {
  const devices = new Map<string, number>()
  return (area) => {
    try {
      const path = join(archive, area)
      const { dev } = statSync(path)
      const device = devices.get(area)
      if (device !== undefined) return device !== dev
      // An empty mount point is no disk to remember.
      if (readdirSync(path).length > 0) devices.set(area, dev)
      return false
    } catch {
      return false // it is missing, no directory or cannot be read, and reading it says so
    }
  }
}
