import type { Change, ChangeKind } from '../../catalogue/records.ts'
import type { Links } from '../http/links.ts'
import { microsecondsToIso, serialiseRecord } from '../files/serialise.ts'
import type { WireRecord } from '../files/serialise.ts'

/** A change as clients get it. */
export interface WireChange {
  readonly seq: number
  readonly change: ChangeKind
  readonly at: string
  readonly record: WireRecord
}

export function serialiseChange({ seq, change, atUs, record }: Change, links: Links): WireChange {
  return { seq, change, at: microsecondsToIso(atUs), record: serialiseRecord(record, links) }
}
