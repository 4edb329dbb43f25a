/** A small archive that lives, to try the program: its last days are today's, and files arrive. */
import { linkSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { dayPath, secondsPerDay } from '../parse/calendar.ts'
import { Contents } from './contents.ts'
import type { DemoFolder } from './folder.ts'
import { makeDemoFolder } from './folder.ts'
import type { StoredFile } from './history.ts'
import { pastTimes, watchedSince } from './history.ts'
import type { DemoFile } from './network.ts'
import { filesArriving, purgedFiles } from './network.ts'
import { returning, stationsCsv } from './stations.ts'

/** What pages and log say of it. */
export const demoNotice =
  'This is a demo: its files are made up, new ones arrive while it runs, and all of it is removed at the end.'

/**
 * So many of the last files of one station arrive one by one after the start, so that there is
 * something to be seen at once: it is late at first, and comes back.
 */
const heldBack = 12

/** Time between two arrivals while files wait (ms). */
const tickMs = 3000

/** Names that are rejected, in the directory of the day before yesterday. */
const rejectedNames = ['IGS0OPSRAP_ORB.SP3.gz', 'notes.txt']

/** An archive that is made at the start, and removed when it is closed. */
export class Demo {
  readonly archive: string
  /** The file of its database, which does not exist yet. */
  readonly database: string
  /** The file with the places of its stations. */
  readonly stationsFile: string
  readonly #folder: DemoFolder
  readonly #startedAt: number
  readonly #contents = new Contents()
  readonly #kept: StoredFile[] = []
  readonly #waiting: DemoFile[] = []
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(folder: DemoFolder, startedAt: number) {
    this.archive = join(folder.path, 'archive')
    this.database = join(folder.path, 'catalogue.db')
    this.stationsFile = join(folder.path, 'stations.csv')
    this.#folder = folder
    this.#startedAt = startedAt
  }

  /** When somebody began to watch it (seconds since 1970), and what came since then. */
  get history() {
    const startedAt = this.#startedAt
    const files = purgedFiles(startedAt)
    const size = files[0] === undefined ? 0 : this.#contents.of(files[0]).length
    const purged = files.map((file) => storedFile(file, size))
    const times = pastTimes({ kept: this.#kept, purged }, startedAt)
    return { since: watchedSince(startedAt), times }
  }

  /** Writes all files that have arrived by now, except the last ones, and the stations. */
  fill(): void {
    writeFileSync(this.stationsFile, stationsCsv())
    const slots = new Map<string, DemoFile>()
    const directories = new Set<string>()
    const files = filesArriving(0, this.#startedAt, this.#startedAt)
    const held = new Set(files.filter(({ path }) => path.includes(returning)).slice(-heldBack))
    this.#waiting.push(...held)
    for (const file of files) {
      if (held.has(file)) continue
      const path = join(this.archive, file.path)
      const bytes = this.#contents.of(file)
      // Navigation files of one slot share one inode: this makes the start quick.
      const { type, period, isShort, startSeconds } = file
      const [area] = file.path.split('/')
      const slot = [area, extname(path), period, isShort, startSeconds].join(' ')
      const first = type === 'n' ? slots.get(slot) : undefined
      this.#kept.push(storedFile(file, bytes.length, first?.arrivesAt))
      if (!directories.has(dirname(path))) mkdirSync(dirname(path), { recursive: true })
      directories.add(dirname(path))
      if (first !== undefined) {
        linkSync(join(this.archive, first.path), path)
        continue
      }
      writeFileSync(path, bytes)
      utimesSync(path, file.arrivesAt, file.arrivesAt)
      if (type === 'n') slots.set(slot, file)
    }
    const directory = join(this.archive, 'obs', dayPath(this.#startedAt - 2 * secondsPerDay))
    for (const name of rejectedNames) writeFileSync(join(directory, name), gzipSync(''))
  }

  /** Lets files arrive from now on. @param onFailure called if one cannot be written */
  beginArrivals(onFailure: (error: unknown) => void): void {
    let until = this.#startedAt
    this.#timer = setInterval(() => {
      const now = Date.now() / 1000
      if (now > until) {
        this.#waiting.push(...filesArriving(until, now, this.#startedAt))
        until = now
      }
      const file = this.#waiting.shift()
      try {
        if (file !== undefined) this.#deliver(file)
      } catch (error) {
        onFailure(error)
      }
    }, tickMs)
  }

  /** Renames a complete file into its directory, as an upload should. */
  #deliver(file: DemoFile): void {
    const path = join(this.archive, file.path)
    const directory = dirname(path)
    mkdirSync(directory, { recursive: true })
    const temporary = join(directory, '.arriving')
    writeFileSync(temporary, this.#contents.of(file))
    renameSync(temporary, path)
  }

  /** Removes everything; a second call has no effect. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#folder.close()
  }
}

function storedFile(
  { path, arrivesAt, fault }: DemoFile,
  size: number,
  modifiedAt = arrivesAt,
): StoredFile {
  return { path, arrivesAt, modifiedAt, fault, size }
}

/** Makes a demo in a temporary folder. */
export async function makeDemo(): Promise<Demo> {
  const demo = new Demo(await makeDemoFolder(), Math.floor(Date.now() / 1000))
  // A program whose terminal or reader is gone exits without closing its parts.
  process.once('exit', () => {
    demo.close()
  })
  try {
    demo.fill()
    return demo
  } catch (error) {
    demo.close()
    throw error
  }
}
