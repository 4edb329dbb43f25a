/**
 * Unknown parameters of a request: they are ignored and named in a header; with `strict=1` they are
 * faults, because a mistyped parameter changes what a response means.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { closest } from '../../runtime/closest-name.ts'
import { badFields } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'

/** The messages for each invalid parameter: a map, because a client may send `__proto__`. */
export type Faults = Map<string, readonly string[]>

/** Names of the parameters that every resource has. */
export const everywhere = ['format', 'strict']

/** True if unknown parameters are faults. */
export function isStrict(query: Query): boolean {
  return ['1', 'true'].includes(lastValue(query, 'strict') ?? '')
}

/**
 * Returns the names of the parameters that are not among the known ones.
 * @param faults get a message for each unknown parameter, if the request is strict
 */
export function findUnknown(
  query: Query,
  known: readonly string[],
  faults: Faults,
): readonly string[] {
  const unknown = Object.keys(query).filter((key) => !known.includes(key))
  if (isStrict(query)) for (const key of unknown) faults.set(key, [unknownParameter(key, known)])
  return unknown
}

/** The message for an unknown parameter. */
export function unknownParameter(name: string, known: readonly string[]): string {
  const suggestion = closest(name, known)
  return suggestion === undefined
    ? 'Unknown parameter.'
    : `Unknown parameter. Did you mean ${suggestion}?`
}

/**
 * Sets `Ignored-Parameters` for a resource whose only parameters are `format` and `strict`.
 * @throws HttpError 400 with all faults
 */
export function checkParameters({ query }: FastifyRequest, reply: FastifyReply): void {
  const faults: Faults = new Map()
  const ignored = findUnknown(query as Query, everywhere, faults)
  throwFaults(faults)
  reply.headers(ignoredHeader(ignored))
}

/** @throws HttpError 400 if there are faults */
export function throwFaults(faults: Faults): void {
  if (faults.size > 0) throw badFields(Object.fromEntries(faults))
}
