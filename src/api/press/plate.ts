/** An answer as bytes, of which only the id of the request and the date change when it is sent again. */
import type { ServerResponse } from 'node:http'
import { headersAreSent } from './node-response.ts'

/** The parts of an answer in their order; id and date stand between them. */
export interface AnswerText {
  readonly status: number
  /** Up to the id. */
  readonly begin: string
  /** Between id and date. */
  readonly middle: string
  /** From behind the date to the body. */
  readonly end: string
  /** Bytes, or text of ASCII alone. */
  readonly body: Buffer | string
}

/** What one response has of its own: each is as long as that of any other. */
export interface Own {
  readonly id: string
  readonly date: string
}

export interface Plate {
  print(response: ServerResponse, own: Own): void
}

/** Longer bodies are not copied: they go out behind the headers, from where they are. */
const longestCopied = 32 * 1024

/** Copies that are kept for the next response. */
const mostSpare = 2

/** Belongs to one response until the kernel has all of it. */
interface Copy {
  readonly bytes: Buffer
  /** That it holds. */
  date: string
}

/** @param own of some response */
export function openPlate(text: AnswerText, { id, date }: Own): Plate {
  const { status, begin, middle, end, body } = text
  const idAt = begin.length
  const dateAt = idAt + id.length + middle.length
  const head = Buffer.from(begin + id + middle + date + end, 'latin1')
  const rest = body.length > longestCopied ? body : undefined
  const plate = rest === undefined ? Buffer.concat([head, bytesOf(body)]) : head
  const spare: Copy[] = [{ bytes: plate, date }]
  return {
    print(response, own) {
      const copy = spare.pop() ?? { bytes: Buffer.from(plate), date: '' }
      copy.bytes.write(own.id, idAt, 'latin1')
      if (copy.date !== own.date) copy.bytes.write(own.date, dateAt, 'latin1')
      copy.date = own.date
      headersAreSent(response, status)
      if (rest !== undefined) response.socket?.cork()
      response.socket?.write(copy.bytes, (error) => {
        if (!error && spare.length < mostSpare) spare.push(copy)
      })
      response.end(rest, 'latin1')
    },
  }
}

function bytesOf(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body
}
