/** Reads the names of a tree: no file is opened, and nothing is changed. */
import { entriesOf } from '../../indexer/read/entries.ts'
import { isDirectoryName, maxDirectoryDepth } from '../../parse/directories.ts'
import { joinPath } from '../../parse/layout.ts'
import { errorCode } from '../../runtime/error-code.ts'
import type { Findings } from './findings.ts'

/**
 * Adds all names below a directory, depth first. Links are not followed: one with a RINEX name
 * counts as a file. Never throws: what cannot be read is a finding.
 * @param onProgress called after each directory
 */
export function readNames(root: string, findings: Findings, onProgress: () => void): void {
  const read = (path: string): void => {
    const directory = findings.directory(path)
    try {
      for (const entry of entriesOf(joinPath(root, path))) {
        if (!entry.isDirectory()) directory.add(entry.name)
        else descend(joinPath(path, entry.name), entry.name)
      }
    } catch (error) {
      findings.notRead(path, errorCode(error) || String(error))
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
