/** What the commands `backup` and `restore` say when the database is on a server. */
import { isServer, serverName } from '../catalogue/database-url.ts'
import { ConfigError } from '../config/checks.ts'

const remedies = {
  backup: 'use pg_dump for a copy, or pg_basebackup and an archive of the WAL',
  restore: 'use pg_restore, or a point-in-time recovery of the server',
} as const

/** @throws ConfigError if the database is on a server, whose own programs copy it */
export function refuseServer(command: keyof typeof remedies, database: string): void {
  if (!isServer(database)) return
  const message = `${serverName(database)} is on a server, and ${command} copies files: ${remedies[command]} (docs/postgresql.md)`
  throw new ConfigError([{ source: 'database', key: 'database', message }])
}
