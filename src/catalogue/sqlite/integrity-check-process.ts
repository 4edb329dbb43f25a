/** A program that checks a database file and prints the verdict as JSON: `integrity-check-process MODE FILE`. */
import { closeSync, openSync, readSync } from 'node:fs'
import { checkFile } from './integrity-check.ts'
import type { CheckMode } from './integrity-check.ts'

const [, , mode, path = ''] = process.argv

/**
 * Has the system read the file in one go. The check then finds it in memory: it follows the trees of the database
 * all over the file, which from a disk takes many times as long, and keeps the log from being reset meanwhile. Only a
 * process that does not have the database open may do so, since closing any descriptor of a file drops its locks.
 */
function readAhead(): void {
  const file = openSync(path, 'r')
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  while (readSync(file, buffer) > 0);
  closeSync(file)
}

readAhead()
process.stdout.write(JSON.stringify(checkFile(path, mode as CheckMode)))
