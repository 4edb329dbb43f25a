/** The facts of a file, of what was read of it and of its name. */
import type { ParsedName } from '../parse/types.ts'
import type { Body, Content } from './content-reader.ts'
import type { Facts } from './facts.ts'
import { judge } from './flags.ts'
import { epochTime } from './times.ts'

/** Whether the file was read to its end: a stream may have no end, or be damaged. */
export type ReadState = 'complete' | 'incomplete' | 'broken'

/**
 * The facts of a file. Of one that was not read to its end those of its header, if that is whole,
 * without flags.
 */
export function factsOf(content: Content, name: ParsedName, state: ReadState): Facts {
  const header = content.kind === 'read' ? content.header : {}
  if (state !== 'complete') return { ...header, flags: [] }
  const body = content.kind === 'read' ? content.body : undefined
  return { ...header, ...epochFacts(body), ...judge(content, name) }
}

function epochFacts(body: Body | undefined): Partial<Facts> {
  if (body?.count === undefined) return {}
  const { systems, types, count } = body
  const { firstUs, lastUs, epochs } = count
  return {
    ...(systems.length > 0 && {
      systems,
      signals: Object.fromEntries(systems.map((system) => [system, types])),
    }),
    ...(firstUs !== undefined && { first: epochTime(firstUs) }),
    ...(lastUs !== undefined && { last: epochTime(lastUs) }),
    epochs,
  }
}
