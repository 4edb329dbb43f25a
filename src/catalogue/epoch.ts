import { randomBytes } from 'node:crypto'

/** The name of a history of changes: no other one has it, of this or another database. */
export function newEpoch(): string {
  return randomBytes(6).toString('hex')
}
