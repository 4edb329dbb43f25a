import { parseDirectory } from '../../parse/archive-path.ts'

/** A file's place in the archive, as the catalogue names it. */
export interface FilePlace {
  readonly directory: string
  readonly name: string
}

/** A directory that a request target asks for, by its path below the archive root: empty for the root itself. */
export interface DirectoryTarget {
  readonly directory: string
  /** Whether the target ends with the slash that directories end with. */
  readonly hasSlash: boolean
}

/** What names of RINEX files are made of. No dot begins one, so none is hidden and none is `..`. */
const fileName = /^[A-Za-z0-9_][A-Za-z0-9._]{0,254}$/

/** No path below `data/` is longer: eight directory names of at most 64 characters and a file name, with slashes. */
const maxPathLength = 1024

/**
 * The file a request target asks for. The target is read as `normaliseTarget` returns it, not as the router does:
 * nothing is decoded, so a `%` never names a file.
 * @param target in its normal form, with or without a query
 * @returns `undefined` for every target outside of the grammar, whatever it may mean to others
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

/** The directory a request target asks for, by the same grammar; with or without its slash. */
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
