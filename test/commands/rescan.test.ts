/** Rescans of the running program: over HTTP, from the command line, by a signal. */
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../tap.ts'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { bare, programLine } from '../program.ts'

const token = 'a-secret-that-nobody-logs'
/**
 * Uses no keep-alive: the server may close an idle connection at the moment of the next request.
 */
const fresh = { connection: 'close' }

function launch(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  return follow(spawn(...programLine(args), { cwd: folder, env: { ...process.env, ...env } }))
}

function follow(child: ChildProcessWithoutNullStreams) {
  const outcome = { child, text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (outcome.text += chunk.toString()))
  return outcome
}

async function run(folder: string, line: string, env: Record<string, string> = {}) {
  const outcome = launch(folder, line.split(' '), env)
  const [code] = (await once(outcome.child, 'close')) as [number | null]
  return { code, text: outcome.text }
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 120_000; !(await holds());) {
    if (Date.now() > end) throw new Error(`timeout: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function put(folder: string, path: string): void {
  mkdirSync(join(folder, 'archive', path, '..'), { recursive: true })
  writeFileSync(join(folder, 'archive', path), gzipSync('x'))
}

/** The whole program on an archive of one file, after its first sweep; the next one is tomorrow. */
async function startProgram(t: Test) {
  const folder = testFolder(t, { token: `${token}\n` })
  mkdirSync(join(folder, 'archive/nrt'), { recursive: true })
  put(folder, 'obs/1998/001/graz0010.98d.gz')
  const env = {
    RINEX_CATALOGUE_ADMIN_TOKEN_FILE: 'token',
    RINEX_CATALOGUE_SWEEP_INTERVAL_SECONDS: '86400',
  }
  const args = ['--archive', 'archive', '--database', 'c.db', '--port', '0']
  const program = launch(folder, ['start', ...args], env)
  t.teardown(async () => {
    if (program.child.exitCode !== null) return
    program.child.kill('SIGTERM')
    await once(program.child, 'exit')
  })
  await until(() => program.text.includes('caught up with the archive'), 'it runs')
  const url = () => /"url":"([^"]+)"/.exec(program.text)?.[1] ?? ''
  await until(() => url() !== '', 'it listens')
  const list = url()
  const post = (url: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { ...fresh, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
  const get = async <T>(path: string) =>
    (await (await fetch(new URL(path, list), { headers: fresh })).json()) as T
  const lastSweep = async () => (await get<{ last_sweep: string | null }>('../status/')).last_sweep
  await until(async () => (await lastSweep()) !== null, 'the first sweep is over')
  return { folder, list, post, get, program }
}

t.test(
  'the running program takes rescans over HTTP, from the command line and by SIGHUP',
  async (t) => {
    const { folder, list, post, get, program } = await startProgram(t)
    const count = async () => (await get<{ count: number }>('.')).count
    t.equal(await count(), 1)

    put(folder, 'obs/1998/002/graz0020.98d.gz')
    const ordered = await post(new URL('../rescan/', list).href, { path: 'obs/1998' })
    t.equal(ordered.status, 202)
    t.match(await ordered.json(), { rescan: 1, place: 'running' })
    await until(async () => (await count()) === 2, 'a rescan ordered over HTTP')
    const done = async () => (await get<{ rescans: { done: number } }>('../status/')).rescans.done
    await until(async () => (await done()) === 1, 'it has ended')

    const path = 'obs/1998/003/graz0030.98d.gz'
    put(folder, path)
    const registered = await post(list, { path })
    t.equal(registered.status, 201, 'nothing else has found the file')
    const record = (await registered.json()) as { id: number; url: string }
    t.equal(registered.headers.get('location'), record.url)
    t.strictSame(await get<object>(`${record.id}/`), record)
    t.equal((await post(list, { download_path: `${list}x` })).status, 400)
    t.equal((await post(list, { path: 'obs/1998/003/zimm0030.98d.gz' })).status, 400)

    put(folder, 'obs/1998/004/graz0040.98d.gz')
    const waited = await run(folder, 'rescan --database c.db --archive archive --wait --full')
    t.match(waited, {
      code: 0,
      text: /^the whole archive: rescan 2 is running\ndone: 1 added, 0 modified, 0 removed\n/m,
    })
    t.equal(await count(), 4, '--wait waits for the end of the rescan')
    const two = await run(folder, 'rescan --database c.db obs/1998/ nrt')
    t.match(two, { code: 0, text: /^obs\/1998: rescan 3 is running\nnrt: rescan \d /m })
    const wrong = await run(folder, 'rescan --database c.db elsewhere')
    const outside = 'rinex-catalogue: elsewhere is not a directory below obs/ or nrt/\n'
    t.strictSame(wrong, { code: 1, text: outside }, 'one line')
    const absent = await run(folder, 'rescan --database c.db --wait obs/1900')
    const missing = 'rinex-catalogue: no directory obs/1900 in the archive\n'
    t.strictSame(absent, { code: 1, text: missing }, 'without a wait')
    const some = await run(folder, 'rescan --database c.db --wait obs/1900 obs/1998 elsewhere nrt')
    t.equal(some.code, 1)
    for (const line of [
      missing,
      outside,
      /^obs\/1998: rescan \d /m,
      /^nrt: rescan \d /m,
      /^done: 0 added, 0 modified, 0 removed$/m,
    ])
      t.match(some.text, line, 'existing directories are read, the others named')
    put(folder, 'obs/1998/006/graz0060.98d.gz')
    rmSync(join(folder, 'archive/obs/1998/004/graz0040.98d.gz'))
    const both = await run(folder, 'rescan --database c.db --wait obs/1998/004 obs/1998/006')
    t.match(both, { code: 0, text: /^done: 1 added, 0 modified, 1 removed$/m }, 'together')
    const refused = await post(new URL('../rescan/', list).href, { path: 'obs/1900' })
    t.equal(refused.status, 400)

    put(folder, 'obs/1998/005/graz0050.98d.gz')
    const { indexer } = await get<{ indexer: { pid: number } }>('../status/')
    process.kill(indexer.pid, 'SIGHUP')
    await until(async () => (await count()) === 5, 'a rescan by SIGHUP')
    t.notMatch(program.text, token)
  },
)

t.test('SIGHUP during the start of the indexer requests a rescan', async (t) => {
  const folder = testFolder(t)
  put(folder, 'obs/1998/001/graz0010.98d.gz')
  // The handler is installed long before the indexer has started.
  const early = `process.once('newListener', function come(event) {
    if (event === 'SIGHUP') queueMicrotask(() => process.emit('SIGHUP'))
    else process.once('newListener', come)
  })`
  const preload = `--import=data:text/javascript,${encodeURIComponent(early)}`
  const [node, args] = programLine(['index', '--archive', 'archive', '--database', 'c.db'])
  const [first, ...rest] = [...bare, node, preload, ...args]
  const indexer = follow(spawn(first, rest, { cwd: folder }))
  t.teardown(async () => {
    indexer.child.kill('SIGKILL')
    await once(indexer.child, 'exit')
  })
  await until(() => indexer.text.includes('caught up with the archive'), 'it runs')
  t.match(indexer.text, 'SIGHUP: rescan ordered')
  t.match(await run(folder, 'rescan --database c.db --wait'), { code: 0, text: /rescan 2 / })
})

t.test('rescan needs an indexer, and serve needs a token file that it can use', async (t) => {
  const folder = testFolder(t, { empty: '\n', two: 'a b', long: 'a'.repeat(4097), folder: {} })
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const { code, text } = await run(folder, 'rescan --database c.db --wait')
  t.equal(code, 1)
  // In a deep folder the path of the socket is relative: it has at most 107 bytes.
  t.match(text, /no answer of the indexer on \S*c\.sock/)
  t.notMatch(text, '    at ')
  for (const file of ['missing', 'empty', 'two', 'long', 'folder', 'pipe']) {
    const path = join(folder, file)
    const env = { RINEX_CATALOGUE_ADMIN_TOKEN_FILE: path }
    const outcome = await run(folder, 'serve --database c.db --port 0', env)
    t.equal(outcome.code, 78, file)
    t.match(outcome.text, `${path}: admin_token_file `)
  }
})
