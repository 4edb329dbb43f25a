/**
 * Whether the message of an error is enough: an error with a code comes from the environment or was thrown on purpose. Any other
 * error, and a TypeError of Node about wrong arguments, is a defect, and needs its stack.
 */
export function isExpected(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !(error instanceof TypeError)
}

/** Log fields of a failure: a stack only for defects. */
export function failureFields(failure: unknown): { reason: string } | { err: unknown } {
  if (typeof failure === 'string') return { reason: failure }
  return failure instanceof Error && isExpected(failure)
    ? { reason: failure.message }
    : { err: failure }
}
