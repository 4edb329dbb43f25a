/**
 * The one rule that joins the codes of a site: a short code (4 characters) belongs to the long code
 * (9 characters) that alone begins with it. Only codes with live files count, so that a mistyped
 * name, once its file is removed, or a code that lost its files joins and separates nothing. Lists,
 * filters, series and the change feed use this rule.
 */
import { countryOf } from '../../parse/countries.ts'

/** A station with its code; before `station_count` is built, no code counts as live. */
export type CodeRow = [code: string, liveSeq: number, isLive: number]

export const codesOfStations = `SELECT code, live_seq,
  CASE WHEN EXISTS (SELECT 1 FROM station_count c WHERE c.station = station.id)
    THEN 1 ELSE 0 END FROM station`

/** All codes that begin with the same 4 characters. */
interface CodesOfSite {
  hasShortCode: boolean
  /** The long codes with live files. */
  readonly longCodes: string[]
  /** The countries of all long codes, also of those without files. */
  readonly countries: Set<string | undefined>
  /** The latest seq at which a long code got its first file or lost its last one. */
  liveSeq: number
}

/** The codes of a station, to whose files a question is put. */
export interface StationCodes {
  /**
   * The long code, and the short code if it belongs to it. If a short code was requested that
   * belongs to no long code, only this short code; empty if no file ever had it.
   */
  readonly codes: readonly string[]
  /**
   * Long codes with files that begin with the same 4 characters, if there are several: files with
   * the short code cannot be assigned to one long code, so they stand alone. Also empty if a long
   * code was requested and no file ever had the short code.
   */
  readonly ambiguous: readonly string[]
}

/** The sites of one state of the catalogue. */
export class Sites {
  readonly #sites = new Map<string, CodesOfSite>()
  readonly #live: readonly string[]

  constructor(codes: readonly CodeRow[]) {
    this.#live = codes.flatMap(([code, , isLive]) => (isLive === 1 ? [code] : [])).sort()
    for (const [code, liveSeq, isLive] of codes) {
      const site = this.#siteAt(code.slice(0, 4))
      if (code.length === 4) {
        site.hasShortCode = true
        continue
      }
      site.countries.add(countryOf(code))
      site.liveSeq = Math.max(site.liveSeq, liveSeq)
      if (isLive === 1) site.longCodes.push(code)
    }
  }

  #siteAt(shortCode: string): CodesOfSite {
    const known = this.#sites.get(shortCode)
    if (known !== undefined) return known
    const site = { hasShortCode: false, longCodes: [], countries: new Set<string>(), liveSeq: 0 }
    this.#sites.set(shortCode, site)
    return site
  }

  /** All codes with live files, sorted. */
  liveCodes(): readonly string[] {
    return this.#live
  }

  /** The long codes with files that begin with a short code. */
  longCodes(shortCode: string): readonly string[] {
    return this.#sites.get(shortCode)?.longCodes ?? []
  }

  /**
   * The code itself if it is long, otherwise the long code to which it belongs, if there is one.
   */
  longCode(code: string): string | undefined {
    if (code.length === 9) return code
    const [only, ...others] = this.longCodes(code)
    return others.length === 0 ? only : undefined
  }

  /** The code by which lists and series name a station: the long code if there is one. */
  mainCode(code: string): string {
    return this.longCode(code) ?? code
  }

  /** The country of a code, or of the long code to which it belongs. */
  country(code: string): string | undefined {
    return countryOf(this.mainCode(code))
  }

  /**
   * The latest seq at which files with short names may have entered or left one of these countries
   * without a change of their own, because a long code got its first file or lost its last one; 0
   * if that never happened.
   */
  joinedSeq(countries: readonly string[]): number {
    return [...this.#sites.values()]
      .filter((site) => site.hasShortCode && countries.some((each) => site.countries.has(each)))
      .reduce((latest, { liveSeq }) => Math.max(latest, liveSeq), 0)
  }
}
