/**
 * Starts the program in a folder: the indexer and the API as processes, with their log and a client
 * of the API.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { checkConsistency } from '../../src/catalogue/sqlite/consistency-check.ts'
import { askIndexer, overSocket } from '../../src/control-socket/client.ts'
import type { ControlRequest } from '../../src/control-socket/protocol.ts'
import { testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import { timeoutMs, until } from '../until.ts'
import { filesBelow, put } from './tree.ts'

export { timeoutMs, until }

/** With SLOW=1 the acceptance tests run with more files, for longer. */
export const slow = process.env['SLOW'] === '1'

/** Timeout of a test file (ms); a test that hangs is then reported by its name. */
export const longestMs = slow ? 0 : 600_000

export interface Options {
  /** Command line before that of each process, for example to enter a namespace. */
  readonly wrap?: readonly string[]
  /** The same for the indexer only, and for the API only. */
  readonly wrapIndexer?: readonly string[]
  readonly wrapApi?: readonly string[]
  /** Options of the program as environment variables: `{ SWEEP_INTERVAL_SECONDS: '2' }`. */
  readonly options?: Readonly<Record<string, string>>
  /** Path of the database, relative to the folder. */
  readonly database?: string
}

export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

export interface Listed {
  readonly id: number
  readonly created: string
  readonly modified: string
}

export interface Status {
  readonly epoch: string
  readonly seq: number
  readonly state: string
  readonly reasons: readonly string[]
  readonly settling_files: number | null
  readonly dirty_directories: number | null
  readonly held_removals: number | null
  readonly watching: { directories: number; overflows: number } | null
  readonly last_sweep: string | null
  readonly areas: Readonly<Record<string, { files: number }>>
  readonly checksums: { files: number; facts: number; waiting: number | null }
  readonly flagged: { flags: readonly { flag: string; files: number }[] } | null
  readonly rejected: readonly { reason: string; count: number; examples: string[] }[]
}

export type Service = Awaited<ReturnType<typeof startService>>

/** Starts the API and the indexer on `archive` in a folder; both are killed after the test. */
export async function startService(t: Test, folder: string, given: Options = {}) {
  const { wrap = [], wrapIndexer = [], wrapApi = [], options, database = 'catalogue.db' } = given
  const archive = join(folder, 'archive')
  mkdirSync(archive, { recursive: true })
  // Relative paths, because the path of the control socket must be short.
  const variables = {
    ARCHIVE: 'archive',
    DATABASE: database,
    PORT: '0',
    MAX_LIMIT: '10000',
    ...options,
  }
  const log: LogLine[] = []
  t.teardown(() => {
    if (!t.passing()) t.comment(['last lines of the log:', ...log.slice(-30)])
  })
  const run = (command: string): ChildProcess & { readonly stdout: Readable } => {
    const env = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [`RINEX_CATALOGUE_${name}`, value]),
    )
    const [first, rest] = programLine([command])
    const own: Record<string, readonly string[]> = { index: wrapIndexer, serve: wrapApi }
    const wrapped = [...wrap, ...(own[command] ?? []), first, ...rest]
    const [program = '', ...args] = wrapped
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], ...kept, ...env },
    })
    t.teardown(() => stop(child, 'SIGKILL'))
    return child
  }
  const start = (command: string): ChildProcess => {
    const child = run(command)
    createInterface(child.stdout).on('line', (line) => {
      // A killed process may leave an incomplete line.
      if (line.endsWith('}')) log.push(JSON.parse(line) as LogLine)
    })
    return child
  }
  let api: ChildProcess
  let url: URL
  const startApi = async (): Promise<void> => {
    const earlier = log.length
    const listening = () => log.slice(earlier).find(({ msg }) => msg === 'listening')
    api = start('serve')
    await until('the API listens', () => listening() !== undefined)
    url = new URL(String(listening()?.['url']))
  }
  let indexer = start('index')
  await startApi()
  const get = async (path: string) => {
    const headers = { accept: 'application/json' }
    const answer = await fetchAlone(new URL(path, url), { headers })
    return { status: answer.status, body: await answer.json() }
  }
  const getJson = async <T>(path: string): Promise<T> => {
    const { status, body } = await get(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body as T
  }
  return {
    folder,
    archive,
    database: join(folder, database),
    log,
    get,
    startApi,
    /** The process that was started last. */
    get api(): ChildProcess {
      return api
    },
    get url(): URL {
      return url
    },
    get indexer(): ChildProcess {
      return indexer
    },
    startIndexer(): void {
      indexer = start('index')
    },
    status: () => getJson<Status>('/rinex/api/status/'),
    count: async () => (await getJson<{ count: number }>('?limit=1')).count,
    list: () => readList(getJson),
    control: (request: ControlRequest) => askIn(folder, request),
    ready: async () => (await get('/readyz')).status === 200,
    /** What `check` finds, by its process only if a mount namespace hides the database. */
    check: async () => {
      const file = join(folder, database)
      if (!existsSync(file)) return text(run('check').stdout)
      const { differences, damage } = checkConsistency(file)
      return [...differences, ...damage].join('\n') || 'nothing differs\n'
    },
  }
}

/**
 * Starts a service in a new folder, whose archive has these files or is filled before, and waits
 * for its first scan.
 */
export async function startScanned(
  t: Test,
  fill: readonly string[] | ((archive: string) => void),
  given?: Options,
): Promise<Service> {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  if (typeof fill === 'function') fill(archive)
  else for (const path of fill) put(archive, path)
  const service = await startService(t, folder, given)
  await until('the first scan ends', service.ready)
  return service
}

interface AloneOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/**
 * Sends a request on a connection of its own: the server may close an idle one at the moment of the
 * next request. Redirects are not followed. Not by `fetch`, which ends the process with an error
 * that nobody can catch when a server is killed whose response waits to be read
 * (nodejs/undici#5360).
 */
export async function fetchAlone(
  url: string | URL,
  { method = 'GET', headers = {}, body, signal }: AloneOptions = {},
): Promise<Response> {
  const sent = httpRequest(url, { agent: false, method, headers, ...(signal && { signal }) })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  // The reader of the body gets the error.
  sent.on('error', () => undefined)
  const status = answer.statusCode ?? 0
  const names = Object.entries(answer.headersDistinct)
  const pairs = names.flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const isEmpty = method === 'HEAD' || status === 204 || status === 304
  const content = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>)
  return new Response(content, { status, headers: pairs })
}

/** Sends a request to the control socket, by a path that is short wherever the folder is. */
async function askIn(folder: string, request: ControlRequest) {
  const directory = openSync(folder, 'r')
  try {
    return await askIndexer(overSocket(`/proc/self/fd/${directory}/catalogue.sock`), request)
  } finally {
    closeSync(directory)
  }
}

type ListPage = {
  readonly next: string | null
  readonly results: readonly (Listed & { download_path: string })[]
}

/** Reads all pages of the list. @returns records by path below the archive root */
async function readList(getJson: <T>(path: string) => Promise<T>): Promise<Map<string, Listed>> {
  const found = new Map<string, Listed>()
  for (let next: string | null = '?limit=10000'; next !== null;) {
    const page: ListPage = await getJson(next)
    for (const record of page.results)
      found.set(record.download_path.split('/rinex/data/')[1] ?? '', record)
    next = page.next
  }
  return found
}

/** Bytes of memory of a process: those it has now (VmRSS), or the most that it had (VmHWM). */
export function memoryOf({ pid = 0 }: Pick<ChildProcess, 'pid'>, what: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024
}

/** The value that this share of some values does not exceed. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN

/** How many directories have no stamp, so that each sweep reads them again. */
export function directoriesWithoutStamp({ database }: Service): number {
  const db = new Sqlite(database, { readonly: true })
  try {
    const count = 'SELECT count(*) FROM directory WHERE gone = 0 AND mtime_us IS NULL'
    return db.prepare(count).pluck().get() as number
  } finally {
    db.close()
  }
}

/**
 * Waits until the list has exactly the files of the tree, and `check` finds no difference. @returns
 * the time for the list (ms)
 */
export async function untilEqual(service: Service, maxMs = timeoutMs): Promise<number> {
  const startedMs = performance.now()
  const expected = filesBelow(service.archive)
  let found = ''
  const equal = async (): Promise<boolean> => {
    const count = await service.count()
    found = `${count} listed, ${expected.length} in the tree`
    if (count !== expected.length) return false
    const list = await service.list()
    const missing = expected.filter((path) => !list.delete(path))
    found = `missing: ${missing.join()}; not in the tree: ${[...list.keys()].join()}`
    return missing.length + list.size === 0
  }
  try {
    await until('the list equals the tree', equal, maxMs)
    const tookMs = performance.now() - startedMs
    const checked = await service.check()
    if (checked !== 'nothing differs\n') throw new Error(checked)
    return tookMs
  } catch (error) {
    throw new Error(`${String(error)}: ${found.slice(0, 500)}`, { cause: error })
  }
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return child.exitCode
}

/** The reason to skip a test that needs a command; `false` if the command succeeds. */
export function lacks(what: string, command: string): string | false {
  return spawnSync('sh', ['-c', command]).status === 0 ? false : `no ${what} here`
}

/** Waits until the status reports a problem. */
export async function untilReported(
  service: Service,
  message: RegExp,
  maxMs = timeoutMs,
): Promise<number> {
  const isReported = async () => message.test((await service.status()).reasons.join())
  return until(`degraded: ${String(message)}`, isReported, maxMs)
}

/** strace may be installed, but not allowed to trace another process. */
const attach = 'sleep 60 & timeout --signal=INT 1 strace -qq -o /dev/null -p $!'
export const lacksStrace = lacks(
  'strace',
  `${attach}; test $? = 124; lacks=$?; kill $!; exit $lacks`,
)

export const lacksMounts = lacks('mount namespaces', 'unshare -m true')

/** Opens a mount namespace: other processes do not see its mounts. */
export async function openMounts(t: Test) {
  const holder = spawn('unshare', ['-m', 'sh', '-c', 'echo; exec sleep infinity'])
  t.teardown(() => stop(holder, 'SIGKILL'))
  await once(holder.stdout, 'data')
  const enter = ['nsenter', '--mount', '--target', String(holder.pid)]
  return {
    /** Runs a shell command in it. */
    run(command: string): void {
      const { status, stderr } = spawnSync(enter[0] ?? '', [...enter.slice(1), 'sh', '-c', command])
      if (status !== 0) throw new Error(`${command}: ${stderr.toString()}`)
    },
    /** The command line that runs a process in it, in a working directory. */
    wrap: (folder: string) => [...enter, 'sh', '-c', 'cd "$0" && exec "$@"', folder],
  }
}
