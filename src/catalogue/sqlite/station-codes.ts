import { countryOf } from '../../parse/countries.ts'

/** Station codes of the catalogue by id, those of 9 characters as well as those of 4. */
type Codes = ReadonlyMap<number, string>

/**
 * The long code to which a code belongs: its own, or of a code of 4 characters the one long code that begins with it. Where
 * several do, or none, nothing tells which station is meant: `undefined`.
 */
export function prepareLongCodes(codes: Codes): (code: string) => string | undefined {
  /** Of each site its long code, or nothing where there are several. */
  const bySite = new Map<string, string | undefined>()
  for (const code of codes.values())
    if (code.length === 9) {
      const site = code.slice(0, 4)
      bySite.set(site, bySite.has(site) ? undefined : code)
    }
  return (code) => (code.length === 9 ? code : bySite.get(code))
}

/** The country of each code, as far as it or the long code to which it belongs tells it. */
export function prepareCountries(codes: Codes): (code: string) => string | undefined {
  const longCode = prepareLongCodes(codes)
  return (code) => countryOf(longCode(code) ?? code)
}
