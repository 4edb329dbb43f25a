/**
 * Two indexers and two API hosts on one archive and one database: processes that start again
 * whenever they end, and readers that send each request to the other host.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import { Away, Gone } from './mirror.ts'
import type { LogLine } from './service.ts'
import { fetchAlone, stop, timeoutMs, until } from './service.ts'
import { filesBelow } from './tree.ts'

/** The public URL of both hosts, so that they answer the same. */
const origin = 'http://archive.invalid'

/** Options by their names in the environment, without the prefix. */
export type Options = Readonly<Record<string, string>>

interface Listed {
  readonly id: number
  readonly download_path: string
  readonly file?: { readonly size: number | null }
}

interface Change {
  readonly seq: number
  readonly change: 'created' | 'modified' | 'removed'
  readonly record: Listed
}

interface Page<Row> {
  readonly next: string | null
  readonly results: readonly Row[]
}

/** A process that a service manager keeps running. */
class Daemon {
  /** How it ended without a signal of the test, unless another indexer had taken over. */
  readonly ends: string[] = []
  takenOver = 0
  /** Where it listens, if it is an API. */
  address: string | undefined
  /** The lines of its log. */
  readonly log: string[] = []
  readonly #start: () => ChildProcess
  #child: ChildProcess
  #isStopped = false

  constructor(t: Test, command: 'index' | 'serve', env: Readonly<Record<string, string>>) {
    // Each host has its own.
    const cwd = testFolder(t)
    this.#start = () => {
      const child = spawn(...programLine([command]), {
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], ...kept, ...env },
      })
      let reason = ''
      const read = (line: string): void => {
        this.log.push(line)
        // A killed process may leave an incomplete line.
        const said = (line.endsWith('}') ? JSON.parse(line) : {}) as Partial<LogLine>
        if (said.msg === 'listening') this.address = String(said['address'])
        if (said.level === 'fatal')
          reason = `${said.msg}: ${JSON.stringify(said['reason'] ?? said['err'])}`
      }
      // A process that fails before it has begun says so on standard error.
      for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', read)
      // All of its log is read by then.
      child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
        this.address = undefined
        if (this.#isStopped) return
        const isTakenOver = code === 1 && reason.includes('has taken over')
        if (isTakenOver) this.takenOver++
        else if (!child.killed) this.ends.push(`${command}: ${code ?? signal}, ${reason}`)
        setTimeout(() => {
          if (!this.#isStopped) this.#child = this.#start()
        }, 100)
      })
      return child
    }
    this.#child = this.#start()
    t.teardown(async () => {
      this.#isStopped = true
      await stop(this.#child, 'SIGKILL')
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
    this.#child.kill(signal)
  }
}

export class Fleet {
  readonly archive: string
  readonly indexers: readonly Daemon[]
  readonly apis: readonly Daemon[]
  #turn = 0

  /** @param more options of the indexers and of the API hosts */
  constructor(
    t: Test,
    archive: string,
    database: string,
    more: { readonly index?: Options; readonly serve?: Options } = {},
  ) {
    this.archive = archive
    mkdirSync(archive, { recursive: true })
    const options: Options = {
      ARCHIVE: archive,
      DATABASE: database,
      PORT: '0',
      BASE_URL: origin,
      MAX_LIMIT: '10000',
      // A directory that a killed indexer left dirty waits for the next sweep.
      SWEEP_INTERVAL_SECONDS: '5',
    }
    const env = (own: Options = {}) =>
      Object.fromEntries(
        Object.entries({ ...options, ...own }).map(([name, value]) => [
          `RINEX_CATALOGUE_${name}`,
          value,
        ]),
      )
    const start = (command: 'index' | 'serve') => new Daemon(t, command, env(more[command]))
    this.indexers = [start('index'), start('index')]
    this.apis = [start('serve'), start('serve')]
  }

  /** How processes ended by themselves. */
  get ends(): string[] {
    return [...this.indexers, ...this.apis].flatMap(({ ends }) => ends)
  }

  /** Asks one API host; without a host the hosts in turn. */
  async ask(path: string, host?: Daemon): Promise<Response> {
    const { address } = host ?? this.apis[this.#turn++ % this.apis.length] ?? {}
    if (address === undefined) throw new Away('it does not listen')
    const url = new URL(path, `http://${address}/rinex/api/rinex-file/`)
    const headers = { accept: 'application/json' }
    const answer = await fetchAlone(url, { headers }).catch(away)
    if (answer.status === 200) return answer
    const text = `${url.href}: ${answer.status} ${await answer.text().catch(away)}`
    if (answer.status === 503) throw new Away(text)
    if (answer.status === 410) throw new Gone(text)
    throw new Error(text)
  }

  async get<Answer>(path: string, host?: Daemon): Promise<Answer> {
    const text = await (await this.ask(path, host)).text().catch(away)
    return JSON.parse(text) as Answer
  }

  /** Walks pages by `next`. */
  async walk(first: string, host?: Daemon): Promise<Listed[]> {
    const found: Listed[] = []
    for (let path: string | null = first; path !== null;) {
      const page: Page<Listed> = await this.get(path, host)
      found.push(...page.results)
      path = page.next?.slice(origin.length) ?? null
    }
    return found
  }

  /** Waits until each host lists exactly the files of the tree, with their sizes. */
  async untilEqual(maxMs = timeoutMs): Promise<number> {
    const paths = filesBelow(this.archive)
    const expected = paths.map((path) => `${path} ${statSync(join(this.archive, path)).size}`)
    let found = ''
    const equals = async (host: Daemon): Promise<boolean> => {
      const records = await this.walk('?limit=10000&expand=file', host)
      const listed = new Set(records.map((record) => `${pathOf(record)} ${record.file?.size}`))
      const missing = expected.filter((each) => !listed.delete(each))
      found = `${records.length} listed, ${paths.length} in the tree; missing: ${missing.join()}; other: ${[...listed].join()}`
      return missing.length + listed.size === 0 && records.length === paths.length
    }
    try {
      let tookMs = 0
      for (const api of this.apis)
        tookMs += await until('the list equals the tree', () => equals(api), maxMs)
      return tookMs
    } catch (error) {
      const ends = this.ends.join()
      throw new Error(`${String(error)}: ${found.slice(0, 500)} ${ends}`, { cause: error })
    }
  }
}

/** The path of a file below the root of the archive. */
function pathOf({ download_path }: Listed): string {
  return download_path.split('/rinex/data/')[1] ?? ''
}

/** Follows the feed from its beginning, from the hosts in turn; after 410 from the whole list. */
export class Follower {
  /** The text of each record. */
  readonly records = new Map<number, string>()
  /** The id and the path of each change that ever came, by number. */
  readonly seen = new Map<number, string>()
  /** Which number or id came in a wrong way. */
  readonly faults: string[] = []
  seq = 0
  /** How often it started again. */
  gone = 0
  readonly #fleet: Fleet
  readonly #paths = new Map<number, string>()
  #next = start

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  /** Applies one page. @returns false if it was empty */
  async follow(): Promise<boolean> {
    try {
      const page = await this.#fleet.get<Page<Change>>(this.#next)
      page.results.forEach((change) => {
        this.#apply(change)
      })
      this.#next = page.next?.slice(origin.length) ?? ''
      return page.results.length > 0
    } catch (error) {
      if (!(error instanceof Gone)) throw error
      await this.#startAgain()
      this.gone++
      return true
    }
  }

  /** Reads the whole list, as a mirror does after 410; the feed then continues from its number. */
  async #startAgain(): Promise<void> {
    const answer = await this.#fleet.ask('?format=ndjson')
    const seq = answer.headers.get('catalogue-seq')
    const lines = (await answer.text().catch(away)).trimEnd().split('\n')
    this.records.clear()
    for (const line of lines) {
      const record = JSON.parse(line) as Listed
      this.#check(record)
      this.records.set(record.id, JSON.stringify(record))
    }
    this.seq = Number(seq)
    this.#next = `/rinex/api/changes/?since=${seq}&limit=1000`
  }

  /** Follows until the end, through times in which no host answers. */
  async keepUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        if (!(await this.follow())) await delay(5)
      } catch (error) {
        if (!(error instanceof Away)) throw error
        await delay(50)
      }
  }

  /** What another one, which read later, has at numbers that this one passed without it. */
  missing(later: Follower): string[] {
    return [...later.seen]
      .filter(([seq, what]) => seq <= this.seq && this.seen.get(seq) !== what)
      .map(([seq, what]) => `${seq}: ${what}, not ${this.seen.get(seq)}`)
  }

  #apply({ seq, change, record }: Change): void {
    const { id, download_path } = record
    const what = `${id} ${download_path}`
    if (seq <= this.seq) this.faults.push(`number ${seq} after ${this.seq}`)
    if ((this.seen.get(seq) ?? what) !== what) this.faults.push(`number ${seq} twice: ${what}`)
    this.#check(record)
    this.seq = seq
    this.seen.set(seq, what)
    if (change === 'removed') this.records.delete(id)
    else this.records.set(id, JSON.stringify(record))
  }

  /** No two files have one id, of any epoch. */
  #check({ id, download_path }: Listed): void {
    if ((this.#paths.get(id) ?? download_path) !== download_path)
      this.faults.push(`id twice: ${id} ${download_path}`)
    this.#paths.set(id, download_path)
  }
}

const start = '/rinex/api/changes/?since=0&limit=1000'

function away(error: unknown): never {
  throw new Away(String(error), { cause: error })
}
