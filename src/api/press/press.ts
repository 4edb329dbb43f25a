/**
 * Sends answers with headers that are ready. Of each response Node checks the headers and puts them together, though they
 * are the same for thousands of responses, and sends them and the body as two; here that is done once for an answer.
 */
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatHttpDate } from '../http-date.ts'
import { connectionLinesOf, isFirstOfMore } from './node-response.ts'
import { openOutbox } from './outbox.ts'
import { openPlate, proofOf } from './plate.ts'
import type { AnswerText, Own, Plate } from './plate.ts'

/** An answer but for what each response has of its own. */
export interface Sheet {
  readonly status: number
  /** Headers that come first: one list, the same object, for all sheets that have them. They are put together once. */
  readonly common?: readonly string[] | undefined
  /** Names and values in turn, without the id of a request. */
  readonly headers: readonly string[]
  /** Bytes, or text of ASCII alone. */
  readonly body: Buffer | string
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Of the request: a UUID, as all are. */
  readonly id: string
  /** Whether the turn of the event loop in which it was asked is over. */
  readonly isLate?: boolean | undefined
  /** Called when the answer has been sent off, or its client turns out to have gone before that. */
  readonly sent?: () => void
}

/** Sends one sheet, again and again. @throws where Node would: headers that cannot be sent */
export type Sender = (exchange: Exchange) => void

/** Makes senders of sheets. */
export type Press = (sheet: Sheet) => Sender

/** The name of a header (RFC 9110, 5.6.2). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Has no place in the value of a header. Node lets a little more through. */
const unprintable = /[^\t\x20-\x7e]/

/** Headers from which Node takes what becomes of the connection. */
const aboutConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'date',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const idName = 'x-request-id'
const middle = '\r\nDate: '

export function openPress(): Press {
  /** As Node wrote them when it sent the first answer. */
  let lines: string | undefined
  const commonLines = openCommonLines()
  const today = openCalendar()
  const outbox = openOutbox()
  const sendTheLongWay = (
    { status, common = [], headers, body }: Sheet,
    exchange: Exchange,
  ): void => {
    const { response, id, sent } = exchange
    const isUsual = isFirstOfMore(response)
    response.writeHead(status, [...common, ...headers, idName, id])
    if (isUsual) lines ??= connectionLinesOf(response)
    response.end(body, 'latin1')
    // The answers before it may be waiting there.
    if (response.socket === null) outbox.empty()
    sent?.()
  }
  return (sheet) => {
    let plate: Plate | undefined
    let wasSent = false
    const plateFor = (own: Own): Plate | undefined => {
      if (plate !== undefined) return plate
      const text = textOf(sheet, commonLines(sheet.common), lines)
      if (text === undefined) return undefined
      // Most answers with a text are sent once, and a plate takes longer than to send it so.
      if (!wasSent && typeof sheet.body === 'string') {
        wasSent = true
        return proofOf(text)
      }
      plate = openPlate(text, own)
      return plate
    }
    return (exchange) => {
      const { request, response, id, isLate, sent } = exchange
      const own = { id, date: today() }
      const isWhole = request.method === 'GET' || sheet.body.length === 0
      const printed = isWhole && isFirstOfMore(response) ? plateFor(own) : undefined
      if (printed === undefined) {
        sendTheLongWay(sheet, exchange)
        return
      }
      response.statusCode = sheet.status
      const send = (): void => {
        if (response.socket?.writable === true) printed.print(response, own)
        sent?.()
      }
      outbox.add(response, send, isLate)
    }
  }
}

/**
 * @param common the lines of the headers that come first
 * @param lines of the connection, if they are known; without them, or with odd headers, there is no text
 */
function textOf({ status, headers, body }: Sheet, common?: string, lines?: string) {
  const own = linesOf(headers)
  if (lines === undefined || common === undefined || own === undefined) return undefined
  const begin = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${common}${own}${idName}: `
  return { status, begin, middle, end: `\r\n${lines}`, body } satisfies AnswerText
}

/** Headers as they are sent; `undefined` where one of them is odd. */
function linesOf(headers: readonly string[]): string | undefined {
  let lines = ''
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at] ?? '', headers[at + 1] ?? '']
    if (!token.test(name) || unprintable.test(value)) return undefined
    if (aboutConnection.has(name.toLowerCase())) return undefined
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

/** Remembers the lines of headers that many sheets have. */
function openCommonLines(): (common?: readonly string[]) => string | undefined {
  const known = new WeakMap<readonly string[], string | undefined>()
  return (common) => {
    if (common === undefined) return ''
    if (!known.has(common)) known.set(common, linesOf(common))
    return known.get(common)
  }
}

/** The date as a header tells it. It is the same text all through a second. */
function openCalendar(): () => string {
  let second = 0
  let date = ''
  return () => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) date = formatHttpDate(now)
    second = now
    return date
  }
}
