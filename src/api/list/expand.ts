/** The parameter `expand`: which further keys records come with. Pure. */
import { listedValues } from '../query.ts'
import type { Query } from '../query.ts'
import type { Fault } from './values.ts'

/** What `expand` may hold. */
export const expansions = ['file'] as const

/**
 * Whether records are to come with `file`. A list and repeated keys mean all of them, as of filters.
 * @returns a fault that names a value which means nothing
 */
export function readExpand(query: Query): { readonly details: boolean } | Fault {
  const words = listedValues(query, 'expand')
  const bad = words.find((word) => !expansions.some((each) => each === word))
  if (bad !== undefined)
    return { fault: `Select a valid choice. ${bad} is not one of the available choices.` }
  return { details: words.length > 0 }
}
