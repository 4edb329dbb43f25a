/** Listings of directories. */
import { joinPath } from '../../parse/layout.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { row, rows, value } from '../question.ts'
import type { FileRecord } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import { head } from './summary.ts'

/** The state of a directory listing. */
export interface DirectoryState {
  readonly epoch: string
  /** Changes whenever a listed name, size or time changes in the directory or below it. */
  readonly version: string
  /**
   * Time of the latest change of a listed name, size or time in the directory or below it;
   * `undefined` if no change was recorded.
   */
  readonly changedUs: number | undefined
}

/** A directory with catalogued files in it or below it. */
export interface Subdirectory {
  readonly name: string
  /**
   * Time of the latest change in this directory or below it; `undefined` if no change was recorded.
   */
  readonly changedUs: number | undefined
}

/** A file in a directory listing. */
export type FileEntry = Pick<FileRecord, 'name' | 'size' | 'mtimeUs'>

export interface EntriesQuery {
  /** Path of a directory; empty for the root. */
  readonly path: string
  /** `next` of the previous chunk; empty for the first chunk. */
  readonly after: string
  /** At least 1. */
  readonly limit: number
}

/** A chunk of a directory listing. */
export interface Entries<T> {
  readonly entries: readonly T[]
  /** `after` for the next chunk; `undefined` at the end. */
  readonly next: string | undefined
}

/** Sorts after every character that the names of directories may contain. */
const afterNames = '~'

type DirectoryRow = [files: number, gone: number, changedUs: number | null]

type FileRow = [name: string, size: number, mtimeUs: number]

/**
 * The state of a directory; `undefined` if it is not on disk and there are no catalogued files in
 * it or below it. The root always exists.
 */
export function* directory(
  path: string,
  { dialect }: Pick<QuestionContext, 'dialect'>,
): Question<DirectoryState | undefined> {
  const { epoch } = yield* head()
  const found = yield* rowOf(path)
  // The root has a row if all of the archive is an area.
  if (path === '' && found === undefined)
    return stateOfRoot(epoch, yield* subdirectories({ path, after: '', limit: 100 }, { dialect }))
  const isThere = path === '' || (found !== undefined && (found[1] === 0 || found[0] > 0))
  const above = `${path}/`
  if (!isThere && (yield* filledAfter({ last: above, above, limit: 1 }, dialect)).length === 0)
    return undefined
  const latestUs = yield* changedUs(path, found?.[2])
  return { epoch, version: versionOf(latestUs), changedUs: latestUs }
}

/**
 * A chunk of the direct subdirectories that have catalogued files in them or below them, in no
 * particular order.
 *
 * Steps from one subdirectory to the next. For each subdirectory, looks up the first path with
 * files at or below it, and skips all deeper paths. A subdirectory may be found twice, by its own
 * path `a` and by a path below it, `a/b`, because `a-b` sorts between the two. A subdirectory is
 * listed when it is found by its own path. When it is found by a path below it, it is listed only
 * if it has no files itself.
 */
export function* subdirectories(
  { path, after, limit }: EntriesQuery,
  { dialect }: Pick<QuestionContext, 'dialect'>,
): Question<Entries<Subdirectory>> {
  const above = path === '' ? '' : `${path}/`
  const entries: Subdirectory[] = []
  let last = after === '' ? above : after
  // More and more paths are read at once, as long as none is below another.
  for (let ahead = 1; entries.length < limit;) {
    const found = yield* filledAfter({ last, above, limit: ahead }, dialect)
    if (found.length === 0) return { entries, next: undefined }
    ahead = Math.min(2 * ahead, limit)
    for (const [filled, filledUs] of found) {
      if (entries.length === limit) break
      const slash = filled.indexOf('/', above.length)
      const child = slash === -1 ? filled : filled.slice(0, slash)
      const name = child.slice(above.length)
      last = slash === -1 ? filled : `${child}/${afterNames}`
      if (slash === -1) {
        entries.push({ name, changedUs: yield* changedUs(child, filledUs) })
        continue
      }
      const state = yield* rowOf(child)
      if ((state?.[0] ?? 0) === 0)
        entries.push({ name, changedUs: yield* changedUs(child, state?.[2]) })
      ahead = 1
      break
    }
  }
  return { entries, next: last }
}

/** A chunk of the live files of a directory, by name: the unique index has this order. */
export function* filesIn({ path, after, limit }: EntriesQuery): Question<Entries<FileEntry>> {
  const found = yield* rows<FileRow>(
    `SELECT name, size, mtime_us FROM file
     WHERE directory = (SELECT id FROM directory WHERE path = @path) AND name > @after
     ORDER BY name LIMIT CAST(@limit AS bigint)`,
    { path, after, limit },
  )
  const entries = found.map(([name, size, mtimeUs]) => ({ name, size, mtimeUs }))
  return { entries, next: found.length < limit ? undefined : entries.at(-1)?.name }
}

/**
 * The next paths with files, and their times. Names its index, because by the index of all paths it
 * would read past empty directories.
 */
function filledAfter(
  { last, above, limit }: { readonly last: string; readonly above: string; readonly limit: number },
  dialect: Dialect,
): Question<[path: string, changedUs: number | null][]> {
  return rows(
    `SELECT path, changed_us FROM directory ${dialect.using('directory_filled')}
     WHERE files > 0 AND path > @last AND path < @end ORDER BY path LIMIT CAST(@limit AS bigint)`,
    { last, end: above + afterNames, limit },
  )
}

function rowOf(path: string): Question<DirectoryRow | undefined> {
  return row<DirectoryRow>('SELECT files, gone, changed_us FROM directory WHERE path = @path', {
    path,
  })
}

/**
 * Time of the latest change in a directory or below it. If the directory has no row, or its row has
 * no time, the latest time of the directories below it is used.
 */
function* changedUs(path: string, known: number | null | undefined): Question<number | undefined> {
  return (
    known ??
    (yield* value<number>(
      'SELECT max(changed_us) FROM directory WHERE path > @from AND path < @to',
      { from: joinPath(path, ''), to: joinPath(path, afterNames) },
    ))
  )
}

/** The state of a root without a row, from those of the areas. */
function stateOfRoot(epoch: string, { entries }: Entries<Subdirectory>): DirectoryState {
  const version = entries.map(({ name, changedUs }) => `${name}.${versionOf(changedUs)}`).join('.')
  const times = entries.flatMap(({ changedUs }) => changedUs ?? [])
  return { epoch, version, changedUs: times.length === 0 ? undefined : Math.max(...times) }
}

function versionOf(changedUs: number | undefined): string {
  return (changedUs ?? 0).toString(36)
}
