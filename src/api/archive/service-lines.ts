/** What the service does, in the lines that Archive and Status show. Pure. */
import { unclearPathsWords } from '../../catalogue/filter.ts'
import type { CatalogueSummary } from '../../catalogue/questions/summary.ts'
import type { StatusReply } from '../../control-socket/client.ts'
import type { EndedRescan, IndexerStatus } from '../../control-socket/protocol.ts'
import { dayToIso, microsecondsToIso } from '../../parse/calendar.ts'
import { counted, readableNumber, readableTime } from '../../runtime/readable.ts'
import type { RecentFlags } from '../../series/flags.ts'
import { dayWords } from '../pages/date-words.ts'
import type { Child } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { link } from '../pages/parts.ts'
import { momentCell } from '../pages/table.ts'

interface ServiceLine {
  readonly name: string
  readonly value: Child
}

interface ServiceOptions {
  /** `undefined` while it is not known. */
  readonly recent: RecentFlags | undefined
  /** True if the paths of files with problems are public. */
  readonly isPublic: boolean
}

export function serviceLines(
  summary: CatalogueSummary,
  reply: StatusReply,
  { recent, isPublic }: ServiceOptions,
): readonly ServiceLine[] {
  const indexer = reply?.state === 'unknown' ? undefined : reply
  const newestUs = Math.max(...summary.newest.map(({ createdUs }) => createdUs))
  return [
    { name: 'Indexer', value: stateWords(reply) },
    {
      name: 'Last file listed',
      value: Number.isFinite(newestUs) ? momentCell(microsecondsToIso(newestUs)) : 'none',
    },
    { name: 'Queues', value: indexer === undefined ? 'not known' : queueWords(summary, indexer) },
    { name: 'Last rescans', value: rescanWords(summary, indexer) },
    { name: 'Problems', value: problemLinks(summary, isPublic) },
    { name: 'Flagged files', value: recent && flagLinks(recent) },
    { name: 'Checksums', value: checksumWords(summary) },
  ]
}

const timeOf = (us: number): string => readableTime(microsecondsToIso(us))

function stateWords(reply: StatusReply): string {
  if (reply === undefined) return 'stopped'
  if (reply.state === 'unknown') return 'does not answer'
  return `${reply.state}, runs since ${timeOf(reply.startedUs)} UTC`
}

function queueWords(summary: CatalogueSummary, { rescans, ...indexer }: IndexerStatus): string {
  const ordered = [rescans.running, rescans.waiting].filter((each) => each !== undefined).length
  const queues = [
    [indexer.dirtyDirectories, 'directory to read', 'directories to read'],
    [indexer.settlingFiles, 'file still being written', 'files still being written'],
    [indexer.withheldRemovals, 'withheld removal', 'withheld removals'],
    [ordered, 'ordered rescan', 'ordered rescans'],
    [filesToHash(summary, indexer), 'file to hash at most', 'files to hash at most'],
  ] as const
  const full = queues.flatMap(([count, one, many]) =>
    count > 0 ? [counted(count, one, many)] : [],
  )
  return full.length === 0 ? 'empty' : full.join(', ')
}

/** An upper bound of the number of files that are still to be hashed. */
export function filesToHash(
  { checksums, areas }: CatalogueSummary,
  { hashing }: Pick<IndexerStatus, 'hashing'>,
): number {
  if (hashing === undefined) return 0
  if (!hashing.all) return hashing.behind
  const all = Object.values(areas).reduce((sum, { files }) => sum + files, 0)
  return all - (hashing.allFacts ? checksums.facts : checksums.files)
}

/** Rescans that are told; Status has all that the process remembers. */
const shownRescans = 2

/** The last rescans, or the last scan of all. */
function rescanWords({ lastScan }: CatalogueSummary, indexer: IndexerStatus | undefined): string {
  const rescans = (indexer?.endedRescans ?? [])
    .toSorted((a, b) => b.endedUs - a.endedUs)
    .slice(0, shownRescans)
    .map(rescanLine)
  if (rescans.length > 0) return rescans.join('; ')
  if (lastScan === undefined) return 'the first scan has not ended'
  return `none; the last scan of all ended ${timeOf(lastScan.endedUs)} UTC`
}

function rescanLine({ paths, pathCount, endedUs, ...counts }: EndedRescan): string {
  const [path = 'all'] = paths
  const place = pathCount > 1 ? `${path} and ${readableNumber(pathCount - 1)} more` : path
  const changes = [
    [counts.added, 'new'],
    [counts.modified, 'replaced'],
    [counts.removed, 'removed'],
  ] as const
  const found = changes.flatMap(([count, word]) =>
    count > 0 ? [`${readableNumber(count)} ${word}`] : [],
  )
  const words = found.length === 0 ? 'nothing changed' : found.join(', ')
  return `${place} at ${timeOf(endedUs)}: ${words}`
}

/** The files with problems by kind, each with its list; the path leads to the API root. */
function problemLinks(summary: CatalogueSummary, isPublic: boolean): Child {
  const { incomplete, checksums, disguised, misplaced, unclearPaths, rejected } = summary
  const kinds = [
    [incomplete.count, 'incomplete', 'incomplete'],
    [checksums.broken.count, 'damaged', 'broken'],
    [disguised.count, 'disguised', 'disguised'],
    [misplaced, 'misplaced', 'misplaced'],
    [rejected.reduce((sum, { count }) => sum + count, 0), 'not catalogued', 'rejected'],
  ] as const
  const links = kinds
    .filter(([count]) => count > 0)
    .map(([count, word, problem], index) => {
      const text = `${readableNumber(count)} ${word}`
      const href = `../status/problems/?problem=${problem}&format=api`
      return [index > 0 && ', ', link(text, isPublic ? href : undefined)]
    })
  const unclear = unclearPaths.map((area) => `. Paths in ${area}: ${unclearPathsWords}`)
  return links.length + unclear.length === 0 ? 'none' : html`${links}${unclear}`
}

/**
 * The flagged files by flag, each with its list; that of a flag which a station always has would
 * have more files. Nothing if none is flagged.
 */
function flagLinks({ files, flags, always, fromDay, toDay }: RecentFlags): Child {
  if (files === 0) return undefined
  const days = `data_date__gte=${dayToIso(fromDay)}&data_date__lt=${dayToIso(toDay + 1)}`
  const links = flags.map(({ flag, files }, index) => {
    const href = `../rinex-file/?flag=${flag}&${days}&format=api`
    const text = `${readableNumber(files)} ${flag}`
    return [index > 0 && ', ', link(text, always.has(flag) ? undefined : href)]
  })
  return html`${links}; data since ${dayWords(fromDay)}`
}

function checksumWords({ checksums, areas }: CatalogueSummary): string {
  const all = Object.values(areas).reduce((sum, { files }) => sum + files, 0)
  return `${readableNumber(checksums.files)} of ${counted(all, 'file', 'files')}`
}
