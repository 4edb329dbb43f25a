import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { printable } from './log-text.ts'
import type { Observation } from './observation.ts'

/** The log under the id of a request, made where something is to be said: most requests say nothing. */
export function requestLog({ log, id }: FastifyRequest) {
  return log.child({ reqId: id })
}

export function logAnswered(logger: Logger, observation: Observation): void {
  if (!logger.isLevelEnabled('debug')) return
  const { id, method, target, status, ms } = observation
  logger.debug({ reqId: id, method, target: printable(target), status, ms }, 'answered')
}
