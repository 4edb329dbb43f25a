/** Entity tags and their comparison (RFC 9110, 8.8.3). */
import { createHash } from 'node:crypto'

/** One entity tag of a list, or the star. No escapes exist inside the quotes. */
const tagPattern = /(?:W\/)?"[^"]*"|\*/g

export function weakTag(parts: readonly (string | number)[]): string {
  return `W/"${parts.join('-')}"`
}

/** A short digest that tells texts apart. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

/** Whether a list such as `If-None-Match` names the tag, weak or strong alike; a star names every tag. */
export function matchesWeakly(list: string, tag: string): boolean {
  return tagsIn(list).some((each) => each === '*' || opaque(each) === opaque(tag))
}

/** Whether a list such as `If-Match` names a tag that is strong itself; a weak one in the list names none. */
export function matchesStrongly(list: string, strongTag: string): boolean {
  return tagsIn(list).some((each) => each === '*' || each === strongTag)
}

function tagsIn(list: string): readonly string[] {
  return list.match(tagPattern) ?? []
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
