/** The command `status`: prints the status, the files with problems, or one line for monitoring. */
import { readRecentFlags } from '../api/archive/recent-flags.ts'
import type { WireProblem } from '../api/file-problems/problem-list.ts'
import { listProblems, problemNames, suffixWords } from '../api/file-problems/problem-list.ts'
import type { CommonStatus } from '../api/status/serialise.ts'
import { problemsOf, serialiseStatus } from '../api/status/serialise.ts'
import { openReader } from '../catalogue/engines/engine.ts'
import { isTemporary } from '../catalogue/errors.ts'
import { unclearPathsWords } from '../catalogue/filter.ts'
import type { CatalogueReader } from '../catalogue/questions/reader.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { askSettling, askStatus } from '../control-socket/client.ts'
import type { IndexerProblem } from '../control-socket/protocol.ts'
import { createClock } from '../runtime/clock.ts'
import { packageVersion, print } from '../runtime/program.ts'
import { printable, readableDuration, readableNumber, readableSize } from '../runtime/readable.ts'
import type { RecentFlags } from '../series/flags.ts'
import { controlOf } from './control.ts'
import { checkCodes, checkFailed, checkStatus } from './status-check.ts'

/** Prints the state of the indexer and a summary of the catalogue. */
export async function status(
  config: ConfigOf<'status'>,
  { json }: { readonly json: boolean },
): Promise<number> {
  const { wire, problems } = await readStatus(config)
  for (const line of json ? [JSON.stringify(wire)] : statusLines(wire, problems)) await print(line)
  return 0
}

async function readStatus(config: ConfigOf<'status'>) {
  const indexer = await askStatus(controlOf(config))
  const reader = await openReader(config)
  try {
    const [summary, recent] = [await reader.summary(), await recentFlagsOf(reader)]
    const wire = serialiseStatus(summary, indexer, { version: packageVersion(), recent })
    return { wire, problems: problemsOf(indexer) }
  } finally {
    await reader.close()
  }
}

/** `undefined` while indexes are being built. */
async function recentFlagsOf(reader: CatalogueReader): Promise<RecentFlags | undefined> {
  return readRecentFlags({ reader, nowUs: createClock() }).catch((error: unknown) => {
    if (isTemporary(error)) return undefined
    throw error
  })
}

/** Checks the status for monitoring. @returns an exit code for monitoring plugins */
export async function check(config: ConfigOf<'status'>): Promise<number> {
  const { level, line } = await readStatus(config).then(
    ({ wire }) => checkStatus(wire, Date.now() / 1000),
    (error: unknown) => checkFailed(error instanceof Error ? error.message : String(error)),
  )
  await print(line)
  return checkCodes[level]
}

const problemsPerPage = 1000

/**
 * Prints the files with problems, except files that could not be served, which only the API knows.
 */
export async function problems(
  config: ConfigOf<'status'>,
  { json }: { readonly json: boolean },
): Promise<number> {
  const settling = await askSettling(controlOf(config))
  const reader = await openReader(config)
  const sources = { reader, settling: () => Promise.resolve(settling), unservable: () => [] }
  try {
    for (let offset = 0, count = 1; offset < count; offset += problemsPerPage) {
      const request = { names: problemNames, limit: problemsPerPage, offset }
      const page = await listProblems(sources, request)
      count = page.count
      for (const each of page.items)
        await print(json ? JSON.stringify(each) : describeProblem(each))
    }
    return 0
  } finally {
    await reader.close()
  }
}

function describeProblem({ problem, path, reason, since }: WireProblem): string {
  return [problem, printable(path), reason, timeText(since)].join('\t')
}

/** Describes the status for people; the times are in UTC. */
export function statusLines(status: CommonStatus, problems: readonly IndexerProblem[]): string[] {
  const { state, since, areas, scan, last_scan: last, watching } = status
  return [
    since === null ? state : `${state} since ${timeText(since)}`,
    ...hostLines(status),
    ...problems.flatMap(({ text, advice }) => [`  ${text}`, `    ${advice}`]),
    ...Object.entries(areas).map(
      ([area, { files, bytes, directories }]) =>
        `${area}: ${readableNumber(files)} files in ${readableNumber(directories)} directories, ${readableSize(bytes)}`,
    ),
    ...(scan === null
      ? []
      : [
          `scan: ${Math.floor(scan.done * 100)} %, ${readableNumber(scan.files)} files, ${readableNumber(Math.round(scan.files_per_second))} files/s`,
        ]),
    last === null
      ? 'no complete scan yet'
      : `last scan: ended ${timeText(last.ended)}, ${readableNumber(last.files)} files, ${readableNumber(last.added)} added, ${readableNumber(last.modified)} modified, ${readableNumber(last.removed)} removed`,
    ...(status.as_of === null ? [] : [`oldest look at a directory: ${timeText(status.as_of)}`]),
    ...(status.rescans?.ended ?? []).map(describeRescan),
    ...(watching === null
      ? []
      : [
          `watching ${readableNumber(watching.directories)} directories${watching.limit === null ? '' : ` of ${readableNumber(watching.limit)} possible`}, ${readableNumber(status.dirty_directories ?? 0)} to be read, ${readableNumber(status.settling_files ?? 0)} files not complete yet`,
        ]),
    ...(status.held_removals ? [`${readableNumber(status.held_removals)} removals withheld`] : []),
    `misplaced: ${readableNumber(status.misplaced)}, incomplete: ${readableNumber(status.incomplete.count)}`,
    ...(status.disguised.count === 0
      ? []
      : [`disguised: ${readableNumber(status.disguised.count)}`]),
    ...status.unclear_paths.map((area) => `paths in ${printable(area)}: ${unclearPathsWords}`),
    describeChecksums(status),
    ...flaggedLines(status),
    ...status.rejected.map(describeRejection),
  ]
}

function describeRejection(rejection: CommonStatus['rejected'][number]): string {
  const { reason, count, examples } = rejection
  const words = reason === 'suffix' ? suffixWords(rejection) : undefined
  const example = `for example ${printable(examples[0] ?? '')}`
  return words === undefined
    ? `not catalogued ${readableNumber(count)}: ${reason}, ${example}`
    : `not catalogued: ${words}, see suffixes, ${example}`
}

function describeRescan(rescan: NonNullable<CommonStatus['rescans']>['ended'][number]): string {
  const { paths, path_count: count, started, ended, problem } = rescan
  const more = count > paths.length ? ` and ${readableNumber(count - paths.length)} more` : ''
  const took = readableDuration((Date.parse(ended) - Date.parse(started)) / 1000)
  const changes = `${readableNumber(rescan.added)} added, ${readableNumber(rescan.modified)} modified, ${readableNumber(rescan.removed)} removed`
  return `rescan ${rescan.rescan} of ${printable(paths.join(', '))}${more}: ended ${timeText(ended)} after ${took}, ${changes}${problem === null ? '' : `; ${problem}`}`
}

/** Where the indexers run; nothing if the database is a file. */
function hostLines({ indexer }: CommonStatus): string[] {
  if (indexer === null || indexer.host === null) return []
  const waiting = indexer.waiting.length === 0 ? '' : `, waiting on ${indexer.waiting.join(', ')}`
  return [`indexer: active on ${indexer.host}${waiting}`]
}

function describeChecksums({ checksums: { files, waiting, broken } }: CommonStatus): string {
  const [example] = broken.examples
  const exampleText = example === undefined ? '' : `, for example ${printable(example)}`
  const toRead = waiting === null ? '' : `, ${readableNumber(waiting)} to be read`
  return `checksums: ${readableNumber(files)}${toRead}, broken: ${readableNumber(broken.count)}${exampleText}`
}

/** `flagged, data since 2026-01-22: 3 cut, 12 short`; nothing if no file is flagged. */
function flaggedLines({ flagged }: CommonStatus): string[] {
  if (flagged === null || flagged.files === 0) return []
  const counts = flagged.flags.map(({ flag, files }) => `${readableNumber(files)} ${flag}`)
  return [`flagged, data since ${flagged.from}: ${counts.join(', ')}`]
}

function timeText(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`
}
