/** The list of the files with problems. */
import type { FastifyInstance } from 'fastify'
import { problemWords } from '../../catalogue/filter.ts'
import { knownSuffixes, parseFilename } from '../../parse/filename.ts'
import type { Layout } from '../../parse/layout.ts'
import { joinPath, parentOf } from '../../parse/layout.ts'
import { counted, readableTime } from '../../runtime/readable.ts'
import type { DownloadsContext } from '../downloads/served-files.ts'
import { digest } from '../http/context.ts'
import { HttpError } from '../http/errors.ts'
import type { Requester } from '../http/limits.ts'
import type { Links } from '../http/links.ts'
import { stationUrl } from '../http/links.ts'
import { inFirst } from '../openapi/area-words.ts'
import * as schema from '../openapi/schema.ts'
import type { Child } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { problemMeanings } from '../pages/labels.ts'
import { link } from '../pages/parts.ts'
import { choices, isChosen } from '../parameters/parameter.ts'
import { addCollection } from '../resources/collection.ts'
import { fieldOf } from '../resources/fields.ts'
import type { FileProblemName, WireProblem } from './problem-list.ts'
import { listProblems, problemNames, reasonLabel, reasonMeanings } from './problem-list.ts'

const field = fieldOf<WireProblem>()

const fieldsIn = (layout: Layout) => ({
  problem: field(
    schema.oneOf('The kind of problem.', problemNames, 'rejected'),
    ({ problem }) => problem,
  ),
  path: field(
    schema.text('The path of the file below the archive root.', `${inFirst}2026/022/README.txt`),
    ({ path }) => path,
  ),
  reason: field(
    schema.text('The reason, as one word; releases may add reasons.', 'not-gz', {
      'x-meanings': reasonMeanings,
    }),
    ({ reason }): string => reason,
    {
      label: 'Reason',
      cell: (reason) =>
        link(reasonLabel(reason, layout), `../../docs/status/?format=api#reason-${reason}`),
    },
  ),
  since: field(
    schema.moment(
      'Time of the latest change of the file; for `unservable`, time of the last request; for `rejected`, time when the directory first had a name with this reason.',
      '2026-01-23T00:12:40.518203Z',
    ),
    ({ since }) => since,
    { label: 'Since', cell: (since) => readableTime(since) },
  ),
})

/** The file, which leads to what is known of it; the search knows also what is not listed. */
function fileCell({ path }: WireProblem, links: Links): Child {
  const query = new URLSearchParams({ q: path, format: 'api' })
  return link(nameOf(path), `${links.api}search/?${query.toString()}`)
}

function directoryCell({ path, reason }: WireProblem, links: Links, layout: Layout): Child {
  const directory = parentOf(path)
  // Directories that are not read have no listing.
  const isListed = layout.parseDirectory(directory).kind !== 'rejected' && !unread.has(reason)
  return isListed ? link(directory || '.', `${links.data}${joinPath(directory, '')}`) : directory
}

/** Reasons for which the path is that of a directory. */
const unread: ReadonlySet<string> = new Set([
  'not-in-area',
  'too-deep',
  'bad-directory-name',
  'unreadable-directory',
])

/** The columns that are no fields. */
function columnsBefore(layout: Layout) {
  return {
    reason: [{ label: 'File', isHeader: true, cell: fileCell }],
    since: [
      { label: 'Station', cell: stationOf },
      {
        label: 'Directory',
        cell: (item: WireProblem, links: Links) => directoryCell(item, links, layout),
      },
    ],
  }
}

function stationOf({ path }: WireProblem, links: Links): Child {
  const parsed = parseFilename(nameOf(path), knownSuffixes)
  if (parsed.kind === 'rejected') return ''
  return link(parsed.station, stationUrl(links, parsed.station))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The kinds of problems in the words of the form. */
const words: Readonly<Record<FileProblemName, string>> = {
  settling: 'still being written',
  unservable: 'could not be sent',
  incomplete: problemWords.incomplete.word,
  broken: problemWords.broken.word,
  disguised: problemWords.disguised.word,
  misplaced: problemWords.misplaced.word,
  rejected: 'not catalogued',
}

const description = [
  `\`settling\`: the file is young and not complete yet, so it is not in the list of files. \`unservable\`: the file is in the list, but could not be opened at the last download. ${problemMeanings} \`rejected\`: the file is not catalogued; the status counts these files by \`reason\`, and this resource lists the first 100 names of each directory and reason. Dot files are never listed.`,
  'If the paths are not public (`problems = "command-line"`), the response is `403`.',
].join('\n\n')

/** What is said of names that the status counts, and that are not listed. */
async function unlistedWords(
  reader: DownloadsContext['reader'],
  requester: Requester,
): Promise<string> {
  const [{ rejected }, { count: listed }] = await Promise.all([
    reader.summary(undefined, requester),
    reader.problems({ kinds: ['rejected'], limit: 1, offset: 0 }, requester),
  ])
  const unlisted = rejected.reduce((sum, { count }) => sum + count, 0) - listed
  const names = counted(unlisted, 'more name is', 'more names are')
  return unlisted <= 0
    ? ''
    : `${names} not catalogued: hidden ones, and those after the first 100 of a directory and reason.`
}

export function addProblems(app: FastifyInstance, context: DownloadsContext): void {
  const { reader, settlingFiles, settings, unservedFiles } = context
  const { layout } = settings
  const sources = { reader, settling: settlingFiles, unservable: () => unservedFiles.files() }
  addCollection(app, context, {
    name: 'status/problems',
    item: { name: 'Problem', description: 'A problem of one file.', fields: fieldsIn(layout) },
    parameters: {
      problem: choices(problemNames, {
        meaning: 'The kinds of problems; by default all.',
        example: 'rejected',
        label: 'Problem',
        textOf: (name) => words[name],
      }),
    },
    // Some problems are not in the catalogue and change without a new seq.
    state: async () => {
      if (settings.problems !== 'public')
        throw new HttpError(
          403,
          'The paths of files with problems are available only on the command line.',
        )
      return Promise.resolve(undefined)
    },
    find: async ({ values, range, format }, _state, requester) => {
      const names = problemNames.filter((name) => isChosen(values.problem, name))
      const found = await listProblems(sources, { names, ...range }, requester)
      const hasWords = format === 'html' && names.includes('rejected')
      const words = hasWords ? await unlistedWords(reader, requester) : ''
      const version = digest(JSON.stringify([found, words]))
      return { ...found, below: words && html`<p>${words}</p>`, version }
    },
    page: {
      noun: ['problem', 'problems'],
      section: 'status',
      crumbs: [{ text: 'Status', href: '../?format=api' }],
      caption:
        'A file leads to its record, or to the reason why it has none; a directory to its listing; times in UTC',
      className: 'files cards',
      columnsBefore: columnsBefore(layout),
    },
    operation: {
      id: 'listProblems',
      tag: 'Service',
      name: 'Problems',
      summary: 'List files with problems',
      about:
        'The paths of files that are incomplete, damaged, disguised, misplaced or not catalogued.',
      description,
      returns: 'Its `ETag` is a digest of its content.',
      errors: ['Unavailable', 'Forbidden'],
      samples: ['status/problems/?problem=rejected&format=json'],
    },
  })
}
