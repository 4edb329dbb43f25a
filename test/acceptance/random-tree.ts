/**
 * Random changes of an archive: directories that become files and back, hard links, other bytes
 * with the same size and mtime, symbolic links into linked directories and elsewhere, renames over
 * existing files, names that differ only in case. Computes the files that the catalogue must have
 * from the tree itself.
 */
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Random } from './random-choices.ts'
import { dayDirectory, hourDirectory } from './tree.ts'

interface Directories {
  readonly archive: string
  /** The configured linked directory: symbolic links to it are followed. */
  readonly linked: string
  /** Symbolic links to it are not followed. */
  readonly outside: string
}

/** RINEX names, some of them case variants of each other. */
const names = [
  'graz0010.26d.gz',
  'GRAZ0010.26D.gz',
  'wtzr0010.26o.gz',
  'WTZR0010.26o.gz',
  'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
  'ONSA00SWE_R_20260010000_01D_30S_MO.crx.gz',
  'zimm0010.26n.gz',
]

const segments = ['a', 'b', 'zimm0010.26n.gz']
const longAgo = new Date(Date.now() - 3 * 86_400_000)

/** A complete gzip stream of one of three sizes, so that many files have the same size. */
function content(random: Random): Buffer {
  return gzipSync(randomBytes(100 + 50 * random.below(3)), { level: 0 })
}

/** The files of a tree. Links are not followed, because some lead to a directory above them. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return filesIn(path)
    return entry.isFile() ? [path] : []
  })
}

export type RandomTree = ReturnType<typeof openRandomTree>

export function openRandomTree({ archive, linked, outside }: Directories, random: Random) {
  const { pick } = random
  const tops = [dayDirectory(), hourDirectory(), dayDirectory(400), 'obs/2010/001']
  for (const top of [...tops.map((path) => join(archive, path)), linked, outside])
    mkdirSync(top, { recursive: true })
  // An area must not become empty.
  for (const area of ['obs', 'nrt']) mkdirSync(join(archive, area, '1999/001'), { recursive: true })
  const anyDirectory = (): string => {
    let path = random.isTrue(0.7) ? join(archive, pick(tops)) : pick([linked, outside])
    while (random.isTrue(0.5)) path = join(path, pick(segments))
    return path
  }
  const anyPath = (): string => join(anyDirectory(), pick(names))
  const existing = (): string | undefined => {
    const all = [archive, linked].flatMap(filesIn)
    return all.length === 0 ? undefined : pick(all)
  }
  /** Makes the parent of a path a directory; removes what is in the way. */
  const makeParent = (path: string): void => {
    const parent = dirname(path)
    if (existsSync(parent) && statSync(parent).isDirectory()) return
    if (parent !== archive && parent !== linked) makeParent(parent)
    rmSync(parent, { recursive: true, force: true })
    mkdirSync(parent)
  }
  const removeAny = (path: string): void => {
    makeParent(path)
    rmSync(path, { recursive: true, force: true })
    // If a symbolic link in the path leads to its own directory, the link itself was removed.
    makeParent(path)
  }
  let written = 0
  const write = (path: string, bytes: Buffer, isOld = random.isTrue(0.5)): void => {
    makeParent(path)
    const part = `${path}.part`
    writeFileSync(part, bytes)
    // Another time for each file: a file system may reuse the inode of a removed file.
    const time = new Date(longAgo.getTime() - 1000 * ++written)
    if (isOld) utimesSync(part, time, time)
    // A file cannot be renamed over a directory.
    if (existsSync(path) && lstatSync(path).isDirectory()) rmSync(path, { recursive: true })
    renameSync(part, path)
  }
  /**
   * Inodes of files that were rewritten in place with the old mtime, and of files with changed
   * attributes. By the contract another link count or mode explains another ctime, so no file gets
   * both.
   */
  const rewritten = new Set<number>()
  const attributesChanged = new Set<number>()
  const may = (path: string, others: Set<number>, own: Set<number>): boolean => {
    const { ino } = statSync(path)
    if (others.has(ino)) return false
    own.add(ino)
    return true
  }
  /** Other bytes with the size and mtime of a file; `undefined` for a size that no content has. */
  const otherBytes = (path: string): Buffer | undefined => {
    const { size } = statSync(path)
    const other = gzipSync(randomBytes(Math.max(size - 23, 1)), { level: 0 })
    return other.length === size ? other : undefined
  }
  /**
   * Writes a complete gzip stream: the file may get a RINEX name later, and an incomplete one would
   * be settling.
   */
  const fill = (directory: string): void => {
    if (readdirSync(directory).length > 0) return
    writeFileSync(join(directory, 'READ.ME'), content(random))
  }
  const steps: Record<string, () => void> = {
    arrive() {
      write(anyPath(), content(random))
    },
    replaceWithSameSizeAndTime() {
      const path = existing()
      const bytes = path === undefined ? undefined : otherBytes(path)
      if (path === undefined || bytes === undefined) return
      const { atime, mtime } = statSync(path)
      writeFileSync(`${path}.part`, bytes)
      utimesSync(`${path}.part`, atime, mtime)
      renameSync(`${path}.part`, path)
    },
    overwriteWithSameSizeAndTime() {
      const path = existing()
      if (path === undefined || !may(path, attributesChanged, rewritten)) return
      const bytes = otherBytes(path)
      if (bytes === undefined) return
      const { atime, mtime } = statSync(path)
      writeFileSync(path, bytes, { flag: 'r+' })
      utimesSync(path, atime, mtime)
    },
    remove() {
      const path = existing()
      if (path !== undefined) rmSync(path)
    },
    renameOver() {
      const [from, to] = [existing(), anyPath()]
      if (from === undefined || from === to) return
      makeParent(to)
      if (!isFile(from)) return
      if (existsSync(to) && lstatSync(to).isDirectory()) rmSync(to, { recursive: true })
      if (isFile(from)) renameSync(from, to)
    },
    hardLink() {
      const [from, to] = [existing(), anyPath()]
      if (from === undefined) return
      makeParent(to)
      if (!isFile(from) || lstatSync(to, { throwIfNoEntry: false }) !== undefined) return
      if (may(from, rewritten, attributesChanged)) linkSync(from, to)
    },
    changeMode() {
      const path = existing()
      if (path === undefined || !may(path, rewritten, attributesChanged)) return
      chmodSync(path, pick([0o644, 0o640, 0o664]))
    },
    directoryBecomesFile() {
      const path = join(anyDirectory(), pick(segments))
      removeAny(path)
      writeFileSync(path, content(random))
    },
    fileBecomesDirectory() {
      const path = join(anyDirectory(), pick([...segments, ...names]))
      removeAny(path)
      write(join(path, pick(names)), content(random))
    },
    moveDirectory() {
      const from = join(anyDirectory(), pick(segments))
      const to = join(anyDirectory(), pick(segments))
      if (!existsSync(from) || !lstatSync(from).isDirectory() || to.startsWith(from)) return
      makeParent(to)
      if (!existsSync(from)) return
      if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return
      // Through a symbolic link the target may be inside the directory.
      if (!realpathSync(dirname(to)).startsWith(realpathSync(from))) renameSync(from, to)
    },
    link() {
      const path = join(anyDirectory(), pick([...segments, ...names]))
      removeAny(path)
      const target = pick([
        linked,
        join(linked, 'a'),
        outside,
        join(linked, pick(names)),
        'missing',
      ])
      // A link into itself is a loop.
      if (!path.startsWith(linked)) symlinkSync(target, path)
    },
    fifo() {
      const path = anyPath()
      removeAny(path)
      execFileSync('mkfifo', [path])
    },
    diskGoesAndComesBack() {
      renameSync(linked, `${linked}.away`)
      renameSync(`${linked}.away`, linked)
    },
  }
  const replacing = ['replaceWithSameSizeAndTime', 'overwriteWithSameSizeAndTime']
  const often = ['arrive', 'arrive', 'arrive', ...replacing]
  const kinds = [...often, ...often, ...Object.keys(steps)]
  return {
    run(count: number): void {
      for (let n = 0; n < count; n++) steps[pick(kinds)]?.()
    },
    /**
     * Fills empty directories below the linked one: each would count as the mount point of a
     * missing disk.
     */
    fillEmptyLinked(): void {
      for (const entry of readdirSync(linked, { recursive: true, withFileTypes: true }))
        if (entry.isDirectory()) fill(join(entry.parentPath, entry.name))
      fill(linked)
    },
    /** SHA-256 of every file that must be listed, by path below the archive root. */
    expected: () => expectedFiles(archive, linked),
  }
}

/** A step before may have removed the file, or made a directory in its place. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Reads the tree by the rules of the contract, independently of the program. */
function expectedFiles(archive: string, linked: string): Map<string, string> {
  const found = new Map<string, string>()
  const conforming = new Set(names)
  const isLinked = (real: string): boolean => real === linked || real.startsWith(`${linked}/`)
  const walk = (path: string): void => {
    if (path.split('/').length > 8) return
    for (const name of readdirSync(join(archive, path))) {
      const below = `${path}/${name}`
      const at = join(archive, below)
      let stats = lstatSync(at)
      if (stats.isSymbolicLink()) {
        const real = existsSync(at) ? realpathSync(at) : undefined
        if (real === undefined || !isLinked(real)) continue
        stats = lstatSync(real)
      }
      if (stats.isDirectory()) walk(below)
      else if (stats.isFile() && conforming.has(name))
        found.set(below, createHash('sha256').update(readFileSync(at)).digest('hex'))
    }
  }
  for (const area of ['obs', 'nrt']) walk(area)
  return found
}
