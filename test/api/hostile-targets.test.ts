import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { day, dayFile, openService } from './service.ts'
import type { Service } from './service.ts'
import { sendRaw } from './wire.ts'
import type { RawAnswer } from './wire.ts'

const prefix = 'rinex'
/** What may be found below a prefix: one file, and the directories above it, which are listed. */
const placesBelow = (datasetPrefix: string) => ({
  known: `/${datasetPrefix}/data/${day}/${dayFile}`,
  listings: ['', '/obs', '/obs/2026', `/${day}`].map((path) => `/${datasetPrefix}/data${path}`),
  records: `/${datasetPrefix}/api/rinex-file/`,
})
const content = randomBytes(3000)
const canary = 'what nobody may read'
const repository = process.cwd()
const ours = join(repository, 'test/api/hostile-targets.txt')
/** A larger collection that may lie beside the project, with `<prefix>` in angle brackets. */
const shared = join(repository, '../shared/vectors/request-targets.txt')

/** The bytes of every target in a list. */
function readTargets(file: string, names: Readonly<Record<string, string>>): Buffer[] {
  const lines = readFileSync(file, 'latin1').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line) => {
      const named = Object.entries(names).reduce(
        (text, [from, to]) => text.replaceAll(from, to),
        line,
      )
      const bytes = named.replaceAll(/\\x([0-9a-fA-F]{2})/g, (_, hex: string) =>
        String.fromCharCode(parseInt(hex, 16)),
      )
      return Buffer.from(bytes, 'latin1')
    })
}

/** One catalogued file, and around it everything that must not be reached. */
async function plant(t: Test, service: Service): Promise<void> {
  const { archive } = service
  await service.add(`${day}/${dayFile}`, content)
  const outside = join(dirname(archive), 'outside')
  const folder = join(archive, day)
  for (const each of [outside, join(archive, 'other'), join(folder, 'directory.gz')])
    mkdirSync(each)
  mkdirSync(join(folder, 'dir_named_like_file.crx.gz'))
  const secrets = [
    'unlisted.gz',
    'not_indexed.txt',
    '.hidden.gz',
    `.${dayFile}.Xa81bC`,
    `${dayFile}.part`,
  ]
  for (const name of secrets) writeFileSync(join(folder, name), canary)
  const elsewhere = [
    join(outside, 'secret.gz'),
    join(archive, 'other/secret.gz'),
    join(archive, 'obs/.env'),
  ]
  for (const file of elsewhere) writeFileSync(file, canary)
  symlinkSync(join(outside, 'secret.gz'), join(folder, 'link.gz'))
  symlinkSync('/etc', join(folder, 'etc'))
  symlinkSync('/etc', join(folder, 'symlink_dir_to_etc'))
  symlinkSync('/proc/self', join(folder, 'self'))
  symlinkSync('/proc/self', join(folder, 'symlink_to_proc_self'))
  execFileSync('mkfifo', [join(folder, 'fifo.gz')])
  // The path of a socket may be no longer than 107 bytes, but it may be relative.
  const socket = createServer().listen(relative(process.cwd(), join(folder, 'socket.gz')))
  await new Promise((resolve) => socket.on('listening', resolve))
  t.teardown(() => socket.close())
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

/** The path that a target stands for, by the rule written once more: other spellings than these are none of ours. */
function pathOf(target: string, datasetPrefix: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]+/i, '').split('?')
  return path.startsWith(`/${datasetPrefix}/`) ? path.replaceAll(/\/+/g, '/') : path
}

/** What is wrong with an answer, in words. */
function faultsOf(target: string, answer: RawAnswer, datasetPrefix: string): string[] {
  const { status, head, body } = answer
  const { known, listings, records } = placesBelow(datasetPrefix)
  const text = `${head}\n${body.toString('latin1')}`
  const [, location = ''] = /^location: (.*)$/im.exec(head) ?? []
  const path = pathOf(target, datasetPrefix)
  const found = [known, records, ...listings.map((each) => `${each}/`)]
  return [
    text.includes(canary) || text.includes('root:') ? 'a canary came out' : '',
    text.includes('evil.example') ? 'another site is named' : '',
    text.includes(content.toString('latin1')) && path !== known ? 'another spelling of a path' : '',
    status === 200 && !found.includes(path) ? 'found' : '',
    status === 301 && path.startsWith(`/${datasetPrefix}/data`) && !listings.includes(path)
      ? 'another spelling of a directory'
      : '',
    [200, 301, 400, 403, 404, 405, 414, 431].includes(status) ? '' : `status ${status}`,
    (status === 301) === (location !== '')
      ? ''
      : 'a location without a redirect, or the other way round',
    /^[a-z0-9-]*\/(\?|$)/.test(location) || location === '' ? '' : `leads to ${location}`,
  ].filter((fault) => fault !== '')
}

async function attack(t: Test, targets: readonly Buffer[], datasetPrefix = prefix): Promise<void> {
  const service = await openService(t, { settings: { datasetPrefix } })
  await plant(t, service)
  const port = await service.listen()
  for (const [form, write] of forms) {
    for (const target of targets) {
      const text = target.toString('latin1')
      const answer = await sendRaw(port, write(target))
      const name = `${form} ${JSON.stringify(text.slice(0, 120))} ${answer.status}`
      t.same(faultsOf(text, answer, datasetPrefix), [], name)
    }
  }
  t.notMatch(service.logText(), /[^\x20-\x7e\n]/, 'no byte in the log that a terminal acts on')
  t.notOk(
    service.log.some(({ level }) => Number(level) >= 50),
    'nothing failed',
  )
  const answer = await sendRaw(
    port,
    request('GET ', Buffer.from(placesBelow(datasetPrefix).known), ' HTTP/1.0'),
  )
  t.same(answer.body, content, 'and the file is still there')
}

for (const datasetPrefix of [prefix, 'at.gv.bev.dc'])
  t.test(`our own list, below ${datasetPrefix}`, async (t) => {
    await attack(t, readTargets(ours, { PREFIX: datasetPrefix, KNOWN: dayFile }), datasetPrefix)
  })

const skip = existsSync(shared) ? false : 'no collection of targets lies beside the project'
t.test('the larger collection', { skip }, async (t) => {
  const names = { '<prefix>': prefix, '<PREFIX>': prefix.toUpperCase(), 'KNOWN.crx.gz': dayFile }
  await attack(t, readTargets(shared, names))
})

t.test('every byte there is, in a path and in a query', async (t) => {
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
      // A blank ends the target.
      const [sent = ''] = target.split(' ')
      const query = sent.includes('?') ? sent.slice(sent.indexOf('?')) : ''
      // One more slash changes nothing.
      const found = byte === 0x2f && (before + after).startsWith(`/${prefix}/data/`)
      const right =
        status === 301
          ? /^(rinex-file|1|2[0-9]?|001)\/$/.test(location?.replace(query, '') ?? '')
          : status === (found ? 200 : 404) ||
            status === 400 ||
            (query !== '' && before.endsWith('/') && status === 200)
      if (!right) faults.push(`${byte.toString(16)}: ${status} ${location ?? ''}`)
    }
    t.same(faults, [], before)
  }
  t.notMatch(service.logText(), /[^\x20-\x7e\n]/)
})

t.test('what is not HTTP is told so, and what is too long', async (t) => {
  const service = await openService(t)
  const port = await service.listen()
  const close = '\r\nConnection: close\r\n\r\n'
  const cases: [string, string, number][] = [
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['no Host', `GET /${prefix}/api/ HTTP/1.1${close}`, 400],
    ['no Host, where HTTP has none', `GET /${prefix}/api/ HTTP/1.0\r\n\r\n`, 200],
    ['an expectation', `GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders${close}`, 417],
    ['long headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(65_536)}${close}`, 431],
    ['a long target', `GET /${'x'.repeat(65_536)} HTTP/1.1\r\nHost: x${close}`, 431],
    [
      'two lengths',
      `POST /${prefix}/api/rescan/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked${close}`,
      400,
    ],
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
