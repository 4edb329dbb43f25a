/**
 * Ways to give a file other bytes of the same length, while its size and its mtime stay, and ways
 * to change only what is around its bytes.
 */
import {
  chmodSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'

/** Other bytes of the same length; the header of a gzip file stays. */
export function otherBytes(path: string): Buffer {
  const content = readFileSync(path)
  content[12] = (content[12] ?? 0) ^ 255
  return content
}

/** Overwrites a file in place and sets its time back. */
export function overwrite(path: string, content = otherBytes(path)): void {
  const { mtime } = statSync(path)
  writeFileSync(path, content)
  utimesSync(path, mtime, mtime)
}

/** Replaces a file by another one, like `cp -p` or rsync. */
export function replace(path: string, content = otherBytes(path)): void {
  const { mtime, mode } = statSync(path)
  writeFileSync(`${path}.new`, content)
  chmodSync(`${path}.new`, mode)
  utimesSync(`${path}.new`, mtime, mtime)
  renameSync(`${path}.new`, path)
}

/** Changes that keep the bytes of a file. */
export const harmless: Readonly<Record<string, (path: string) => void>> = {
  'a hard link made': (path) => linkSync(path, `${path}.link`),
  chmod: (path) => chmodSync(path, 0o600),
}
