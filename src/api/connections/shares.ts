/** How much of something each address holds, up to so much. */
export interface Shares {
  /** Takes one; false when the address holds all that it may. */
  take(address: string): boolean
  release(address: string): void
}

export function openShares(most: number): Shares {
  const held = new Map<string, number>()
  return {
    take(address) {
      const count = held.get(address) ?? 0
      if (count >= most) return false
      held.set(address, count + 1)
      return true
    },
    release(address) {
      const count = (held.get(address) ?? 0) - 1
      if (count > 0) held.set(address, count)
      else held.delete(address)
    },
  }
}
