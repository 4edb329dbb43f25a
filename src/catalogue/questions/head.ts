/** The head of the catalogue, and its last scan. */
import { all, value } from '../question.ts'
import type { Question } from '../question.ts'
import type { Head, ScanSummary } from '../records.ts'
import { stateStatement, toState } from '../tables/head.ts'

export function* head(): Question<Head> {
  const [found] = yield* all(stateStatement)
  return toState(found?.[0]).head
}

/** The last complete scan of the tree; `undefined` before the first. Reads one row. */
export function* lastScan(): Question<ScanSummary | undefined> {
  const scan = yield* value<string>('SELECT last_scan FROM catalogue WHERE one = 1')
  return scan === undefined ? undefined : (JSON.parse(scan) as ScanSummary)
}
