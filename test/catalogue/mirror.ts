/** Random changes of a catalogue, and a mirror that follows them. */
import type { CatalogueReader, ChangesPage } from '../../src/catalogue/reader.ts'
import type { CatalogueWriter } from '../../src/catalogue/writer.ts'
import { change, newFile } from './change.ts'
import { fc } from '../random.ts'

/** A file appears, is written over or vanishes; whichever is possible is done. */
export interface Step {
  readonly place: number
  readonly size: number
  readonly vanishes: boolean
}

export const steps = fc.array(
  fc.record({
    place: fc.integer({ min: 0, max: 11 }),
    size: fc.integer({ min: 1, max: 9 }),
    vanishes: fc.boolean(),
  }),
  { maxLength: 25 },
)

const directories = ['obs/2026/001', 'nrt/2026/001/05', 'obs/2026/002']

export async function applySteps(writer: CatalogueWriter, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await writer.apply([await toChange(writer, step)])
}

async function toChange(writer: CatalogueWriter, { place, size, vanishes }: Step) {
  const path = directories[place % directories.length] ?? ''
  const name = `s${String(Math.floor(place / directories.length)).padStart(3, '0')}0010.26d.gz`
  const known = (await writer.directory(path))?.files.get(name)
  const facts = { size, mtimeUs: size * 1000 }
  if (known === undefined) return change(path, vanishes ? {} : { added: [newFile(name, facts)] })
  if (vanishes) return change(path, { removed: [known.id] })
  if (known.size === size) return change(path, {})
  return change(path, { modified: [{ id: known.id, name, ...facts }] })
}

/** What a mirror holds of each id. */
export type Mirror = Map<number, string>

/** Follows the feed to its head. @returns the number reached */
export async function followFeed(
  read: (since: number) => Promise<ChangesPage>,
  start: number,
  mirror: Mirror,
): Promise<number> {
  for (let since = start; ;) {
    const page = await read(since)
    for (const { seq, change, record } of page.changes) {
      if (seq <= since) throw new Error('numbers do not rise')
      since = seq
      const { id, directory, name, modifiedUs } = record
      if (change === 'removed') mirror.delete(id)
      else mirror.set(id, `${directory}/${name} ${modifiedUs}`)
    }
    if (page.throughSeq === page.head.seq) return page.throughSeq
  }
}

/** The live list as a mirror would hold it. */
export async function liveList(reader: CatalogueReader): Promise<Mirror> {
  const { records } = await reader.page({ limit: 1_000_000, offset: 0 })
  const mirror: Mirror = new Map()
  for (const { id, directory, name, modifiedUs } of records)
    mirror.set(id, `${directory}/${name} ${modifiedUs}`)
  return mirror
}
