/** The paths of what is wrong in the archive: what the catalogue, the indexer and the API know of it, in one list. */
import { listedProblems } from '../../catalogue/reader.ts'
import type { CatalogueReader, ProblemEntry } from '../../catalogue/reader.ts'
import type { SettlingFile } from '../../control/protocol.ts'
import { microsecondsToIso } from '../files/serialise.ts'

/** In the order in which they are listed. */
export const problemWords = ['settling', 'unservable', ...listedProblems] as const
export type ProblemWord = (typeof problemWords)[number]

/** As clients get it. */
export type WireProblem = Awaited<ReturnType<typeof listProblems>>['results'][number]

export interface ProblemSources {
  readonly reader: Pick<CatalogueReader, 'problems'>
  /** Files that are not complete yet: none where no indexer can be asked. */
  readonly settling: () => Promise<readonly SettlingFile[]>
  /** Files that could not be served; only the API knows them. */
  readonly unservable: () => readonly Omit<ProblemEntry, 'problem'>[]
}

export interface ProblemsRequest {
  readonly words: readonly ProblemWord[]
  readonly limit: number
  readonly offset: number
}

/** A page of the problems, and how many there are on all pages. */
export async function listProblems(
  { reader, settling, unservable }: ProblemSources,
  { words, limit, offset }: ProblemsRequest,
) {
  const named = <Word extends ProblemWord>(
    problem: Word,
    files: readonly Omit<ProblemEntry, 'problem'>[],
  ) => (words.includes(problem) ? files.map((file) => ({ ...file, problem })) : [])
  const passing = [
    ...named('settling', words.includes('settling') ? await settling() : []),
    ...named('unservable', unservable()),
  ]
  const first = passing.slice(offset, offset + limit)
  const { count, entries } = await reader.problems({
    kinds: listedProblems.filter((kind) => words.includes(kind)),
    limit: limit - first.length,
    offset: Math.max(0, offset - passing.length),
  })
  return {
    count: passing.length + count,
    results: [...first, ...entries].map(({ problem, path, reason, sinceUs }) => ({
      ...{ problem, path, reason },
      since: sinceUs === undefined ? null : microsecondsToIso(sinceUs),
    })),
  }
}
