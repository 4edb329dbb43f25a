/**
 * A tree full of oddities, in an order that a seed tells: directories that become files and back, hard links, files of equal
 * size and mtime with other bytes, symbolic links into and out of linked directories, renames over existing files, names
 * that differ in case alone. And what a catalogue of it has to hold, read from the tree itself.
 */
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
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
import { dayDirectory, hourDirectory } from './tree.ts'

export interface OddPlaces {
  readonly archive: string
  /** Symbolic links may lead below it. */
  readonly linked: string
  /** They may not lead below this one. */
  readonly outside: string
  /** Numbers from 0 to below 1. */
  readonly random: () => number
}

/** Some conform in two spellings; all are RINEX names. */
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

/** Few sizes, so that many files are of equal size; a whole gzip stream each. */
function content(random: () => number): Buffer {
  return gzipSync(randomBytes(100 + 50 * Math.floor(random() * 3)), { level: 0 })
}

export type OddTree = ReturnType<typeof openOddTree>

export function openOddTree({ archive, linked, outside, random }: OddPlaces) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const tops = [dayDirectory(), hourDirectory(), dayDirectory(400), 'obs/2010/001']
  for (const top of [...tops.map((path) => join(archive, path)), linked, outside])
    mkdirSync(top, { recursive: true })
  // Areas stay areas, whatever is removed below them.
  for (const area of ['obs', 'nrt']) mkdirSync(join(archive, area, '1999/001'), { recursive: true })
  const anyDirectory = (): string => {
    let path = random() < 0.7 ? join(archive, pick(tops)) : pick([linked, outside])
    while (random() < 0.5) path = join(path, pick(segments))
    return path
  }
  const anyPath = (): string => join(anyDirectory(), pick(names))
  const existing = (): string | undefined => {
    const all = [archive, linked].flatMap((root) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    return all.length === 0 ? undefined : pick(all)
  }
  /** Makes its parent a directory, whatever lay in the way. */
  const clear = (path: string): void => {
    const parent = dirname(path)
    if (existsSync(parent) && statSync(parent).isDirectory()) return
    if (parent !== archive && parent !== linked) clear(parent)
    rmSync(parent, { recursive: true, force: true })
    mkdirSync(parent)
  }
  /** Its parent is a directory then. */
  const takeAway = (path: string): void => {
    clear(path)
    rmSync(path, { recursive: true, force: true })
    // Where a symbolic link leads to the directory that holds it, that link itself was taken away.
    clear(path)
  }
  let written = 0
  const write = (path: string, bytes: Buffer, isOld = random() < 0.5): void => {
    clear(path)
    const part = `${path}.part`
    writeFileSync(part, bytes)
    // Each has a time of its own: a file system may give the inode of a removed file to the next one.
    const time = new Date(longAgo.getTime() - 1000 * ++written)
    if (isOld) utimesSync(part, time, time)
    // A directory cannot be replaced by a file in one step.
    if (existsSync(path) && lstatSync(path).isDirectory()) rmSync(path, { recursive: true })
    renameSync(part, path)
  }
  /**
   * Files, by inode, that were rewritten in place with their times set back, and those whose attributes were changed. By
   * the contract another link count or mode explains another ctime, so no file is both between two looks.
   */
  const rewritten = new Set<number>()
  const attributesChanged = new Set<number>()
  const may = (path: string, others: Set<number>, own: Set<number>): boolean => {
    const { ino } = statSync(path)
    if (others.has(ino)) return false
    own.add(ino)
    return true
  }
  /** Other bytes, with the size and the times of those that were there. */
  const sameLooks = (path: string, put: (bytes: Buffer) => void): void => {
    const { size, atime, mtime } = statSync(path)
    const other = gzipSync(randomBytes(Math.max(size - 23, 1)), { level: 0 })
    if (other.length !== size) return
    put(other)
    utimesSync(path, atime, mtime)
  }
  /** With a whole gzip stream: it may get a RINEX name later, and a young file without an end is not listed for ten minutes. */
  const fill = (directory: string): void => {
    if (readdirSync(directory).length > 0) return
    writeFileSync(join(directory, 'READ.ME'), content(random))
  }
  const steps: Record<string, () => void> = {
    arrive() {
      write(anyPath(), content(random))
    },
    replaceLookingTheSame() {
      const path = existing()
      if (path === undefined) return
      sameLooks(path, (bytes) => {
        const { atime, mtime } = statSync(path)
        writeFileSync(`${path}.part`, bytes)
        utimesSync(`${path}.part`, atime, mtime)
        renameSync(`${path}.part`, path)
      })
    },
    overwriteLookingTheSame() {
      const path = existing()
      if (path === undefined || !may(path, attributesChanged, rewritten)) return
      sameLooks(path, (bytes) => {
        writeFileSync(path, bytes, { flag: 'r+' })
      })
    },
    remove() {
      const path = existing()
      if (path !== undefined) rmSync(path)
    },
    renameOver() {
      const [from, to] = [existing(), anyPath()]
      if (from === undefined || from === to) return
      clear(to)
      if (!isFile(from)) return
      if (existsSync(to) && lstatSync(to).isDirectory()) rmSync(to, { recursive: true })
      if (isFile(from)) renameSync(from, to)
    },
    hardLink() {
      const [from, to] = [existing(), anyPath()]
      if (from === undefined) return
      clear(to)
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
      takeAway(path)
      writeFileSync(path, content(random))
    },
    fileBecomesDirectory() {
      const path = join(anyDirectory(), pick([...segments, ...names]))
      takeAway(path)
      write(join(path, pick(names)), content(random))
    },
    moveDirectory() {
      const from = join(anyDirectory(), pick(segments))
      const to = join(anyDirectory(), pick(segments))
      if (!existsSync(from) || !lstatSync(from).isDirectory() || to.startsWith(from)) return
      clear(to)
      if (!existsSync(from)) return
      if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return
      // Over a symbolic link it may have been moved into itself.
      if (!realpathSync(dirname(to)).startsWith(realpathSync(from))) renameSync(from, to)
    },
    link() {
      const path = join(anyDirectory(), pick([...segments, ...names]))
      takeAway(path)
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
      takeAway(path)
      execFileSync('mkfifo', [path])
    },
    diskGoesAndComesBack() {
      renameSync(linked, `${linked}.away`)
      renameSync(`${linked}.away`, linked)
    },
  }
  const often = ['arrive', 'arrive', 'arrive', 'replaceLookingTheSame', 'overwriteLookingTheSame']
  const kinds = [...often, ...often, ...Object.keys(steps)]
  return {
    run(count: number): void {
      for (let n = 0; n < count; n++) steps[pick(kinds)]?.()
    },
    /** An empty directory below a linked one counts as the mount point of a disk that is away: none is left empty. */
    fillEmptyLinked(): void {
      for (const entry of readdirSync(linked, { recursive: true, withFileTypes: true }))
        if (entry.isDirectory()) fill(join(entry.parentPath, entry.name))
      fill(linked)
    },
    /** SHA-256 in hexadecimal of every file that has to be listed, by its path below the archive root. */
    expected: () => expectedFiles(archive, linked),
  }
}

/** Whether it is still there, and not a directory that was made in its place. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Reads the tree as the contract says it is catalogued (section 6), by other means than the program. */
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
