/** Directory listings as HTML and JSON. */
import type { Test } from 'tap'
import { listingDate } from '../../../src/api/directory-index/listing.ts'
import { change, newFile } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import { readPage } from '../html.ts'
import type { Service } from '../service.ts'
import { day, dayFile, hour, hourFile, openService, shortFile, startUs } from '../service.ts'

const data = '/rinex/data/'
const facts = { size: 12_345, mtimeUs: Date.UTC(2026, 0, 22, 5, 0, 59) * 1000 + 999_999 }
/** Time of the first change of a test catalogue: in January 2026. */
const changed = new Date(Math.floor(startUs / 1_000_000) * 1000).toUTCString()

function add(service: Service, directory: string, ...names: string[]) {
  return service.writer.apply([
    change(directory, { added: names.map((name) => newFile(name, facts)) }),
  ])
}

/** A service with one daily and one hourly directory. */
async function openFilled(t: Test): Promise<Service> {
  const service = await openService(t)
  await add(service, day, shortFile, dayFile)
  await add(service, hour, hourFile)
  return service
}

async function get({ app }: Service, path: string, headers: Record<string, string> = {}) {
  return app.inject({ url: `${data}${path}`, headers })
}

async function namesIn(service: Service, path: string): Promise<string[]> {
  const answer = await get(service, path)
  return readPage(answer.body)
    .links()
    .map(({ href }) => href)
}

interface JsonEntry {
  readonly name: string
  readonly type: string
  readonly mtime: string | null
  readonly size?: number | null
}

async function jsonOf(service: Service, path: string): Promise<JsonEntry[]> {
  return (await get(service, `${path}?format=json`)).json<JsonEntry[]>()
}

t.test('the HTML listing has the format of nginx', async (t) => {
  const service = await openFilled(t)
  const answer = await get(service, `${day}/`)
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, {
    'content-type': 'text/html; charset=utf-8',
    'last-modified': changed,
    etag: /^W\/"[\w-]+"$/,
    'cache-control': 'no-cache',
    'content-security-policy': /default-src 'none'/,
    vary: 'Accept-Encoding',
    allow: 'GET, HEAD, OPTIONS',
  })
  const [, listed = ''] = answer.body.split('<pre>\n')
  t.equal(
    listed,
    `<a href="../">../</a>
<a href="${dayFile}">${dayFile}</a>          22-Jan-2026 05:00               12345
<a href="${shortFile}">${shortFile}</a>                                    22-Jan-2026 05:00               12345
</pre>
<p>2 files, 24.7 kB</p>
</body>
</html>
`,
  )
  const page = readPage(answer.body)
  t.equal(page.one('h1').text, `Index of ${data}${day}/`)
  const hrefs = page.all('*', { href: /^/ }).map((each) => each.attribute('href'))
  t.strictSame(hrefs, ['../', dayFile, shortFile], 'no other links')
  t.notOk(page.has('*', { src: /^/ }) || page.has('*', { action: /^/ }))
})

t.test('the JSON listing has name, type, mtime and size', async (t) => {
  const service = await openFilled(t)
  const answer = await get(service, `${day}/?format=json`, { accept: 'text/html' })
  t.equal(answer.headers['content-type'], 'application/json')
  const mtime = 'Thu, 22 Jan 2026 05:00:59 GMT'
  t.same(answer.json(), [
    { name: dayFile, type: 'file', mtime, size: 12_345 },
    { name: shortFile, type: 'file', mtime, size: 12_345 },
  ])
  t.same(await jsonOf(service, ''), [
    { name: 'nrt', type: 'directory', mtime: changed },
    { name: 'obs', type: 'directory', mtime: changed },
  ])
})

t.test('listings link from the root to every file, and back', async (t) => {
  const service = await openFilled(t)
  const steps: [string, string[]][] = [
    ['', ['nrt/', 'obs/']],
    ['obs/', ['../', '2026/']],
    ['obs/2026/', ['../', '001/']],
    [`${day}/`, ['../', dayFile, shortFile]],
    ['nrt/2026/001/', ['../', '05/']],
    [`${hour}/`, ['../', hourFile]],
  ]
  for (const [path, names] of steps) t.same(await namesIn(service, path), names, path)
})

t.test('a listing has directories first, then files, both by name', async (t) => {
  const service = await openService(t)
  const directories = ['obs/a', 'obs/a-b', 'obs/a.b/c', 'obs/a/b', 'obs/B/x/y', 'obs/a0', 'obs/_']
  for (const directory of directories) await add(service, directory, shortFile)
  await add(service, 'obs', shortFile, dayFile)
  t.same(await namesIn(service, 'obs/'), [
    ...['../', 'B/', '_/', 'a/', 'a-b/', 'a.b/', 'a0/'],
    ...[dayFile, shortFile],
  ])
  t.same(await namesIn(service, 'obs/a/'), ['../', 'b/', shortFile])
  t.same(await namesIn(service, 'obs/B/'), ['../', 'x/'])
})

t.test('empty directories are not listed, and a removed directory gets 404', async (t) => {
  const service = await openFilled(t)
  const empty = 'obs/2026/002'
  await service.writer.apply([change('obs/2026', { directories: [empty] })])
  t.same(await namesIn(service, 'obs/2026/'), ['../', '001/'])
  t.same(await namesIn(service, `${empty}/`), ['../'], 'an empty directory has a listing')
  t.equal((await get(service, 'obs/2026/003/')).statusCode, 404)

  const removed = [await service.idOf(`${hour}/${hourFile}`)]
  await service.writer.apply([change(hour, { removed })])
  t.same(await namesIn(service, ''), ['obs/'])
  await service.writer.apply([change(hour, { gone: true })])
  t.equal((await get(service, `${hour}/`)).statusCode, 404)
  t.equal((await get(service, 'nrt/')).statusCode, 404)
})

t.test('an empty catalogue has an empty root listing', async (t) => {
  const service = await openService(t)
  const answer = await get(service, '')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['last-modified'], undefined)
  t.same(await namesIn(service, ''), [])
  t.same(await jsonOf(service, ''), [])
})

t.test('a listing ignores Accept and the query parameters of other web servers', async (t) => {
  const service = await openFilled(t)
  const { body } = await get(service, `${day}/`)
  const queries = [
    '?C=N;O=D',
    '?C=M&O=A',
    '?F=2',
    '?',
    '?format=',
    '?format=api',
    '?format=x&format=',
  ]
  for (const query of queries) t.equal((await get(service, `${day}/${query}`)).body, body, query)
  for (const accept of ['*/*', 'text/html', 'application/json', 'image/png', ''])
    t.equal((await get(service, `${day}/`, { accept })).body, body, accept)
  for (const format of ['html', 'xml', 'JSON', 'csv'])
    t.equal((await get(service, `${day}/?format=${format}`)).statusCode, 404, format)
})

t.test('a conditional request gets 304 if the ETag or the date matches', async (t) => {
  const service = await openFilled(t)
  const other = new Date(Date.parse(changed) - 1000).toUTCString()
  for (const path of ['', 'obs/', 'obs/2026/', `${day}/`, `${day}/?format=json`]) {
    const { headers } = await get(service, path)
    const etag = String(headers.etag)
    const matching = [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", ${etag}` },
      { 'if-modified-since': changed },
      { 'if-none-match': etag, 'if-modified-since': other },
    ]
    for (const conditions of matching) {
      const answer = await get(service, path, conditions)
      t.equal(answer.statusCode, 304, `${path} ${JSON.stringify(conditions)}`)
      t.equal(answer.body, '')
      t.match(answer.headers, { etag, 'last-modified': changed, 'cache-control': 'no-cache' })
    }
    const others = [
      { 'if-none-match': '"x"' },
      { 'if-modified-since': other },
      { 'if-none-match': '"x"', 'if-modified-since': changed },
      { 'if-modified-since': 'yesterday' },
    ]
    for (const conditions of others)
      t.equal((await get(service, path, conditions)).statusCode, 200, JSON.stringify(conditions))
  }
  const [html, json] = [await get(service, ''), await get(service, '?format=json')]
  t.not(html.headers.etag, json.headers.etag)
  const tags = ['', 'obs/', 'obs/2026/', `${day}/`].map(
    async (path) => (await get(service, path)).headers.etag,
  )
  t.equal(new Set(await Promise.all(tags)).size, 4, 'no two directories have the same')
})

t.test('a change of an entry changes the ETags of its directory and of all parents', async (t) => {
  const service = await openFilled(t)
  await service.addNames(day, ['wtzr0010.26d.gz'])
  const id = await service.idOf(`${day}/wtzr0010.26d.gz`)
  const file = { id, name: 'wtzr0010.26d.gz', size: 1, mtimeUs: 1_000_000 }
  const apply = (parts: Parameters<typeof change>[1]) => service.writer.apply([change(day, parts)])
  const above = ['', 'obs/', 'obs/2026/', `${day}/`]
  const others = ['nrt/', `${hour}/`]
  const stateOf = async (paths: string[]) =>
    Promise.all(paths.map(async (path) => (await get(service, path)).headers.etag))
  const steps: [string, () => Promise<unknown>][] = [
    ['a replaced file', () => apply({ modified: [{ ...file, size: 2 }] })],
    ['a new file', () => apply({ added: [newFile('wtzr0010.26n.gz', facts)] })],
    ['a removed file', () => apply({ removed: [file.id] })],
    ['a restored file', () => apply({ added: [newFile(file.name, facts)] })],
  ]
  for (const [name, step] of steps) {
    const before = await stateOf(above)
    const othersBefore = await stateOf(others)
    await step()
    const after = await stateOf(above)
    for (const [index, path] of above.entries())
      t.not(after[index], before[index], `${name}: ${path}`)
    t.same(await stateOf(others), othersBefore, 'other directories keep theirs')
  }
  const before = await stateOf(above)
  await apply({})
  t.same(await stateOf(above), before, 'an empty change keeps all tags')
})

t.test('a change is visible in the next listing', async (t) => {
  const service = await openFilled(t)
  const names = [dayFile, shortFile]
  for (const name of ['wtzr0010.26d.gz', 'zimm0010.26d.gz']) {
    t.same(await namesIn(service, `${day}/`), ['../', ...names])
    await add(service, day, name)
    names.push(name)
    t.same(await namesIn(service, `${day}/`), ['../', ...names])
    t.same(
      (await jsonOf(service, `${day}/`)).map((entry) => entry.name),
      names,
    )
  }
})

const second = 1_769_058_367
/** Microseconds since 1970, and the HTTP date, of a time relative to `second`. */
const at = (seconds: number): number => Math.round((second + seconds) * 1_000_000)
const http = (seconds: number): string => new Date((second + seconds) * 1000).toUTCString()
const state = (changedUs?: number) => ({ epoch: 'e', version: 'v', changedUs })

t.test('the Last-Modified date of a listing is the second of its latest change', async (t) => {
  const { headers, matches } = listingDate(state(at(0.7)), at(60))
  t.same(headers, { 'last-modified': http(0) })
  t.ok(matches(http(0)))
  t.notOk(matches(http(1)), 'a later date does not match')
  t.notOk(matches(http(-1)))
  t.notOk(matches(undefined))
})

t.test('in the ten seconds after a change, no If-Modified-Since matches', async (t) => {
  for (const now of [at(0.7), at(1.5), at(10)]) {
    const { headers, matches } = listingDate(state(at(0.7)), now)
    t.same(headers, { 'last-modified': http(-1) })
    for (const seconds of [-1, 0, 1, 100]) t.notOk(matches(http(seconds)))
  }
  t.notOk(
    listingDate(state(at(0.9)), at(60)).matches(http(-1)),
    'the early date does not match later either',
  )
})

t.test('the date of a listing is never in the future, even if a change is', async (t) => {
  const { headers, matches } = listingDate(state(at(5000)), at(0.5))
  t.same(headers, { 'last-modified': http(-1) })
  t.notOk(matches(http(5000)))
})

t.test('a directory without any change has no date', async (t) => {
  const { headers, matches } = listingDate(state(), at(0))
  t.same(headers, {})
  t.notOk(matches(http(0)))
})
