/** Finds the file or the directory below `data/` that a request target names. Pure. */
import { parseDirectory } from '../../parse/archive-path.ts'

/** A file's place in the archive: its directory below the root, and its name. */
export interface FilePlace {
  readonly directory: string
  readonly name: string
}

/** The directory that a request target names. */
export interface DirectoryTarget {
  /** Path below the archive root; empty for the root itself. */
  readonly directory: string
  /** True if the target ends with a slash. */
  readonly hasSlash: boolean
}

/**
 * File names that a target may contain. They have the characters of RINEX file names, and never
 * start with a dot, so hidden files and `..` are excluded.
 */
const fileName = /^[A-Za-z0-9_][A-Za-z0-9._]{0,254}$/

/**
 * Maximum length of a path below `data/`. Eight directory names of 64 characters and a file name
 * need less.
 */
const maxPathLength = 1024

/**
 * Finds the file that a request target names. Decodes nothing, unlike the router, so a target with
 * `%` names no file.
 * @param target as `normaliseTarget` returns it, with or without a query
 * @returns `undefined` if the target is not the path of a file
 */
export function parseDataTarget(target: string, datasetPrefix: string): FilePlace | undefined {
  const path = pathBelowData(target, datasetPrefix)
  if (path === undefined) return undefined
  const slash = Math.max(path.lastIndexOf('/'), 0)
  const directory = path.slice(0, slash)
  const name = path.slice(slash + 1)
  if (parseDirectory(directory).kind === 'rejected' || !fileName.test(name)) return undefined
  return { directory, name }
}

/**
 * Finds the directory that a request target names, by the rules of `parseDataTarget`. The target
 * may end with a slash.
 */
export function parseDirectoryTarget(
  target: string,
  datasetPrefix: string,
): DirectoryTarget | undefined {
  const path = pathBelowData(target, datasetPrefix)
  if (path === undefined) return undefined
  if (path === '') return { directory: '', hasSlash: true }
  const hasSlash = path.endsWith('/')
  const directory = hasSlash ? path.slice(0, -1) : path
  return parseDirectory(directory).kind === 'rejected' ? undefined : { directory, hasSlash }
}

function pathBelowData(target: string, datasetPrefix: string): string | undefined {
  const root = `/${datasetPrefix}/data/`
  const end = target.indexOf('?')
  const path = end === -1 ? target : target.slice(0, end)
  if (path.length > root.length + maxPathLength || !path.startsWith(root)) return undefined
  return path.slice(root.length)
}
