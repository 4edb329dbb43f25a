/** Reads answers from the bytes of a connection as strictly as RFC 9112 is written: whatever is not in it is a fault. */

export interface Asked {
  readonly method: string
  readonly version: '1.0' | '1.1'
  /** An interim answer may come before the answer. */
  readonly expectsContinue: boolean
}

export interface Answer {
  readonly status: number
  /** As it came, without the empty line. */
  readonly head: string
  /** By name in lower case, in the order in which they came. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** The bytes are no answer, and no beginning of one. */
export class WrongFraming extends Error {
  override readonly name = 'WrongFraming'
}

export interface Taken {
  readonly answer: Answer
  /** Where the next one begins. */
  readonly end: number
}

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/
const headerLine =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/
const mostHeadBytes = 64 * 1024

/**
 * Takes the answer that begins at a place.
 * @param isEnded whether the connection has ended, so that nothing comes after these bytes
 * @returns `undefined` when more of it has to come
 * @throws WrongFraming
 */
export function takeAnswer(
  bytes: Buffer,
  from: number,
  asked: Asked,
  isEnded: boolean,
): Taken | undefined {
  const start = 'HTTP/1.1 '
  const begun = bytes.subarray(from, from + start.length).toString('latin1')
  if (!start.startsWith(begun)) throw new WrongFraming(`no answer begins so: ${shown(bytes, from)}`)
  const endOfHead = bytes.indexOf('\r\n\r\n', from, 'latin1')
  if (endOfHead === -1) {
    if (bytes.length - from > mostHeadBytes) throw new WrongFraming('a head without an end')
    return undefined
  }
  const head = bytes.subarray(from, endOfHead).toString('latin1')
  const { status, headers } = readHead(head)
  const bodyAt = endOfHead + 4
  if (status < 200) {
    if (!asked.expectsContinue || status !== 100 || headers.length > 0)
      throw new WrongFraming(`an interim answer that nobody expected: ${head}`)
    return takeAnswer(bytes, bodyAt, { ...asked, expectsContinue: false }, isEnded)
  }
  const taken = takeBody(bytes, bodyAt, framingOf(status, headers, asked), isEnded)
  return taken && { answer: { status, head, headers, body: taken.body }, end: taken.end }
}

export function valuesOf({ headers }: Pick<Answer, 'headers'>, name: string): string[] {
  return headers.filter(([each]) => each === name).map(([, value]) => value)
}

function readHead(head: string): Pick<Answer, 'status' | 'headers'> {
  const [first = '', ...lines] = head.split('\r\n')
  const [, status] = statusLine.exec(first) ?? []
  if (status === undefined) throw new WrongFraming(`a wrong status line: ${first}`)
  const headers = lines.map((line) => {
    const [, name, value = ''] = headerLine.exec(line) ?? []
    if (name === undefined) throw new WrongFraming(`a wrong header: ${JSON.stringify(line)}`)
    return [name.toLowerCase(), value] as const
  })
  return { status: Number(status), headers }
}

/** How the end of the body is told: by its length, by chunks, or by the end of the connection. */
type Framing = number | 'chunked' | 'until closed'

function framingOf(status: number, headers: Answer['headers'], asked: Asked): Framing {
  const lengths = valuesOf({ headers }, 'content-length')
  const codings = valuesOf({ headers }, 'transfer-encoding')
  if (lengths.length + codings.length > 1) throw new WrongFraming('two framings of one body')
  if (lengths.some((length) => !/^(0|[1-9]\d*)$/.test(length)))
    throw new WrongFraming(`a wrong length: ${lengths.join()}`)
  if (codings.some((coding) => coding !== 'chunked'))
    throw new WrongFraming(`another transfer coding: ${codings.join()}`)
  if (codings.length > 0 && asked.version === '1.0')
    throw new WrongFraming('chunks for a client of HTTP/1.0')
  if (status === 204 && lengths.length + codings.length > 0)
    throw new WrongFraming('a 204 that tells of a body')
  if (status === 304 && codings.length > 0) throw new WrongFraming('a 304 in chunks')
  if (asked.method === 'HEAD' || status === 204 || status === 304) return 0
  if (codings.length > 0) return 'chunked'
  if (lengths.length > 0) return Number(lengths[0])
  if (asked.version === '1.1') throw new WrongFraming('neither a length nor chunks')
  return 'until closed'
}

function takeBody(bytes: Buffer, from: number, framing: Framing, isEnded: boolean) {
  if (framing === 'chunked') return takeChunks(bytes, from)
  const end = framing === 'until closed' ? bytes.length : from + framing
  if (framing === 'until closed' ? !isEnded : bytes.length < end) return undefined
  return { body: bytes.subarray(from, end), end }
}

function takeChunks(bytes: Buffer, from: number) {
  const chunks: Buffer[] = []
  for (let at = from; ;) {
    const endOfLine = bytes.indexOf('\r\n', at, 'latin1')
    const line = bytes.subarray(at, endOfLine === -1 ? at + 16 : endOfLine).toString('latin1')
    if (endOfLine === -1) {
      if (!/^[0-9a-f]{0,8}\r?$/i.test(line)) throw new WrongFraming(`no chunk begins so: ${line}`)
      return undefined
    }
    if (!/^[0-9a-f]{1,8}$/i.test(line)) throw new WrongFraming(`a wrong size of a chunk: ${line}`)
    const size = parseInt(line, 16)
    const end = endOfLine + 2 + size
    const after = bytes.subarray(end, end + 2).toString('latin1')
    if (!'\r\n'.startsWith(after)) throw new WrongFraming(`a chunk of another size: ${after}`)
    if (after.length < 2) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), end: end + 2 }
    chunks.push(bytes.subarray(endOfLine + 2, end))
    at = end + 2
  }
}

function shown(bytes: Buffer, from: number): string {
  return JSON.stringify(bytes.subarray(from, from + 200).toString('latin1'))
}
