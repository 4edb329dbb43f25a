/**
 * What real clients end with when a file is touched while they read it slowly, and when they are killed and run again:
 * one whole version, always.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { lacks, longestMs, startService, stop, until } from './service.ts'
import type { Service } from './service.ts'
import { dayDirectory, pathIn, put } from './tree.ts'

t.setTimeout(longestMs)

const bytesPerSecond = 6_000_000
/** More than the kernel takes ahead for a client that reads slowly, several times over. */
const size = 25_000_000
/** A client has begun when it holds this; more than half of the file is then still to be sent. */
const begunBytes = 1_000_000

const longAgo = new Date(Date.now() - 2 * 86_400_000)

/** A gzip stream that differs from all others; stored, so that it is as long as it says. */
function version(): Buffer {
  return gzipSync(randomBytes(size), { level: 0 })
}

function putOld(archive: string, path: string, content: Buffer): void {
  put(archive, path, content)
  utimesSync(join(archive, path), longAgo, longAgo)
}

/** Each takes a URL into a file, slowly. */
const clients: Readonly<Record<string, (url: string, file: string) => string[]>> = {
  curl: (url, file) => ['curl', '-s', '--limit-rate', String(bytesPerSecond), '-o', file, url],
  wget: (url, file) => ['wget', '-q', `--limit-rate=${bytesPerSecond}`, '-O', file, url],
  aria2c: (url, file) => [
    ...['aria2c', '--no-conf', '-q', '--file-allocation=none', '--disk-cache=0'],
    ...[`--max-download-limit=${bytesPerSecond}`, '-d', dirname(file), '-o', basename(file), url],
  ],
}

/** None of them changes a byte of the version that is being sent. */
const changes: Readonly<Record<string, (path: string, next: Buffer) => void>> = {
  'hard-linked': (path) => {
    linkSync(path, `${path}.backup`)
  },
  'given other permissions': (path) => {
    chmodSync(path, 0o660)
  },
  'replaced by rename': (path, next) => {
    writeFileSync(`${path}.part`, next)
    renameSync(`${path}.part`, path)
  },
  removed: (path) => {
    rmSync(path)
  },
}

function bytesOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}

/** Runs a command until it ends, and gives its exit code. */
function run(command: readonly string[], cwd: string) {
  const [program = '', ...args] = command
  const env = { ...process.env, no_proxy: '*' }
  const child = spawn(program, args, { cwd, env, stdio: 'ignore' })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { child, ended }
}

/** A service with a file a client and a change, and the bytes of all of them. */
async function openFiles(t: Test, count: number) {
  const service = await startService(t, testFolder(t))
  const content = version()
  const paths = Array.from({ length: count }, (_, n) => pathIn(dayDirectory(2), n))
  for (const path of paths) putOld(service.archive, path, content)
  await until('all are listed', async () => (await service.count()) === count)
  return { service, content, paths }
}

function urlOf(service: Service, path: string): string {
  return new URL(`/rinex/data/${path}`, service.url).href
}

for (const [name, command] of Object.entries(clients))
  t.test(
    `${name} gets the whole of the version it began with`,
    { skip: lacks(name, `command -v ${name}`) },
    async (t) => {
      const ways = Object.entries(changes)
      const { service, content, paths } = await openFiles(t, ways.length)
      const next = version()
      const fetchWhile = async ([what, change]: (typeof ways)[number], n: number) => {
        const path = paths[n] ?? ''
        const file = join(service.folder, 'got', String(n), 'file')
        mkdirSync(dirname(file), { recursive: true })
        const { ended } = run(command(urlOf(service, path), file), service.folder)
        await until('it has begun', () => bytesOf(file) > begunBytes)
        t.ok(bytesOf(file) < size / 2, `${what} while much is still to be sent`)
        change(join(service.archive, path), next)
        t.equal(await ended, 0, `${what}: exit code`)
        t.ok(readFileSync(file).equals(content), `${what}: the version it began with`)
      }
      await Promise.all(ways.map(fetchWhile))
    },
  )

/**
 * Each fetches what is new, again and again; a download that broke off must be completed by the next run. Not every wget2
 * can be slowed down: it finds the part that one left.
 */
const mirrors: Readonly<Record<string, readonly string[]>> = {
  'wget -N -r': ['wget', '-q', '-N', '-r', '-np', '-nd', '-A', '*.gz'],
  'wget -T 3 -t 3 -N -c': ['wget', '-q', '-T', '3', '-t', '3', '-N', '-c'],
  'wget2 -N': ['wget2', '-q', '-N'],
}

for (const [name, command] of Object.entries(mirrors)) {
  const [program = ''] = command
  t.test(
    `${name}, killed and run again, ends with the whole file`,
    { skip: lacks(program, `command -v ${program}`) },
    async (t) => {
      const { service, content, paths } = await openFiles(t, 1)
      const [path = ''] = paths
      const url = urlOf(service, command.includes('-r') ? `${dirname(path)}/` : path)
      const folder = join(service.folder, 'mirror')
      mkdirSync(folder)
      const file = join(folder, basename(path))
      if (program === 'wget2') writeFileSync(file, content.subarray(0, size / 2))
      else {
        const first = run([...command, `--limit-rate=${bytesPerSecond}`, url], folder)
        await until('it has begun', () => bytesOf(file) > begunBytes)
        await stop(first.child, 'SIGKILL')
      }
      t.ok(bytesOf(file) < size, 'it was broken off')
      t.equal(await run([...command, url], folder).ended, 0)
      t.ok(readFileSync(file).equals(content), 'whole')
      const before = statSync(file)
      t.equal(await run([...command, url], folder).ended, 0)
      t.equal(statSync(file).mtimeMs, before.mtimeMs, 'a third run leaves it as it is')
    },
  )
}
