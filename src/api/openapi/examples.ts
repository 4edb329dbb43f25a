/** Parts of the examples in the document. */

/**
 * The root of all URLs in examples. When the server listens, its own root (base URL and dataset
 * prefix) is known and replaces this one.
 */
export const exampleRoot = 'https://catalogue.invalid'
export const exampleLinks = { api: `${exampleRoot}/api/`, data: `${exampleRoot}/data/` }

/** Writes a request as a shell command. */
export function curl(target: string, options = ''): { lang: string; source: string } {
  return { lang: 'Shell', source: `curl ${options}${options === '' ? '' : ' '}'${target}'` }
}
