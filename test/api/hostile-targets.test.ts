import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import t from '../tap.ts'
import { listenIn } from '../unix-socket.ts'
import type { Service } from './service.ts'
import { day, dayFile, openService } from './service.ts'
import type { RawAnswer } from './wire.ts'
import { sendRaw } from './wire.ts'

const prefix = 'rinex'
/** The paths that may be found: one file, the directories above it, and the list. */
const pathsBelow = (datasetPrefix: string) => ({
  known: `/${datasetPrefix}/data/${day}/${dayFile}`,
  listings: ['', '/obs', '/obs/2026', `/${day}`].map((path) => `/${datasetPrefix}/data${path}`),
  records: `/${datasetPrefix}/api/rinex-file/`,
})
const content = randomBytes(3000)
const canary = 'secret content'

/** Reads the targets of the list as bytes. */
function readTargets(datasetPrefix: string): Buffer[] {
  const lines = readFileSync('test/api/hostile-targets.txt', 'latin1').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line) => {
      const named = line.replaceAll('PREFIX', datasetPrefix).replaceAll('KNOWN', dayFile)
      const bytes = named.replaceAll(/\\x([0-9a-fA-F]{2})/g, (_, hex: string) =>
        String.fromCharCode(parseInt(hex, 16)),
      )
      return Buffer.from(bytes, 'latin1')
    })
}

/** Adds one catalogued file, and beside it files that must not be served. */
async function plant(t: Test, service: Service): Promise<void> {
  const { archive } = service
  await service.add(`${day}/${dayFile}`, content)
  const outside = join(dirname(archive), 'outside')
  const folder = join(archive, day)
  for (const path of [outside, join(archive, 'other'), join(folder, 'directory.gz')])
    mkdirSync(path)
  mkdirSync(join(folder, 'dir_named_like_file.crx.gz'))
  const secrets = [
    'unlisted.gz',
    'not_indexed.txt',
    '.hidden.gz',
    `.${dayFile}.Xa81bC`,
    `${dayFile}.part`,
  ]
  for (const name of secrets) writeFileSync(join(folder, name), canary)
  const otherSecrets = [
    join(outside, 'secret.gz'),
    join(archive, 'other/secret.gz'),
    join(archive, 'obs/.env'),
  ]
  for (const file of otherSecrets) writeFileSync(file, canary)
  symlinkSync(join(outside, 'secret.gz'), join(folder, 'link.gz'))
  symlinkSync('/etc', join(folder, 'etc'))
  symlinkSync('/etc', join(folder, 'symlink_dir_to_etc'))
  symlinkSync('/proc/self', join(folder, 'self'))
  symlinkSync('/proc/self', join(folder, 'symlink_to_proc_self'))
  execFileSync('mkfifo', [join(folder, 'fifo.gz')])
  await listenIn(t, folder, 'socket.gz')
  t.ok(existsSync(join(folder, 'socket.gz')), 'the socket is in the archive')
}

const forms: [string, (target: Buffer) => Buffer][] = [
  ['GET', get],
  ['HEAD', (target) => request('HEAD ', target, ' HTTP/1.1\r\nHost: x\r\nConnection: close')],
  ['HTTP/1.0', (target) => request('GET ', target, ' HTTP/1.0')],
]

function get(target: Buffer): Buffer {
  return request('GET ', target, ' HTTP/1.1\r\nHost: x\r\nConnection: close')
}

function request(method: string, target: Buffer, rest: string): Buffer {
  return Buffer.concat([Buffer.from(method), target, Buffer.from(`${rest}\r\n\r\n`)])
}

/** The normalised path of a target; a second implementation of the rule. */
function pathOf(target: string, datasetPrefix: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]+/i, '').split('?')
  return path.startsWith(`/${datasetPrefix}/`) ? path.replaceAll(/\/+/g, '/') : path
}

/** Faults of a response. */
function faultsOf(target: string, answer: RawAnswer, datasetPrefix: string): string[] {
  const { status, head, body } = answer
  const { known, listings, records } = pathsBelow(datasetPrefix)
  const text = `${head}\n${body.toString('latin1')}`
  const [, location = ''] = /^location: (.*)$/im.exec(head) ?? []
  const path = pathOf(target, datasetPrefix)
  const found = [known, records, ...listings.map((path) => `${path}/`)]
  found.push('', '/', `/${datasetPrefix}/`)
  return [
    text.includes(canary) || text.includes('root:') ? 'secret content was sent' : '',
    text.includes('evil.example') ? 'a foreign host in the response' : '',
    text.includes(content.toString('latin1')) && path !== known
      ? 'the file under another path'
      : '',
    status === 200 && !found.includes(path) ? 'found' : '',
    status === 301 && path.startsWith(`/${datasetPrefix}/data`) && !listings.includes(path)
      ? 'a redirect of another path'
      : '',
    [200, 301, 400, 403, 404, 405, 414, 431].includes(status) ? '' : `status ${status}`,
    (status === 301) === (location !== '')
      ? ''
      : 'a location without redirect, or a redirect without location',
    /^[a-z0-9-]*\/(\?|$)/.test(location) || location === '' ? '' : `location ${location}`,
  ].filter((fault) => fault !== '')
}

for (const datasetPrefix of [prefix, 'at.gv.bev.dc'])
  t.test(`hostile targets get harmless responses, below ${datasetPrefix}`, async (t) => {
    const service = await openService(t, { settings: { datasetPrefix } })
    await plant(t, service)
    const port = await service.listen()
    for (const [form, write] of forms) {
      for (const target of readTargets(datasetPrefix)) {
        const text = target.toString('latin1')
        const answer = await sendRaw(port, write(target))
        const name = `${form} ${JSON.stringify(text.slice(0, 120))} ${answer.status}`
        t.same(faultsOf(text, answer, datasetPrefix), [], name)
      }
    }
    t.notMatch(service.logText(), /[^\x20-\x7e\n]/, 'no control characters in the log')
    t.notOk(
      service.log.some(({ level }) => Number(level) >= 50),
      'no errors',
    )
    const answer = await sendRaw(
      port,
      request('GET ', Buffer.from(pathsBelow(datasetPrefix).known), ' HTTP/1.0'),
    )
    t.same(answer.body, content, 'the file is still served')
  })

t.test('each of the 256 bytes in a path or in a query gets a correct response', async (t) => {
  const service = await openService(t)
  await service.add(`${day}/${dayFile}`, content)
  const port = await service.listen()
  const places: [before: string, after: string][] = [
    [`/${prefix}/data/${day}/`, dayFile],
    [`/${prefix}/data/obs/2026/`, '001/'],
    [`/${prefix}/data/${day}`, '/'],
    [`/${prefix}/api/rinex-file/2`, ''],
    [`/${prefix}/api/rinex-file?x=`, '//evil.example'],
    [`/${prefix}/api/rinex-file/1?`, ''],
  ]
  for (const [before, after] of places) {
    const faults: string[] = []
    for (let byte = 0; byte < 256; byte++) {
      const target = `${before}${String.fromCharCode(byte)}${after}`
      const { status, head } = await sendRaw(port, get(Buffer.from(target, 'latin1')))
      const [, location] = /^location: (.*)$/im.exec(head) ?? []
      // A space ends the target.
      const [sent = ''] = target.split(' ')
      const query = sent.includes('?') ? sent.slice(sent.indexOf('?')) : ''
      // An additional slash is normalised away.
      const found = byte === 0x2f && (before + after).startsWith(`/${prefix}/data/`)
      const isCorrect =
        status === 301
          ? /^(rinex-file|1|2[0-9]?|001)\/$/.test(location?.replace(query, '') ?? '')
          : status === (found ? 200 : 404) ||
            status === 400 ||
            (query !== '' && before.endsWith('/') && status === 200)
      if (!isCorrect) faults.push(`${byte.toString(16)}: ${status} ${location ?? ''}`)
    }
    t.same(faults, [], before)
  }
  t.notMatch(service.logText(), /[^\x20-\x7e\n]/)
})

t.test('invalid HTTP and too long headers and targets get the right status', async (t) => {
  const service = await openService(t)
  const port = await service.listen()
  const close = '\r\nConnection: close\r\n\r\n'
  const cases: [string, string, number][] = [
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['no Host', `GET /${prefix}/api/ HTTP/1.1${close}`, 400],
    ['no Host in HTTP/1.0', `GET /${prefix}/api/ HTTP/1.0\r\n\r\n`, 200],
    ['an expectation', `GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders${close}`, 417],
    ['long headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(65_536)}${close}`, 431],
    [
      '99 header lines',
      `GET /${prefix}/api/ HTTP/1.1\r\nHost: x${'\r\na: b'.repeat(97)}${close}`,
      200,
    ],
    ['100 header lines', `GET / HTTP/1.1\r\nHost: x${'\r\na: b'.repeat(98)}${close}`, 431],
    ['500 header lines', `GET / HTTP/1.1\r\nHost: x${'\r\na: b'.repeat(498)}${close}`, 431],
    ['a long target', `GET /${'x'.repeat(65_536)} HTTP/1.1\r\nHost: x${close}`, 431],
    [
      'two lengths',
      `POST /${prefix}/api/rescan/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked${close}`,
      400,
    ],
    ...[
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: x',
      'Content-Length: -1',
      'No colon',
      'A b: c',
      'A: b\0c',
    ].map((header): [string, string, number] => [
      header,
      `POST /${prefix}/api/rescan/ HTTP/1.1\r\nHost: x\r\n${header}${close}`,
      400,
    ]),
    ['another Host', `GET /${prefix}/api/ HTTP/1.1\r\nHost: evil.example${close}`, 200],
    [
      'forwarded headers',
      `GET /${prefix}/api/ HTTP/1.1\r\nHost: x\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: gopher${close}`,
      200,
    ],
  ]
  for (const [name, bytes, status] of cases) {
    const answer = await sendRaw(port, bytes)
    t.equal(answer.status, status, name)
    t.notMatch(answer.body.toString(), 'evil.example')
    if (status === 200) continue
    t.match(answer.head, /^content-type: application\/json$/im, name)
    t.match(answer.body.toString(), /^\{"detail":"[A-Z][^"]+\."\}$/, name)
  }
})
