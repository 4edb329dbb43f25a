/** What a receiver of messages knows. */
import type { Test } from 'tap'
import type { Message } from '../../src/alerts/announcements.ts'

/** What a receiver knows by its messages, which must be news to it. */
export function openBook(t: Test) {
  /**
   * The open incidents and other alerts, by their ids or kinds. Of an incident as which another one
   * continues, the kind is not known.
   */
  const known = new Map<string, Message['kind'] | undefined>()
  /** Ids that no message may have any more: of incidents that ended, or were replaced. */
  const ended = new Set<string>()
  const opened = (key: string, message: Message): void => {
    const before = known.get(key)
    const { kind, incident } = message
    const { replaces = [] } = incident ?? {}
    t.ok(before !== kind || replaces.length > 0, `news: ${kind} ${key}`)
    t.not(before, 'down')
    t.notOk(ended.has(key), `${key} has ended`)
    for (const id of replaces) {
      t.ok(known.delete(id), `${id} was open`)
      ended.add(id)
    }
    known.set(key, kind)
  }
  const closed = (key: string, { kind, incident }: Message): void => {
    t.ok(known.has(key), `${key} was open`)
    t.equal(known.get(key) ?? kind, kind, `closed as ${kind} ${key}`)
    known.delete(key)
    if (incident === undefined) return
    ended.add(key)
    // Their beginning was in an earlier message.
    for (const id of incident.continues ?? []) {
      ended.delete(id)
      known.set(id, undefined)
    }
  }
  const receive = (message: Message): void => {
    const key = message.incident?.id ?? message.kind
    if (message.state === 'open') opened(key, message)
    else closed(key, message)
  }
  return { known, receive }
}
