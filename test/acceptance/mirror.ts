/**
 * A mirror of the list as users write one: it downloads the complete list, follows the change feed,
 * and starts again after 410. It keeps the text of each record, so that a comparison covers all ten
 * fields.
 */
import type { Service } from './service.ts'
import { fetchAlone } from './service.ts'

interface Change {
  readonly seq: number
  readonly change: 'created' | 'modified' | 'removed'
  readonly record: { readonly id: number }
}

interface ChangesAnswer {
  readonly last_seq: number
  readonly next: string
  readonly results: readonly Change[]
}

/** The API is unavailable or broke off a response: a mirror tries again. */
export class Away extends Error {
  override readonly name = 'Away'
}

/** The feed no longer has the changes after a number: a mirror starts again. */
export class Gone extends Error {
  override readonly name = 'Gone'
}

export type Mirror = ReturnType<typeof openMirror>

export function openMirror(service: Service) {
  const records = new Map<number, string>()
  const counts = { lists: 0, changes: 0, away: 0 }
  let seq = 0
  let next: string | undefined
  const apply = (change: Change): void => {
    if (change.seq <= seq) throw new Error(`number ${change.seq} came after ${seq}`)
    seq = change.seq
    counts.changes++
    if (change.change === 'removed') records.delete(change.record.id)
    else records.set(change.record.id, JSON.stringify(change.record))
  }
  const mirror = {
    records: records as ReadonlyMap<number, string>,
    counts: counts as Readonly<typeof counts>,
    /** Number of the last change that was applied. */
    get seq(): number {
      return seq
    },
    /** Downloads the complete list; calls the function after every hundred records. */
    async begin(between: () => void = () => undefined): Promise<void> {
      next = undefined
      records.clear()
      const answer = await request(service, '?format=ndjson')
      for await (const line of linesOf(service, answer)) {
        const record = JSON.parse(line) as { id: number }
        records.set(record.id, line)
        if (records.size % 100 === 0) between()
      }
      seq = Number(answer.headers.get('catalogue-seq'))
      next = `/rinex/api/changes/?since=${seq}`
      counts.lists++
    },
    /**
     * Applies the next page of changes.
     * @param more parameters of the query, such as `&wait=10`; the links to further pages repeat
     * them.
     * @returns false if the page was empty
     */
    async follow(more = ''): Promise<boolean> {
      if (next === undefined) throw new Gone('there is no list yet')
      const page = await getJson<ChangesAnswer>(service, next + more)
      page.results.forEach(apply)
      next = page.next.slice(origin.length)
      return page.results.length > 0
    },
    /** Applies all changes up to now. */
    async catchUp(): Promise<void> {
      while (await mirror.follow());
    },
    /** Follows the changes until the end, and tries or starts again after failures. */
    async keepUp(signal: AbortSignal, more = ''): Promise<void> {
      while (!signal.aborted)
        try {
          if (next === undefined) await mirror.begin()
          else if (!(await mirror.follow(more))) await pause()
        } catch (error) {
          if (error instanceof Gone) next = undefined
          else if (!(error instanceof Away)) throw error
          counts.away++
          await pause()
        }
    },
  }
  return mirror
}

interface ListPage {
  readonly next: string | null
  readonly results: readonly { readonly id: number }[]
}

/** Walks the pages of the list. @returns records by id, in the form of a mirror */
export async function walkList(service: Service): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  for (let path: string | null = '?limit=10000'; path !== null;) {
    const page: ListPage = await getJson(service, path)
    for (const record of page.results) found.set(record.id, JSON.stringify(record))
    path = page.next?.slice(origin.length) ?? null
  }
  return found
}

/** Replaces the origin of the API, whose port changes at each start. */
const origin = 'http://archive.invalid'

async function getJson<T>(service: Service, path: string): Promise<T> {
  const from = service.url.origin
  const text = await (await request(service, path)).text().catch(away)
  return JSON.parse(text.replaceAll(from, origin)) as T
}

async function request(service: Service, path: string): Promise<Response> {
  const url = new URL(path, service.url)
  const answer = await fetchAlone(url, { headers: { accept: 'application/json' } }).catch(away)
  if (answer.status === 200) return answer
  const text = await answer.text().catch(away)
  if (answer.status === 503) throw new Away(text)
  if (answer.status === 410) throw new Gone(text)
  throw new Error(`${url.href}: ${answer.status} ${text}`)
}

function away(error: unknown): never {
  throw new Away(String(error), { cause: error })
}

/** The complete lines of a response. */
async function* linesOf(service: Service, answer: Response): AsyncGenerator<string> {
  const from = service.url.origin
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.replaceAll(from, origin)
    }
  } catch (error) {
    away(error)
  }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50))
}
