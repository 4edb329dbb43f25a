/** What is known by now, or will be: a promise costs more than most of what is waited for here. */
export type Known<T> = T | Promise<T>

/** Goes on with it, at once where it is known. */
export function whenKnown<T, R>(known: Known<T>, goOn: (told: T) => Known<R>): Known<R> {
  return known instanceof Promise ? known.then(goOn) : goOn(known)
}

/** Makes questions of such that are asked once in a turn of the event loop. */
export type OncePerTurn = <T>(ask: () => Known<T>) => () => Known<T>

/** Counts turns of the event loop: another number is another turn, from its end on. */
export function openTurnCounter(): () => number {
  let turn = 0
  let ends = false
  return () => {
    if (!ends) {
      ends = true
      setImmediate(() => {
        ends = false
        turn++
      })
    }
    return turn
  }
}

/**
 * All requests that are answered in a turn had arrived before its first one was looked at, so that none of them is
 * answered from before it came.
 */
export function openTurnMemory(): OncePerTurn {
  const current = openTurnCounter()
  return <T>(ask: () => Known<T>) => {
    let known: Known<T> | undefined
    let knownIn = -1
    return () => {
      const now = current()
      if (known !== undefined && knownIn === now) return known
      const asked = ask()
      known = asked
      knownIn = now
      // Whoever asks after this in the same turn need not wait.
      if (asked instanceof Promise)
        asked.then(
          (told) => {
            if (known === asked) known = told
          },
          () => undefined,
        )
      return asked
    }
  }
}
