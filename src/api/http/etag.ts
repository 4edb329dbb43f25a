/** Entity tags and their comparison (RFC 9110, 8.8.3). */
import { createHash } from 'node:crypto'

/** One entity tag of a list, or `*`. Quoted tags have no escapes. */
const tagPattern = /(?:W\/)?"[^"]*"|\*/g

export function weakTag(parts: readonly (string | number)[]): string {
  return `W/"${parts.join('-')}"`
}

/** A short digest of a text. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

/** Weak comparison: whether a list like `If-None-Match` names the tag, weak or strong; `*` names every tag. */
export function matchesWeakly(list: string, tag: string): boolean {
  return tagsIn(list).some((each) => each === '*' || opaque(each) === opaque(tag))
}

/** Strong comparison: whether a list like `If-Match` names this strong tag; weak tags in the list never match. */
export function matchesStrongly(list: string, strongTag: string): boolean {
  return tagsIn(list).some((each) => each === '*' || each === strongTag)
}

function tagsIn(list: string): readonly string[] {
  return list.match(tagPattern) ?? []
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
