/** Random changes of a catalogue. */
import type { CatalogueWriter } from '../../src/catalogue/writer.ts'
import { change, newFile } from './change.ts'
import { fc } from '../random.ts'

/** Adds, overwrites or removes a file, depending on its current state. */
export interface Step {
  /** Selects directory and name. */
  readonly file: number
  readonly size: number
  readonly removed: boolean
}

export const steps = fc.array(
  fc.record({
    file: fc.integer({ min: 0, max: 11 }),
    size: fc.integer({ min: 1, max: 9 }),
    removed: fc.boolean(),
  }),
  { maxLength: 25 },
)

const directories = ['obs/2026/001', 'nrt/2026/001/05', 'obs/2026/002']

export async function applySteps(writer: CatalogueWriter, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await writer.apply([await toChange(writer, step)])
}

async function toChange(writer: CatalogueWriter, { file, size, removed }: Step) {
  const path = directories[file % directories.length] ?? ''
  const name = `s${String(Math.floor(file / directories.length)).padStart(3, '0')}0010.26d.gz`
  const known = (await writer.directory(path))?.files.get(name)
  const facts = { size, mtimeUs: size * 1000 }
  if (known === undefined) return change(path, removed ? {} : { added: [newFile(name, facts)] })
  if (removed) return change(path, { removed: [known.id] })
  if (known.size === size) return change(path, {})
  return change(path, { modified: [{ id: known.id, name, ...facts }] })
}
