import type { ServerResponse } from 'node:http'

/** An answer that has ended, taken by its client or not, for those who count, time and log them. */
export interface Observation {
  /** Of the request, as its answer told it. */
  readonly id: string
  readonly method: string
  /** As it came: not to be written anywhere unescaped. */
  readonly target: string
  /** Pattern of the route that answered; `none` where no route did. */
  readonly route: string
  /** As it was told; 499, as web servers write it down, when the client left before that. */
  readonly status: number
  /** Time from the request to the end of its answer; of one from memory, until it was sent off. */
  readonly ms: number
}

export type Observe = (observation: Observation) => void

/** Of an answer whose client left before it began. */
const leftStatus = 499

/** The status that a client was told. */
export function toldStatus({ headersSent, statusCode }: ServerResponse): number {
  return headersSent ? statusCode : leftStatus
}
