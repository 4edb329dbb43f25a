/** The document, OPTIONS and real responses have the same formats for each resource. */
import type { Test } from 'tap'
import type { ResponseObject } from '../../../src/api/openapi/openapi.ts'
import { filePlace } from '../../../src/api/openapi/parameters.ts'
import { tiny } from '../../acceptance/tree.ts'
import t from '../../tap.ts'
import { openService } from '../service.ts'
import { faultsOf, follow, operationsOf, readDocument } from './cases.ts'

/** Values of `format` of all resources, and some that no resource has. */
const formats = [
  ...['api', 'json', 'csv', 'ndjson', 'geojson', 'urls', 'txt', 'svg'],
  ...['html', 'xml', 'text', 'openapi', 'JSON', 'gzip'],
]

/** Media types that clients may accept. */
const accepted = [
  ...['*/*', 'application/json', 'text/html', 'text/html, */*;q=0.1', 'text/csv', 'text/plain'],
  ...['image/svg+xml', 'application/x-ndjson', 'application/geo+json'],
  ...['application/vnd.oai.openapi+json', 'application/xml', 'application/gzip'],
]

async function openDescribed(t: Test) {
  const { year, day, hour, filename } = filePlace
  const service = await openService(t)
  for (const directory of [`obs/${year}/${day}`, `nrt/${year}/${day}/${hour}`])
    await service.add(`${directory}/${filename}`, tiny)
  const document = await readDocument(service)
  const operations = operationsOf(document).filter(({ method }) => method === 'GET')
  return { app: service.app, document, operations }
}

const typeOf = (answer: { readonly headers: Readonly<Record<string, unknown>> }): string =>
  String(answer.headers['content-type']).replace(/;.*/, '')

t.test(
  'each resource serves exactly its documented formats, as its documented types',
  async (t) => {
    const { app, document, operations } = await openDescribed(t)
    for (const { path, url, parameters = [], responses } of operations) {
      const described = follow<ResponseObject>(document, responses['200'])
      const documented = Object.keys(described.content ?? {}).sort()
      const schema = parameters.find(({ name }) => name === 'format')?.schema
      const served: string[] = []
      const types = new Set<string>()
      for (const format of formats) {
        const answer = await app.inject(`${url}?format=${format}`)
        // A download is the file, whatever its query.
        if (schema === undefined) t.equal(answer.statusCode, 200, `${path} ${format}`)
        if (answer.statusCode === 200) {
          served.push(format)
          types.add(typeOf(answer))
          t.strictSame(faultsOf(document, described, answer), [], `${path} ${format}`)
        } else t.equal(answer.statusCode, 404, `${path} ${format}`)
      }
      if (schema !== undefined)
        t.strictSame((schema['enum'] as string[]).toSorted(), served.toSorted(), `${path}: formats`)
      for (const accept of accepted) {
        const answer = await app.inject({ url, headers: { accept } })
        // The root leads browsers to a page.
        if (answer.statusCode === 303) types.add('text/html')
        else if (answer.statusCode === 200) types.add(typeOf(answer))
        else t.equal(answer.statusCode, 406, `${path} ${accept}`)
        if (documented.includes(accept) && path.startsWith('/api/') && answer.statusCode === 200)
          t.equal(typeOf(answer), accept, `${path}: ${accept} is chosen by Accept alone`)
      }
      t.strictSame([...types].sort(), documented, `${path}: media types`)
      if (!path.startsWith('/api/')) continue
      const options = await app.inject({ method: 'OPTIONS', url })
      const { renders } = options.json<{ renders: string[] }>()
      t.strictSame(renders.toSorted(), documented, `${path}: OPTIONS`)
    }
  },
)
