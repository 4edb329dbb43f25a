/**
 * PostgreSQL for tests: an empty schema in a server that all files of a run share, or a server of
 * its own. Both are started from Debian's package, which puts its programs beside no others, and
 * listen on a Unix socket only.
 */
import type { ChildProcess } from 'node:child_process'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Test } from 'tap'

const runFile = promisify(execFile)
const versions = '/usr/lib/postgresql'
const oldest = 15

/** Names the folder of the run: the shared server, and the data that each server begins with. */
const variable = 'RINEX_TEST_POSTGRES'

/** Without a disk flush a commit costs nothing: a test about lost power sets `fsync`. */
const defaults = {
  listen_addresses: '',
  fsync: 'off',
  shared_buffers: '16MB',
  max_connections: '200',
  // A standby that starts late still finds what it needs.
  wal_keep_size: '256MB',
}

type Settings = Readonly<Record<string, string>>

/** Why tests with PostgreSQL cannot run here, for `skip`; false if they can. */
export function lacksPostgres(): string | false {
  if (programs() === undefined) return `no PostgreSQL ${oldest} here`
  const [program, args] = asServer('true')
  return spawnSync(program, args).status === 0 ? false : 'no user postgres here'
}

/**
 * Makes an empty schema and a role that owns it, in the server that all files of a run share.
 * After the test, when it has closed its connections, both are removed.
 * @returns the URL of the schema, for `pg` and for `psql`
 */
export async function openSchema(t: Test): Promise<string> {
  const folder = sharedFolder()
  await startServer(folder)
  const name = `test_${randomBytes(6).toString('hex')}`
  const server = urlOf(folder)
  await psql(server, `CREATE ROLE ${name} LOGIN; CREATE SCHEMA AUTHORIZATION ${name}`)
  t.teardown(async () => {
    // A killed process may have left one, with locks.
    const left = `pid FROM pg_stat_activity WHERE usename = '${name}'`
    await psql(server, `SELECT pg_terminate_backend(pid, 10000) FROM (SELECT ${left}) AS a`)
    await psql(server, `DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}`)
  })
  return urlOf(folder, name)
}

/** Runs SQL by the program `psql`. @returns the rows, with `|` between the columns */
export async function psql(url: string, sql: string): Promise<string> {
  const options = ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', sql]
  const { stdout } = await runFile(join(programs() ?? '', 'psql'), [...options, url])
  return stdout.trimEnd()
}

/**
 * The folder of the run. It is named in the environment, so that the processes of all tests use
 * one, and removed with its server when the process ends that asked first, however it ends.
 */
export function sharedFolder(): string {
  return (process.env[variable] ??= new Folder().path)
}

/** A server of its own; it ends with the test, however that ends. */
export class Cluster {
  /** The folder of the socket, and of the file `log`. */
  readonly folder: string
  /** The URL of its superuser. */
  readonly url: string

  private constructor(t: Test) {
    const folder = new Folder()
    this.folder = folder.path
    this.url = urlOf(folder.path)
    t.teardown(() => folder.remove())
  }

  static async start(t: Test, { settings = {} }: { settings?: Settings } = {}): Promise<Cluster> {
    const cluster = new Cluster(t)
    await startServer(cluster.folder, settings)
    return cluster
  }

  psql(sql: string): Promise<string> {
    return psql(this.url, sql)
  }

  /** Ends the server: in order, without waiting for clients (`fast`), or as a crash does. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await runAsServer('pg_ctl -D "$1/data" -m "$2" stop', this.folder, mode)
  }

  async start(): Promise<void> {
    await runAsServer(startLine, this.folder)
  }

  async restart(mode: 'fast' | 'immediate'): Promise<void> {
    await this.stop(mode)
    await this.start()
  }

  /**
   * Starts a hot standby, which ends with the test, and waits until it receives what is written. A
   * synchronous one has each commit before its writer hears of it; without it the writer waits.
   */
  async standby(t: Test, { synchronous }: { synchronous: boolean }): Promise<Cluster> {
    const standby = new Cluster(t)
    const script = `
      pg_basebackup -D "$1/data" -d "host=$2 user=postgres" -R -c fast --no-sync
      echo "unix_socket_directories = '$1'" >>"$1/data/postgresql.conf"
      ${startLine}`
    await runAsServer(script, standby.folder, this.folder)
    if (synchronous) {
      await this.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
      await this.psql('SELECT pg_reload_conf()')
    }
    const ready = synchronous ? "sync_state = 'sync'" : "state = 'streaming'"
    const count = `SELECT count(*) FROM pg_stat_replication WHERE ${ready}`
    while ((await this.psql(count)) !== '1') await delay(20)
    return standby
  }

  /** Makes a standby a server that can be written. */
  async promote(): Promise<void> {
    await runAsServer('pg_ctl -D "$1/data" promote', this.folder)
  }
}

/**
 * An empty folder, with a process that ends its server and removes it when the input of that
 * process ends: on `remove`, or with our process, whatever ends that.
 */
class Folder {
  readonly path: string
  readonly #guard: ChildProcess

  constructor() {
    // Not in TMPDIR, which may be long: the path of a socket has at most 107 bytes.
    const made = asServer('mktemp -d -p /tmp postgres-XXXXXX')
    this.path = execFileSync(...made, { encoding: 'utf8' }).trimEnd()
    const remove = 'cat; flock "$1" pg_ctl -D "$1/data" -m immediate stop || :; rm -rf "$1"'
    this.#guard = spawn(...asServer(remove, this.path), {
      ...outside(),
      // In a group of its own: signals to ours would end it too early.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#guard.unref()
  }

  async remove(): Promise<void> {
    this.#guard.ref()
    const ended = once(this.#guard, 'exit')
    this.#guard.stdin?.end()
    await ended
  }
}

const startLine = 'pg_ctl -D "$1/data" -l "$1/log" -t 120 start'

/**
 * Starts the server of a folder, unless it runs. The processes of a run take turns, so that the
 * first one makes what all of them use; it may be killed meanwhile.
 */
async function startServer(folder: string, settings: Settings = {}): Promise<void> {
  const script = `
    rm -rf "$2/new"
    if [ ! -e "$2/template" ]; then
      initdb -D "$2/new" --no-sync --locale=C.UTF-8 --encoding=UTF8 --auth=trust -U postgres
      mv "$2/new" "$2/template"
    fi
    if [ ! -e "$1/data" ]; then
      cp -a "$2/template" "$2/new"
      echo "$3" >>"$2/new/postgresql.conf"
      mv "$2/new" "$1/data"
    fi
    pg_ctl -D "$1/data" status || ${startLine}`
  const lines = Object.entries({ ...defaults, unix_socket_directories: folder, ...settings })
  const text = lines.map(([name, value]) => `${name} = '${value}'`).join('\n')
  const locked = 'exec flock --close "$2" sh -euc "$4" sh "$1" "$2" "$3"'
  await runAsServer(locked, folder, sharedFolder(), text, script)
}

/** Runs a shell script as the user of the server; its first argument is the folder. */
async function runAsServer(script: string, folder: string, ...more: string[]): Promise<void> {
  try {
    await runFile(...asServer(script, folder, ...more), outside())
  } catch (error) {
    const log = join(folder, 'log')
    throw new Error(existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : '', { cause: error })
  }
}

/** The command line of a shell script, as another user if we are root: no server runs as root. */
function asServer(script: string, ...args: string[]): [command: string, args: string[]] {
  const line = ['sh', '-euc', script, 'sh', ...args]
  if (process.getuid?.() !== 0) return ['env', line]
  return ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', ...line]]
}

/** Where the programs run: nothing of our environment, and a folder that every user can read. */
function outside() {
  return { cwd: '/', env: { PATH: `${programs()}:${process.env['PATH']}` } }
}

/** The folder of the programs of the newest version. */
function programs(): string | undefined {
  const found = existsSync(versions) ? readdirSync(versions) : []
  const able = found.filter((each) => existsSync(join(versions, each, 'bin/initdb')))
  const newest = Math.max(...able.map(Number))
  return newest >= oldest ? join(versions, String(newest), 'bin') : undefined
}

/** The URL of a server as its superuser, or as the owner of a schema. */
function urlOf(folder: string, schema?: string): string {
  const url = `postgresql://${schema ?? 'postgres'}@localhost/postgres?host=${folder}&port=5432`
  return schema === undefined ? url : `${url}&options=-c%20search_path%3D${schema}`
}
