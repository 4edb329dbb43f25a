/** The findings of a survey for people. Pure. */
import { reasonLabel } from '../../api/file-problems/problem-list.ts'
import { durationLabel, typeLabel, versionLabel } from '../../api/pages/labels.ts'
import { areUnclear } from '../../catalogue/updates/misplaced.ts'
import type { LayoutLists } from '../../parse/layout.ts'
import { configurationLines, defaultLayout } from '../../parse/layout.ts'
import { counted, printable, readableNumber } from '../../runtime/readable.ts'
import type { Findings } from './findings.ts'
import { shown } from './findings.ts'
import { proposalFor } from './proposal.ts'
import type { Tally } from './tally.ts'

/** Lines for a terminal. */
export function describe(directory: string, findings: Findings, seconds: number): string[] {
  const { files, rejected, misplaced, names, directories, stations } = findings
  const rate = readableNumber(Math.round(names / Math.max(seconds, 0.001)))
  const took = `${seconds.toFixed(1)} s, ${rate} names a second`
  return [
    `${printable(directory)}: ${counted(names, 'name', 'names')} in ${counted(directories, 'directory', 'directories')} (${took})`,
    '',
    `RINEX files: ${readableNumber(files.form.total)} of ${counted(stations, 'station', 'stations')}`,
    ...table('suffixes', files.suffix, (suffix) => suffix || 'plain'),
    ...table('forms', files.form, versionLabel),
    ...table('types', files.type, typeLabel),
    ...table('periods', files.period, durationLabel),
    ...years(files.year),
    ...section(
      areUnclear(files.form.total, misplaced.count)
        ? 'RINEX files in a directory of another date, too many for the paths to be dates: none is misplaced'
        : 'RINEX files in a directory of another date, listed but misplaced',
      misplaced.count,
      misplaced.examples,
    ),
    ...section('Names that are not listed', rejected.reason.total, [
      'by reason:',
      ...frequent(rejected.reason, wordsOfReason),
      'by suffix (yy: two digits of a year), the most frequent:',
      ...frequent(rejected.suffix),
      'by directory, the most frequent:',
      ...frequent(rejected.directory),
    ]),
    ...notRead(findings),
    '',
    ...configuration(proposalFor(findings)),
  ]
}

function table<Text extends string>(
  title: string,
  tally: Tally<Text>,
  word: (text: Text) => string,
): string[] {
  const parts = tally.most(shown).map(([text, count]) => `${word(text)} ${readableNumber(count)}`)
  return parts.length === 0 ? [] : [labelled(title, parts.join(', '))]
}

function labelled(title: string, text: string): string {
  return `  ${title.padEnd(10)}${text}`
}

const yearsPerLine = 6

function years(tally: Tally): string[] {
  const parts = Object.entries(tally.all()).map(
    ([year, count]) => `${year} ${readableNumber(count)}`,
  )
  const lines = Array.from({ length: Math.ceil(parts.length / yearsPerLine) }, (_, at) =>
    parts.slice(at * yearsPerLine, (at + 1) * yearsPerLine),
  )
  return lines.map((each, index) => labelled(index === 0 ? 'years' : '', each.join(', ')))
}

function section(title: string, count: number, lines: readonly string[]): string[] {
  if (count === 0) return []
  return ['', `${title}: ${readableNumber(count)}`, ...lines.map((line) => `  ${printable(line)}`)]
}

function frequent<Text extends string>(
  tally: Tally<Text>,
  word = (text: Text): string => text,
): string[] {
  return tally
    .most(shown)
    .map(([text, count]) => `${readableNumber(count).padStart(11)}  ${word(text)}`)
}

const wordsOfReason = (reason: string): string => reasonLabel(reason, defaultLayout)

function notRead({ unread }: Findings): string[] {
  return [...unread].flatMap(([reason, { count, examples }]) =>
    section(`Directories that are not read (${wordsOfReason(reason)})`, count, examples),
  )
}

function configuration(proposal: LayoutLists | undefined): string[] {
  if (proposal === undefined) return ['There is no file that the catalogue would list.']
  return [
    'Lines of the configuration that list the RINEX files, with this directory as archive:',
    '',
    ...configurationLines(proposal),
  ]
}
