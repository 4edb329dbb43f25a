import type { Database } from 'better-sqlite3'
import type { ChunkQuery, Head, Page, PageQuery, RecordChunk } from '../../catalogue.ts'
import type { StationsPage, StationsQuery } from '../../catalogue.ts'
import { defaultOrdering } from '../../filter.ts'
import type { FileFilter } from '../../filter.ts'
import { prepareListedFiles } from '../listed-files.ts'
import { prepareKnownHead } from '../summary.ts'
import { openColumns } from './columns.ts'
import { openMatching } from './matching.ts'
import { idsAt } from './places.ts'
import type { Answers } from './question.ts'
import { openSorting } from './sorting.ts'
import { openStations } from './stations.ts'
import { openTallies } from './tallies.ts'
import { openVocabulary } from './vocabulary.ts'

/** So long one look may take before others get their turn. */
const turnMs = 8

/** One for all questions without a filter, which need to be known again in their next turn. */
const unfiltered: FileFilter = {}

/**
 * Answers questions that filter, sort or sum up. Each method looks once, in one read transaction, and gives `undefined`
 * when its time was up: what it learned is kept, so that it comes to an end when it is called again and again.
 * @param turn how many times it was called for this question; who has waited long may take longer
 */
export interface Answering {
  page(query: PageQuery, turn: number): Page | undefined
  records(query: ChunkQuery): RecordChunk
  stations(query: StationsQuery, turn: number): StationsPage | undefined
  station(query: { readonly code: string }, turn: number): Answers['station']['answer'] | undefined
}

export function prepareAnswering(db: Database): Answering {
  const head = prepareKnownHead(db)
  const columns = openColumns(db)
  const vocabulary = openVocabulary(db)
  const tallies = openTallies({ matching: openMatching(db), vocabulary })
  const sort = openSorting(db, vocabulary)
  const stations = openStations(db, vocabulary)
  const filesOf = prepareListedFiles(db)
  const follow = (): Head => {
    const now = head()
    columns.follow(now.seq)
    vocabulary.follow()
    return now
  }
  const page = (query: PageQuery, turn: number) => {
    const { limit, offset, filter = unfiltered, ordering } = query
    const now = follow()
    const { segments } = columns
    const tally = tallies.of(filter)
    const isTimeUp = clockOf(turn)
    if (!tally.follow(segments, isTimeUp)) return undefined
    const count = segments.reduce((sum, segment) => sum + tally.count(segment), 0)
    const { key, descending } = ordering ?? defaultOrdering
    const stretch = { offset, limit, descending }
    if (offset >= count) return { head: now, count, records: [] }
    const listed = { segments, matches: tally, turn: { question: query, isTimeUp } }
    const ids = key === 'id' ? idsAt(listed, stretch) : sort(listed, { ...stretch, key, count })
    if (ids === undefined) return undefined
    return { head: now, count, records: filesOf(ids) }
  }
  const records = ({ before, limit, filter = unfiltered }: ChunkQuery): RecordChunk => {
    const { epoch } = follow()
    const tally = tallies.of(filter)
    const isTimeUp = clockOf(0)
    const found: number[] = []
    for (const segment of columns.segments.toReversed()) {
      const { firstId } = segment
      if (firstId >= before) continue
      if (isTimeUp()) break
      tally.follow([segment], () => false)
      const positions = tally.positions(segment)
      for (let index = positions.length - 1; index >= 0 && found.length < limit; index--) {
        const id = firstId + (positions[index] as number)
        if (id < before) found.push(id)
      }
      if (found.length === limit) return chunkOf(epoch, found, found.at(-1))
      before = firstId
    }
    return chunkOf(
      epoch,
      found,
      columns.segments.some(({ firstId }) => firstId < before) ? before : undefined,
    )
  }
  const chunkOf = (epoch: string, ids: readonly number[], next: number | undefined) => ({
    epoch,
    records: filesOf(ids),
    next,
  })
  return {
    page: db.transaction(page),
    records: db.transaction(records),
    stations: db.transaction((query: StationsQuery, turn: number) => {
      const now = follow()
      return stations.follow(columns.segments, clockOf(turn))
        ? { head: now, ...stations.page(query) }
        : undefined
    }),
    station: db.transaction(({ code }: { readonly code: string }, turn: number) => {
      const now = follow()
      return stations.follow(columns.segments, clockOf(turn))
        ? { head: now, station: stations.one(code) }
        : undefined
    }),
  }
}

/**
 * Begins a turn, and says when its time is up. Turns grow, so that each question comes to its end whatever has to be done
 * again in each, but slowly: after a hundred of them one is three times the first.
 */
function clockOf(turn: number): () => boolean {
  const endMs = performance.now() + turnMs * (1 + Math.sqrt(turn) / 5)
  return () => performance.now() > endMs
}
