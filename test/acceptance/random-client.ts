/**
 * A client that sends random requests all the time and checks every response. A connection may
 * break off when the API is killed, when the file changes that is sent, and when a request body is
 * refused; at all other times it is a fault.
 */
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from './random-choices.ts'
import { openRandom } from './random-choices.ts'
import type { Known, RandomRequest } from './random-requests.ts'
import { learn, makeRequest } from './random-requests.ts'
import type { CompleteResponse } from './response-rules.ts'
import { faultsOf } from './response-rules.ts'

/** How the API ends: killed at once, or stopped after the responses that have begun. */
export type End = 'killed' | 'stopped'

export interface Fault {
  readonly what: string
  readonly request: RandomRequest
  readonly status: number | undefined
}

const concurrent = 24
/** Each address has its own limits. */
const addresses = ['127.0.0.2', '127.0.0.3']
/** Mean time between two requests. */
const pauseMs = 30
/** Far longer than any response takes. */
const timeoutMs = 60_000

export class RandomClient {
  readonly counts = {
    requests: 0,
    responses: 0,
    left: 0,
    /** Connections that broke off, by the reason that allows it. */
    killed: 0,
    stopped: 0,
    idle: 0,
    changed: 0,
    refused: 0,
  }
  readonly statuses = new Map<number, number>()
  readonly #origin: () => URL
  readonly #random: Random
  readonly #known: Known = { paths: [], ids: [], validators: new Map(), seq: 0 }
  readonly #agent = new Agent({ keepAlive: true })
  readonly #running: Promise<void>
  readonly #faults: Fault[] = []
  /** All ends of the API. */
  readonly #ends: End[] = []
  #isEnding = false
  #isStopped = false

  /** Starts at once. @param origin where the API listens at this moment */
  constructor(origin: () => URL, seed: number) {
    this.#origin = origin
    this.#random = openRandom(seed)
    this.#running = this.#run()
  }

  /** Returns the faults since the last call. */
  takeFaults(): Fault[] {
    return this.#faults.splice(0)
  }

  /**
   * Runs an action that ends and restarts the API, or with `undefined` one that requests must not
   * notice.
   */
  async during(end: End | undefined, action: () => Promise<void>): Promise<void> {
    if (end === undefined) return action()
    this.#ends.push(end)
    this.#isEnding = true
    await action()
    this.#isEnding = false
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
    this.#agent.destroy()
  }

  async #run(): Promise<void> {
    const open = new Set<Promise<void>>()
    while (!this.#isStopped) {
      const sent = this.#sendOne().finally(() => open.delete(sent))
      open.add(sent)
      await pause(this.#random.below(2 * pauseMs))
      if (open.size >= concurrent) await Promise.race(open)
    }
    await Promise.all(open)
  }

  async #sendOne(): Promise<void> {
    const random = this.#random
    const endsBefore = this.#ends.length - (this.#isEnding ? 1 : 0)
    const request = makeRequest(random, this.#known, ++this.counts.requests)
    const leavesAfterMs =
      request.isLongPoll || random.isTrue(0.1)
        ? random.below(random.pick([3, 30, 300, 2500]))
        : undefined
    const { port } = this.#origin()
    const at = { port, localAddress: random.pick(addresses), agent: this.#agent }
    const outcome = await send(request, at, leavesAfterMs)
    if ('response' in outcome) {
      this.#take(request, outcome.response)
    } else if (outcome.hasLeft) {
      this.counts.left++
    } else {
      const reason = reasonOf(request, outcome, this.#ends.slice(endsBefore))
      if (reason !== undefined) this.counts[reason]++
      else this.#faults.push({ what: `no response: ${outcome.code}`, request, status: undefined })
    }
  }

  #take(request: RandomRequest, response: CompleteResponse): void {
    const { status, headers, body } = response
    this.counts.responses++
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    for (const what of faultsOf(request, response)) this.#faults.push({ what, request, status })
    if (status === 200 && request.method === 'GET')
      learn(this.#known, request.target, headers, body.toString('latin1'))
  }
}

interface BrokenOff {
  readonly code: string
  /** The client itself has closed the connection. */
  readonly hasLeft: boolean
  /** The head of the response was received. */
  readonly hasBegun: boolean
  /** The connection was kept from an earlier request; the server may have closed it as idle. */
  readonly isReused: boolean
}

interface Place {
  readonly port: string
  readonly localAddress: string
  readonly agent: Agent
}

function send(
  { method, target, headers, body }: RandomRequest,
  { port, localAddress, agent }: Place,
  leavesAfterMs: number | undefined,
): Promise<{ response: CompleteResponse } | BrokenOff> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, localAddress, agent, method, path: target, headers }
    const sent = httpRequest(options)
    let [hasLeft, hasBegun] = [false, false]
    const breakOff = (error: NodeJS.ErrnoException): void => {
      const code = error.code ?? error.message
      resolve({ code, hasLeft, hasBegun, isReused: sent.reusedSocket })
    }
    sent.on('error', breakOff)
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error('timeout')))
    sent.on('response', (incoming) => {
      hasBegun = true
      const chunks: Buffer[] = []
      incoming.on('error', breakOff)
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const { statusCode: status = 0, headers, rawHeaders } = incoming
        resolve({ response: { status, headers, rawHeaders, body: Buffer.concat(chunks) } })
      })
    })
    sent.end(body)
    if (leavesAfterMs === undefined) return
    setTimeout(() => {
      hasLeft = true
      sent.destroy(new Error('left'))
    }, leavesAfterMs).unref()
  })
}

/**
 * Why a connection may break off: the end of the API, an idle connection, a changed file or a
 * refused body.
 */
function reasonOf(
  request: RandomRequest,
  { code, hasBegun, isReused }: BrokenOff,
  ends: readonly End[],
): 'killed' | 'stopped' | 'idle' | 'changed' | 'refused' | undefined {
  if (ends.includes('killed')) return 'killed'
  if (ends.includes('stopped') && !hasBegun) return 'stopped'
  if (code === 'timeout' || code.startsWith('HPE_')) return undefined
  if (isReused && !hasBegun) return 'idle'
  if (request.isFile && hasBegun) return 'changed'
  return request.body === '' ? undefined : 'refused'
}
