/** What is counted while a transaction is applied. */
export interface Tally {
  /** The number of the latest change. */
  seq: number
  added: number
  modified: number
  removed: number
}
