/** A program that checks a database file and prints the result as JSON: `integrity-check-process MODE FILE`. */
import { closeSync, openSync, readSync } from 'node:fs'
import { checkFile } from './integrity-check.ts'
import type { CheckMode } from './integrity-check.ts'

const [, , mode, path = ''] = process.argv

/**
 * Reads the whole file once, so that it is in the page cache. The check reads pages in random order, which takes many times as
 * long from a disk, and the WAL is not reset meanwhile. Only a process that does not have the database open may do this:
 * closing any descriptor of a file drops its locks.
 */
function readAhead(): void {
  const file = openSync(path, 'r')
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  while (readSync(file, buffer) > 0);
  closeSync(file)
}

readAhead()
process.stdout.write(JSON.stringify(checkFile(path, mode as CheckMode)))
