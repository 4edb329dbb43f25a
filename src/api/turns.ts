/** Lets so many pieces of work run at a time; the others wait for their turn, first come, first served. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>
}

export function openTurns(atATime: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async take(work) {
      if (running < atATime) running++
      else
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      try {
        return await work()
      } finally {
        // Whose turn is next takes over the place; only without anyone it becomes free.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
