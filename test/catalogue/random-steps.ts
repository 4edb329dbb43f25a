/** Random changes of a catalogue. */
import type { CatalogueWriter } from '../../src/catalogue/updates/writer.ts'
import { fc } from '../random.ts'
import { change, newFile } from './change.ts'

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

/** Four names, each for all directories. */
const shortNames = ['s000', 's001', 's002', 's003'].map((station) => `${station}0010.26d.gz`)

/** @param names four names */
export async function applySteps(
  writer: CatalogueWriter,
  steps: readonly Step[],
  names: readonly string[] = shortNames,
): Promise<void> {
  for (const step of steps) await writer.apply([await toChange(writer, step, names)])
}

async function toChange(
  writer: CatalogueWriter,
  { file, size, removed }: Step,
  names: readonly string[],
) {
  const path = directories[file % directories.length] ?? ''
  const name = names[Math.floor(file / directories.length)] ?? ''
  const known = (await writer.directory(path))?.files.get(name)
  const facts = { size, mtimeUs: size * 1000 }
  if (known === undefined) return change(path, removed ? {} : { added: [newFile(name, facts)] })
  if (removed) return change(path, { removed: [known.id] })
  if (known.size === size) return change(path, {})
  return change(path, { modified: [{ id: known.id, name, ...facts }] })
}
