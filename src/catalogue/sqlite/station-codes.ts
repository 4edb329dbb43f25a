import { countryOf } from '../../parse/countries.ts'

/** Station codes of the catalogue by id, of 4 and 9 characters. */
type Codes = ReadonlyMap<number, string>

/**
 * The long code of a code: the code itself, or for a code of 4 characters the only long code that begins with it; `undefined` if
 * there is none or more than one.
 */
export function prepareLongCodes(codes: Codes): (code: string) => string | undefined {
  /** The long code of each site; `undefined` if there are several. */
  const bySite = new Map<string, string | undefined>()
  for (const code of codes.values())
    if (code.length === 9) {
      const site = code.slice(0, 4)
      bySite.set(site, bySite.has(site) ? undefined : code)
    }
  return (code) => (code.length === 9 ? code : bySite.get(code))
}

/** The country of each code, from the code itself or its long code. */
export function prepareCountries(codes: Codes): (code: string) => string | undefined {
  const longCode = prepareLongCodes(codes)
  return (code) => countryOf(longCode(code) ?? code)
}
