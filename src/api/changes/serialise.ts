/** Serialises changes for clients. */
import type { Change } from '../../catalogue/questions/changes.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { serialiseRecord } from '../files/serialise.ts'
import type { Links } from '../http/links.ts'
import type { FeedPage } from './feed.ts'
import type { WireChange, WireChanges } from './schema.ts'

/** @param next the URL of the next page */
export function serialiseChanges(
  { head, changes }: FeedPage,
  next: string,
  links: Links,
): WireChanges {
  const results = changes.map((change) => serialiseChange(change, links))
  return { last_seq: head.seq, next, results }
}

function serialiseChange({ seq, change, atUs, record }: Change, links: Links): WireChange {
  return { seq, change, at: microsecondsToIso(atUs), record: serialiseRecord(record, links) }
}
