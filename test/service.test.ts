/** The program as users run it: processes, a socket, HTTP. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { testFolder } from './folder.ts'
import { failureReason, programLine } from './program.ts'
import t, { exact } from './tap.ts'
import { until } from './until.ts'

const checkout = process.cwd()

interface Running {
  readonly process: ChildProcess
  readonly list: string
  /** Ends a process with SIGTERM; returns its exit code. */
  readonly stop: () => Promise<unknown>
}

/** Starts a service on an archive; its other files are in a folder of the test. */
async function start(t: Test, archive: string, prefix = 'rinex'): Promise<Running> {
  const args = ['start', '--archive', archive, '--database', 'catalogue.db', '--port', '0']
  if (prefix !== 'rinex') args.push('--dataset-prefix', prefix)
  const process = run(testFolder(t), args)
  const stop = async () => {
    if (process.exitCode === null) {
      process.kill('SIGTERM')
      await once(process, 'exit')
    }
    return process.exitCode
  }
  t.teardown(stop)
  let log = ''
  let list = ''
  for await (const text of process.stdout ?? []) {
    log += String(text)
    list = /"url":"([^"]+)"/.exec(log)?.[1] ?? ''
    if (list !== '' && log.includes('caught up with the archive')) break
  }
  const { origin } = new URL(list)
  t.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.equal(list, `${origin}/${prefix}/api/rinex-file/`, 'the URL of the list is printed')
  t.match(log, `"address":"${origin.slice('http://'.length)}"`, 'and the address')
  return { process, list, stop }
}

function run(folder: string, args: string[]): ChildProcess {
  return spawn(...programLine(args), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
}

type Wire = Record<
  'filename' | 'data_date' | 'file_duration' | 'file_version' | 'file_type' | 'download_path',
  string
> & { id: number }

async function everything(list: string): Promise<Wire[]> {
  const answer = await fetch(`${list}?limit=1000`)
  const { count, results } = (await answer.json()) as { count: number; results: Wire[] }
  t.equal(results.length, count)
  return results
}

const pathOf = ({ download_path }: Wire): string => download_path.replace(/^.*\/rinex\/data\//, '')

t.test('the archive that comes with the program is listed exactly', async (t) => {
  const { list } = await start(t, join(checkout, 'fixtures/archive'))
  const records = await everything(list)
  const expected = readFileSync('fixtures/expected.tsv', 'utf8').trim().split('\n').slice(1).sort()
  t.same(
    records
      .map((record) =>
        [
          pathOf(record),
          record.data_date,
          record.file_duration,
          record.file_version,
          record.file_type,
        ].join('\t'),
      )
      .sort(),
    expected,
  )
  const ids = records.map(({ id }) => id)
  t.same(
    ids,
    ids.toSorted((a, b) => b - a),
    'highest id first',
  )
})

t.test('a dataset prefix may have dots', async (t) => {
  const { list } = await start(t, join(checkout, 'fixtures/archive'), 'at.gv.bev.dc')
  const root = list.replace('api/rinex-file/', '')
  const [record] = await everything(list)
  const { download_path = '' } = record ?? {}
  t.ok(download_path.startsWith(`${root}data/`), download_path)
  t.equal((await fetch(download_path)).status, 200)
  const schema = (await (await fetch(`${root}api/schema/`)).json()) as { servers: object[] }
  t.match(schema.servers, exact([{ url: root.slice(0, -1) }]))
  t.equal((await fetch(list.replaceAll('at.gv', 'at-gv'))).status, 404)
})

const real = process.env['RINEX_TEST_ARCHIVE'] ?? ''

t.test(
  'a real archive is listed and downloaded byte for byte',
  { skip: existsSync(real) ? false : 'no RINEX_TEST_ARCHIVE here' },
  async (t) => {
    const { list } = await start(t, real)
    const records = await everything(list)
    const manifest = readFileSync(join(real, 'MANIFEST.tsv'), 'utf8').trim().split('\n').slice(1)
    const expected = manifest
      .map((line) => line.split('\t'))
      .filter(([, , , note]) => !note?.includes('rejected'))
      .map(([path]) => path)
    t.same(records.map(pathOf).sort(), expected.sort())
    for (const record of records) {
      const answer = await fetch(record.download_path)
      const content = Buffer.from(await answer.arrayBuffer())
      t.ok(content.equals(readFileSync(join(real, pathOf(record)))), record.filename)
      t.ok(gunzipSync(content).length > 0)
    }
  },
)

t.test('the status command answers, and all processes end on SIGTERM', async (t) => {
  const service = await start(t, join(checkout, 'fixtures/archive'))
  const status = async () => {
    const process = run(t.testdirName, ['status', '--json', '--database', 'catalogue.db'])
    let answer = ''
    for await (const text of process.stdout ?? []) answer += String(text)
    return JSON.parse(answer) as { state: string }
  }
  // A busy machine may not answer in the time that the command waits.
  await until('the status is watching', async () => (await status()).state === 'watching')
  t.match(await status(), {
    areas: { obs: { files: 50 }, nrt: { files: 22 } },
  })

  t.equal(await service.stop(), 0)
  const place = ['--archive', join(checkout, 'fixtures/archive'), '--database', 'catalogue.db']
  const third = run(t.testdirName, ['index', '--once', ...place])
  t.same(await once(third, 'exit'), [0, null], 'the first indexer has ended')
})

t.test('if another program has the port, no process is left running', async (t) => {
  const other = createServer()
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const folder = testFolder(t)
  const archive = join(checkout, 'fixtures/archive')
  const ours = ['--archive', archive, '--database', 'catalogue.db']
  const process = run(folder, ['start', ...ours, '--port', String(port)])
  let stderr = ''
  process.stderr?.on('data', (text) => (stderr += String(text)))
  process.stdout?.resume()
  t.same(await once(process, 'close'), [1, null])
  t.match(stderr, 'EADDRINUSE')
  const indexer = run(folder, ['index', '--once', ...ours])
  t.same(await once(indexer, 'exit'), [0, null], 'no other indexer is there')
})

t.test('a scan of a directory that is not an archive logs one fatal line', async (t) => {
  const folder = testFolder(t, { archive: {} })
  const scan = ['index', '--once', '--archive', 'archive', '--database', 'catalogue.db']
  const indexer = run(folder, scan)
  let log = ''
  indexer.stdout?.on('data', (text) => (log += String(text)))
  t.same(await once(indexer, 'close'), [1, null])
  const lines = log.trimEnd().split('\n')
  const fatal = lines
    .map((line) => JSON.parse(line) as { level: string; reason: string })
    .filter(({ level }) => level === 'fatal')
  t.match(fatal, exact([{ reason: /archive contains no readable obs\/ or nrt\/: mount/ }]))
  t.notMatch(log, '    at ')
})

t.test('a response sent at the end of the service has the same links as before', async (t) => {
  const { list, stop } = await start(t, join(checkout, 'fixtures/archive'))
  const { origin, hostname, port } = new URL(list)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`
  // Sent in one write, so that the second waits when the first is answered.
  socket.write(ask('/healthz') + ask('/rinex/api/changes/?wait=60'))
  let answers = String((await once(socket, 'data'))[0])
  t.notMatch(answers, '"next"')
  const stopped = stop()
  for await (const text of socket) answers += String(text)
  t.match(answers, `"next":"${origin}/rinex/api/changes/`)
  t.equal(await stopped, 0)
})

t.test('if the API cannot listen, one line names the option to change', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  // The second is an address for documentation (RFC 5737), which no machine has.
  const cases = [
    { host: '127.0.0.1', port, remedy: 'set port to a free one' },
    { host: '192.0.2.1', port: 0, remedy: 'set host to an address of this machine' },
  ]
  for (const { host, port, remedy } of cases) {
    const place = ['--archive', '.', '--database', 'c.db']
    const args = ['serve', ...place, '--host', host, '--port', String(port)]
    const program = run(testFolder(t), args)
    let stderr = ''
    program.stdout?.resume()
    program.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const [code] = (await once(program, 'close')) as [number | null]
    t.equal(code, 1)
    t.match(
      failureReason(stderr),
      new RegExp(`^cannot listen on host "${host}", port ${port}: .*: ${remedy}$`),
    )
  }
})
