/** So many are named, and no name is longer: proxies hold the headers of an answer in a few kilobytes. */
const most = { names: 20, characters: 64 }

/** Names the parameters that had no effect, as DRF would leave it to be found out. */
export function ignoredHeader(parameters: readonly string[]): Readonly<Record<string, string>> {
  const names = parameters.slice(0, most.names).map(encode)
  const told = names.filter((name) => name !== '')
  return told.length === 0 ? {} : { 'ignored-parameters': told.join(', ') }
}

/** A name is the client's, and a header holds no control characters. */
function encode(name: string): string {
  // Half of a surrogate pair has no encoding.
  const encoded = encodeURIComponent(name.replace(/[\uD800-\uDFFF]/gu, ''))
  return encoded.slice(0, most.characters).replace(/%.?$/, '')
}
