/** The head of the catalogue, its last scan, and the figures of all of it. */
import type { LayoutLists } from '../../parse/layout.ts'
import { joinPath } from '../../parse/layout.ts'
import type { FileType } from '../../parse/types.ts'
import type { Dialect } from '../dialect.ts'
import type { Problem } from '../filter.ts'
import type { Question } from '../question.ts'
import { all, column, row, rows, value } from '../question.ts'
import type { Head, ScanSummary } from '../records.ts'
import { filesWith } from '../selection/conditions.ts'
import type { QuestionContext } from '../selection/context.ts'
import { kindCounts, sumOfColumn } from '../tables/count-tables.ts'
import { stateStatement, toState } from '../tables/head.ts'
import { isInDirectory, pathOf } from '../tables/paths.ts'
import { storedLayout, storedLists } from '../tables/stored-layout.ts'

export function* head(): Question<Head> {
  const [found] = yield* all(stateStatement)
  return toState(found?.[0]).head
}

/** The lists of the layout as the last indexer used them; `undefined` before the first. */
export function* layout(): Question<LayoutLists | undefined> {
  return yield* storedLists()
}

/** The last complete scan of the tree; `undefined` before the first. Reads one row. */
export function* lastScan(): Question<ScanSummary | undefined> {
  const scan = yield* value<string>('SELECT last_scan FROM catalogue WHERE one = 1')
  return scan === undefined ? undefined : (JSON.parse(scan) as ScanSummary)
}

interface AreaSummary {
  files: number
  /** The sum of the sizes. */
  bytes: number
  directories: number
}

/** The summary of the catalogue, without the state of the indexer. */
export interface CatalogueSummary {
  readonly head: Head
  /** The areas of the layout in their order, and former ones of which records are left. */
  readonly areas: Readonly<Record<string, AreaSummary>>
  /** Number of misplaced files (see `problems`). */
  readonly misplaced: number
  /** Areas whose paths contradict too many names to be dates (see `judgePaths`). */
  readonly unclearPaths: readonly string[]
  /** Files whose content has no end. */
  readonly incomplete: RejectionCount
  /** Files that are not compressed as their names say. */
  readonly disguised: RejectionCount
  readonly checksums: {
    /** Number of files with a checksum that is not stale. */
    readonly files: number
    /** Number of files of which is known what is inside; each has such a checksum. */
    readonly facts: number
    /** Damaged files that are not incomplete. */
    readonly broken: RejectionCount
  }
  /**
   * Entries of directories that are not catalogued, by reason, most frequent first; without what
   * is excluded.
   */
  readonly rejected: readonly RejectionCount[]
  /** Number of directories that were found to be excluded; what is in them is unknown. */
  readonly excludedDirectories: number
  /** The last complete scan of the tree; `undefined` before the first. */
  readonly lastScan: ScanSummary | undefined
  /** The newest record of each area and file type that have files. */
  readonly newest: readonly NewestFile[]
}

export interface NewestFile {
  readonly area: string
  readonly fileType: FileType
  readonly createdUs: number
}

export interface RejectionCount {
  /** An `EntryRejectionReason` of this or an earlier release, or a problem of listed files. */
  readonly reason: string
  readonly count: number
  /** A few paths relative to the archive root; bytes that are not UTF-8 show as U+FFFD. */
  readonly examples: readonly string[]
}

const examplesPerReason = 5

type FilesRow = [area: string, files: number, bytes: number]
type GroupRow = [area: string, fileType: FileType, bucket: number]

export function* summary(
  _query: undefined,
  { dialect }: Pick<QuestionContext, 'dialect'>,
): Question<CatalogueSummary> {
  const now = yield* head()
  const areas = yield* areaFigures(dialect)
  const misplaced = yield* countOf('misplaced', dialect)
  const incomplete = yield* problem('incomplete', dialect)
  const broken = yield* problem('broken', dialect)
  const disguised = yield* problem('disguised', dialect)
  const counted = 'SELECT files, facts FROM hashing WHERE one = 1'
  const [files = 0, facts = 0] = (yield* row<[number, number]>(counted)) ?? []
  return {
    head: now,
    areas,
    misplaced,
    unclearPaths: yield* column<string>(unclear),
    incomplete,
    disguised,
    checksums: { files, facts, broken },
    rejected: yield* rejected(dialect),
    excludedDirectories: yield* excludedDirectories(dialect),
    lastScan: yield* lastScan(),
    newest: yield* newest(),
  }
}

function* areaFigures(dialect: Dialect): Question<CatalogueSummary['areas']> {
  const { areas: names, roots } = yield* storedLayout()
  const areas: Record<string, AreaSummary> = {}
  const areaOf = (name: string): AreaSummary =>
    (areas[name] ??= { files: 0, bytes: 0, directories: 0 })
  for (const name of names) areaOf(name)
  const found = yield* rows<FilesRow>(
    `SELECT k.area, ${sumOfColumn('c.files')}, ${sumOfColumn('c.bytes')} ${kindCounts} GROUP BY k.area`,
  )
  for (const [area, files, bytes] of found) Object.assign(areaOf(area), { files, bytes })
  for (const [index, root] of roots.entries()) {
    const { sql, values } = isInDirectory(root)
    const count = yield* value<number>(
      `SELECT count(*) FROM directory WHERE gone = 0 AND ${dialect.inTime('id')} AND ${sql}`,
      values,
    )
    areaOf(names[index] ?? '').directories = count ?? 0
  }
  return areas
}

function* countOf(reason: Problem, dialect: Dialect): Question<number> {
  const from = `${filesWith(reason, dialect)} AND ${dialect.inTime('f.id')}`
  return (yield* value<number>(`SELECT count(*) FROM ${from}`)) ?? 0
}

/** The first condition leads to the index, in which few kinds have files. */
const unclear = `SELECT DISTINCT area FROM kind k WHERE EXISTS (
    SELECT 1 FROM file f WHERE f.kind = k.id AND f.misplaced > 0 AND f.misplaced = 2)
  ORDER BY area`

/** The examples are the paths of the files with the highest ids. */
function* problem(reason: Problem, dialect: Dialect): Question<RejectionCount> {
  const path = pathOf('(SELECT path FROM directory WHERE id = f.directory)', 'f.name')
  const newest = `SELECT f.id FROM ${filesWith(reason, dialect)} AND ${dialect.inTime('f.id')}
    ORDER BY f.id DESC LIMIT ${examplesPerReason}`
  const examples = yield* column<string>(
    `SELECT ${path} FROM (${newest}) n JOIN file f ON f.id = n.id ORDER BY f.id DESC`,
  )
  return { reason, count: yield* countOf(reason, dialect), examples }
}

function* excludedDirectories(dialect: Dialect): Question<number> {
  const sql = `SELECT CAST(sum(count) AS bigint) FROM rejection
    WHERE ${dialect.inTime('directory')} AND reason = 'excluded'`
  return (yield* value<number>(sql)) ?? 0
}

function* rejected(dialect: Dialect): Question<RejectionCount[]> {
  const inTime = dialect.inTime('r.directory')
  const counts = yield* rows<[reason: string, count: number]>(
    `SELECT reason, CAST(sum(count) AS bigint) FROM rejection r
     WHERE ${inTime} AND reason <> 'excluded'
     GROUP BY reason ORDER BY 2 DESC, 1`,
  )
  const examples = yield* all(
    ...counts.map(([reason]) => ({
      sql: `SELECT d.path, r.names FROM rejection r JOIN directory d ON d.id = r.directory
        WHERE ${inTime} AND r.reason = @reason AND ${dialect.length('r.names')} > 0
        ORDER BY d.id DESC LIMIT ${examplesPerReason}`,
      values: { reason },
    })),
  )
  return counts.map(([reason, count], at) => ({
    reason,
    count,
    examples: ((examples[at] ?? []) as unknown as [string, string][]).map(([path, names]) =>
      joinPath(path, (JSON.parse(names) as string[])[0] ?? ''),
    ),
  }))
}

/**
 * The newest record of each area and file type. Uses `id_count`, which is complete even during a
 * first scan. It needs one lookup for each kind, and at most 64 rows for each result.
 */
function* newest(): Question<NewestFile[]> {
  const groups = yield* rows<GroupRow>(
    `SELECT area, file_type, max(bucket) FROM (
       SELECT area, file_type,
         (SELECT max(bucket) FROM id_count WHERE level = 6 AND kind = kind.id) AS bucket
       FROM kind) AS latest
     WHERE bucket IS NOT NULL GROUP BY area, file_type ORDER BY area, file_type`,
  )
  const found = yield* all(
    ...groups.map(([area, fileType, bucket]) => ({
      sql: `SELECT f.created_us FROM file f JOIN kind k ON k.id = f.kind
        WHERE f.id BETWEEN @first AND @last AND k.area = @area AND k.file_type = @fileType
        ORDER BY f.id DESC LIMIT 1`,
      values: { first: bucket * 64, last: bucket * 64 + 63, area, fileType },
    })),
  )
  return groups.flatMap(([area, fileType], at) => {
    const createdUs = found[at]?.[0]?.[0] as number | undefined
    return createdUs === undefined ? [] : [{ area, fileType, createdUs }]
  })
}
