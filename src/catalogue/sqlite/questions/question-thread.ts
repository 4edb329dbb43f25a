import { Worker } from 'node:worker_threads'
import { CatalogueUnavailable } from '../../catalogue.ts'
import type { Answers, QuestionKind, Request, Response } from './question.ts'

/**
 * Asks the thread that answers what may take a while, so that it never holds up what does not. The thread starts with
 * the first question, and anew after it failed.
 */
export interface QuestionThread {
  ask<Kind extends QuestionKind>(
    kind: Kind,
    query: Answers[Kind]['query'],
  ): Promise<Answers[Kind]['answer']>
  close(): void
}

/** The file beside this one, under whichever suffix this one runs: `.ts` in tests, `.js` when built. */
const workerFile = import.meta.url.replace(/question-thread(\.[jt]s)$/, 'question-worker$1')

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

export function openQuestionThread({ database }: { readonly database: string }): QuestionThread {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let closed = false
  let asked = 0
  const fail = (reason: string): void => {
    worker = undefined
    for (const { reject } of waiting.values()) reject(new CatalogueUnavailable(reason))
    waiting.clear()
  }
  const take = (response: Response): void => {
    const { resolve, reject } = waiting.get(response.number) ?? {}
    waiting.delete(response.number)
    if (waiting.size === 0) worker?.unref()
    if ('answer' in response) resolve?.(response.answer as never)
    else if ('failed' in response) reject?.(response.failed)
    else reject?.(new CatalogueUnavailable(response.unavailable))
  }
  const start = (): Worker => {
    const started = new Worker(new URL(workerFile), {
      workerData: { database },
      // Rows come and go at once: a larger nursery would only hold more of what is dead.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    })
    started.on('message', take)
    started.on('error', (error) => {
      if (worker === started) fail(`the thread that answers questions failed: ${error.message}`)
    })
    started.on('exit', () => {
      if (worker === started) fail('the thread that answers questions has ended')
    })
    return started
  }
  return {
    ask: (kind, query) =>
      new Promise((resolve, reject) => {
        if (closed) throw new CatalogueUnavailable('the reader is closed')
        worker ??= start()
        worker.ref()
        const number = asked++
        waiting.set(number, { resolve, reject })
        worker.postMessage({ number, kind, query } satisfies Request)
      }),
    close() {
      closed = true
      void worker?.terminate()
      fail('the reader is closed')
    },
  }
}
