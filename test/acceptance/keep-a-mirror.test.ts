/** The programs for clients in the documents: a mirror of the files, and one of the records. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Options, Service } from './service.ts'
import { lacks, longestMs, startService, stop, timeoutMs, until } from './service.ts'
import { arrive, filesBelow, hourDirectory, pathIn, paths, put } from './tree.ts'

t.setTimeout(longestMs)

const skip = lacks('python3', 'python3 --version')

const hour = hourDirectory()
const oldDay = 'obs/2020/001'
const content = (kib = 4) => gzipSync(randomBytes(kib * 1024))

interface Exchange {
  readonly method: string | undefined
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly status: number | undefined
}

/** A web server in front of the service whose connections break. */
async function startFront(t: Test) {
  const seen: Exchange[] = []
  const front = {
    seen,
    /** Where the service listens. */
    target: '',
    /** Ends the connection of the next response with this path after so many bytes of the body. */
    cut: undefined as { path: string; bytes: number } | undefined,
    /** Answers like a service that has not ended its first scan. */
    isScanning: false,
    url: '',
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const { method, headers } = request
    if (front.isScanning && path.endsWith('/status/'))
      return void response.end('{"last_scan":null}')
    const sent = httpRequest(new URL(path, front.target), { method, headers, agent: false })
    sent
      .once('error', () => response.destroy())
      .once('response', (answer) => {
        seen.push({ method, path, headers, status: answer.statusCode })
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        const { cut } = front
        if (cut === undefined || !path.includes(cut.path)) return void answer.pipe(response)
        front.cut = undefined
        let left = cut.bytes
        answer.on('data', (chunk: Buffer) => {
          if (left > 0)
            response.write(chunk.subarray(0, left), () => left <= 0 && response.destroy())
          left -= chunk.length
        })
      })
    sent.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  front.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return front
}

type Front = Awaited<ReturnType<typeof startFront>>

/** Starts the service behind the front server, and waits for its first scan. */
async function startBehind(t: Test, folder: string, front: Front, options: Options['options']) {
  const service = await startService(t, folder, {
    options: { BASE_URL: front.url, SWEEP_INTERVAL_SECONDS: '1', ...options },
  })
  aim(front, service)
  await until('the first scan is complete', service.ready)
  return service
}

function aim(front: Front, { log }: Service): void {
  const line = log.findLast(({ msg }) => msg === 'listening')
  front.target = `http://${String(line?.['address'])}`
}

/** Runs the program until the copy is up to date. @returns its exit code and output */
async function mirror(front: Front, copy: string, ...options: string[]) {
  const args = ['docs/keep-a-mirror.py', `${front.url}/rinex/api/`, copy, '--once', ...options]
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile('python3', args, { timeout: timeoutMs }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}

function same(t: Test, archive: string, copy: string, message: string): void {
  const expected = filesBelow(archive)
  t.strictSame(filesBelow(copy), expected, `${message}: the same files`)
  const different = expected.filter(
    (path) => !readFileSync(join(archive, path)).equals(readFileSync(join(copy, path))),
  )
  t.strictSame(different, [], `${message}: with the same contents`)
}

/** Starts the program in docs/api.md. @returns a function that returns its output */
function startReader(t: Test, front: Front): () => string {
  const [, program = ''] =
    /^```python\n(.*?)^```$/ms.exec(readFileSync('docs/api.md', 'utf8')) ?? []
  const text = program.replace('http://127.0.0.1:8080', front.url)
  const reader = spawn('python3', ['-u', '-c', text], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => stop(reader, 'SIGKILL'))
  let output = ''
  reader.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  return () => output
}

const upToDate = { code: 0, output: '' }

async function untilListed(service: Service): Promise<void> {
  const isListed = async () => (await service.count()) === filesBelow(service.archive).length
  await until('the list has the files of the tree', isListed)
}

t.test('docs/keep-a-mirror.py keeps a copy of the archive', { skip }, async (t) => {
  const folder = testFolder(t)
  const copy = join(folder, 'copy')
  const archive = join(folder, 'archive')
  for (const path of paths(oldDay, 20)) {
    put(archive, path, content())
    utimesSync(join(archive, path), 1e9, 1e9)
  }
  for (const path of paths(hour, 10)) put(archive, path, content())
  const front = await startFront(t)
  const service = await startBehind(t, folder, front, {})
  const [first = '', second = '', third = ''] = paths(hour, 3)
  const name = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const changed = async () => {
    const before = (await service.status()).seq
    return () => until('the change is listed', async () => (await service.status()).seq > before)
  }

  const printed = startReader(t, front)
  await until('the reader has all records', () => printed().includes('30 records'))
  await until('nothing changes', () =>
    front.seen.some(({ path, status }) => path.includes('changes/') && status === 304),
  )
  t.strictSame(await mirror(front, copy), upToDate)
  same(t, archive, copy, 'the first copy')
  t.equal(
    Math.floor(statSync(join(copy, first)).mtimeMs / 1000),
    Math.floor(statSync(join(archive, first)).mtimeMs / 1000),
    'with the times of the files',
  )

  await t.test('an added, a modified and a removed file', async (t) => {
    const isChanged = await changed()
    arrive(archive, pathIn(hour, 100), content())
    arrive(archive, second, content(8))
    rmSync(join(archive, third))
    await isChanged()
    await untilListed(service)
    const isModified = async () => {
      const { body } = await service.get(`?filename=${second.slice(second.lastIndexOf('/') + 1)}`)
      const [record] = (body as { results: { created: string; modified: string }[] }).results
      return record !== undefined && record.created !== record.modified
    }
    await until('it is modified', isModified)
    await until('the reader prints the changes', () =>
      printed().includes(`removed ${name(third)}\n`),
    )
    front.seen.length = 0
    t.strictSame(await mirror(front, copy), upToDate)
    same(t, archive, copy, 'after the changes')
    const gets = front.seen.filter(({ method }) => method === 'GET').map(({ path }) => path)
    const downloads = gets.filter((path) => path.includes('/data/'))
    t.equal(downloads.length, 2, 'nothing else is downloaded', { downloads })
    t.notOk(
      gets.some((path) => path.includes('rinex-file/?')),
      'without the list',
    )
  })

  await t.test('an interrupted download continues', async (t) => {
    const large = pathIn(hour, 200)
    arrive(archive, large, content(2048))
    await untilListed(service)
    front.cut = { path: large, bytes: 1_000_000 }
    const { code, output } = await mirror(front, copy)
    t.equal(code, 1, 'the connection broke')
    t.match(output, 'not up to date')
    t.notOk(existsSync(join(copy, large)), 'a part is no file of the copy')
    t.strictSame(await mirror(front, copy), upToDate)
    const [, rest] = front.seen.filter(({ path }) => path.includes(large))
    t.match(rest, { status: 206, headers: { range: 'bytes=1000000-', 'if-range': /^"/ } })
    same(t, archive, copy, 'the rest was downloaded')
  })

  await t.test('an interrupted download of a file that was replaced begins again', async (t) => {
    const large = pathIn(hour, 201)
    arrive(archive, large, content(2048))
    await untilListed(service)
    front.cut = { path: large, bytes: 1_000_000 }
    t.equal((await mirror(front, copy)).code, 1)
    const isChanged = await changed()
    arrive(archive, large, content(1536))
    await isChanged()
    t.strictSame(await mirror(front, copy), upToDate)
    same(t, archive, copy, 'the other version is complete')
  })

  await t.test('a damaged copy is found with --check', async (t) => {
    const isHashed = async () => {
      const { body } = await service.get('/rinex/api/status/')
      return (body as { checksums: { waiting: number } }).checksums.waiting === 0
    }
    await until('all files are hashed', isHashed)
    for (const path of [first, pathIn(oldDay, 0)]) {
      const { atime, mtime, size } = statSync(join(copy, path))
      writeFileSync(join(copy, path), randomBytes(size))
      utimesSync(join(copy, path), atime, mtime)
    }
    appendFileSync(join(copy, second), 'more')
    t.strictSame(await mirror(front, copy, '--check'), upToDate)
    same(t, archive, copy, 'after the check')
  })

  await t.test('a list that breaks off removes nothing', async (t) => {
    front.cut = { path: 'rinex-file/?', bytes: 500 }
    t.equal((await mirror(front, copy, '--check')).code, 1)
    same(t, archive, copy, 'after the part of a list')
  })

  await t.test('during a first scan the list is not whole, so nothing is removed', async (t) => {
    front.isScanning = true
    const unlisted = pathIn(hour, 400)
    put(copy, unlisted, content())
    t.strictSame(await mirror(front, copy, '--check'), upToDate)
    t.ok(existsSync(join(copy, unlisted)))
    front.isScanning = false
  })

  await t.test('after a rebuilt database it gets 410, and begins again', async (t) => {
    await Promise.all([stop(service.indexer, 'SIGTERM'), stop(service.api, 'SIGTERM')])
    for (const suffix of ['', '-wal', '-shm', '-backup-1', '-backup-2'])
      rmSync(service.database + suffix, { force: true })
    rmSync(join(archive, first))
    arrive(archive, pathIn(hour, 300), content())
    service.startIndexer()
    await service.startApi()
    aim(front, service)
    await until('the first scan is complete', service.ready)
    front.seen.length = 0
    const gone = ['zimm0010.24d.Z', 'ZIMM0010.24O', 'ZIMM00CHE_R_20240010000_01D_MN.rnx']
    for (const file of [...gone, 'README']) put(copy, `${oldDay}/${file}`)
    t.strictSame(await mirror(front, copy), upToDate)
    const left = [...gone, 'README'].filter((file) => existsSync(join(copy, oldDay, file)))
    t.same(left, ['README'], 'of what is not listed')
    t.ok(front.seen.some(({ path, status }) => path.includes('changes/') && status === 410))
    same(t, archive, copy, 'after the new list')
    const { length } = filesBelow(archive)
    await until('the reader begins again too', () => printed().endsWith(`${length} records\n`))
    t.match(printed(), `created ${name(pathIn(hour, 100))}\n`)
    t.match(printed(), `modified ${name(second)}\n`)
    t.match(printed(), `removed ${name(third)}\n`)
  })
})

t.test('checksums that become known late are compared', { skip }, async (t) => {
  const folder = testFolder(t)
  const [copy, archive] = [join(folder, 'copy'), join(folder, 'archive')]
  for (const path of paths(hour, 4)) put(archive, path, content())
  const front = await startFront(t)
  const state = () =>
    JSON.parse(readFileSync(join(copy, '.mirror.json'), 'utf8')) as [
      string,
      Record<string, string[]>,
    ]
  const unhashed = await startBehind(t, folder, front, { CHECKSUMS: 'none' })
  t.strictSame(await mirror(front, copy), upToDate)
  const [next, waiting] = state()
  t.equal(Object.keys(waiting).length, 4, 'no checksum is known')
  // As if one of them had been damaged on its way.
  const damaged = join(copy, pathIn(hour, 0))
  writeFileSync(damaged, randomBytes(statSync(damaged).size))
  const [, found = ''] = waiting[damaged] ?? []
  t.match(found, /^[0-9a-f]{64}$/)
  waiting[damaged]?.splice(1, 1, '0'.repeat(64))
  writeFileSync(join(copy, '.mirror.json'), JSON.stringify([next, waiting]))

  await Promise.all([stop(unhashed.indexer, 'SIGTERM'), stop(unhashed.api, 'SIGTERM')])
  const service = await startBehind(t, folder, front, { CHECKSUMS: 'all' })
  const isHashed = async () => {
    const { body } = await service.get('/rinex/api/status/')
    return (body as { checksums: { files: number } }).checksums.files === 4
  }
  await until('all files are hashed', isHashed)
  t.strictSame(await mirror(front, copy), upToDate)
  t.strictSame(state()[1], {}, 'all are compared')
  same(t, archive, copy, 'the damaged one was fetched again')
})
