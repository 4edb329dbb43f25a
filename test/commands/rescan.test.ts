/** Rescans of the running program: over HTTP, from the command line, by a signal. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startScanned, until } from '../acceptance/service.ts'
import { put } from '../acceptance/tree.ts'
import { testFolder } from '../folder.ts'
import { bare, programLine } from '../program.ts'
import t from '../tap.ts'

const token = 'a-secret-that-nobody-logs'

async function run(folder: string, line: string, env: Record<string, string> = {}) {
  const [program, args] = programLine(line.split(' '))
  const outcome = follow(spawn(program, args, { cwd: folder, env: { ...process.env, ...env } }))
  const [code] = (await once(outcome.child, 'close')) as [number | null]
  return { code, text: outcome.text }
}

function follow(child: ChildProcessWithoutNullStreams) {
  const outcome = { child, text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (outcome.text += chunk.toString()))
  return outcome
}

/** Both processes on an archive of one file, after the first sweep; the next one is tomorrow. */
async function startProgram(t: Test) {
  const fill = (archive: string): void => {
    put(archive, 'obs/1998/001/graz0010.98d.gz')
    mkdirSync(join(archive, 'nrt'))
    writeFileSync(join(archive, '../token'), `${token}\n`)
  }
  const options = { ADMIN_TOKEN_FILE: 'token', SWEEP_INTERVAL_SECONDS: '86400' }
  const service = await startScanned(t, fill, { options })
  const isSwept = async () => (await service.status()).last_sweep !== null
  await until('the first sweep is over', isSwept)
  const type = 'application/json'
  const headers = { connection: 'close', 'content-type': type, authorization: `Bearer ${token}` }
  const post = (path: string, body: object) =>
    fetch(new URL(path, service.url), { method: 'POST', headers, body: JSON.stringify(body) })
  return { ...service, url: service.url, post, log: service.log }
}

interface Running {
  readonly rescans: { readonly done: number }
  readonly indexer: { readonly pid: number }
}

t.test(
  'the running program takes rescans over HTTP, from the command line and by SIGHUP',
  async (t) => {
    const { folder, archive, url, post, get, count, log } = await startProgram(t)
    t.equal(await count(), 1)

    put(archive, 'obs/1998/002/graz0020.98d.gz')
    const ordered = await post('../rescan/', { path: 'obs/1998' })
    t.equal(ordered.status, 202)
    t.match(await ordered.json(), { rescan: 1, place: 'running' })
    await until('a rescan ordered over HTTP', async () => (await count()) === 2)
    const status = async () => (await get('../status/')).body as Running
    await until('it has ended', async () => (await status()).rescans.done === 1)

    const path = 'obs/1998/003/graz0030.98d.gz'
    put(archive, path)
    const registered = await post('', { path })
    t.equal(registered.status, 201, 'nothing else has found the file')
    const record = (await registered.json()) as { id: number; url: string }
    t.equal(registered.headers.get('location'), record.url)
    t.strictSame((await get(`${record.id}/`)).body, record)
    t.equal((await post('', { download_path: `${url.href}x` })).status, 400)
    t.equal((await post('', { path: 'obs/1998/003/zimm0030.98d.gz' })).status, 400)

    put(archive, 'obs/1998/004/graz0040.98d.gz')
    const waited = await run(
      folder,
      'rescan --database catalogue.db --archive archive --wait --full',
    )
    t.match(waited, {
      code: 0,
      text: /^the whole archive: rescan 2 is running\ndone: 1 added, 0 modified, 0 removed\n/m,
    })
    t.equal(await count(), 4, '--wait waits for the end of the rescan')
    const two = await run(folder, 'rescan --database catalogue.db obs/1998/ nrt')
    t.match(two, { code: 0, text: /^obs\/1998: rescan 3 is running\nnrt: rescan \d /m })
    const root = await run(folder, 'rescan --database catalogue.db --wait obs ./')
    t.match(root, { code: 0, text: /^the whole archive: rescan \d is running\ndone: 0 added/m })
    const wrong = await run(folder, 'rescan --database catalogue.db elsewhere')
    const outside = 'rinex-catalogue: elsewhere is not a directory below obs/ or nrt/\n'
    t.strictSame(wrong, { code: 1, text: outside }, 'one line')
    const absent = await run(folder, 'rescan --database catalogue.db --wait obs/1900')
    const missing = 'rinex-catalogue: no directory obs/1900 in the archive\n'
    t.strictSame(absent, { code: 1, text: missing }, 'without a wait')
    const some = await run(
      folder,
      'rescan --database catalogue.db --wait obs/1900 obs/1998 elsewhere nrt',
    )
    t.equal(some.code, 1)
    for (const line of [
      missing,
      outside,
      /^obs\/1998: rescan \d /m,
      /^nrt: rescan \d /m,
      /^done: 0 added, 0 modified, 0 removed$/m,
    ])
      t.match(some.text, line, 'existing directories are read, the others named')
    put(archive, 'obs/1998/006/graz0060.98d.gz')
    rmSync(join(archive, 'obs/1998/004/graz0040.98d.gz'))
    const both = await run(
      folder,
      'rescan --database catalogue.db --wait obs/1998/004 obs/1998/006',
    )
    t.match(both, { code: 0, text: /^done: 1 added, 0 modified, 1 removed$/m }, 'together')
    const refused = await post('../rescan/', { path: 'obs/1900' })
    t.equal(refused.status, 400)

    put(archive, 'obs/1998/005/graz0050.98d.gz')
    process.kill((await status()).indexer.pid, 'SIGHUP')
    await until('a rescan by SIGHUP', async () => (await count()) === 5)
    t.notMatch(JSON.stringify(log), token)
  },
)

t.test('SIGHUP during the start of the indexer requests a rescan', async (t) => {
  const folder = testFolder(t)
  put(join(folder, 'archive'), 'obs/1998/001/graz0010.98d.gz')
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
  await until('it runs', () => indexer.text.includes('caught up with the archive'))
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
