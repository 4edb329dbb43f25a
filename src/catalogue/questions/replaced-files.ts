/** The directories of the files that were listed or replaced since a time. */
import type { ChangedDirectory } from '../series-queries.ts'
import { modifiedUs } from '../selection/conditions.ts'
import type { Dialect } from '../dialect.ts'
import type { QuestionContext } from '../selection/lookups.ts'
import { rows } from '../question.ts'
import type { Question } from '../question.ts'

/**
 * Maximum number of files that are examined. The index also has the files that are new in the range
 * of time, so a question about a range that contains a first scan would take seconds.
 */
const mostExamined = 200_000

/** @throws NotBuilt */
export function* changedDirectories(
  sinceUs: number,
  context: QuestionContext,
): Question<readonly ChangedDirectory[]> {
  yield* context.lookups.refresh(['file_modified'])
  const found = yield* rows<[path: string, files: number]>(
    `SELECT d.path, count(*) FROM (${examined(context.dialect)}) AS part
     LEFT JOIN file f ON f.id = part.id LEFT JOIN directory d ON d.id = f.directory
     GROUP BY d.path ORDER BY 2 DESC, d.path LIMIT 5`,
    { fromUs: sinceUs, toUs: Number.MAX_SAFE_INTEGER },
  )
  return found.map(([path, files]) => ({ path, files }))
}

/** SQL for the ids of the first files of a range of time. It reads only the index. */
function examined(dialect: Dialect): string {
  return `SELECT f.id FROM file f ${dialect.using('file_modified')}
    WHERE ${dialect.inTime('f.id')} AND ${modifiedUs} BETWEEN @fromUs AND @toUs
    ORDER BY ${modifiedUs}, f.id LIMIT ${mostExamined}`
}
