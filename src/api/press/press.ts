/**
 * Sends answers in one piece. Of each response Node checks the headers and puts them together, though they are the same for
 * thousands of responses, and sends them and the body as two; here that is done once for an answer.
 */
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatHttpDate } from '../http-date.ts'
import { connectionLinesOf, headersAreSent, isFirstOfMore } from './node-response.ts'
import { openPlate } from './plate.ts'
import type { AnswerText, Own, Plate } from './plate.ts'

/** An answer but for what each response has of its own. */
export interface Sheet {
  readonly status: number
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
}

/** Sends one sheet, again and again. @throws where Node would: headers that cannot be sent */
export type Sender = (exchange: Exchange) => void

/** Makes senders of sheets. */
export type Press = (sheet: Sheet) => Sender

/** Has no place in a header. Node lets a little more through. */
const unprintable = /[^\t\x20-\x7e]/

const idName = 'x-request-id'
const middle = '\r\nDate: '

export function openPress(): Press {
  /** As Node wrote them when it sent the first answer. */
  let lines: string | undefined
  const today = openCalendar()
  const sendTheLongWay = ({ status, headers, body }: Sheet, { response, id }: Exchange): void => {
    response.writeHead(status, [...headers, idName, id])
    lines ??= connectionLinesOf(response)
    response.end(body, 'latin1')
  }
  return (sheet) => {
    let plate: Plate | undefined
    let wasSent = false
    return (exchange) => {
      const { request, response, id } = exchange
      const isUsual = request.method === 'GET' && isFirstOfMore(response)
      const text = isUsual && plate === undefined ? textOf(sheet, lines) : undefined
      const own = { id, date: today() }
      // Most answers with a text are sent once, and a plate takes longer than to send it so.
      if (text !== undefined && (wasSent || typeof sheet.body !== 'string'))
        plate = openPlate(text, own)
      wasSent = true
      if (isUsual && plate !== undefined) plate.print(response, own)
      else if (text !== undefined) sendText(text, response, own)
      else sendTheLongWay(sheet, exchange)
    }
  }
}

/** @param lines of the connection, if they are known; without them, or with odd headers, there is no text */
function textOf({ status, headers, body }: Sheet, lines?: string): AnswerText | undefined {
  if (lines === undefined || unprintable.test(headers.join(''))) return undefined
  let begin = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let at = 0; at < headers.length; at += 2) begin += `${headers[at]}: ${headers[at + 1]}\r\n`
  return { status, begin: `${begin}${idName}: `, middle, end: `\r\n${lines}`, body }
}

function sendText({ status, begin, end, body }: AnswerText, response: ServerResponse, own: Own) {
  headersAreSent(response, status)
  response.socket?.write(`${begin}${own.id}${middle}${own.date}${end}${String(body)}`, 'latin1')
  response.end()
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
