/** SQL about the paths of directories and files. */
import type { Values } from '../question.ts'

/** The path of a file, from the path of its directory and its name. */
export function pathOf(directory: string, name: string): string {
  return `CASE ${directory} WHEN '' THEN ${name} ELSE ${directory} || '/' || ${name} END`
}

/**
 * A condition on a row of `directory`: it is this one, or lies in it.
 * @param end of the names of its parameters, if a statement has several of them
 */
export function isInDirectory(
  path: string,
  end = '',
): { readonly sql: string; readonly values: Values } {
  if (path === '') return { sql: 'TRUE', values: {} }
  return {
    sql: `(directory.path = @root${end}
      OR (directory.path > @from${end} AND directory.path < @to${end}))`,
    // A zero is the character after a slash.
    values: { [`root${end}`]: path, [`from${end}`]: `${path}/`, [`to${end}`]: `${path}0` },
  }
}
