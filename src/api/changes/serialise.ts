import type { Change, ChangeKind } from '../../catalogue/catalogue.ts'
import type { Links } from '../links.ts'
import { recordJson } from '../list/record-text.ts'
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

/** The same as text. */
export function changeJson({ seq, change, atUs, record }: Change, links: Links): string {
  const at = microsecondsToIso(atUs)
  return `{"seq":${seq},"change":"${change}","at":"${at}","record":${recordJson(record, links)}}`
}
