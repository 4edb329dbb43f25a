/**
 * Reads a whole file once for its checksums and its facts, and finds out whether its content is
 * complete and readable, and whether the file changed meanwhile.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { compareIdentity, isSameVersion, toIdentity } from '../../catalogue/identity.ts'
import type { FileIdentity } from '../../catalogue/records.ts'
import { knownSuffixes, parseFilename, suffixOf } from '../../parse/filename.ts'
import { ContentReader } from '../../rinex/content-reader.ts'
import type { Facts } from '../../rinex/facts.ts'
import type { ReadState } from '../../rinex/facts-of.ts'
import { factsOf } from '../../rinex/facts-of.ts'
import type { Form } from '../../rinex/form.ts'
import { LzwDecoder } from '../../rinex/lzw.ts'
import { endsLine, isDisguised, readForm } from '../read/form.ts'
import { chunksOf, inflateFile } from '../read/inflate.ts'

/**
 * A file to read, with its size and mtime in the catalogue. If the file on disk has another size or
 * mtime, it is not read.
 */
export interface DigestRequest {
  readonly path: string
  readonly size: number
  readonly mtimeUs: number
  /** True if the facts of the file are wanted too. */
  readonly facts?: boolean
}

/**
 * The checksums, the facts and the identity of a file that did not change during the read; with
 * the mtime of the request, of which that on disk may be cut (see `isSameVersion`).
 */
export interface Digest extends FileIdentity {
  /** In hexadecimal digits. */
  readonly sha256: string
  readonly md5: string
  /** What is inside the file; `undefined` if it was not asked for, or its name is no RINEX name. */
  readonly facts: Facts | undefined
  /**
   * What is wrong with the content: a gzip stream has no end, or a text no newline at its end; a
   * stream is damaged, or is none; or all is well, but not what the name says.
   */
  readonly problem: ContentProblem | undefined
}

export type ContentProblem = 'incomplete' | 'broken' | 'disguised'

/** Maximum number of attempts to read a file that changes during the read. */
const attempts = 3

/**
 * Reads a whole file. Returns `undefined` if its size or mtime is not the requested one, if it is
 * no regular file or cannot be read, or if it changes during every attempt.
 */
export async function digestFile(
  request: DigestRequest,
  onProgress: () => void = () => undefined,
): Promise<Digest | undefined> {
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const digest = await readOnce(request, onProgress)
      if (digest !== 'touched') return digest
    }
    return undefined
  } catch {
    return undefined // gone or unreadable
  }
}

/**
 * Returns the identity of the file at a path; `undefined` if there is no file or it cannot be
 * reached.
 */
export function identifyFile(path: string): FileIdentity | undefined {
  try {
    return toIdentity(statSync(path))
  } catch {
    return undefined
  }
}

/**
 * Makes one attempt to read a file. Each attempt opens the path anew, because the path may lead to
 * another file since the last attempt.
 * @returns `touched` if the file changed during the read; `undefined` if it is no regular file, or
 * not the requested version
 */
async function readOnce(
  request: DigestRequest,
  onProgress: () => void,
): Promise<Digest | 'touched' | undefined> {
  // The file is opened without blocking, because it may have become a pipe without a writer.
  const file = openSync(request.path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    const before = toIdentity(stats)
    if (!stats.isFile() || !isSameVersion(request, before)) return undefined
    const form = readForm(file)
    const read = await readToEnd(file, { ...request, size: before.size, form }, onProgress)
    // A program can set mtime back after a write, but not ctime.
    const after = toIdentity(fstatSync(file))
    if (compareIdentity(before, after) !== 'same') return 'touched'
    return { ...before, mtimeUs: request.mtimeUs, ...read }
  } finally {
    closeSync(file)
  }
}

async function readToEnd(
  file: number,
  found: Pick<DigestRequest, 'path' | 'size' | 'facts'> & { readonly form: Form },
  onProgress: () => void,
) {
  const { path, size, form, facts: wantsFacts = false } = found
  const content = wantsFacts ? new ContentReader() : undefined
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  const source = chunksOf(file, size)
  function* chunks(): Generator<Buffer> {
    // A loop with `of` would end the source when the stream is damaged.
    for (let next = source.next(); next.done !== true; next = source.next()) {
      onProgress()
      sha256.update(next.value)
      md5.update(next.value)
      yield next.value
    }
  }
  const check = async (): Promise<ReadState> => {
    if (form === 'lzw') return decode(chunks(), content)
    // What is no stream at all is damaged; an empty file is one without its end.
    if (form === 'gzip' || suffixOf(path) === '.gz')
      return inflateFile(
        chunks(),
        size,
        onProgress,
        content &&
          ((text) => {
            content.push(text)
          }),
      )
    if (suffixOf(path) === '.Z') return 'broken'
    for (const text of chunks()) content?.push(text)
    return endsLine(file, size) ? 'complete' : 'incomplete'
  }
  const state = await check()
  // The checksums also cover the bytes after the place at which the stream is damaged.
  const rest = chunks()
  while (rest.next().done !== true);
  const problem = state !== 'complete' ? state : isDisguised(path, form) ? 'disguised' : undefined
  const facts = content && factsIn(content, path, state)
  return { sha256: sha256.digest('hex'), md5: md5.digest('hex'), problem, facts } as const
}

function factsIn(content: ContentReader, path: string, state: ReadState): Facts | undefined {
  const name = parseFilename(basename(path), knownSuffixes)
  return name.kind === 'parsed' ? factsOf(content.end(), name, state) : undefined
}

/** Decodes an LZW stream, which has no end: it may be cut anywhere after its header. */
function decode(
  chunks: Iterable<Buffer>,
  content: ContentReader | undefined,
): 'complete' | 'broken' {
  const onText = (text: Uint8Array): boolean => {
    content?.push(text)
    return content?.isSatisfied === false
  }
  const decoder = new LzwDecoder(content && onText)
  for (const chunk of chunks) {
    decoder.push(chunk)
    if (decoder.isBroken) break
  }
  decoder.flush()
  return decoder.hasBegun ? 'complete' : 'broken'
}
