/** One connection of a client that reads strictly: what is sent on it, what comes, and what is wrong with that. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { faultsOf } from './answer-rules.ts'
import type { Chance } from './chance.ts'
import type { OddRequest } from './odd-request.ts'
import { WrongFraming, takeAnswer, valuesOf } from './strict-answer.ts'
import type { Answer, Asked } from './strict-answer.ts'

export interface Fault {
  readonly what: string
  readonly request: string
  readonly answer: string
  /** What was sent on the connection and answered, with the time of each (ms). */
  readonly history: readonly string[]
  /** Found when the connection had ended, which is the end of an answer that tells of no other. */
  readonly isAtEnd: boolean
}

/** Why and where a connection ended that the client had not left. */
export interface Ending {
  readonly code: string
  /** The first request that has no whole answer, if one was due. */
  readonly unanswered: OddRequest | undefined
  readonly isInside: boolean
  /**
   * Who is still sending when the connection is closed behind an answer loses that answer (RFC 9112, 9.6): a library
   * gives up reading with the first write that fails.
   */
  readonly isLost: boolean
  /** Its last request came so late that the server may have taken it for idle. */
  readonly isIdle: boolean
}

/** Far longer than any answer takes. */
const timeoutMs = 60_000

/** The server closes a connection five seconds after an answer; on a busy machine an answer may be read late. */
const idleMs = 4000

/** Shown part of a request or an answer. */
const mostTold = 1500

export class OddConnection {
  /** What was wrong; the first fault ends the connection. */
  readonly faults: Fault[] = []
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #onAnswer: (request: OddRequest, answer: Answer) => void
  readonly #sent: OddRequest[] = []
  readonly #begunMs = performance.now()
  readonly #history: string[] = []
  /** Longest time between two requests. */
  #pauseMs = 0
  #latestMs = this.#begunMs
  #answers = 0
  /** Set by an answer that says that nothing follows. */
  #closes = false
  #left = false
  #isAtEnd = false
  #code = ''
  /** What came and belongs to no whole answer yet. */
  #bytes = Buffer.alloc(0)
  #wake = (): void => undefined

  constructor(
    port: number,
    localAddress: string,
    onAnswer: (request: OddRequest, answer: Answer) => void,
  ) {
    this.#onAnswer = onAnswer
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    this.#socket = socket
    const timer = setTimeout(() => {
      this.#fault('no end of it')
    }, timeoutMs)
    socket.on('error', (error: NodeJS.ErrnoException) => (this.#code = error.code ?? error.message))
    socket.on('data', (piece: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, piece])
      this.#advance()
    })
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        clearTimeout(timer)
        this.#isAtEnd = true
        this.#advance()
        resolve()
      })
    })
  }

  /** Sends requests at once, in pieces that chance tells. */
  async send(requests: readonly OddRequest[], chance: Chance): Promise<void> {
    this.#sent.push(...requests)
    const nowMs = performance.now()
    this.#pauseMs = Math.max(this.#pauseMs, nowMs - this.#latestMs)
    this.#latestMs = nowMs
    for (const { bytes } of requests) this.#note(bytes)
    const text = requests.map((request) => request.bytes).join('')
    for (const piece of pieces(Buffer.from(text, 'latin1'), chance)) {
      if (!this.#socket.writable) return
      this.#socket.write(piece)
      if (chance.may(0.5)) await pause(chance.below(30))
    }
  }

  /** Waits until all that was sent is answered, or the connection has ended. */
  async answered(): Promise<void> {
    while (this.#answers < this.#sent.length && !this.#socket.destroyed)
      await Promise.race([this.closed, new Promise<void>((resolve) => (this.#wake = resolve))])
  }

  /** Reads nothing for some time. */
  async stall(ms: number): Promise<void> {
    this.#socket.pause()
    await pause(ms)
    this.#socket.resume()
  }

  /** Goes, whatever may still come. */
  leave(): void {
    this.#left = true
    this.#socket.destroy()
  }

  /** `undefined` where the client left or nothing more was due. */
  ending(): Ending | undefined {
    if (this.#left || this.faults.length > 0) return undefined
    const isInside = this.#bytes.length > 0
    const unanswered = this.#closes ? undefined : this.#sent[this.#answers]
    if (unanswered === undefined && !isInside) return undefined
    const last = this.#sent.at(-1)
    const mayEnd = last?.isBroken === true || (last?.closes === true && last.hasBody)
    const isLost = mayEnd && ['EPIPE', 'ECONNRESET'].includes(this.#code)
    const isIdle = this.#pauseMs > idleMs
    return { code: this.#code, unanswered, isInside, isLost, isIdle }
  }

  /** Tells what was wrong, with the request whose answer was due. */
  describe(what: string): Fault {
    const request = this.#sent[Math.min(this.#answers, this.#sent.length - 1)]?.bytes ?? ''
    const answer = this.#bytes.toString('latin1', 0, mostTold)
    this.#note('told')
    return {
      ...{ what, request: request.slice(0, mostTold), answer },
      ...{ history: this.#history, isAtEnd: this.#isAtEnd },
    }
  }

  #note(text: string): void {
    const [line = ''] = text.split('\r\n')
    this.#history.push(`${Math.round(performance.now() - this.#begunMs)} ${line.slice(0, 100)}`)
  }

  #fault(what: string): void {
    this.faults.push(this.describe(what))
    this.#socket.destroy()
  }

  #advance(): void {
    try {
      while (!this.#left && this.faults.length === 0 && this.#take());
    } catch (error) {
      if (!(error instanceof WrongFraming)) throw error
      this.#fault(error.message)
    }
    this.#wake()
  }

  /** @returns whether a whole answer was taken */
  #take(): boolean {
    if (this.#bytes.length === 0) return false
    const request = this.#sent[this.#answers] ?? extra(this.#sent)
    if (this.#closes || request === undefined || this.#answers > this.#sent.length) {
      this.#fault(
        this.#closes ? 'bytes after the answer that closes' : 'more answers than requests',
      )
      return false
    }
    const taken = takeAnswer(this.#bytes, 0, askedBy(request, this.#bytes), this.#isAtEnd)
    if (taken === undefined) return false
    const { answer, end } = taken
    for (const what of faultsOf(request, answer)) this.#fault(what)
    this.#bytes = this.#bytes.subarray(end)
    this.#closes = valuesOf(answer, 'connection').some((value) => /^close$/i.test(value))
    this.#answers++
    this.#note(answer.head)
    this.#onAnswer(request, answer)
    return true
  }
}

/** What may be answered besides: bytes that begin no request, behind one that is whole. */
function extra(sent: readonly OddRequest[]): OddRequest | undefined {
  const last = sent.at(-1)
  return last?.trails === true ? last : undefined
}

/** Bytes that are refused before there is a request have no method, so that their refusal has a body. */
function askedBy(request: OddRequest, bytes: Buffer): Asked {
  const text = bytes.toString('latin1', 0, mostTold)
  const isRefusal =
    /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 4/.test(text) && !/^x-request-id:/im.test(text)
  return request.isBroken && isRefusal ? { ...request, method: 'GET' } : request
}

/** Most often all in one piece. */
function pieces(bytes: Buffer, chance: Chance): Buffer[] {
  if (chance.may(0.7)) return [bytes]
  const cuts = [0, chance.below(bytes.length), chance.below(bytes.length), bytes.length]
  cuts.sort((a, b) => a - b)
  return cuts.slice(1).map((end, n) => bytes.subarray(cuts[n], end))
}
