/** So many are named, and no name is longer. */
const most = { names: 20, characters: 64 }

/** Names the parameters that had no effect, as DRF would leave it to be found out. */
export function ignoredHeader(parameters: readonly string[]): Readonly<Record<string, string>> {
  if (parameters.length === 0) return {}
  // Encoded: a name is the client's, and a header holds no control characters.
  const names = parameters.slice(0, most.names).map((name) => name.slice(0, most.characters))
  return { 'ignored-parameters': names.map(encode).join(', ') }
}

/** Half of a surrogate pair, which a cut may leave, has no encoding. */
function encode(name: string): string {
  return encodeURIComponent(name.replace(/[\uD800-\uDFFF]/g, ''))
}
