/**
 * The one rule that joins the codes of a site: a short code (4 characters) belongs to the long code
 * (9 characters) that alone begins with it. Only codes with live files count, so that a mistyped
 * name, once its file is removed, or a code that lost its files joins and separates nothing. Lists,
 * filters, series and the change feed use this rule.
 */
import type { Database } from 'better-sqlite3'
import { countryOf } from '../../parse/countries.ts'

/** To be used while `station_count` is built: before that, no code counts as one with files. */
export interface Sites {
  /** The long codes with files that begin with a short code. */
  longCodes(shortCode: string): readonly string[]
  /**
   * The code itself if it is long, otherwise the long code to which it belongs, if there is one.
   */
  longCode(code: string): string | undefined
  /** The country of a code, or of the long code to which it belongs. */
  country(code: string): string | undefined
  /**
   * The latest seq at which files with short names may have entered or left one of these countries
   * without a change of their own, because a long code got its first file or lost its last one; 0
   * if that never happened.
   */
  joinedSeq(countries: readonly string[]): number
}

/** All codes that begin with the same 4 characters. */
interface Site {
  hasShortCode: boolean
  /** The long codes with live files. */
  readonly longCodes: string[]
  /** The countries of all long codes, also of those without files. */
  readonly countries: Set<string | undefined>
  /** The latest seq at which a long code got its first file or lost its last one. */
  liveSeq: number
}

const ofStations = `SELECT code, live_seq AS liveSeq,
  EXISTS (SELECT 1 FROM station_count c WHERE c.station = station.id) AS isLive FROM station`

interface CodeRow {
  readonly code: string
  readonly liveSeq: number
  readonly isLive: number
}

/**
 * Caches the sites until another connection has written. Call `refresh` at the start of a read
 * transaction.
 */
export function openSites(db: Database): Sites & { refresh(): void } {
  const version = db.prepare('PRAGMA data_version').pluck()
  const codes = db.prepare(ofStations)
  let known: { readonly version: unknown; readonly sites: ReadonlyMap<string, Site> } | undefined
  const sites = (): ReadonlyMap<string, Site> => {
    known ??= { version: version.get(), sites: sitesOf(codes.all() as CodeRow[]) }
    return known.sites
  }
  const longCodes = (shortCode: string): readonly string[] =>
    sites().get(shortCode)?.longCodes ?? []
  const longCode = (code: string): string | undefined => {
    if (code.length === 9) return code
    const [only, ...others] = longCodes(code)
    return others.length === 0 ? only : undefined
  }
  return {
    refresh() {
      if (known?.version !== version.get()) known = undefined
    },
    longCodes,
    longCode,
    country: (code) => countryOf(longCode(code) ?? code),
    joinedSeq: (countries) =>
      [...sites().values()]
        .filter((site) => site.hasShortCode && countries.some((each) => site.countries.has(each)))
        .reduce((latest, { liveSeq }) => Math.max(latest, liveSeq), 0),
  }
}

function sitesOf(rows: readonly CodeRow[]): ReadonlyMap<string, Site> {
  const sites = new Map<string, Site>()
  for (const { code, liveSeq, isLive } of rows) {
    const shortCode = code.slice(0, 4)
    const known = sites.get(shortCode)
    const site = known ?? {
      hasShortCode: false,
      longCodes: [],
      countries: new Set(),
      liveSeq: 0,
    }
    if (known === undefined) sites.set(shortCode, site)
    if (code.length === 4) {
      site.hasShortCode = true
      continue
    }
    site.countries.add(countryOf(code))
    site.liveSeq = Math.max(site.liveSeq, liveSeq)
    if (isLive === 1) site.longCodes.push(code)
  }
  return sites
}
