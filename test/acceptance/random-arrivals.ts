/**
 * Random changes of an archive, at random moments, which remember when each file was there
 * completely: files land by a rename or grow in place, with their own times or others; they are
 * moved, replaced, continued and removed, alone or with their directory. A seed repeats the order.
 */
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { openRandom } from './random-choices.ts'
import { arrive, dayDirectory, hourDirectory, pathIn, put, tinyWith } from './tree.ts'

/** A file that was the first in its slot. */
export interface Landing {
  readonly path: string
  /** When its last byte was written and it had its name (ms since 1970). */
  readonly atMs: number
}

interface Growing {
  readonly path: string
  readonly parts: Buffer[]
}

/** Files are only continued while they are surely young. */
const youngMs = 300_000
const stations = 120
const mostGrowing = 4
/** More removals in ten minutes may be withheld, see the deletion guard. */
const mostRemoved = 900

export interface ArrivalOptions {
  readonly source: string
  readonly seed: number
  /**
   * True if a replaced file leaves a sign in its directory. A file that is continued in place never
   * does.
   */
  readonly showsReplaced: boolean
  /** True while there is time to look at young files again whose directory shows nothing. */
  readonly hasTime: () => boolean
  /** Called with a file while a part of it is missing. */
  readonly onIncomplete: (path: string) => Promise<void>
}

export type RandomArrivals = ReturnType<typeof openRandomArrivals>

export function openRandomArrivals(options: ArrivalOptions) {
  const { source, seed, showsReplaced, hasTime, onIncomplete } = options
  const { below, isTrue, pick } = openRandom(seed)
  const range = (count: number) => Array.from({ length: count }, (_, n) => n)
  const directories = [...range(60).map(hourDirectory), ...range(12).map(dayDirectory)]
  const landings = new Map<string, Landing>()
  const live = new Set<string>()
  const growing: Growing[] = []
  const counts: Record<string, number> = {}
  let removed: number[] = []
  const at = (path: string): string => join(source, path)
  const content = () => tinyWith(randomBytes(20 + below(2000)))
  const land = (path: string): void => {
    landings.set(path, { path, atMs: Date.now() })
    live.add(path)
  }
  /** A path whose slot has never had a file. The newest directories get most of the files. */
  const unused = (): string => {
    for (;;) {
      const directory = isTrue(0.5) ? pick(directories.slice(0, 4)) : pick(directories)
      const path = pathIn(directory, below(stations))
      if (!landings.has(path) && !growing.some((each) => each.path === path)) return path
    }
  }
  const anyLive = (isUsable: (landing: Landing) => boolean = () => true): string | undefined => {
    const usable = [...live].filter((path) => isUsable(landings.get(path) as Landing))
    return usable.length === 0 ? undefined : pick(usable)
  }
  const isYoung = ({ atMs }: Landing): boolean => Date.now() - atMs < youngMs
  const mayRemove = (count: number): boolean => {
    removed = removed.filter((ms) => Date.now() - ms < 660_000)
    if (removed.length + count > mostRemoved) return false
    for (let n = 0; n < count; n++) removed.push(Date.now())
    return true
  }
  const steps: Record<string, () => void | Promise<void>> = {
    land() {
      const path = unused()
      arrive(source, path, content())
      land(path)
    },
    /** As a copy does that keeps the times, from a computer whose clock is right or wrong. */
    landWithOtherTime() {
      const path = unused()
      const part = join(dirname(path), '.part')
      const time = new Date(Date.now() + (isTrue(0.2) ? 86_400_000 : -7_200_000))
      put(source, part, content())
      utimesSync(at(part), time, time)
      renameSync(at(part), at(path))
      land(path)
    },
    burst() {
      const directory = pick(directories)
      for (let n = 0; n < 10; n++) {
        const path = pathIn(directory, below(stations))
        if (landings.has(path) || growing.some((each) => each.path === path)) continue
        arrive(source, path, content())
        land(path)
      }
    },
    beginToGrow() {
      if (growing.length >= mostGrowing) return
      const [path, bytes] = [unused(), content()]
      const size = Math.ceil(bytes.length / (2 + below(4)))
      const parts = range(Math.ceil(bytes.length / size)).map((n) =>
        bytes.subarray(n * size, (n + 1) * size),
      )
      put(source, path, parts.shift())
      growing.push({ path, parts })
    },
    async grow() {
      const file = growing.shift()
      if (file === undefined) return
      await onIncomplete(file.path)
      if (existsSync(at(file.path))) appendFileSync(at(file.path), file.parts.shift() ?? '')
      if (!existsSync(at(file.path))) return
      if (file.parts.length > 0) growing.push(file)
      else land(file.path)
    },
    move() {
      const [from, to] = [anyLive(), unused()]
      if (from === undefined || !mayRemove(1)) return
      mkdirSync(dirname(at(to)), { recursive: true })
      renameSync(at(from), at(to))
      live.delete(from)
      land(to)
    },
    replace() {
      const path = anyLive((landing) => showsReplaced || (hasTime() && isYoung(landing)))
      if (path !== undefined) arrive(source, path, content())
    },
    continue() {
      const path = hasTime() ? anyLive(isYoung) : undefined
      if (path !== undefined) appendFileSync(at(path), content())
    },
    remove() {
      const path = anyLive()
      if (path === undefined || !mayRemove(1)) return
      rmSync(at(path))
      live.delete(path)
    },
    removeDirectory() {
      const directory = pick(directories)
      if (!existsSync(at(directory)) || growing.some(({ path }) => dirname(path) === directory))
        return
      if (!mayRemove(readdirSync(at(directory)).length)) return
      rmSync(at(directory), { recursive: true })
      for (const path of live) if (dirname(path) === directory) live.delete(path)
    },
  }
  const often = ['land', 'land', 'landWithOtherTime', 'beginToGrow', 'grow', 'grow', 'grow']
  const kinds = [...often, ...often, ...often, ...Object.keys(steps)]
  return {
    landings: landings as ReadonlyMap<string, Landing>,
    live: live as ReadonlySet<string>,
    counts: counts as Readonly<typeof counts>,
    random: { below, isTrue, pick },
    async step(): Promise<void> {
      const kind = pick(kinds)
      counts[kind] = (counts[kind] ?? 0) + 1
      await steps[kind]?.()
    },
    /** Completes the files that grow. */
    async end(): Promise<void> {
      while (growing.length > 0) await steps['grow']?.()
    },
  }
}
