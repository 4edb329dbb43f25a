/** The directories that systemd makes for the services when they start. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The unit that makes them: the indexer creates the database and the control socket. */
const unit = 'rinex-catalogue-indexer.service'

/** Places of unit files; the first one wins (systemd.unit(5)). */
const unitFolders = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
]

/** Where systemd makes the directories that these settings name (systemd.exec(5)). */
const parents = { StateDirectory: '/var/lib', RuntimeDirectory: '/run' }

/**
 * Returns the absolute paths of the directories that systemd makes at the start of the indexer and
 * gives to its user; none if its unit is not installed. Drop-ins are not read.
 */
export function unitDirectories(folders: readonly string[] = unitFolders): readonly string[] {
  const file = folders.map((folder) => join(folder, unit)).find((path) => existsSync(path))
  if (file === undefined) return []
  const text = readFileSync(file, 'utf8')
  return Object.entries(parents).flatMap(([setting, parent]) =>
    Array.from(text.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm')), ([, names = '']) => names)
      .flatMap((names) => names.split(/\s+/))
      .filter((name) => name !== '')
      .map((name) => join(parent, name)),
  )
}
