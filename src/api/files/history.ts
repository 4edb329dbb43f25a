/** The history of a record: its latest change, as the change feed has it. */
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { ChangeKind, FileRecord } from '../../catalogue/records.ts'
import { changesUrl } from '../http/links.ts'
import type { Links } from '../http/links.ts'
import { microsecondsToIso } from './serialise.ts'

export interface RecordHistory {
  /** Seq of the latest change. */
  readonly seq: number
  /** `undefined` if the change feed does not reach back to this change. */
  readonly change: { readonly kind: ChangeKind; readonly at: string } | undefined
  /** The page of the change feed with this change alone; `undefined` without it. */
  readonly href: string | undefined
}

/** Reads the latest change of a record with one lookup by its seq. */
export async function readHistory(
  reader: Pick<CatalogueReader, 'changes'>,
  { id, name, seq }: Pick<FileRecord, 'id' | 'name' | 'seq'>,
  links: Links,
): Promise<RecordHistory> {
  const { changes } = await reader.changes({ since: seq - 1, limit: 1, filters: {} })
  const change = changes.find((each) => each.seq === seq && each.record.id === id)
  if (change === undefined) return { seq, change: undefined, href: undefined }
  return {
    seq,
    change: { kind: change.change, at: microsecondsToIso(change.atUs) },
    // With `limit=1` the feed stops at this change, however many follow.
    href: changesUrl(links, [
      ['filename', name],
      ['limit', '1'],
      ['since', String(seq - 1)],
    ]),
  }
}
