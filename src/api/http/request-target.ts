/** The target of a request as the client sent it (RFC 9112, 3.2), and URLs relative to it. Pure. */

/**
 * Scheme and authority of a target in absolute form (RFC 9112, 3.2.2); an http URL without a host
 * is invalid.
 */
const schemeAndAuthority = /^https?:\/\/[^/?#]+/i

/**
 * Removes scheme and authority of a target in absolute form, then merges empty path segments below
 * the dataset prefix. Nothing is decoded, dot segments and the query stay unchanged.
 * @param target the text of the request line
 * @param datasetPrefix without a slash at either end; compared as text
 */
export function normaliseTarget(target: string, datasetPrefix: string): string {
  const origin = toOriginForm(target)
  const root = `/${datasetPrefix}/`
  if (!origin.startsWith(root)) return origin
  const end = origin.search(/[?#]/)
  const path = end === -1 ? origin : origin.slice(0, end)
  // The prefix itself holds no empty segment.
  return path.replaceAll(/\/{2,}/g, '/') + origin.slice(path.length)
}

/** Removes scheme and authority of a target in absolute form. */
function toOriginForm(target: string): string {
  const authority = schemeAndAuthority.exec(target)
  if (authority === null) return target
  const rest = target.slice(authority[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * The relative URL of a path, for the page of a request. It is correct for any host and port, also
 * behind a web server that adds a path of its own.
 * @param target of the request as the client sent it, because the client resolves the URL by its
 * own path
 */
export function relativeUrl(target: string, path: string): string {
  const [from = ''] = toOriginForm(target).split('?', 1)
  let directory = from.slice(0, from.lastIndexOf('/') + 1)
  let up = ''
  while (!path.startsWith(directory)) {
    directory = directory.slice(0, directory.lastIndexOf('/', directory.length - 2) + 1)
    up += '../'
  }
  return up + path.slice(directory.length)
}
