/**
 * Writes archives with valid names and contents; recent directories have the date of now, because
 * they are watched.
 */
import { mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { epochs3, header3, record } from '../rinex/texts.ts'

const dayMs = 86_400_000
/** A file with an epoch, which no flag makes damaged. */
export const tiny = gzipSync(header3() + epochs3(1))

/** As `tiny`, with these bytes in its header, so that it is another file, and of another size. */
export function tinyWith(bytes: Buffer): Buffer {
  const comments = bytes.toString('hex').match(/.{1,60}/g) ?? []
  const more = comments.map((comment) => record(comment, 'COMMENT')).join('')
  return gzipSync(header3({ more }) + epochs3(1), { level: 0 })
}

const conforming = /\/[A-Z][0-9A-Z]{3}00AUT_R_\d{11}_01[DH]_30S_MO\.crx\.gz$/

/** Read once, so that a test that passes the full hour or midnight uses one directory. */
const nowMs = Date.now()

/** `nrt/2026/022/05`, now or some hours ago. */
export function hourDirectory(hoursAgo = 0): string {
  const time = new Date(nowMs - hoursAgo * 3_600_000)
  return `nrt/${dayOf(time)}/${String(time.getUTCHours()).padStart(2, '0')}`
}

/** `obs/2026/022`, today or some days ago. */
export function dayDirectory(daysAgo = 0): string {
  return `obs/${dayOf(new Date(nowMs - daysAgo * dayMs))}`
}

function dayOf(time: Date): string {
  const year = time.getUTCFullYear()
  const day = Math.floor((time.getTime() - Date.UTC(year, 0)) / dayMs) + 1
  return `${year}/${String(day).padStart(3, '0')}`
}

/**
 * The file of the n-th station in a directory:
 * `nrt/2026/022/05/A00000AUT_R_20260220500_01H_30S_MO.crx.gz`.
 */
export function pathIn(directory: string, n: number): string {
  const [area, year = '', day = '', hour = '00'] = directory.split('/')
  const station = (n + 10 * 36 ** 3).toString(36).toUpperCase()
  const period = area === 'obs' ? '01D' : '01H'
  return `${directory}/${station}00AUT_R_${year}${day}${hour}00_${period}_30S_MO.crx.gz`
}

export function paths(directory: string, count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, n) => pathIn(directory, from + n))
}

/** Writes a file in place, and makes its directory. */
export function put(archive: string, path: string, content: Uint8Array = tiny): void {
  mkdirSync(dirname(join(archive, path)), { recursive: true })
  writeFileSync(join(archive, path), content)
}

/** Writes a file under a temporary name and renames it into place, as a transfer does. */
export function arrive(archive: string, path: string, content: Uint8Array = tiny): void {
  const part = `${dirname(path)}/.${path.slice(path.lastIndexOf('/') + 1)}.part`
  put(archive, part, content)
  renameSync(join(archive, part), join(archive, path))
}

/** Makes directories of past days with old files. */
export function makeOldDays(archive: string, days: number, perDay: number): void {
  const old = new Date(nowMs - 100 * dayMs)
  for (let day = 0; day < days; day++) {
    const directory = dayDirectory(100 + day)
    for (const path of paths(directory, perDay)) {
      put(archive, path)
      utimesSync(join(archive, path), old, old)
    }
    utimesSync(join(archive, directory), old, old)
  }
}

/** Paths of all files that the list must have. */
export function filesBelow(archive: string): string[] {
  return readdirSync(archive, { recursive: true, encoding: 'utf8' })
    .filter((path) => conforming.test(path))
    .sort()
}
