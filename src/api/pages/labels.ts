/** Labels and formats of HTML pages. */
import { problems, problemWords } from '../../catalogue/filter.ts'
import type { ChangeKind } from '../../catalogue/records.ts'
import type { Layout } from '../../parse/layout.ts'
import { areaWords, wholeArchive } from '../../parse/layout.ts'
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'

/** The labels of codes; an empty text for null. */
const labelsOf =
  <Code extends string>(labels: Readonly<Record<Code, string>>) =>
  (code: Code | null): string =>
    code === null ? '' : labels[code]

export const durationLabel = labelsOf<FileDuration>({
  m: 'minutes',
  h: 'hour',
  d: 'day',
  y: 'year',
  u: 'unspecified',
})

const intervalUnits: Readonly<Record<string, readonly [count: number, unit: string]>> = {
  C: [100, 'Hz'],
  Z: [1, 'Hz'],
  S: [1, 's'],
  M: [1, 'min'],
  H: [1, 'h'],
  D: [1, 'd'],
}

/** A sampling interval: `30 s` for `30S`; a text that is none stays as it is. */
export function intervalLabel(code: string): string {
  const [count, unit] = intervalUnits[code.slice(2).toUpperCase()] ?? []
  return count === undefined ? code : `${count * Number(code.slice(0, 2))} ${unit}`
}

/** What each problem of a file is, in sentences with code in backticks. */
export const problemMeanings = problems
  .map((problem) => `\`${problem}\`: ${problemWords[problem].what}.`)
  .join(' ')

export const typeLabel = labelsOf<FileType>({
  o: 'observation',
  n: 'navigation',
  m: 'meteorological',
})

export const versionLabel = labelsOf<FileVersion>({ r2: 'short names', r3: 'long names' })

interface ChangeTimes {
  readonly kind: ChangeKind
  readonly atUs: number
  readonly createdUs: number
  readonly modifiedUs: number
}

/**
 * Describes a change. A created record that is older than its change was restored; of a modified
 * file the catalogue does not know if its size or its time changed.
 */
export function changeLabel({ kind, atUs, createdUs, modifiedUs }: ChangeTimes): string {
  if (kind === 'modified') return 'replaced'
  if (kind === 'removed') return 'removed'
  if (atUs === createdUs) return 'new'
  return modifiedUs === atUs ? 'restored, with another size or time' : 'restored'
}

/** At most so many areas are named. */
const mostAreas = 4

/** Said of an archive without a file. */
export function emptyWords(layout: Pick<Layout, 'areas'>): string {
  return `The catalogue has no files yet. They are expected in ${foldersOf(layout)} of the archive.`
}

/** Where files are expected: `the folders obs/ and nrt/`, of the archive. */
export function foldersOf({ areas }: Pick<Layout, 'areas'>): string {
  if (areas.includes(wholeArchive)) return 'the folders'
  const rest = areas.length - mostAreas
  const named =
    rest > 0
      ? `${areaWords({ areas: areas.slice(0, mostAreas) }, 'and')} and ${rest} more`
      : areaWords({ areas }, 'and')
  return `the ${areas.length === 1 ? 'folder' : 'folders'} ${named}`
}
