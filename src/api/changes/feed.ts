import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { CatalogueReader, ChangesPage } from '../../catalogue/reader.ts'
import type { Change, Head } from '../../catalogue/records.ts'
import { HttpError } from '../http/errors.ts'
import type { HeadWatch } from './change-notifier.ts'
import type { ChangesRequest } from './request.ts'

/** Changes after a number up to another. */
export interface Passage {
  readonly head: Head
  readonly changes: readonly Change[]
  readonly throughSeq: number
  /** The number from which changes can still be told. */
  readonly forgottenSeq: number
}

/**
 * Reads on from where a client stands, to a full page or the head. Where filters match little that takes many looks,
 * and others are served in between.
 * @throws HttpError 410 when the catalogue cannot tell any more what came after
 */
export async function readPassage(
  reader: CatalogueReader,
  request: ChangesRequest,
  signal?: AbortSignal,
): Promise<Passage> {
  const { filter, limit, epoch, details } = request
  const changes: Change[] = []
  for (let since = request.since ?? (await reader.head()).seq; ;) {
    const asked = { limit: limit - changes.length, filters: filter, details }
    const page = await reader.changes({ since, ...asked })
    checkFollows(page, since, epoch)
    changes.push(...page.changes)
    const { head, throughSeq, forgottenSeq } = page
    const isWhole = changes.length >= limit || throughSeq >= head.seq
    if (isWhole || signal?.aborted === true) return { head, changes, throughSeq, forgottenSeq }
    since = throughSeq
    await yieldToOthers()
  }
}

function checkFollows(page: ChangesPage, since: number, epoch: string | undefined): void {
  const { head, forgottenSeq } = page
  const again = 'start again with the whole list.'
  if (epoch !== undefined && epoch !== head.epoch)
    throw gone(`The catalogue was rebuilt since these numbers were given: ${again}`)
  if (since < forgottenSeq)
    throw gone(`Removals up to number ${forgottenSeq} are not kept any more: ${again}`)
  if (since > head.seq)
    throw gone(`The latest number is ${head.seq}, a later one was not given here: ${again}`)
}

function gone(detail: string): HttpError {
  return new HttpError(410, detail)
}

/** Holds an empty answer back until there is something, the time is over or nobody waits any more. */
export async function waitForPassage(
  { reader, watch }: { readonly reader: CatalogueReader; readonly watch: HeadWatch },
  request: ChangesRequest,
  signal: AbortSignal,
): Promise<Passage> {
  const endMs = performance.now() + request.waitSeconds * 1000
  for (let passage = await readPassage(reader, request, signal); ;) {
    const ms = endMs - performance.now()
    if (passage.changes.length > 0 || ms <= 0 || signal.aborted) return passage
    await watch.changed(passage.head, { ms, signal })
    const { epoch } = passage.head
    passage = await readPassage(reader, { ...request, since: passage.throughSeq, epoch }, signal)
  }
}
