/** Builds changes of directories for tests, as reconciling builds them. */
import type { DirectoryChange, NewFile } from '../../src/catalogue/updates/change.ts'
import { emptyChange } from '../../src/catalogue/updates/change.ts'

export function newFile(name: string, { size, mtimeUs } = { size: 10, mtimeUs: 1000 }): NewFile {
  return { name, size, mtimeUs }
}

/** Files that were seen arriving at a time, in microseconds since 1970. */
export function arriving(files: readonly NewFile[], arrivalUs: number): NewFile[] {
  return files.map((file) => ({ ...file, arrivalUs }))
}

export function change(path: string, parts: Partial<DirectoryChange>): DirectoryChange {
  return { ...emptyChange(path), ...parts }
}
