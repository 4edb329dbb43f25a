/** What a receiver of messages knows. */
import type { Test } from 'tap'
import type { Message } from '../../src/alerts/announcements.ts'

/** What a receiver knows by its messages, which must be news to it. */
export function openBook(t: Test) {
  /** The open incidents and other alerts, by their ids or kinds. */
  const known = new Map<string, Pick<Message, 'kind'>>()
  const ended = new Set<string>()
  const opened = (key: string, message: Message): void => {
    const before = known.get(key)
    const { kind, incident } = message
    const { replaces = [] } = incident ?? {}
    t.ok(before?.kind !== kind || replaces.length > 0, `news: ${kind} ${key}`)
    t.not(before?.kind, 'down')
    t.notOk(ended.has(key), `${key} has ended`)
    for (const id of replaces) t.ok(known.delete(id), `${id} was open`)
    known.set(key, message)
  }
  const closed = (key: string, { kind, incident }: Message): void => {
    t.equal(known.get(key)?.kind, kind, `closed ${key}`)
    known.delete(key)
    if (incident === undefined) return
    ended.add(key)
    // Their beginning was in an earlier message.
    for (const id of incident.continues ?? []) known.set(id, { kind })
  }
  const receive = (message: Message): void => {
    const key = message.incident?.id ?? message.kind
    if (message.state === 'open') opened(key, message)
    else closed(key, message)
  }
  return { known, receive }
}
