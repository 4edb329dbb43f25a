import type { Change, ChangeKind } from '../../catalogue/records.ts'
import type { Links } from '../links.ts'
import { microsecondsToIso, serialiseRecord } from '../serialise.ts'
import type { WireRecord } from '../serialise.ts'

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
