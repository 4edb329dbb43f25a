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

/** Longer texts are not copied, and bytes never are: they go out behind the headers, from where they are. */
const longestCopied = 32 * 1024

/** Belongs to one response until the kernel has all of it. */
interface Copy {
  readonly bytes: Buffer
  /** That it holds. */
  date: string
}

/** @param own of some response */
export function openPlate(answer: AnswerText, { id, date }: Own): Plate {
  const { status, begin, middle, end, body } = answer
  const idAt = begin.length
  const dateAt = idAt + id.length + middle.length
  const isCopied = typeof body === 'string' && body.length <= longestCopied
  const rest = isCopied ? undefined : body
  const text = begin + id + middle + date + end + (isCopied ? body : '')
  let copy: Copy = { bytes: Buffer.from(text, 'latin1'), date }
  let isFree = true
  return {
    print(response, own) {
      const { socket } = response
      if (!isFree) copy = { ...copy, bytes: Buffer.from(copy.bytes) }
      copy.bytes.write(own.id, idAt, 'latin1')
      if (copy.date !== own.date) copy.bytes.write(own.date, dateAt, 'latin1')
      copy.date = own.date
      headersAreSent(response, status)
      if (rest === undefined) socket?.write(copy.bytes)
      else {
        // By its socket: through the response, bytes take longer and an empty text follows them.
        socket?.cork()
        socket?.write(copy.bytes)
        socket?.write(rest, 'latin1')
        socket?.uncork()
      }
      response.end()
      // Nearly always the kernel takes all at once. What it has not is left to this response.
      isFree = socket?.writableLength === 0
    },
  }
}

/** For an answer that is sent once: its text as it is. */
export function proofOf({ status, begin, middle, end, body }: AnswerText): Plate {
  return {
    print(response, { id, date }) {
      headersAreSent(response, status)
      response.socket?.write(begin + id + middle + date + end + String(body), 'latin1')
      response.end()
    },
  }
}
