/**
 * Reference servers of the list; `node bench/list/servers.js KIND …` prints its port when it
 * listens.
 */
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const kinds = {
  /**
   * The minimum with the same framework: a finished buffer; below `same/` with all headers of a
   * response, below `304/` an empty 304 with its headers.
   */
  buffer(app, [file, headersFile]) {
    const body = readFileSync(file)
    const headers = JSON.parse(readFileSync(headersFile, 'utf8'))
    const ofBody = /^content-(?:length|type|security-policy)$/
    const unchanged = Object.entries(headers).filter(([name]) => !ofBody.test(name))
    app.get('/304/', (_request, reply) => {
      reply.headers(Object.fromEntries(unchanged)).code(304).send()
    })
    app.get('/same/', (_request, reply) => {
      reply.headers(headers).send(body)
    })
    app.get('/*', (_request, reply) => {
      reply.header('content-type', 'application/json').send(body)
    })
  },
}

const [kind, ...args] = process.argv.slice(2)
const app = fastify()
kinds[kind](app, args)
await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${app.server.address().port}\n`)
