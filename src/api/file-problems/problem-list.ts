/**
 * The list of all files with problems: from the indexer (settling), the API (unservable) and the
 * catalogue.
 */
import { listedProblems } from '../../catalogue/reader.ts'
import type { Asker, CatalogueReader, ProblemEntry } from '../../catalogue/reader.ts'
import type { SettlingFile } from '../../control-socket/protocol.ts'
import { microsecondsToIso } from '../http/times.ts'

/** The kinds of problems, in the order of the list. */
export const problemNames = ['settling', 'unservable', ...listedProblems] as const
export type ProblemName = (typeof problemNames)[number]

/** A problem as clients get it. */
export interface WireProblem extends Pick<ProblemEntry, 'path' | 'reason'> {
  readonly problem: ProblemName
  readonly since: string | null
}

export interface ProblemSources {
  readonly reader: Pick<CatalogueReader, 'problems'>
  /**
   * Files that are not complete yet or cannot be read, at most 1,000; none if the indexer does not
   * answer.
   */
  readonly settling: () => Promise<readonly SettlingFile[]>
  /** Files that could not be served; only the API reports them. */
  readonly unservable: () => readonly Omit<ProblemEntry, 'problem'>[]
}

export interface ProblemsRequest {
  readonly names: readonly ProblemName[]
  readonly limit: number
  readonly offset: number
}

/** Returns a page of the problems, and the count of all. */
export async function listProblems(
  { reader, settling, unservable }: ProblemSources,
  { names, limit, offset }: ProblemsRequest,
  asker?: Asker,
): Promise<{ readonly count: number; readonly items: readonly WireProblem[] }> {
  const withName = <Name extends ProblemName>(
    problem: Name,
    files: readonly Omit<ProblemEntry, 'problem'>[],
  ) => files.map((file) => ({ ...file, problem }))
  // The catalogue does not have these problems.
  const transient = [
    ...withName('settling', names.includes('settling') ? await settling() : []),
    ...withName('unservable', names.includes('unservable') ? unservable() : []),
  ]
  const first = transient.slice(offset, offset + limit)
  const query = {
    kinds: listedProblems.filter((kind) => names.includes(kind)),
    limit: limit - first.length,
    offset: Math.max(0, offset - transient.length),
  }
  const { count, entries } = await reader.problems(query, asker)
  return {
    count: transient.length + count,
    items: [...first, ...entries].map(({ problem, path, reason, sinceUs }) => ({
      problem,
      path,
      reason,
      since: sinceUs === undefined ? null : microsecondsToIso(sinceUs),
    })),
  }
}
