import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import type { Checksum } from '../../../src/catalogue/updates/checksum-rows.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { harmless, overwrite, replace } from '../../file-changes.ts'
import { laterThan } from '../../file-clock.ts'
import t from '../../tap.ts'
import type { Service } from '../service.ts'
import { catalogue, day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'

const data = '/rinex/data'
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest()

/** Adds a file to disk and catalogue, with the checksum of its content. */
async function addHashed(service: Service, path: string, content = path): Promise<void> {
  await service.add(path, content)
  await addChecksum(service, path, content)
}

async function addChecksum(
  service: Service,
  path: string,
  content: string,
  parts: Partial<Checksum> = {},
): Promise<void> {
  const identity = toIdentity(statSync(join(service.archive, path)))
  const md5 = createHash('md5').update(content).digest()
  const sum = { ...identity, sha256: sha256(content), md5, ...parts }
  await service.writer.keepChecksums([checksumOf(await service.idOf(path), sum)], 0)
}

t.test('Repr-Digest is the digest of the whole file, also for HEAD and ranges', async (t) => {
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

/** Changes of an old file, and whether its checksum still holds. */
const changes: readonly (readonly [
  title: string,
  make: (file: string) => void,
  isValid: boolean,
])[] = [
  ['nothing', () => undefined, true],
  ...Object.entries(harmless).map(([title, make]) => [title, make, true] as const),
  ['another size', (file) => overwrite(file, Buffer.from(`${file}x`)), false],
  ['overwritten in place, with its time set back', overwrite, false],
  ['replaced by rename, with its size and time', replace, false],
]

t.test('Repr-Digest is sent only for the file that was hashed', async (t) => {
  for (const [title, make, isValid] of changes) {
    const service = await openService(t)
    const path = `${day}/${dayFile}`
    const file = join(service.archive, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, path)
    utimesSync(file, 1000, 1000)
    await catalogue(service.writer, service.archive, path)
    await addChecksum(service, path, path)
    await laterThan(file)
    make(file)
    const answer = await service.app.inject(`${data}/${path}`)
    const digest = `sha-256=:${sha256(answer.rawPayload).toString('base64')}:`
    const expected = isValid ? digest : undefined
    t.match(answer, { statusCode: 200, headers: { 'repr-digest': expected } }, title)
  }
})

t.test('a stale checksum is not listed, and changes the ETag of the list', async (t) => {
  const service = await openService(t)
  for (const name of [dayFile, shortFile]) await addHashed(service, `${day}/${name}`)
  const url = `${data}/${day}/SHA256SUMS`
  const before = await service.app.inject(url)
  const rehash = [await service.idOf(`${day}/${dayFile}`)]
  await service.writer.apply([change(day, { rehash })])
  const get = (tag: unknown) =>
    service.app.inject({ url, headers: { 'if-none-match': String(tag) } })
  const stale = await get(before.headers.etag)
  const line = `${sha256(`${day}/${shortFile}`).toString('hex')}  ${shortFile}\n`
  t.match(stale, { statusCode: 200, body: `# 1 files are not hashed yet\n${line}` })
  const download = await service.app.inject(`${data}/${day}/${dayFile}`)
  t.match(download, { statusCode: 200, headers: { 'repr-digest': undefined } })
  await addChecksum(service, `${day}/${dayFile}`, `${day}/${dayFile}`)
  t.match(await get(stale.headers.etag), { statusCode: 200, body: before.body }, 'hashed again')
})

t.test('damaged and unfinished files are named above the checksums', async (t) => {
  const service = await openService(t)
  const [broken, incomplete] = [shortFile, 'zimm0010.26m.gz']
  await addHashed(service, `${day}/${dayFile}`)
  await service.add(`${day}/${broken}`)
  await addChecksum(service, `${day}/${broken}`, 'x', { problem: 'broken' })
  const facts = { size: 1, mtimeUs: 1 }
  const added = [{ ...newFile(incomplete, facts), incomplete: true }]
  await service.writer.apply([change(day, { added })])
  const { body } = await service.app.inject(`${data}/${day}/SHA256SUMS`)
  t.equal(
    body,
    [
      '# 1 files are not hashed yet',
      `# broken: ${broken}`,
      `# incomplete: ${incomplete}`,
      `${sha256(`${day}/${dayFile}`).toString('hex')}  ${dayFile}`,
      `${sha256('x').toString('hex')}  ${broken}`,
      '',
    ].join('\n'),
  )
})

t.test('sha256sum accepts the list', async (t) => {
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
  t.equal(whole.body, line(dayFile) + line(shortFile), 'ordered by name')
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
    headers: { etag: whole.headers.etag, 'content-type': whole.headers['content-type'] },
  })

  await service.add(`${day}/zimm0010.26m.gz`)
  const partly = await service.app.inject(url)
  t.equal(partly.body, `# 1 files are not hashed yet\n${whole.body}`)
  t.not(partly.headers.etag, whole.headers.etag)
  t.equal(check(partly.body), `${dayFile}: OK\n${shortFile}: OK\n`)
})

t.test('md5sum accepts the list of MD5', async (t) => {
  const service = await openService(t)
  for (const name of [shortFile, dayFile]) await addHashed(service, `${day}/${name}`)
  const { body } = await service.app.inject(`${data}/${day}/MD5SUMS`)
  const cwd = join(service.archive, day)
  const checked = execFileSync('md5sum', ['--check', '--strict'], { cwd, input: body })
  t.equal(checked.toString(), `${dayFile}: OK\n${shortFile}: OK\n`)
  const rows = body.trimEnd().split('\n')
  for (const row of rows) t.match(row, /^[0-9a-f]{32} {2}\S+$/)
})

t.test('the ETag stays the same until a checksum of the directory changes', async (t) => {
  const service = await openService(t)
  const url = `${data}/${day}/SHA256SUMS`
  const get = async (tag = '') => service.app.inject({ url, headers: { 'if-none-match': tag } })
  await addHashed(service, `${day}/${dayFile}`)
  await service.add(`${day}/${shortFile}`)
  const first = await get()
  await addHashed(service, `${hour}/${hourFile}`)
  t.equal((await get(String(first.headers.etag))).statusCode, 304)

  await addChecksum(service, `${day}/${shortFile}`, 'x')
  const known = await get(String(first.headers.etag))
  t.equal(known.statusCode, 200, 'a new checksum appears at once')
  t.match(known.body, `${sha256('x').toString('hex')}  ${shortFile}\n`)
  t.notMatch(known.body, '#')
  await addChecksum(service, `${day}/${shortFile}`, 'y')
  const corrected = await get(String(known.headers.etag))
  t.match(
    corrected.body,
    `${sha256('y').toString('hex')}  ${shortFile}\n`,
    'as does a corrected one',
  )
  t.notMatch(corrected.body, sha256('x').toString('hex'))
})

t.test('a directory without files has an empty list, an unknown directory gets 404', async (t) => {
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

t.test('"not hashed yet" is said only if all files are hashed', async (t) => {
  const answers: { body: string; tag: unknown }[] = []
  for (const checksums of ['all', 'arriving', 'none'] as const) {
    const service = await openService(t, { settings: { checksums } })
    await service.addNames(hour, [hourFile])
    const { body, headers } = await service.app.inject(`${data}/${hour}/SHA256SUMS`)
    answers.push({ body, tag: headers.etag?.toString().split('-').at(-1) })
  }
  t.strictSame(
    answers.map(({ body }) => body),
    ['# 1 files are not hashed yet\n', '# 1 files are not hashed\n', '# 1 files are not hashed\n'],
  )
  t.equal(new Set(answers.map(({ tag }) => tag)).size, 3, 'the tag depends on the setting')
})

t.test('a real file named SHA256SUMS is not served', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile])
  const path = join(service.archive, day, 'SHA256SUMS')
  mkdirSync(join(service.archive, day), { recursive: true })
  writeFileSync(path, 'real')
  const answer = await service.app.inject(`${data}/${day}/SHA256SUMS`)
  t.equal(answer.body, '# 1 files are not hashed yet\n')
})

t.test('a list of several chunks is complete', async (t) => {
  const service = await openService(t)
  const names = Array.from({ length: 2000 }, (_, n) => `${(4096 + n).toString(16)}0010.26o.gz`)
  const facts = { size: 1, mtimeUs: 1 }
  await service.writer.apply([change(day, { added: names.map((name) => newFile(name, facts)) })])
  const sums = names
    .slice(0, 1500)
    .map((name, index) => checksumOf(index + 1, { ...facts, sha256: sha256(name) }))
  await service.writer.keepChecksums(sums, 0)
  const { body } = await service.app.inject(`${data}/${day}/SHA256SUMS`)
  const lines = names.slice(0, 1500).map((name) => `${sha256(name).toString('hex')}  ${name}\n`)
  t.equal(body, `# 500 files are not hashed yet\n${lines.join('')}`)
})
