/**
 * The two forms of a database: the path of an SQLite file, or the URL of a PostgreSQL server. Only
 * host, port and name of a URL may be shown; its user and its parameters are nobody's business.
 */

/** True if a database is on a server, false if it is a file. */
export function isServer(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database)
}

/** Names a database in logs and messages: a path as it is, a URL by host, port and name only. */
export function serverName(database: string): string {
  if (!isServer(database)) return database
  const { host, port, name } = partsOf(database) ?? { host: '?', port: '?', name: '?' }
  return `postgresql://${host}:${port}/${name}`
}

const form = 'postgresql://USER@HOST:PORT/NAME'

/**
 * Says why a database cannot be used as it is written, without any part of it; the words end the
 * sentence that begins with the option.
 */
export function urlFault(database: string): string | undefined {
  if (!isServer(database)) {
    const isUrl = /^\s*postgres(?:ql)?:|:\/\//i.test(database)
    return isUrl ? `must be a path, or a URL of the form ${form}` : undefined
  }
  const parts = partsOf(database)
  if (parts === undefined)
    return `is a URL that cannot be read: write it as ${form}, special characters as %-codes`
  if (parts.hasPassword)
    return 'must be a URL without a password: put the password into ~/.pgpass, into the file that PGPASSFILE names, or into a file and set database_password_file'
  return parts.name === '' ? `must be a URL with the name of a database: ${form}` : undefined
}

interface Parts {
  readonly host: string
  readonly port: string
  readonly name: string
  readonly hasPassword: boolean
}

/** Reads a URL as `pg` does: the parameters `host` and `port` win. */
function partsOf(url: string): Parts | undefined {
  // A raw slash in a password ends the host too early, and the rest would be shown as the name. The
  // @ that follows the password tells it.
  if (/^[^/]*\/\/[^/?#]*[/?].*@|#/s.test(url)) return undefined
  try {
    decodeURI(url)
    const { hostname, port, pathname, password, searchParams } = parseUrl(url)
    const given = Object.fromEntries(searchParams)
    return {
      host: encodeURI(given['host'] ?? '') || hostname || 'localhost',
      port: encodeURI(given['port'] ?? '') || port || '5432',
      name: pathname.slice(1),
      hasPassword: password !== '' || 'password' in given,
    }
  } catch {
    return undefined
  }
}

/** Parses the URL of a server; the parser accepts no user without a host, `pg` does. */
export function parseUrl(url: string): URL {
  return new URL(url.replace('@/', '@localhost/'))
}
