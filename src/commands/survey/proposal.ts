/** The lines of the configuration that would list a tree. Pure. */
import { isCountry } from '../../parse/countries.ts'
import { knownSuffixes } from '../../parse/filename.ts'
import type { LayoutLists } from '../../parse/layout.ts'
import { defaultLists } from '../../parse/layout.ts'
import { datesOfPath } from '../../parse/path-dates.ts'
import type { Findings, Share } from './findings.ts'

/** More directories than this are not areas: they are sorted by something else. */
const mostAreas = 12
/** A directory with this many names and no RINEX file is not worth reading. */
const manyOthers = 1000

/**
 * Areas: the directories directly below that have RINEX files; the whole tree, if there are files
 * beside them, or if they are years, days, countries or stations. Suffixes: those that RINEX files
 * have. Exclusions: directories with a thousand names or more and no RINEX file.
 * @returns `undefined` if there is no RINEX file
 */
export function proposalFor({
  shares,
  files,
}: Pick<Findings, 'shares' | 'files'>): LayoutLists | undefined {
  const suffixes = knownSuffixes.filter((suffix) => files.suffix.count(suffix) > 0)
  const holding = [...shares].filter(([, share]) => share.files > 0).map(([name]) => name)
  if (holding.length === 0) return undefined
  const areas = areasOf(holding.sort(), shares)
  return {
    areas,
    suffixes,
    exclude: areas.includes('.') ? worthless(shares) : [],
  }
}

function areasOf(holding: readonly string[], shares: Findings['shares']): readonly string[] {
  const { areas } = defaultLists
  if (holding.every((name) => areas.includes(name))) return areas
  const isSubject = (name: string): boolean =>
    shares.get(name)?.isOfStation === false && saysWhat(name)
  return holding.length > mostAreas || !holding.every(isSubject) ? ['.'] : holding
}

/**
 * False for a directory of which there are ever more: one of a date or a country, or a number, also
 * with letters: `wk2400`, `2024-04`, `DOY101`.
 */
function saysWhat(name: string): boolean {
  const { years, month } = datesOfPath(`2000/${name}`)
  const isDate = years.length > 1 || month !== undefined
  const isNumber = /^\d+$/.test(name) || name.replace(/\D/g, '').length > 2
  return name !== '' && !isDate && !isNumber && !isCountry(name.toUpperCase())
}

function worthless(shares: ReadonlyMap<string, Share>): string[] {
  return [...shares]
    .filter(([name, { files, others }]) => name !== '' && files === 0 && others >= manyOthers)
    .map(([name]) => `/${name}/`)
    .sort()
}
