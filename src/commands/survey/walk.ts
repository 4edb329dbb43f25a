/** Reads the names of a tree: no file is opened, and nothing is changed. */
import { entriesOf } from '../../indexer/read/entries.ts'
import { isDirectoryName, maxDirectoryDepth } from '../../parse/directories.ts'
import { joinPath } from '../../parse/layout.ts'
import type { Findings } from './findings.ts'

/**
 * Adds all names below a directory, depth first. Symbolic links are not followed: one with a
 * RINEX name counts as a file, others may be directories that are not read. Never throws: what
 * cannot be read is a finding.
 * @param onProgress called after each directory
 */
export function readNames(root: string, findings: Findings, onProgress: () => void): void {
  const read = (path: string): void => {
    const directory = findings.directory(path)
    try {
      for (const entry of entriesOf(joinPath(root, path))) {
        if (entry.isDirectory()) descend(joinPath(path, entry.name), entry.name)
        else directory.add(entry.name, entry.isSymbolicLink())
      }
    } catch {
      findings.notRead(path || '.', 'unreadable-directory')
    }
    directory.end()
    onProgress()
  }
  const descend = (path: string, name: string): void => {
    if (!isDirectoryName(name)) findings.notRead(path, 'bad-directory-name')
    else if (path.split('/').length > maxDirectoryDepth) findings.notRead(path, 'too-deep')
    else read(path)
  }
  read('')
}
