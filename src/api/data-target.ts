import { parseDirectory } from '../parse/archive-path.ts'

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

/** No path of ours is longer: a prefix, directories of at most 64 characters, a name. */
const maxPathLength = 1024

/**
 * The file a request target asks for. The raw target is read, not what a router made of it: nothing is decoded
 * and nothing normalised, so there is one spelling of every path and no second opinion about it.
 * @param target as it stood in the request line, with or without a query
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
  if (path.length > maxPathLength || !path.startsWith(root)) return undefined
  return path.slice(root.length)
}
