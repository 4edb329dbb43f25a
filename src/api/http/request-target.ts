/** Normalises request targets before routing. Pure. */

/** Scheme and authority of a target in absolute form (RFC 9112, 3.2.2); an http URL without a host is invalid. */
const schemeAndAuthority = /^https?:\/\/[^/?#]+/i

/**
 * Removes scheme and authority of a target in absolute form, then merges empty path segments below the dataset
 * prefix. Nothing is decoded, dot segments and the query stay unchanged.
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

function toOriginForm(target: string): string {
  const authority = schemeAndAuthority.exec(target)
  if (authority === null) return target
  const rest = target.slice(authority[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
