/** Serialises changes for clients. */
import type { Change } from '../../catalogue/questions/changes.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import type { Layout } from '../../parse/layout.ts'
import { serialiseRecord } from '../files/serialise.ts'
import type { Links } from '../http/links.ts'
import type { FeedPage } from './feed.ts'
import type { WireChange, WireChanges } from './schema.ts'

/** @param next the URL of the next page */
export function serialiseChanges(
  { head, changes }: FeedPage,
  next: string,
  links: Links,
  layout: Layout,
): WireChanges {
  const results = changes.map((change) => serialiseChange(change, links, layout))
  return { last_seq: head.seq, next, results }
}

function serialiseChange(
  { seq, change, atUs, record }: Change,
  links: Links,
  layout: Layout,
): WireChange {
  const at = microsecondsToIso(atUs)
  return { seq, change, at, record: serialiseRecord(record, links, layout) }
}
