/** The OpenAPI document: complete, valid, and served like the other resources. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { changesParameters } from '../../../src/api/changes/schema.ts'
import type { JsonSchema, ResponseObject } from '../../../src/api/openapi/openapi.ts'
import {
  changesFilters as changesFiltersOf,
  fileFilters,
} from '../../../src/api/parameters/file-filters.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { testFolder } from '../../folder.ts'
import { fc } from '../../random.ts'
import t, { exact } from '../../tap.ts'
import { day, dayFile, openService } from '../service.ts'
import { follow, openChecker, operationsOf, readDocument } from './cases.ts'

const filterParameters = fileFilters(defaultLayout)
const changesFilters = changesFiltersOf(defaultLayout)

const schema = '/rinex/api/schema/'
const docs = '/rinex/api/docs/'
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const document = await readDocument(await openService(t))

t.test('the linter finds no faults, without network access', async (t) => {
  const folder = testFolder(t, {})
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const args = ['lint', '--config', resolve('test/api/schema/redocly.yaml'), '--format', 'json']
  const output = execFileSync(
    process.execPath,
    [resolve('node_modules/@redocly/cli/bin/cli.js'), ...args, file],
    {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  const { totals, problems } = JSON.parse(output) as { totals: object; problems: unknown[] }
  t.strictSame(problems, [])
  t.strictSame(totals, { errors: 0, warnings: 0, ignored: 0 })
})

t.test('every example matches its schema, without undocumented fields', async (t) => {
  const check = openChecker(document)
  for (const { method, path, parameters = [], requestBody, responses } of operationsOf(document)) {
    const bodies = Object.entries(responses).map(([status, response]) => ({
      status,
      content: follow<ResponseObject>(document, response).content,
    }))
    for (const { status, content } of [...bodies, { status: 'body', ...requestBody }])
      for (const [type, media] of Object.entries(content ?? {}))
        if ('example' in media)
          t.strictSame(
            check(media.schema, media.example),
            [],
            `${method} ${path} ${status} ${type}`,
          )
    for (const { name, schema: values, example } of parameters)
      if (example !== undefined) t.strictSame(check(values, example), [], `${path} ${name}`)
  }
  const own = schemasWithExamples(document)
  t.ok(own.length > 200)
  for (const { examples, ...values } of own)
    for (const example of examples) t.strictSame(check(values, example), [], JSON.stringify(values))
})

/** All schemas below a part of the document that have examples of their own. */
function schemasWithExamples(part: unknown): (JsonSchema & { examples: unknown[] })[] {
  if (typeof part !== 'object' || part === null) return []
  const below = Object.values(part).flatMap(schemasWithExamples)
  // A field may have the name `examples` too.
  const { examples } = part as { readonly examples?: unknown }
  return Array.isArray(examples) ? [{ ...part, examples }, ...below] : below
}

t.test('the check of responses finds differences', async (t) => {
  const check = openChecker(document)
  const records = document.paths['/api/rinex-file/{id}/']?.get?.responses['200']
  const media = follow<ResponseObject>(document, records).content?.['application/json']
  const record = media?.example as Record<string, unknown>
  const broken: Record<string, unknown>[] = [
    { ...record, more: 1 },
    { ...record, id: '1' },
    { ...record, file_type: 'x' },
    { ...record, created: 'yesterday' },
    { ...record, url: 'no URL' },
    ...Object.keys(record).map((field) => ({ ...record, [field]: undefined })),
  ]
  for (const value of broken) {
    const json: unknown = JSON.parse(JSON.stringify(value))
    t.not(check(media?.schema ?? {}, json).length, 0, JSON.stringify(value))
  }
})

const commonParameters = ['format', 'strict', 'limit', 'offset']

t.test('the document has all query parameters and no others', async (t) => {
  const parametersOf = (path: string) =>
    (document.paths[path]?.get?.parameters ?? [])
      .filter(({ in: place }) => place === 'query')
      .map(({ name }) => name)
      .toSorted()
  const ofList = [...filterParameters.keys(), ...commonParameters, 'ordering', 'expand', 'facets']
  t.strictSame(parametersOf('/api/rinex-file/'), ofList.toSorted())
  t.strictSame(
    parametersOf('/api/station/'),
    [
      ...commonParameters,
      ...['area', 'bbox', 'country', 'ordering', 'search', 'state', 'station'],
    ].toSorted(),
  )
  const ofChanges = [
    ...changesFilters.keys(),
    ...Object.keys(changesParameters),
    ...['strict', 'format'],
  ]
  t.strictSame(parametersOf('/api/changes/'), ofChanges.toSorted())
})

t.test('the document has all resources', async (t) => {
  const { app } = await openService(t)
  // Each line of the router's tree continues a path that is indented four characters less.
  const above: string[] = []
  const routes = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .map((line) => {
      const [, indent = '', part = ''] = /^([│├└─ ]*)(\S*)/.exec(line) ?? []
      above.splice(indent.length / 4 - 1, Infinity, part)
      return above.join('').replace(/:\w+\(.*?\$\)/g, '*')
    })
  const resources = new Set(routes.filter((path) => /^\/rinex\/api\/(.*\/)?$/.test(path)))
  const documented = Object.keys(document.paths)
    .filter((path) => path.startsWith('/api/'))
    .map((path) => `/rinex${path.replace(/\{\w+\}/g, '*')}`)
  t.strictSame([...resources].toSorted(), documented.toSorted())
})

t.test('filters accept and reject values as their schemas say', async (t) => {
  const { app } = await openService(t)
  const accepts = async (name: string, value: string) => {
    const { statusCode } = await app.inject({
      url: '/rinex/api/rinex-file/',
      query: { [name]: value },
    })
    return statusCode === 200
  }
  for (const [name, { schema, example }] of filterParameters) {
    // The values of a list have the schema of its items.
    const values = (schema['items'] ?? schema) as JsonSchema
    t.ok(await accepts(name, example), `${name}=${example}`)
    const names = (values as { enum?: string[] }).enum ?? []
    for (const value of names) t.ok(await accepts(name, value), `${name}=${value}`)
    const isFree = (['pattern', 'enum', 'format', 'anyOf'] as const).every(
      (key) => !(key in values),
    )
    if (!isFree || values['type'] === 'integer')
      for (const wrong of ['~', 'x/y/z', '1-'])
        t.notOk(await accepts(name, wrong), `${name}=${wrong}`)
    const { pattern } = values as { pattern?: string }
    if (pattern === undefined || ['overlaps', 'doy', 'country'].includes(name)) continue
    const fits = fc.stringMatching(new RegExp(pattern))
    await fc.assert(
      fc.asyncProperty(fits, async (value) => accepts(name, value)),
      { numRuns: 20 },
    )
  }
})

t.test('the document is served in two media types', async (t) => {
  const { app } = await openService(t)
  const vendor = 'application/vnd.oai.openapi+json'
  const cases: [string, Record<string, string>, number, string][] = [
    ['', {}, 200, 'application/json'],
    ['', browser, 200, 'application/json'],
    ['', { accept: vendor }, 200, vendor],
    ['', { accept: `${vendor};version=3.1, application/json;q=0.5` }, 200, vendor],
    ['?format=json', { accept: vendor }, 200, 'application/json'],
    ['?format=api', { accept: vendor }, 200, vendor],
    ['?format=csv', {}, 404, 'application/json'],
    ['', { accept: 'image/png' }, 406, 'application/json'],
  ]
  for (const [query, headers, status, type] of cases) {
    const answer = await app.inject({ url: schema + query, headers })
    t.equal(answer.statusCode, status)
    t.equal(answer.headers['content-type'], type)
    t.equal(answer.headers.vary, status === 200 ? 'Accept, Accept-Encoding' : 'Accept')
    t.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
    if (status === 200) t.strictSame(answer.json(), document)
  }
  const options = await app.inject({ url: schema, method: 'OPTIONS' })
  t.match(options.json(), { name: 'Schema', renders: exact(['application/json', vendor]) })
  t.equal((await app.inject('/rinex/api/schema')).headers.location, 'schema/')
})

t.test('the document and its HTML page have ETags, and need no catalogue', async (t) => {
  const service = await openService(t)
  service.reader.close()
  for (const url of [schema, docs]) {
    const answer = await service.app.inject(url)
    t.equal(answer.statusCode, 200)
    t.match(answer.headers.etag, /^W\//)
    const headers = { 'if-none-match': String(answer.headers.etag) }
    const again = await service.app.inject({ url, headers })
    t.equal(again.statusCode, 304)
    t.equal(again.body, '')
    const head = await service.app.inject({ url, method: 'HEAD' })
    t.equal(head.statusCode, 200)
    t.equal(head.headers.etag, answer.headers.etag)
    t.equal(head.headers['content-length'], answer.headers['content-length'])
    t.equal(head.body, '')
  }
})

t.test('the document has the base URL and the configured limits', async (t) => {
  const service = await openService(t, {
    settings: {
      baseUrl: () => 'https://gnss.example/a',
      datasetPrefix: 'b/c',
      maxLimit: 77,
      keepRemovalsDays: 7,
    },
  })
  const answer = await service.app.inject('/b/c/api/schema/')
  t.match(answer.json(), { servers: exact([{ url: 'https://gnss.example/a/b/c' }]) })
  t.notMatch(answer.body, 'archive.example')
  t.match(answer.body, 'more than 77 is answered as 77')
  t.match(answer.body, 'Removals are kept for 7 days')
})

t.test('the HTML pages show the whole document', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile])
  const first = await service.page('docs/')
  const paths = first
    .links({ href: /^[a-z-]+\/\?format=api#/ })
    .map(({ href }) => href.split('#')[0])
  const pages = [first]
  for (const path of new Set(paths)) pages.push(await service.page(`docs/${path}`))
  const live = await readDocument(service)
  const icon = first.one('link', { rel: 'icon' }).attribute('href') ?? ''
  const drawn = await service.app.inject(new URL(icon, `http://a${docs}`).pathname)
  t.match(drawn, { statusCode: 200, headers: { 'content-type': /^image\/svg\+xml/ } })
  const names = operationsOf(live).flatMap((operation) => [
    ...(operation.parameters ?? []).map(({ name }) => name),
    operation.path,
    ...Object.keys(operation.responses).map((status) => (status === 'default' ? 'others' : status)),
  ])
  const words = new Set(
    pages.flatMap((page) => page.all('*').flatMap(({ text }) => [text, text.replace(/.* /, '')])),
  )
  const schemas = Object.entries<JsonSchema>(live.components.schemas)
  const fields = schemas.flatMap(([name, { properties = {} }]) => [
    name,
    ...Object.keys(properties as object),
  ])
  for (const word of new Set([...names, ...fields, ...Object.keys(live.components.headers)]))
    t.ok(words.has(word), word)
})
