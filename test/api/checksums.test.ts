import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { toUs } from '../../src/catalogue/exact.ts'
import { change, newFile } from '../catalogue/change.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from './service.ts'
import type { Service } from './service.ts'

const data = '/rinex/data'
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest()

/** Puts a file on disk and into the catalogue, and its checksum as of the given content. */
async function addHashed(service: Service, path: string, content = path): Promise<void> {
  await service.add(path, content)
  await addChecksum(service, path, content)
}

async function addChecksum(service: Service, path: string, content: string): Promise<void> {
  const slash = path.lastIndexOf('/')
  const record = await service.reader.file(path.slice(0, slash), path.slice(slash + 1))
  const { size, mtimeMs } = statSync(join(service.archive, path))
  const facts = { id: record?.id ?? 0, size, mtimeUs: toUs(mtimeMs) }
  await service.writer.keepChecksums([{ ...facts, sha256: sha256(content), broken: false }], 0)
}

t.test('a download tells the digest of the whole file', async (t) => {
  const service = await openService(t)
  const path = `${day}/${dayFile}`
  await addHashed(service, path)
  await service.add(`${day}/${shortFile}`)
  const url = `${data}/${path}`
  const digest = `sha-256=:${sha256(path).toString('base64')}:`
  const requests = [
    { name: 'GET', status: 200, options: { url } },
    { name: 'HEAD', status: 200, options: { url, method: 'HEAD' } },
    { name: 'a range', status: 206, options: { url, headers: { range: 'bytes=1-2' } } },
  ] as const
  for (const { name, status, options } of requests) {
    const answer = await service.app.inject(options)
    t.match(answer, { statusCode: status, headers: { 'repr-digest': digest } }, name)
  }
  const unknown = await service.app.inject(`${data}/${day}/${shortFile}`)
  t.match(unknown, { statusCode: 200, headers: { 'repr-digest': undefined } })
  t.match(unknown.headers, { 'access-control-expose-headers': /\bRepr-Digest\b/ })
})

t.test('no digest is told of another version', async (t) => {
  const service = await openService(t)
  const path = `${day}/${dayFile}`
  const file = join(service.archive, path)
  const changes = {
    'of another size': () => {
      writeFileSync(file, `${path}x`)
    },
    'of another time': () => {
      writeFileSync(file, path.toUpperCase())
    },
  }
  await addHashed(service, path)
  for (const [name, make] of Object.entries(changes)) {
    make()
    // Old enough not to be taken for a file that is being written.
    utimesSync(file, 1000, 1000)
    const answer = await service.app.inject(`${data}/${path}`)
    t.match(answer, { statusCode: 200, headers: { 'repr-digest': undefined } }, name)
  }
})

t.test('the checksums of a directory are a file that sha256sum accepts', async (t) => {
  const service = await openService(t)
  for (const name of [shortFile, dayFile]) await addHashed(service, `${day}/${name}`)
  await addHashed(service, `${hour}/${hourFile}`)
  const url = `${data}/${day}/SHA256SUMS`
  const check = (sums: string) =>
    execFileSync('sha256sum', ['--check', '--strict'], {
      cwd: join(service.archive, day),
      input: sums,
      encoding: 'utf8',
    })
  const whole = await service.app.inject(url)
  t.match(whole, {
    statusCode: 200,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      etag: /^W\/"/,
      'cache-control': 'no-cache',
    },
  })
  const line = (name: string) => `${sha256(`${day}/${name}`).toString('hex')}  ${name}\n`
  t.equal(whole.body, line(dayFile) + line(shortFile), 'in the order of names')
  t.equal(check(whole.body), `${dayFile}: OK\n${shortFile}: OK\n`)

  const again = await service.app.inject({
    url,
    headers: { 'if-none-match': whole.headers.etag },
  })
  t.match(again, { statusCode: 304, body: '', headers: { etag: whole.headers.etag } })
  const head = await service.app.inject({ url, method: 'HEAD' })
  t.match(head, {
    statusCode: 200,
    body: '',
    headers: { etag: whole.headers.etag, 'content-length': String(whole.body.length) },
  })

  await service.add(`${day}/zimm0010.26m.gz`)
  const partly = await service.app.inject(url)
  t.equal(partly.body, `# 1 files are not hashed yet\n${whole.body}`)
  t.not(partly.headers.etag, whole.headers.etag)
  t.equal(check(partly.body), `${dayFile}: OK\n${shortFile}: OK\n`)
})

t.test('what was answered is shared until a checksum becomes known', async (t) => {
  let read = 0
  const service = await openService(t, {
    deps: ({ reader }) => ({
      reader: {
        ...reader,
        checksums: (directory, after) => {
          read++
          return reader.checksums(directory, after)
        },
      },
    }),
  })
  const url = `${data}/${day}/SHA256SUMS`
  const ask = async (tag = '') => service.app.inject({ url, headers: { 'if-none-match': tag } })
  await addHashed(service, `${day}/${dayFile}`)
  await service.add(`${day}/${shortFile}`)
  const [first, ...others] = await Promise.all([ask(), ask(), ask()])
  for (const other of [...others, await ask()]) t.equal(other.body, first.body)
  t.equal((await ask(String(first.headers.etag))).statusCode, 304)
  await addHashed(service, `${hour}/${hourFile}`)
  t.equal((await ask()).body, first.body)
  t.equal(read, 1, 'read once')

  await addChecksum(service, `${day}/${shortFile}`, 'x')
  const known = await ask(String(first.headers.etag))
  t.equal(known.statusCode, 200, 'which is told at once')
  t.match(known.body, `${sha256('x').toString('hex')}  ${shortFile}\n`)
  t.notMatch(known.body, '#')
  await addChecksum(service, `${day}/${shortFile}`, 'y')
  const corrected = await ask(String(known.headers.etag))
  t.match(corrected.body, `${sha256('y').toString('hex')}  ${shortFile}\n`, 'as is another')
  t.notMatch(corrected.body, sha256('x').toString('hex'))
})

t.test('directories without files have no lines, others are not there', async (t) => {
  const service = await openService(t)
  await service.writer.apply([change('obs/2026', { directories: [day] })])
  await service.addNames(hour, [hourFile])
  const bodies = {
    'obs/2026': '',
    [day]: '',
    [hour]: '# 1 files are not hashed yet\n',
  }
  for (const [directory, body] of Object.entries(bodies))
    t.match(await service.app.inject(`${data}/${directory}/SHA256SUMS`), { statusCode: 200, body })
  mkdirSync(join(service.archive, 'obs/2025'), { recursive: true })
  for (const path of ['', '/obs/2025', '/obs/2027', '/aux', `/${day}/${dayFile}`])
    t.match(await service.app.inject(`${data}${path}/SHA256SUMS`), { statusCode: 404 }, path)
  const target = `${data}/${hour}`
  for (const name of ['sha256sums', 'SHA256SUMS/', 'SHA256SUM%53', 'SHA256SUMS.gz'])
    t.match(await service.app.inject(`${target}/${name}`), { statusCode: 404 }, name)
})

t.test('a real file of that name is not served', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile])
  const path = join(service.archive, day, 'SHA256SUMS')
  mkdirSync(join(service.archive, day), { recursive: true })
  writeFileSync(path, 'real')
  const answer = await service.app.inject(`${data}/${day}/SHA256SUMS`)
  t.equal(answer.body, '# 1 files are not hashed yet\n')
})

t.test('a directory of many files', async (t) => {
  const service = await openService(t)
  const names = Array.from({ length: 2000 }, (_, n) => `${(4096 + n).toString(16)}0010.26o.gz`)
  const facts = { size: 1, mtimeUs: 1 }
  await service.writer.apply([change(day, { added: names.map((name) => newFile(name, facts)) })])
  const sums = names.slice(0, 1500).map((name, index) => ({
    ...{ id: index + 1, ...facts, sha256: sha256(name), broken: false },
  }))
  await service.writer.keepChecksums(sums, 0)
  const { body } = await service.app.inject(`${data}/${day}/SHA256SUMS`)
  const lines = names.slice(0, 1500).map((name) => `${sha256(name).toString('hex')}  ${name}\n`)
  t.equal(body, `# 500 files are not hashed yet\n${lines.join('')}`)
})
