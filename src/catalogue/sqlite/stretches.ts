import type { Database } from 'better-sqlite3'
import type { ListedFile } from '../catalogue.ts'
import { excerptOf, excerptSize, readCohort, readExcerpt } from './excerpt-layout.ts'
import { preparePaths } from './listed-files.ts'

/** Reads live records that follow each other, from their excerpts. To be used within a read transaction. */
export interface Stretches {
  /** Ids from one on downwards, it included. */
  upTo(id: number, limit: number): ListedFile[]
  /** Ids from one on upwards, it included. */
  onFrom(id: number, limit: number): ListedFile[]
}

/** Prepares the statements. */
export function prepareStretches(db: Database): Stretches {
  const pathOf = preparePaths(db)
  const select = 'SELECT id, text FROM excerpt'
  const upTo = db.prepare(`${select} WHERE id <= ? ORDER BY id DESC`).raw()
  const onFrom = db.prepare(`${select} WHERE id >= ? ORDER BY id`).raw()
  const stretch = (from: number, limit: number, step: 1 | -1): ListedFile[] => {
    const found: ListedFile[] = []
    while (found.length < limit) {
      const row = (step < 0 ? upTo : onFrom).get(excerptOf(from))
      if (row === undefined) break
      const [excerpt, text] = row as [id: number, text: string]
      const firstId = excerpt * excerptSize
      const { slots, fileAt } = filesOf(text, firstId, pathOf)
      let slot = step < 0 ? Math.min(from - firstId, slots - 1) : Math.max(from - firstId, 0)
      for (; slot >= 0 && slot < slots && found.length < limit; slot += step) {
        const file = fileAt(slot)
        if (file !== undefined) found.push(file)
      }
      from = step < 0 ? firstId - 1 : firstId + excerptSize
    }
    return found
  }
  return {
    upTo: (id, limit) => stretch(id, limit, -1),
    onFrom: (id, limit) => stretch(id, limit, 1),
  }
}

/** The files of an excerpt by their slots. */
function filesOf(text: string, firstId: number, pathOf: (directory: number) => string) {
  const { slots, times, cohorts, isLive, cohortOf, timesOf, stationOf } = readExcerpt(text)
  // The records of an excerpt share few of these.
  const cohortAt = once(cohorts, (line) => {
    const { directory, ending } = readCohort(line)
    return { directory: pathOf(directory), ending }
  })
  const timesAt = once(times, (pair) => {
    const [created = '', modified = created] = pair.split('-')
    return { createdUs: Number(created), modifiedUs: Number(modified) }
  })
  const fileAt = (slot: number): ListedFile | undefined => {
    if (!isLive(slot)) return undefined
    const { directory, ending } = cohortAt(cohortOf(slot))
    const { createdUs, modifiedUs } = timesAt(timesOf(slot))
    return { id: firstId + slot, directory, name: stationOf(slot) + ending, createdUs, modifiedUs }
  }
  return { slots, fileAt }
}

/** Makes what is asked for of each text, when it is asked for the first time. */
function once<T>(texts: readonly string[], make: (text: string) => T): (index: number) => T {
  const made: T[] = []
  return (index) => (made[index] ??= make(texts[index] as string))
}
