/** The lines of the configuration that would list a tree. Pure. */
import { knownSuffixes } from '../../parse/filename.ts'
import type { LayoutLists } from '../../parse/layout.ts'
import { defaultLists } from '../../parse/layout.ts'
import { datesOfPath, siteOf } from '../../parse/path-dates.ts'
import type { Findings, Share } from './findings.ts'

/** More directories than this are not areas: they are sorted by something else. */
const mostAreas = 12
/** A directory with this many names and no RINEX file is not worth reading. */
const manyOthers = 1000

/**
 * Areas: the directories directly below that have RINEX files; the whole tree, if there are files
 * beside them, or if they are years, days or stations. Suffixes: those that RINEX files have.
 * Exclusions: directories with a thousand names or more and no RINEX file.
 * @returns `undefined` if there is no RINEX file
 */
export function proposalFor({
  shares,
  files,
}: Pick<Findings, 'shares' | 'files'>): LayoutLists | undefined {
  const suffixes = knownSuffixes.filter((suffix) => files.suffix.count(suffix) > 0)
  const holding = [...shares].filter(([, share]) => share.files > 0).map(([name]) => name)
  if (holding.length === 0) return undefined
  const areas = areasOf(holding.sort())
  return {
    areas,
    suffixes,
    exclude: areas.includes('.') ? worthless(shares) : [],
  }
}

function areasOf(holding: readonly string[]): readonly string[] {
  const { areas } = defaultLists
  if (holding.every((name) => areas.includes(name))) return areas
  const isWhole = holding.length > mostAreas || holding.some((name) => !isSubject(name))
  return isWhole ? ['.'] : holding
}

/** True for a directory that is neither a date nor a station, so that it says what is in it. */
function isSubject(name: string): boolean {
  const { years, days } = datesOfPath(name, '')
  const isNumber = /^\d+$/.test(name)
  const isLongCode = siteOf(name) !== undefined && name.length > 4
  return name !== '' && years.length === 0 && days.length === 0 && !isNumber && !isLongCode
}

function worthless(shares: ReadonlyMap<string, Share>): string[] {
  return [...shares]
    .filter(([name, { files, others }]) => name !== '' && files === 0 && others >= manyOthers)
    .map(([name]) => `/${name}/`)
    .sort()
}
