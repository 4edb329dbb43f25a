import { Semaphore } from './semaphore.ts'

/** Lets so many pieces of work run at a time; the others wait for their turn, first come, first served. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>
}

export function openTurns(atATime: number): Turns {
  const semaphore = new Semaphore({ permits: atATime })
  return { take: (work) => semaphore.run(work) }
}
