/** What was asked for before, as far as that is remembered: so many of the last, and at most twice as many. */
export interface RequestMemory {
  /** Whether this was asked for, of which it is reminded by that. */
  before(asked: string): boolean
}

export function openRequestMemory(many: number): RequestMemory {
  let [latest, earlier] = [new Set<string>(), new Set<string>()]
  return {
    before(asked) {
      const known = latest.has(asked) || earlier.has(asked)
      latest.add(asked)
      // Nothing is taken out of a set by itself, for the places of what was taken out are gone through again and again.
      if (latest.size >= many) [latest, earlier] = [new Set(), latest]
      return known
    },
  }
}
