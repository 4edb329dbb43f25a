/** The thread that answers questions about the catalogue which may take a while, several of them in turns. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { CatalogueUnavailable } from '../../catalogue.ts'
import { connectionSource } from '../connection.ts'
import { prepareAnswering } from './answering.ts'
import type { Answering } from './answering.ts'
import type { Answers, QuestionKind, Request, Response } from './question.ts'

const { database } = workerData as { readonly database: string }
const source = connectionSource(database, prepareAnswering)

async function answer({ kind, query }: Request): Promise<Answers[QuestionKind]['answer']> {
  for (let turn = 0; ; turn++) {
    const found = source.use((answering) => look(answering, { kind, query }, turn))
    if (found !== undefined) return found
    await yieldToOthers()
  }
}

function look(answering: Answering, { kind, query }: Omit<Request, 'number'>, turn: number) {
  // The kind of a question decides the type of its query.
  switch (kind) {
    case 'page':
      return answering.page(query as Answers['page']['query'], turn)
    case 'records':
      return answering.records(query as Answers['records']['query'])
    case 'stations':
      return answering.stations(query as Answers['stations']['query'], turn)
    case 'station':
      return answering.station(query as Answers['station']['query'], turn)
  }
}

async function respond(request: Request): Promise<Response> {
  const { number } = request
  try {
    return { number, answer: await answer(request) }
  } catch (error) {
    if (error instanceof CatalogueUnavailable) return { number, unavailable: error.message }
    return { number, failed: error instanceof Error ? error : new Error(String(error)) }
  }
}

parentPort?.on('message', (request: Request) => {
  void respond(request).then((response) => parentPort?.postMessage(response))
})
