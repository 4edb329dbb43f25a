/** The header of a file as it is in the archive: read live, in all forms, within bounds. */
import { renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { compress, lzwBomb } from '../../lzw.ts'
import { endOfHeader, header2, header3, record } from '../../rinex/texts.ts'
import t from '../../tap.ts'
import type { Service } from '../service.ts'
import { day, dayFile, openService, shortFile } from '../service.ts'

const api = '/rinex/api/rinex-file'

/** What follows a header: nobody needs it. */
const body = Array.from({ length: 20_000 }, (_, at) => `${(at * 7919) % 100_003} ${at}\n`).join('')

async function headerOf(service: Service, name: string) {
  return service.app.inject(`${api}/${await service.idOf(`${day}/${name}`)}/header/`)
}

const linesOf = (header: string) => header.split('\n').slice(0, -1)

const crinex = `${record('3.0                 COMPACT RINEX FORMAT', 'CRINEX VERS   / TYPE')}${record('RNX2CRX ver.4.0.7', 'CRINEX PROG / DATE')}`

t.test('the header is read in every form of a file', async (t) => {
  const service = await openService(t)
  const text = crinex + header3()
  const forms: [name: string, content: Buffer, header: string][] = [
    [dayFile, gzipSync(text + body), text],
    [shortFile, gzipSync(header2()), header2()],
    ['zimm0010.26m.gz', compress(Buffer.from(header2() + body)), header2()],
    ['zimm0020.26m.gz', compress(Buffer.from(header2())), header2()],
    ['wtzr0010.26m.gz', Buffer.from(header2() + body), header2()],
    ['onsa0010.26m.gz', gzipSync((header3() + body).replaceAll('\n', '\r\n')), header3()],
  ]
  for (const [name, content, header] of forms) {
    await service.add(`${day}/${name}`, content)
    const answer = await headerOf(service, name)
    t.equal(answer.statusCode, 200, name)
    t.strictSame(answer.json(), { filename: name, lines: linesOf(header) })
  }
  const url = `${api}/${await service.idOf(`${day}/${dayFile}`)}/header/?format=txt`
  const asText = await service.app.inject(url)
  t.equal(asText.headers['content-type'], 'text/plain; charset=utf-8')
  t.equal(asText.body, text)
})

t.test('a header that is whole is enough, whatever follows it', async (t) => {
  const service = await openService(t)
  const whole = gzipSync(header3() + body)
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, whole.length - 20_000)
  const long = header3({ more: record('a comment', 'COMMENT').repeat(2900) })
  const good: [name: string, content: Buffer][] = [
    [dayFile, whole.subarray(0, whole.length - 5000)],
    [shortFile, damaged],
    ['zimm0010.26m.gz', gzipSync(long)],
    ['wtzr0010.26m.gz', gzipSync(header3() + ' '.repeat(3_000_000))],
  ]
  for (const [name, content] of good) {
    await service.add(`${day}/${name}`, content)
    const answer = await headerOf(service, name)
    t.equal(answer.statusCode, 200, name)
    t.equal(answer.json<{ lines: string[] }>().lines.at(-1), endOfHeader.trimEnd().padEnd(80))
  }
})

t.test('422 where there is no header', async (t) => {
  const service = await openService(t)
  const endless = header3({ more: record('a comment', 'COMMENT').repeat(4000) })
  const noise = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at * 31) >> 7))
  const contents = {
    empty: Buffer.alloc(0),
    cut: gzipSync(header3().slice(0, 300)),
    'another text': gzipSync(body),
    endless: gzipSync(endless),
    'endless text': Buffer.from(endless),
    noise,
    'noise after a magic number': Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), noise]),
    'a bomb': gzipSync(Buffer.alloc(100_000_000)),
    'an LZW bomb': lzwBomb(40_000),
  }
  for (const [at, [what, content]] of Object.entries(contents).entries()) {
    const name = `aa0${at}0010.26m.gz`
    await service.add(`${day}/${name}`, content)
    const answer = await headerOf(service, name)
    t.equal(answer.statusCode, 422, what)
    t.strictSame(answer.json(), { detail: 'The file has no whole RINEX header.' }, what)
  }
  const page = await service.page('rinex-file/1/header/', 422)
  t.match(page.text, 'no whole RINEX header')
})

t.test('it follows the file: a tag, 503 while it is away, 404 when it is gone', async (t) => {
  const service = await openService(t)
  const path = join(service.archive, day, dayFile)
  await service.add(`${day}/${dayFile}`, gzipSync(header3()))
  await service.add(`${day}/${shortFile}`, gzipSync(header2()))
  const url = `${api}/1/header/`
  const first = await service.app.inject(url)
  const tag = String(first.headers.etag)
  const get = () => service.app.inject({ url, headers: { 'if-none-match': tag } })
  t.equal((await get()).statusCode, 304)
  writeFileSync(`${path}.new`, gzipSync(header3({ marker: 'ANOTHER' })))
  renameSync(`${path}.new`, path)
  const young = await get()
  t.equal(young.statusCode, 503)
  t.match(young.body, 'being written')
  utimesSync(path, 1e9, 1e9)
  const second = await get()
  t.equal(second.statusCode, 200)
  t.match(second.body, 'ANOTHER')
  truncateSync(path, 20)
  utimesSync(path, 1e9, 1e9)
  t.equal((await get()).statusCode, 422)
  rmSync(path)
  t.equal((await get()).statusCode, 404)
  const status = (await service.app.inject('/rinex/api/status/')).json<{ unserved: object }>()
  t.match(status.unserved, { count: 1 })
  for (const id of ['999', '99999999999999999999'])
    t.equal((await service.app.inject(`${api}/${id}/header/`)).statusCode, 404)
  renameSync(join(service.archive, 'obs'), join(service.archive, 'away'))
  t.equal((await get()).statusCode, 503)
})

t.test('the text of a header is only text on its page', async (t) => {
  const service = await openService(t)
  const comments = ['<script>alert(1)</script>', 'a\u0000b\u001b[31mc', '\u202Eesrever', 'Málaga']
  const more = comments.map((comment) => record(comment, 'COMMENT')).join('')
  await service.add(`${day}/${dayFile}`, gzipSync(header3({ more })))
  const { body } = await service.app.inject({
    url: `${api}/1/header/`,
    headers: { accept: 'text/html' },
  })
  t.match(body, '<bdi>&lt;script&gt;alert(1)&lt;/script&gt;')
  t.match(body, 'a\uFFFDb\uFFFD[31mc')
  t.match(body, /<bdi>\u202Eesrever[^<]*<\/bdi>/)
  t.notMatch(body, /[\0\x1b]/)
  const { lines } = (await headerOf(service, dayFile)).json<{ lines: string[] }>()
  t.ok(lines.some((line) => line.startsWith('Málaga')))
  const page = await service.page('rinex-file/1/header/')
  t.ok(page.links().some(({ href }) => href === '?format=txt'))
})
