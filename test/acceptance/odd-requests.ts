/**
 * A client that sends random requests of every kind all the time, and holds every byte that comes back against the rules
 * of HTTP and of the API. It tolerates that a connection is cut while the API is killed, and then only.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openChance } from './chance.ts'
import type { Chance } from './chance.ts'
import { OddConnection } from './odd-connection.ts'
import type { Ending, Fault } from './odd-connection.ts'
import { makeRequest } from './odd-request.ts'
import type { OddRequest } from './odd-request.ts'
import { openTargets } from './odd-targets.ts'
import type { Targets } from './odd-targets.ts'
import type { Answer } from './strict-answer.ts'

/** How the API goes: at once, or with the answers that it has begun. */
export type Going = 'killed' | 'stopped'

/** Connections open at a time; each address has shares of its own in what may be under way. */
const mostOpen = 24
const addresses = ['127.0.0.2', '127.0.0.3']
/** Between the beginnings of two connections, on average. */
const pauseMs = 60

export class OddRequests {
  readonly counts = {
    ...{ connections: 0, requests: 0, answers: 0 },
    /** Connections that ended before all was answered, by what explains that. */
    ...{ cutByKills: 0, cutFiles: 0, refused: 0, idle: 0 },
  }
  /** How many answers had which status. */
  readonly statuses = new Map<number, number>()
  readonly #origin: () => URL
  readonly #chance: Chance
  readonly #targets: Targets
  readonly #running: Promise<void>
  readonly #faults: Fault[] = []
  /** All there were. */
  readonly #goings: Going[] = []
  #isGoing = false
  #isStopped = false

  /** Begins at once. @param origin where the API listens at this moment */
  constructor(origin: () => URL, seed: number) {
    this.#origin = origin
    this.#chance = openChance(seed)
    this.#targets = openTargets(this.#chance)
    this.#running = this.#run()
  }

  /** Takes what was wrong since it was asked last. */
  takeFaults(): Fault[] {
    return this.#faults.splice(0)
  }

  /** Does something by which the API goes and comes back, or which it must not notice. */
  async whileGoing(going: Going | undefined, act: () => Promise<void>): Promise<void> {
    if (going === undefined) return act()
    this.#goings.push(going)
    this.#isGoing = true
    await act()
    this.#isGoing = false
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    const open = new Set<Promise<void>>()
    while (!this.#isStopped) {
      const conversation = this.#converse().finally(() => open.delete(conversation))
      open.add(conversation)
      await pause(this.#chance.below(2 * pauseMs))
      if (open.size >= mostOpen) await Promise.race(open)
    }
    await Promise.all(open)
  }

  async #converse(): Promise<void> {
    const before = this.#goings.length - (this.#isGoing ? 1 : 0)
    const chance = this.#chance
    const port = Number(this.#origin().port)
    const connection = new OddConnection(port, chance.pick(addresses), (request, answer) => {
      this.#note(request, answer)
    })
    const requests = plan(chance, () => makeRequest(chance, this.#targets, aims(chance)))
    this.counts.connections++
    this.counts.requests += requests.length
    await talk(connection, requests, chance)
    await connection.closed
    const gone = this.#goings.slice(before)
    const mayBeCut = gone.includes('killed')
    this.#faults.push(...connection.faults.filter(({ isAtEnd }) => !(isAtEnd && mayBeCut)))
    const ending = connection.ending()
    if (ending === undefined) return
    const why = tolerated(ending, gone)
    if (why !== undefined) this.counts[why]++
    else this.#faults.push(connection.describe(wordsOf(ending)))
  }

  #note(request: OddRequest, answer: Answer): void {
    this.counts.answers++
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1)
    if (request.method === 'GET') this.#targets.learn(request.target, answer)
  }
}

function aims(chance: Chance) {
  return { mayBreak: chance.may(0.15), closes: chance.may(0.15) }
}

/** One request or some, of which none but the last ends the connection. */
function plan(chance: Chance, make: () => OddRequest): OddRequest[] {
  const requests: OddRequest[] = []
  const count = chance.may(0.4) ? 1 : 1 + chance.below(chance.may(0.2) ? 12 : 4)
  while (requests.length < count) {
    const request = make()
    requests.push(request)
    if (request.closes || request.isBroken || request.isEndless) break
  }
  return requests
}

/** Sends all at once or one after the other, and leaves before the end or after it. */
async function talk(
  connection: OddConnection,
  requests: readonly OddRequest[],
  chance: Chance,
): Promise<void> {
  const isEndless = requests.some((request) => request.isEndless)
  const leaving = isEndless || chance.may(0.12)
  if (leaving) {
    const ms = chance.below(isEndless ? 2500 : chance.pick([3, 30, 300]))
    void pause(ms).then(() => {
      connection.leave()
    })
  }
  if (chance.may(0.05)) void connection.stall(chance.below(1000))
  if (chance.may(0.5)) await connection.send(requests, chance)
  else
    for (const request of requests) {
      await connection.send([request], chance)
      await connection.answered()
    }
  await connection.answered()
  const last = requests.at(-1)
  if (last?.closes !== true && last?.isBroken !== true) connection.leave()
}

/** What explains that a connection ended before all was answered. */
function tolerated(
  { unanswered, isInside, isLost, isIdle }: Ending,
  goings: readonly Going[],
): 'cutByKills' | 'cutFiles' | 'refused' | 'idle' | undefined {
  if (goings.includes('killed')) return 'cutByKills'
  // One that stops sends what it has begun.
  if (goings.includes('stopped') && !isInside) return 'cutByKills'
  if (isIdle && !isInside) return 'idle'
  if (isLost) return 'refused'
  if (unanswered?.isFile === true) return 'cutFiles'
  // It may be refused without a word, also when its answer has begun.
  return unanswered?.isBroken === true ? 'refused' : undefined
}

function wordsOf({ code, isInside }: Ending): string {
  return `the connection ended ${isInside ? 'inside' : 'without'} an answer ${code}`
}
