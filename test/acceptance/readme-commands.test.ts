/** Every command of README.md works as printed on the archive that comes with the program. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import { lacks, longestMs, timeoutMs, stop, until } from './service.ts'
import type { LogLine } from './service.ts'
import { blocksOf } from './shell-blocks.ts'
import type { Block, Command } from './shell-blocks.ts'

t.setTimeout(longestMs)

/** Commands that do not run here, with the reason. */
const excluded: ReadonlyMap<string, string> = new Map([
  ['npm ci && npm start', 'installs and builds; the test starts the program that it starts'],
  ['npm ci && npm test', 'installs, and runs this test'],
])

/** Programs that commands may start: they change nothing but the working directory. */
const harmless = new Set(['curl', 'wget', 'lftp', 'rclone', 'node', 'sed', 'tr', 'sha256sum'])

function isHarmless({ programs }: Command): boolean {
  return programs.every((name) => harmless.has(name))
}

/** The address that README.md prints. */
const printedHost = '127.0.0.1:8080'

const blocks = blocksOf(readFileSync('README.md', 'utf8'))
const commands = blocks.flat()
/** Files that the catalogue must list, by their paths. */
const listed = readFileSync('fixtures/expected.tsv', 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t')[0] ?? '')

/** Directories that the commands fetch, and their paths in the archive. */
const fetched = [
  { program: 'wget', directory: 'obs', origin: 'obs' },
  { program: 'wget', directory: 'nrt', origin: 'nrt' },
  { program: 'lftp', directory: '2026', origin: 'obs/2026' },
  { program: 'rclone', directory: '001', origin: 'obs/2026/001' },
]

t.test('every command runs here, or is excluded with a reason', async (t) => {
  for (const command of commands)
    if (!excluded.has(command.text)) t.ok(isHarmless(command), command.text)
  for (const text of excluded.keys())
    t.ok(
      commands.some((command) => command.text === text),
      `README.md has ${text}`,
    )
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, object>
  t.match(scripts, { start: 'npm run --silent build && node dist/cli.js start' })
})

interface Started {
  readonly url: URL
  readonly log: readonly LogLine[]
}

/** Starts the program as `npm start` does; `undefined` where its port is taken. */
async function start(t: Test, folder: string, port?: number): Promise<Started | undefined> {
  const [program, args] = programLine(['start'])
  const variables = {
    DATABASE: 'catalogue.db',
    LOG_LEVEL: 'debug',
    ...(port === undefined ? {} : { PORT: String(port) }),
  }
  const env = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [`RINEX_CATALOGUE_${name}`, value]),
  )
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  })
  t.teardown(() => stop(child, 'SIGTERM'))
  const log: LogLine[] = []
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  createInterface(child.stdout).on('line', (line) => log.push(JSON.parse(line) as LogLine))
  const listening = () => log.find(({ msg }) => msg === 'listening')
  await until('the API listens', () => listening() !== undefined || child.exitCode !== null)
  const url = listening()?.['url']
  if (typeof url === 'string') return { url: new URL(url), log }
  if (!output.includes('cannot listen')) throw new Error(output)
  return undefined
}

/** Starts it on the printed port if that is free, otherwise on another. */
async function startAsPrinted(t: Test, folder: string): Promise<Started> {
  const started = (await start(t, folder)) ?? (await start(t, folder, 0))
  if (started === undefined) throw new Error('no port is free')
  const { host } = started.url
  t.comment(host === printedHost ? 'on the printed port' : `${printedHost} is taken: ${host}`)
  await until('the first scan has ended', async () => {
    const { count } = (await (await fetch(`${started.url.href}?limit=1`)).json()) as {
      count: number
    }
    return count === listed.length && (await fetch(new URL('/readyz', started.url))).ok
  })
  return started
}

interface Outcome {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs the commands of a block in one shell, as a reader types them one after the other. */
async function run(t: Test, folder: string, block: Block, host: string): Promise<Outcome[]> {
  const lines = block.map(({ text }, index) => {
    const command = text.replaceAll(printedHost, host)
    return `exec >.out-${index} 2>.err-${index}\n${command}\necho $? >.code-${index}`
  })
  const child = spawn('bash', ['-c', ['set -o pipefail', ...lines].join('\n')], {
    cwd: folder,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' },
  })
  t.teardown(() => stop(child, 'SIGKILL'))
  await until(block.map(({ text }) => text).join(), () => child.exitCode !== null, timeoutMs)
  const read = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''
  return block.map((_, index) => {
    const code = read(`.code-${index}`)
    return {
      code: code === '' ? undefined : Number(code),
      stdout: read(`.out-${index}`),
      stderr: read(`.err-${index}`),
    }
  })
}

/** The commands that can run here; skips those whose program is missing. */
function runnable(t: Test, block: Block): Block {
  const wanted = block.filter((command) => !excluded.has(command.text) && isHarmless(command))
  return wanted.filter(({ text, programs }) => {
    const missing = programs.find((name) => lacks(name, `command -v ${name}`) !== false)
    if (missing !== undefined) t.pass(text, { skip: `no ${missing} here` })
    return missing === undefined
  })
}

/** Waits until the checksums that a command reads are complete. */
async function untilHashed(commands: Block, host: string): Promise<void> {
  for (const { text } of commands) {
    const [url] = /http:\/\/\S+\/SHA256SUMS/.exec(text.replaceAll(printedHost, host)) ?? []
    if (url === undefined) continue
    const isComplete = async () => !/^# .*not hashed/m.test(await (await fetch(url)).text())
    await until('SHA256SUMS is complete', isComplete)
  }
}

/** Compares the output with README.md; the output of curl must be JSON unless it is a file or a stream. */
function checkOutput(
  t: Test,
  { text, programs, answer }: Command,
  stdout: string,
  host: string,
): void {
  const last = programs.at(-1)
  if (last === 'node') t.equal(stdout, answer, 'prints what README.md shows')
  else if (last === 'sha256sum') t.match(stdout, /^\S+\.gz: OK\n/)
  else if (last === 'curl' && !/ -\w*O|>|format=csv/.test(text)) {
    const found = JSON.parse(stdout.replaceAll(host, printedHost)) as unknown
    if (answer !== undefined) t.strictSame(withoutTimes(found), withoutTimes(JSON.parse(answer)))
  }
}

/** The times of records depend on the first scan. */
function withoutTimes(page: unknown): unknown {
  const replace = (key: string, value: unknown) =>
    key === 'created' || key === 'modified' ? 'a time' : value
  return JSON.parse(JSON.stringify(page, replace))
}

/** Refused requests since the service was ready; `wget -r` looks for a `robots.txt`, which need not exist. */
function refused(log: readonly LogLine[]): unknown[] {
  const ready = log.findIndex(({ status, target }) => target === '/readyz' && status === 200)
  return log
    .slice(ready)
    .filter(({ status, target }) => Number(status) >= 400 && target !== '/robots.txt')
    .map(({ status, target }) => ({ status, target }))
}

function checkFetched(t: Test, folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const { program, directory, origin } of fetched) {
    if (lacks(program, `command -v ${program}`) !== false) continue
    const below = listed.filter((path) => path.startsWith(`${origin}/`))
    const expected = below.map((path) => directory + path.slice(origin.length))
    const found = files.filter((path) => path.startsWith(`${directory}/`) && path.endsWith('.gz'))
    t.strictSame(found.sort(), expected.sort(), `${program} fetches ${origin}`)
  }
  for (const file of files.filter((path) => path.endsWith('.gz'))) {
    const path = listed.find((path) => basename(path) === basename(file)) ?? file
    const bytes = readFileSync(join(folder, file))
    t.ok(bytes.equals(readFileSync(join('fixtures/archive', path))), `${file} is complete`)
  }
}

t.test('every command works as printed', { skip: lacks('bash', 'command -v bash') }, async (t) => {
  const folder = testFolder(t, { service: {}, reader: {} })
  const reader = join(folder, 'reader')
  symlinkSync(resolve('dist'), join(reader, 'dist'))
  const { url, log } = await startAsPrinted(t, join(folder, 'service'))
  for (const block of blocks) {
    const ours = runnable(t, block)
    await untilHashed(ours, url.host)
    const outcomes = await run(t, reader, ours, url.host)
    for (const [index, command] of ours.entries()) {
      const { code, stdout, stderr } = outcomes[index] ?? {}
      t.equal(code, 0, command.text, { stdout: stdout?.slice(-500), stderr: stderr?.slice(-500) })
      if (code === 0) checkOutput(t, command, stdout ?? '', url.host)
    }
  }
  t.strictSame(refused(log), [], 'no request was refused')
  checkFetched(t, reader)
})
