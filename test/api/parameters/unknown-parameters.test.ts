/** Every resource names its unknown parameters in a header, and rejects them with `strict=1`. */
import type { Test } from 'tap'
import { filePlace } from '../../../src/api/openapi/parameters.ts'
import { tiny } from '../../acceptance/tree.ts'
import t, { exact } from '../../tap.ts'
import { readPage } from '../html.ts'
import { operationsOf, readDocument, tryParameter } from '../openapi/cases.ts'
import { openService } from '../service.ts'

const page = { accept: 'text/html, */*;q=0.1' }

/** All resources of the document below the API, with a catalogue that has their examples. */
async function openResources(t: Test) {
  const service = await openService(t)
  const { year, day, filename } = filePlace
  await service.add(`obs/${year}/${day}/${filename}`, tiny)
  const operations = operationsOf(await readDocument(service)).filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/api/'),
  )
  const get = (url: string, headers = {}) => service.app.inject({ url, headers })
  return { app: service.app, operations, get }
}

t.test('an unknown parameter is named in a header, and with strict=1 a fault', async (t) => {
  const { operations, get } = await openResources(t)
  t.ok(operations.length > 15)
  const unknown = { sation: [/^Unknown parameter\./] }
  for (const { url } of operations) {
    const isFeed = url.endsWith('/changes/')
    for (const query of [
      'sation=x',
      'sation=x&strict=0',
      'sation=x&strict=',
      'strict=1&strict=&sation=',
    ]) {
      const answer = await get(`${url}?${query}`)
      t.equal(answer.statusCode, isFeed ? 400 : 200, `${url} ${query}`)
      t.equal(answer.headers['ignored-parameters'], isFeed ? undefined : 'sation', url)
    }
    for (const query of [
      'sation=x&strict=1',
      'strict=true&sation=',
      'strict=1&sation=x&sation=y',
    ]) {
      const answer = await get(`${url}?${query}`)
      t.equal(answer.statusCode, 400, `${url} ${query}`)
      t.match(answer.json(), exact(unknown), url)
      t.equal(answer.headers['ignored-parameters'], undefined, url)
    }
    const hostile = await get(`${url}?__proto__=1&constructor=2&strict=1`)
    t.strictSame(Object.keys(hostile.json<object>()).sort(), ['__proto__', 'constructor'], url)
    const html = await get(`${url}?sation=x&strict=1`, page)
    t.equal(html.statusCode, 400, url)
    t.match(html.headers['content-type'], /^text\/html/, url)
    t.ok(readPage(html.body).texts('code').includes('sation'), url)
    const head = await get(`${url}?strict=1`)
    t.equal(head.statusCode, 200, `${url} without unknown parameters`)
  }
})

t.test('with strict=1 each documented parameter is still accepted', async (t) => {
  const { app, operations } = await openResources(t)
  for (const operation of operations)
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in !== 'query' || parameter.example === undefined) continue
      const { url, query } = tryParameter(operation, parameter)
      const strict = { ...(query as Record<string, string>), strict: '1' }
      const answer = await app.inject({ url: url as string, query: strict })
      t.equal(answer.statusCode, 200, `${operation.path} ${parameter.name}`)
    }
})

t.test('unknown parameters are faults beside those of other parameters', async (t) => {
  const { get } = await openResources(t)
  for (const [target, fields] of [
    ['report/?week=x&wek=1&strict=1', ['week', 'wek']],
    ['rinex-file/1/?expand=x&expnad=1&strict=1', ['expand', 'expnad']],
    ['station/GRAZ/availability/?period=x&from=x&perod=1&strict=1', ['from', 'period', 'perod']],
    ['station/GRAZ/latency/?file_type=x&filetype=o&strict=1', ['file_type', 'filetype']],
    ['series/?state=x&stat=1&strict=1', ['stat', 'state']],
  ] as const) {
    const answer = await get(`/rinex/api/${target}`)
    t.equal(answer.statusCode, 400, target)
    t.strictSame(Object.keys(answer.json<object>()).sort(), fields, target)
  }
  const { body } = await get('/rinex/api/report/?wek=2402&strict=1')
  t.match(body, 'Unknown parameter. Did you mean week?')
})

t.test('pages with a form show which parameters were ignored', async (t) => {
  const { operations, get } = await openResources(t)
  const words = /^Unknown parameters, ignored:/
  let pages = 0
  for (const { url } of operations.filter(({ url }) => !url.endsWith('/changes/'))) {
    const { body, headers } = await get(`${url}?sation=x&<b>=1`, page)
    t.equal(headers['ignored-parameters'], 'sation, %3Cb%3E', url)
    if (!String(headers['content-type']).startsWith('text/html')) continue
    const html = readPage(body)
    if (!html.has('form', { class: 'filters' })) continue
    pages++
    const [ignored] = html.all('*', { role: 'status' }).filter(({ text }) => words.test(text))
    t.strictSame(ignored?.texts('code'), ['sation', '<b>'], url)
    t.notMatch(readPage((await get(url, page)).body).text, words, url)
  }
  t.ok(pages > 5, `${pages} pages with a form`)
})
