import type Type from 'typebox'
import type { Change } from '../../catalogue/records.ts'
import type { Links } from '../http/links.ts'
import { microsecondsToIso, serialiseRecord } from '../files/serialise.ts'
import type { changeSchema } from './schema.ts'

export type WireChange = Type.Static<typeof changeSchema>

export function serialiseChange({ seq, change, atUs, record }: Change, links: Links): WireChange {
  return { seq, change, at: microsecondsToIso(atUs), record: serialiseRecord(record, links) }
}
