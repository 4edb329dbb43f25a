import type { Database } from 'better-sqlite3'
import {
  clearSlot,
  cohortLine,
  draftOf,
  excerptOf,
  excerptSize,
  numberOf,
  textOf,
  timesIn,
  writeSlots,
  writeTimes,
} from './excerpt-layout.ts'
import type { Draft } from './excerpt-layout.ts'

/** Files of a directory whose names differ in nothing but the station that they begin with. */
export interface NamedRun {
  /** The directory's row. */
  readonly directory: number
  readonly names: readonly string[]
  /** Characters of each name's station. */
  readonly codeLength: number
}

/** Keeps the excerpts in step with the records, as `Blocks` does the blocks. */
export interface Excerpts {
  /** Records with ids in a row. */
  setAll(firstId: number, run: NamedRun, createdUs: number): void
  clear(id: number): void
  /** @param modifiedUs as the record has it now */
  modified(id: number, modifiedUs: number): void
  flush(): void
  forget(): void
}

/** Prepares the statements. */
export function prepareExcerpts(db: Database): Excerpts {
  const select = db.prepare('SELECT text FROM excerpt WHERE id = ?').pluck()
  const write = db.prepare(
    'INSERT INTO excerpt (id, text) VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text',
  )
  const remove = db.prepare('DELETE FROM excerpt WHERE id = ?')
  // None above was ever written: most that are touched are new.
  let highest = (db.prepare('SELECT max(id) FROM excerpt').pluck().get() as number | null) ?? -1
  const touched = new Map<number, Draft>()
  const draftAround = (id: number): Draft => {
    const key = excerptOf(id)
    let draft = touched.get(key)
    if (draft === undefined) {
      const text = key > highest ? undefined : (select.get(key) as string | undefined)
      touched.set(key, (draft = draftOf(text)))
    }
    return draft
  }
  return {
    setAll(firstId, { directory, names, codeLength }, createdUs) {
      const ending = names[0]?.slice(codeLength) ?? ''
      for (let from = 0; from < names.length;) {
        const draft = draftAround(firstId + from)
        const cohort = numberOf(draft, 'cohorts', cohortLine({ directory, ending }))
        const times = numberOf(draft, 'times', String(createdUs))
        const slot = (firstId + from) % excerptSize
        from += writeSlots(draft, { slot, names, from, codeLength, cohort, times })
      }
    },
    clear(id) {
      clearSlot(draftAround(id), id % excerptSize)
    },
    modified(id, modifiedUs) {
      const draft = draftAround(id)
      const before = timesIn(draft, id % excerptSize)
      if (before === undefined) return
      const [createdUs] = before.split('-')
      writeTimes(draft, id % excerptSize, numberOf(draft, 'times', `${createdUs}-${modifiedUs}`))
    },
    flush() {
      for (const [id, draft] of touched) {
        const text = textOf(draft)
        if (text === undefined) remove.run(id)
        else write.run(id, text)
        if (id > highest) highest = id
      }
      touched.clear()
    },
    forget() {
      touched.clear()
    },
  }
}

interface FileRow extends Omit<NamedRun, 'names'> {
  readonly id: number
  readonly name: string
  readonly createdUs: number
  readonly modifiedUs: number | null
}

/** Makes the excerpts of records that were there before there were any. */
export function fillExcerpts(db: Database): void {
  const excerpts = prepareExcerpts(db)
  const rows = db.prepare(
    `SELECT f.id, f.directory, f.name, length(s.code) AS codeLength,
       f.created_us AS createdUs, f.modified_us AS modifiedUs
     FROM file f CROSS JOIN station s ON s.id = f.station WHERE f.id > ? ORDER BY f.id LIMIT 10000`,
  )
  for (let last = 0; ;) {
    const some = rows.all(last) as FileRow[]
    for (const row of some) {
      excerpts.setAll(row.id, { ...row, names: [row.name] }, row.createdUs)
      if (row.modifiedUs !== null) excerpts.modified(row.id, row.modifiedUs)
    }
    excerpts.flush()
    if (some.length === 0) return
    last = (some.at(-1) as FileRow).id
  }
}
