/** What is excluded from an archive: patterns of `.gitignore`, with case and without `!`. Pure. */
import ignoring from 'ignore'

type Matcher = ReturnType<typeof matcherOf>

/** The matcher remembers each path, so after so many a new one takes its place. */
const mostRemembered = 10_000

/** Patterns, and which paths they exclude. */
export class Exclusions {
  readonly #patterns: readonly string[]
  #matcher: Matcher | undefined
  #asked = 0

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns
  }

  /** True for an excluded path below the archive root, or for one in an excluded directory. */
  has(path: string, isDirectory: boolean): boolean {
    if (this.#patterns.length === 0 || !isPath(path)) return false
    if (this.#matcher === undefined || ++this.#asked > mostRemembered) {
      this.#matcher = matcherOf(this.#patterns)
      this.#asked = 0
    }
    return this.#matcher.ignores(isDirectory ? `${path}/` : path)
  }

  /** The first pattern that excludes a path, be it that of a directory or of a file. */
  patternOf(path: string): string | undefined {
    if (!isPath(path)) return undefined
    return this.#patterns.find((pattern) => {
      const matcher = matcherOf([pattern])
      return matcher.ignores(path) || matcher.ignores(`${path}/`)
    })
  }
}

/** Why a pattern cannot be used; the words follow `exclude`. */
export function patternFault(pattern: string): string | undefined {
  const text = JSON.stringify(pattern)
  if (pattern.trim() === '') return `must not have ${text}: write a pattern, such as "raw/"`
  if (pattern.startsWith('!'))
    return `must not have ${text}: a pattern excludes, write those of the others instead`
  if (pattern.startsWith('#')) return `must not have ${text}: this is a comment in .gitignore`
  if (pattern.length > 200) return `must not have ${text}: it has more than 200 characters`
  if (/\p{Cc}/u.test(pattern)) return `must not have ${text}: it has control characters`
  const isComplete = !/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)
  return isComplete ? undefined : `must not have ${text}: nothing follows its last backslash`
}

function matcherOf(patterns: readonly string[]) {
  return ignoring.default({ ignorecase: false }).add(patterns)
}

/** A name such as `...` is no path for the package. */
function isPath(path: string): boolean {
  return ignoring.default.isPathValid(path)
}
