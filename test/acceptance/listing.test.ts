/**
 * wget, wget2, lftp, rclone, httrack, curl and aria2c get the complete tree by its listings, and
 * download nothing twice.
 */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'
import type { Service } from './service.ts'
import { lacks, longestMs, startScanned, stop, timeoutMs, until, untilEqual } from './service.ts'
import { dayDirectory, filesBelow, hourDirectory, pathIn, paths, put } from './tree.ts'

t.setTimeout(longestMs)

/** Larger than what programs receive at once before they slow down to the rate below. */
const largeContent = gzipSync(randomBytes(16_000_000), { level: 1 })
const largeBytes = largeContent.length
const slowRate = '20k'
const large = pathIn(dayDirectory(3), 999)

const writtenSeconds = Math.floor(Date.now() / 1000) - 20 * 86_400

/** More files than requests that may wait on a connection: lftp asks for all of them at once. */
const crowded = { directory: hourDirectory(3), count: 60 }

/** Days, hours and directories without a date; each file has another mtime. */
function makeTree(archive: string): void {
  const directories = [dayDirectory(2), dayDirectory(3), hourDirectory(2), hourDirectory(3)]
  const others = ['obs/others-1.d', 'obs/others-1.d/deeper'].flatMap((directory) =>
    paths(dayDirectory(2), 5).map((path) => `${directory}/${basename(path)}`),
  )
  const some = [
    ...directories.flatMap((directory) => paths(directory, 5)),
    ...paths(crowded.directory, crowded.count, 5),
    ...others,
  ]
  for (const [index, path] of [...some, large].entries()) {
    put(archive, path, path === large ? largeContent : gzipSync(randomBytes(100 * index)))
    const time = writtenSeconds + 61 * index
    utimesSync(join(archive, path), time, time)
  }
}

interface Answered {
  readonly method: string
  readonly target: string
  readonly status: number
}

async function startFilled() {
  const service = await startScanned(t, makeTree, { options: { LOG_LEVEL: 'debug' } })
  await untilEqual(service)
  await until('all sizes are known', () => knowsSizes(service))
  let marks = 0
  let from = 0
  /** The logged responses since the last call. */
  const answered = async (): Promise<Answered[]> => {
    const mark = `/healthz?mark=${++marks}`
    await service.get(mark)
    const end = () => service.log.findIndex(({ target }) => target === mark)
    await until('the log is complete', () => end() >= 0)
    const lines = service.log.slice(from, end()).filter(({ msg }) => msg === 'answered')
    from = end() + 1
    return lines as unknown as Answered[]
  }
  await answered()
  return { service, answered, data: new URL('/rinex/data/', service.url).href }
}

async function knowsSizes(service: Service): Promise<boolean> {
  const directories = new Set(filesBelow(service.archive).map((path) => join(path, '..')))
  for (const directory of directories) {
    const { body } = await service.get(`/rinex/data/${directory}/?format=json`)
    if ((body as { size?: number | null }[]).some(({ size }) => size === null)) return false
  }
  return true
}

const { service, answered, data } = await startFilled()

/** Starts a client in a folder, which has no settings of users. */
function start(t: Test, folder: string, [program = '', ...args]: readonly string[]) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => stop(child, 'SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { child, output: () => output.slice(-3000) }
}

async function run(t: Test, folder: string, command: readonly string[]): Promise<void> {
  const { child, output } = start(t, folder, command)
  const [code] = (await once(child, 'close')) as [number | null]
  t.equal(code, 0, command.join(' '), { output: output() })
}

/** Digests of the files below a directory, by their paths. */
function contents(root: string): [string, string][] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(root, path)).isFile())
    .sort()
    .map((path) => [path, digest(join(root, path))])
}

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function sameTrees(t: Test, folder: string): void {
  const mirrored = contents(join(folder, 'mirror'))
  t.strictSame(mirrored, contents(service.archive), 'the same names and bytes')
}

/** Paths of the files that were sent completely or in part. */
function sent(answers: readonly Answered[]): string[] {
  return answers
    .filter(({ method, status }) => method === 'GET' && [200, 206].includes(status))
    .map(({ target }) => target.replace(/^.*?\/data\//, ''))
    .filter((path) => path.endsWith('.gz'))
    .sort()
}

/** Commands that mirror a tree: the first run downloads each file once, the second none. */
const mirrors: Record<string, (data: string) => readonly string[][]> = {
  wget: (data) => [`wget -N -r -l 9 -np -nH --cut-dirs=2 -A *.gz -P mirror ${data}`.split(' ')],
  // Without -np it follows whatever looks like a link, to anywhere on the host.
  wget2: (data) => [`wget2 -q -N -r -l 9 -nH --cut-dirs=2 -A *.gz -P mirror ${data}`.split(' ')],
  lftp: (data) => [['lftp', '-c', `mirror --parallel=4 ${data} mirror`]],
  rclone: (data) => [
    ['rclone', '--http-url', data, 'copy', ':http:', 'mirror'],
    ['rclone', '--http-url', data, 'check', ':http:', 'mirror'],
  ],
}

for (const [program, commands] of Object.entries(mirrors))
  t.test(
    `${program} mirrors the tree and downloads each file once`,
    { skip: lacks(program, `command -v ${program}`) },
    async (t) => {
      const folder = testFolder(t, { mirror: {} })
      await answered()
      for (const command of commands(data)) await run(t, folder, command)
      sameTrees(t, folder)
      t.strictSame(sent(await answered()), filesBelow(service.archive), 'each file was sent once')
      for (const command of commands(data)) await run(t, folder, command)
      const again = await answered()
      t.strictSame(sent(again), [], 'nothing is downloaded again')
      t.strictSame(
        again.filter(({ status, target }) => status >= 400 && !target.includes('robots.txt')),
        [],
      )
      sameTrees(t, folder)
    },
  )

t.test(
  'httrack mirrors the tree, and nothing but files and listings',
  { skip: lacks('httrack', 'command -v httrack') },
  async (t) => {
    const folder = testFolder(t, { site: {} })
    await answered()
    // With any number of connections per second but 0 (no limit) it opens one per second.
    const limits = ['--disable-security-limits', '-A1000000000', '-%c0', '-c8', '-r9']
    await run(t, folder, ['httrack', data, '-O', 'site', '-q', '-%v0', ...limits, '+*.gz'])
    const answers = await answered()
    const path = new URL(data).pathname
    const own = join(folder, 'site', `${new URL(data).host.replace(':', '_')}${path}`)
    const files = contents(own).filter(([name]) => name.endsWith('.gz'))
    t.strictSame(files, contents(service.archive), 'the same names and bytes')
    t.strictSame(sent(answers), filesBelow(service.archive), 'each file was sent once')
    const others = answers.filter(({ target }) => !/\.gz$|\/$|robots\.txt$/.test(target))
    t.strictSame(others, [], 'it found no other links')
  },
)

/**
 * Commands that resume the download of a file into `mirror`; an option makes the first run slow.
 */
const resuming: Record<string, (url: string) => string> = {
  'wget -c': (url) => `wget -q -c -P mirror ${url}`,
  'curl -C -': (url) => `curl -q -sSf -C - --output-dir mirror -O ${url}`,
  'wget -N -c': (url) => `wget -q -T 3 -t 3 -N -c -P mirror ${url}`,
  'wget -N -r': (url) => `wget -q -N -r -np -nd -A *.gz -P mirror ${url.replace(/[^/]*$/, '')}`,
}

for (const [title, commandFor] of Object.entries(resuming)) {
  const [program = ''] = title.split(' ')
  const skip = lacks(program, `command -v ${program}`)
  t.test(`${title}, killed and run again, gets the complete file`, { skip }, async (t) => {
    const folder = testFolder(t, { mirror: {} })
    const file = join(folder, 'mirror', basename(large))
    const command = commandFor(data + large).split(' ')
    const { child, output } = start(t, folder, [...command, '--limit-rate', slowRate])
    const hasBegun = () => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
    await until('the download has begun', hasBegun, timeoutMs)
    await stop(child, 'SIGKILL')
    const had = statSync(file).size
    t.ok(had < largeBytes, `it ended after ${had} bytes`, { output: output() })
    await answered()
    await run(t, folder, command)
    t.equal(digest(file), digest(join(service.archive, large)))
    const requests = await answered()
    if (title.includes('-N')) {
      await run(t, folder, command)
      t.strictSame(sent(await answered()), [], 'nothing is downloaded again')
    } else t.match(requests, exact([{ method: 'GET', status: 206 }]))
  })
}

t.test(
  'aria2c downloads a file in parts',
  { skip: lacks('aria2c', 'command -v aria2c') },
  async (t) => {
    const folder = testFolder(t, { parts: {} })
    await answered()
    // -R sets the date of the server, which a conditional request needs.
    const options = ['-x4', '-s4', '-k1M', '--max-download-limit=4M', '-d', 'parts', '-R']
    const command = ['aria2c', '--no-conf', '-q', ...options, data + large]
    await run(t, folder, command)
    t.equal(digest(join(folder, 'parts', basename(large))), digest(join(service.archive, large)))
    const requests = await answered()
    t.ok(requests.every(({ status }) => [200, 206].includes(status)))
    t.ok(requests.length > 1, `${requests.length} requests`)
    await run(t, folder, [...command, '--conditional-get=true', '--allow-overwrite=true'])
    t.match(await answered(), exact([{ status: 304 }]), 'nothing is downloaded again')
  },
)
