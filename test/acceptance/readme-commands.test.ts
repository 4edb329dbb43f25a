/** Every command of README.md and docs/use.md works as printed on the demo of `npm start`. */
import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { dayPath } from '../../src/parse/calendar.ts'
import { parseFilename } from '../../src/parse/filename.ts'
import { commonFolder, testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import t from '../tap.ts'
import type { LogLine } from './service.ts'
import { fetchAlone, lacks, longestMs, stop, timeoutMs, until } from './service.ts'

t.setTimeout(longestMs)

/**
 * Commands that do not run here: they install and build, or show a file with a fault, which
 * `commands/describe` does.
 */
const excluded = [
  'npm ci && npm start',
  'npm ci && npm test',
  "npx rinex-catalogue describe TLSE00FRA_R_20240011800_01H_30S_MO.crx.gz | jq '{first, last, epochs, expected_epochs, flags}'",
]

/** Programs that commands may start: they change nothing but the working directory. */
const harmless = new Set([
  'curl',
  'wget',
  'lftp',
  'rclone',
  'npx',
  'sed',
  'tr',
  'date',
  'sha256sum',
])

/** The address that the documents print. */
const printedHost = '127.0.0.1:8080'

interface Command {
  readonly text: string
  /** All programs that it starts. */
  readonly programs: readonly string[]
  /**
   * The output that a document shows: the rest of a console block, or the JSON block that follows.
   */
  readonly output: string | undefined
}

/** Commands of one shell, because one may set a variable for the next. */
type Block = readonly Command[]

function blocksOf(markdown: string): Block[] {
  const fences = Array.from(markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms))
  return fences.flatMap(([, language, text = ''], index) => {
    if (language === 'console') {
      const parts = text.split(/^\$ /m).slice(1)
      return [parts.map((part) => toCommand(...(part.split(/\n(.*)/s) as [string, string])))]
    }
    if (language !== 'sh') return []
    const [, next, output] = fences[index + 1] ?? []
    const lines = text.trimEnd().split('\n')
    return [lines.map((line) => toCommand(line, next === 'json' ? output : undefined))]
  })
}

/** @throws Error for a line that is only a part of a command */
function toCommand(text: string, output: string | undefined): Command {
  if (/\\$|<<|`|"[^"]*\$\(/.test(text)) throw new Error(`not a command on one line: ${text}`)
  const parts = text.replaceAll(/'[^']*'|"[^"]*"/g, 'quoted').split(/\$\(|&&|\|\||[|;&]/)
  const words = parts.map((part) => /^\s*(?:\w+=\S*\s*)*([^\s)]*)/.exec(part)?.[1] ?? '')
  return { text, programs: words.filter((word) => word !== ''), output }
}

const documents = ['README.md', 'docs/use.md']
const blocks = documents.flatMap((file) => blocksOf(readFileSync(file, 'utf8')))

/** The day before yesterday. */
const day = dayPath(Date.now() / 1000 - 2 * 86_400)

/** Directories that the commands fetch, and their paths in the archive. */
const fetched = [
  { program: 'wget', directory: `obs/${day}`, origin: `obs/${day}` },
  { program: 'lftp', directory: 'hours', origin: `nrt/${day}` },
  { program: 'rclone', directory: 'day', origin: `obs/${day}` },
]

t.test('every command of the documents is run by this test or is excluded', async (t) => {
  const commands = blocks.flat()
  for (const { text, programs } of commands)
    if (!excluded.includes(text))
      t.ok(
        programs.every((name) => harmless.has(name)),
        text,
      )
  for (const text of excluded)
    t.ok(
      commands.some((command) => command.text === text),
      text,
    )
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, object>
  t.match(scripts, { start: 'exec bin/with-node src/cli.js start' })
})

/** Its answer needs an index, and the indexes are built after the first scan. */
const firstQuery = '?station=graz&limit=1'

interface Demo {
  readonly url: URL
  readonly log: readonly LogLine[]
  readonly archive: string
}

/** Starts the program as `npm start` does, on a free port, and waits for the first scan. */
async function start(t: Test): Promise<Demo> {
  const [program, args] = programLine(['start', '--port', '0', '--log-level', 'debug'])
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...kept, TMPDIR: commonFolder(t) },
  })
  t.teardown(() => stop(child, 'SIGTERM'))
  const log: LogLine[] = []
  createInterface(child.stdout).on('line', (line) => log.push(JSON.parse(line) as LogLine))
  const urlOf = () => log.find(({ msg }) => msg === 'listening')?.['url']
  await until('the API listens', () => urlOf() !== undefined)
  const url = new URL(String(urlOf()))
  await until('the first scan and the indexes are complete', async () => {
    const isOk = async (target: string) => (await fetchAlone(new URL(target, url))).ok
    return (await isOk('/readyz')) && (await isOk(firstQuery))
  })
  return { url, log, archive: String(log.find(({ msg }) => msg === 'indexing')?.['archive']) }
}

/** Runs the commands of a block in one shell. @returns their exit codes and outputs */
async function run(folder: string, block: Block, host: string) {
  const lines = block.map(({ text }) => `${text.replaceAll(printedHost, host)}\necho "@@$?"`)
  const env = { PATH: process.env['PATH'], HOME: join(folder, '../home'), LC_ALL: 'C' }
  const options = { cwd: folder, env, timeout: timeoutMs, maxBuffer: 1e8 }
  const script = ['set -o pipefail', ...lines].join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options)
  return Array.from(stdout.matchAll(/(.*?)@@(\d+)\n/gs), ([, output = '', code]) => ({
    code: Number(code),
    output,
  }))
}

/**
 * The commands that can run here; skips those whose program is missing, and what follows them in
 * their block, because it may use their files and variables.
 */
function runnable(t: Test, block: Block): Block {
  let missing: string | undefined
  return block.filter(({ text, programs }) => {
    if (excluded.includes(text)) return false
    missing ??= programs.find((name) => lacks(name, `command -v ${name}`) !== false)
    if (missing !== undefined) t.pass(text, { skip: `no ${missing} here` })
    return missing === undefined
  })
}

/** Waits until the checksums that a command reads are complete: those of three hours ago. */
async function untilHashed(block: Block, host: string): Promise<void> {
  const past = Date.now() / 1000 - 3 * 3600
  const hour = `${dayPath(past)}/${new Date(past * 1000).toISOString().slice(11, 13)}`
  for (const { text } of block) {
    const printed = text.replaceAll(printedHost, host).replace('$hour', hour)
    const [url] = /http:\/\/\S+\/SHA256SUMS/.exec(printed) ?? []
    if (url === undefined) continue
    const isComplete = async () => !/^# .*not hashed/m.test(await (await fetchAlone(url)).text())
    await until('SHA256SUMS is complete', isComplete)
  }
}

/**
 * Compares the output with the document; that of curl must be JSON unless it is a file or a
 * stream.
 */
function checkOutput(t: Test, command: Command, found: string, host: string): void {
  const { text, programs, output } = command
  const last = programs.at(-1)
  if (last === 'npx') t.equal(found, output, 'prints what the document shows')
  else if (last === 'sha256sum') t.match(found, /^\S+\.gz: OK\n/)
  else if (last === 'curl' && !/ -\w*O|>|format=csv/.test(text)) {
    const json = JSON.parse(found.replaceAll(host, printedHost)) as unknown
    if (output !== undefined) t.strictSame(withoutDates(json), withoutDates(JSON.parse(output)))
  }
}

/** The demo has the files of the last days, so dates and numbers depend on its start. */
function withoutDates(page: unknown): unknown {
  const dates = /\d{4,}|(?<=[-T:])\d\d|\/\d{3}(?=\/)/g
  return JSON.parse(JSON.stringify(page).replaceAll(printedHost, '').replaceAll(dates, '1'))
}

/**
 * Refused requests since the service was ready; `wget -r` looks for a `robots.txt`, which need not
 * exist.
 */
function refused(log: readonly LogLine[]): unknown[] {
  const ready = log.findIndex(
    ({ status, target }) => status === 200 && String(target).endsWith(firstQuery),
  )
  return log
    .slice(ready)
    .filter(({ status, target }) => Number(status) >= 400 && target !== '/robots.txt')
    .map(({ status, target }) => ({ status, target }))
}

function checkFetched(t: Test, folder: string, archive: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const listed = readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter(
    (path) => parseFilename(basename(path)).kind === 'parsed',
  )
  const pathOf = new Map(listed.map((path) => [basename(path), path]))
  for (const { program, directory, origin } of fetched) {
    if (lacks(program, `command -v ${program}`) !== false) continue
    const below = listed.filter((path) => path.startsWith(`${origin}/`))
    const expected = below.map((path) => directory + path.slice(origin.length))
    const found = files.filter((path) => path.startsWith(`${directory}/`) && path.endsWith('.gz'))
    t.strictSame(found.sort(), expected.sort(), `${program} fetches ${origin}`)
  }
  for (const file of files.filter((path) => path.endsWith('.gz'))) {
    const bytes = readFileSync(join(folder, file))
    const original = readFileSync(join(archive, pathOf.get(basename(file)) ?? file))
    if (!bytes.equals(original)) t.fail(`${file} is not complete`)
  }
}

t.test('every command works as printed', { skip: lacks('bash', 'command -v bash') }, async (t) => {
  const folder = testFolder(t, { reader: {}, home: {} })
  const reader = join(folder, 'reader')
  const { url, log, archive } = await start(t)
  for (const block of blocks) {
    const commands = runnable(t, block)
    await untilHashed(commands, url.host)
    const outcomes = await run(reader, commands, url.host)
    for (const [index, command] of commands.entries()) {
      const { code, output = '' } = outcomes[index] ?? {}
      t.equal(code, 0, command.text, { output: output.slice(-500) })
      if (code === 0) checkOutput(t, command, output, url.host)
    }
  }
  t.strictSame(refused(log), [], 'no request was refused')
  checkFetched(t, reader, archive)
})
