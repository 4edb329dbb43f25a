/** A temporary folder with the files of a package, as they will be installed. */
import {
  chmodSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'

export function openStage() {
  const folder = mkdtempSync(join(tmpdir(), 'rinex-catalogue-package-'))
  /** Where an absolute path of the installed package is. */
  const at = (path) => join(folder, path)
  /** Everything in the folder, sorted. */
  const entries = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
  const write = (path, content, mode = 0o644) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), content)
    chmodSync(at(path), mode)
  }
  return {
    folder,
    at,
    write,
    /** Writes PATH.gz; the bytes depend on the content only. */
    compress: (path, text) => {
      write(`${path}.gz`, gzipSync(text, { level: 9 }))
    },
    /** The paths of all files, relative to the folder. */
    files: () =>
      entries()
        .filter(({ isFile }) => isFile)
        .map(({ path }) => relative(folder, path)),
    /**
     * Sets modes and times that depend neither on this user's umask nor on the time of the build
     * (seconds).
     */
    normalise: (time) => {
      chmodSync(folder, 0o755)
      for (const { path, isFile } of entries()) {
        const executable = !isFile || (statSync(path).mode & 0o100) !== 0
        chmodSync(path, executable ? 0o755 : 0o644)
      }
      for (const path of [...entries().map(({ path }) => path), folder])
        lutimesSync(path, time, time)
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Replaces a text that must occur exactly once. */
export function replace(text, from, to) {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`found ${parts.length - 1} times: ${from}`)
  return parts.join(to)
}
