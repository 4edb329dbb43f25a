/** Positions of the first and the last byte, both inclusive. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** `whole`: ignore the header. `unsatisfiable`: 416. */
export type RangeChoice = ByteRange | 'whole' | 'unsatisfiable'

/**
 * Reads a `Range` header (RFC 9110, 14.1.2) for a size in bytes. Several ranges, another unit or a malformed header are ignored,
 * as the standard allows.
 */
export function parseRange(header: string, size: number): RangeChoice {
  const [, set] = /^bytes=(.*)$/i.exec(header) ?? []
  const ranges = (set ?? '').split(',').map((range) => range.trim())
  const [range, ...others] = ranges.filter((each) => each !== '')
  const [, first, last] = /^(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (others.length > 0 || first === undefined || last === undefined) return 'whole'
  if (first === '') return last === '' ? 'whole' : suffix(Number(last), size)
  if (last !== '' && BigInt(last) < BigInt(first)) return 'whole'
  if (Number(first) >= size) return 'unsatisfiable'
  return { first: Number(first), last: Math.min(last === '' ? Infinity : Number(last), size - 1) }
}

function suffix(length: number, size: number): RangeChoice {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { first: Math.max(size - length, 0), last: size - 1 }
}
