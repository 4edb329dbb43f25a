/** The state of the catalogue, from its one row. */
import { CatalogueUnavailable } from '../errors.ts'
import type { Row, Statement } from '../question.ts'
import type { Head } from '../records.ts'

/** The head, and what else the row of the catalogue says about the feed and the deliveries. */
export interface CatalogueState {
  readonly head: Head
  /** Removals up to this seq may have been purged. */
  readonly purgedSeq: number
  /** Time from which deliveries are recorded; `undefined` before the first writer. */
  readonly deliveriesUs: number | undefined
}

export const stateStatement: Statement = {
  sql: `SELECT epoch, seq, details_seq, as_of_us, as_of_limit_s, purged_seq,
      deliveries_us FROM catalogue WHERE one = 1`,
}

type StateRow = [
  epoch: string,
  seq: number,
  detailsSeq: number,
  atUs: number | null,
  limitSeconds: number | null,
  purgedSeq: number,
  deliveriesUs: number | null,
]

export function toState(row: Row | undefined): CatalogueState {
  if (row === undefined) throw new CatalogueUnavailable('the catalogue is just being made')
  const [epoch, seq, detailsSeq, atUs, limitSeconds, purgedSeq, deliveriesUs] =
    row as unknown as StateRow
  const asOf = atUs === null || limitSeconds === null ? undefined : { atUs, limitSeconds }
  return {
    head: { epoch, seq, detailsSeq, asOf },
    purgedSeq,
    deliveriesUs: deliveriesUs ?? undefined,
  }
}
