import { parseDirectory } from '../../parse/archive-path.ts'

/** A file's place in the archive: its directory below the root, and its name. */
export interface FilePlace {
  readonly directory: string
  readonly name: string
}

/** The directory that a request target names. */
export interface DirectoryTarget {
  /** Below the archive root; empty for the root itself. */
  readonly directory: string
  /** Whether the target ends with a slash. */
  readonly hasSlash: boolean
}

/** The characters of RINEX file names. None starts with a dot, so none is hidden or `..`. */
const fileName = /^[A-Za-z0-9_][A-Za-z0-9._]{0,254}$/

/** Maximum length of a path below `data/`: eight directory names of 64 characters and a file name, with slashes. */
const maxPathLength = 1024

/**
 * The file that a request target names. Unlike the router it decodes nothing, so a target with `%` names no file.
 * @param target as `normaliseTarget` returns it, with or without a query
 * @returns `undefined` for a target outside of the grammar
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

/** The directory that a request target names, by the same grammar; with or without a trailing slash. */
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
