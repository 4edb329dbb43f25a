/**
 * Judges again which files are misplaced: after a change of the rules, and where the paths of an
 * area contradict so many names that they are not dates as we read them.
 */
import type { Layout } from '../../parse/layout.ts'
import type { Placement } from '../../parse/placement.ts'
import { placementIn } from '../../parse/placement.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { execute, rows } from '../question.ts'
import { kindCounts, sumOfColumn } from '../tables/count-tables.ts'
import { raiseDetails } from './checksum-rows.ts'

/** Fewer contradictions than this say nothing about the paths of an area. */
const fewest = 100
/** Above this share of the files of an area, its paths are not dates as we read them. */
const mostShare = 1 / 5

/** True if the paths of so many files contradict their names that the paths are no dates. */
export function areUnclear(files: number, contradicting: number): boolean {
  return contradicting >= fewest && contradicting > files * mostShare
}

/**
 * Clears the mark of files that are not misplaced by the present rules. The rules only ever become
 * milder, so that no other file needs to be looked at.
 */
export function* judgeMisplaced(dialect: Dialect, layout: Layout): Question<void> {
  const found = yield* rows<[id: number, directory: string, name: string]>(
    `SELECT f.id, d.path, f.name FROM file f ${dialect.using('file_contradicting')}
     JOIN directory d ON d.id = f.directory WHERE f.misplaced > 0`,
  )
  const placements = new Map<string, Placement>()
  const ids = found.flatMap(([id, directory, name]) => {
    const placement = placements.get(directory) ?? placementIn(directory)
    placements.set(directory, placement)
    const parsed = layout.parseFilename(name)
    return parsed.kind === 'parsed' && placement.isMisplaced(parsed) ? [] : [id]
  })
  if (ids.length === 0) return
  yield* execute(
    {
      sql: `UPDATE file SET misplaced = 0 WHERE ${dialect.isIn('id', 'ids')}`,
      values: { ids },
    },
    raiseDetails,
  )
}

/**
 * Decides for each area whether its paths are dates: if they contradict more than a fifth of its
 * files, and at least 100, they are not, and no file of the area is misplaced.
 */
export function* judgePaths(): Question<void> {
  const counts = yield* rows<[area: string, files: number, contradicting: number]>(
    `SELECT k.area, ${sumOfColumn('c.files')},
       (SELECT count(*) FROM file f JOIN kind own ON own.id = f.kind
        WHERE f.misplaced > 0 AND own.area = k.area)
     ${kindCounts} GROUP BY k.area`,
  )
  for (const [area, files, contradicting] of counts) {
    const [from, to] = areUnclear(files, contradicting) ? [1, 2] : [2, 1]
    const values = { area, from, to }
    const changed = yield* rows(someOf, values)
    if (changed.length > 0) yield* execute({ sql: marking, values }, raiseDetails)
  }
}

const marked = 'misplaced = @from AND kind IN (SELECT id FROM kind WHERE area = @area)'
const someOf = `SELECT 1 FROM file WHERE misplaced > 0 AND ${marked} LIMIT 1`
const marking = `UPDATE file SET misplaced = @to WHERE misplaced > 0 AND ${marked}`
