/** Servers that the list is measured beside; `node bench/list/servers.js KIND …` prints its port when it listens. */
import { readFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import fastify from 'fastify'

const kinds = {
  /** The least that the same framework can do: a finished buffer; below `same/` with all the headers of an answer. */
  buffer(app, [file, headersFile]) {
    const body = readFileSync(file)
    const headers = JSON.parse(readFileSync(headersFile, 'utf8'))
    app.get('/same/', (_request, reply) => {
      reply.headers(headers).send(body)
    })
    app.get('/*', (_request, reply) => {
      reply.header('content-type', 'application/json').send(body)
    })
  },
  /** What is written first: count, OFFSET, objects, JSON. */
  naive(app, [database]) {
    const db = new Sqlite(database, { readonly: true })
    const count = db.prepare('SELECT count(*) FROM file').pluck()
    const page = db.prepare(
      `SELECT f.id, d.path, f.name, f.created_us, f.modified_us FROM file f JOIN directory d ON d.id = f.directory
       ORDER BY f.id DESC LIMIT ? OFFSET ?`,
    )
    app.get('/*', (request) => {
      const { limit = 20, offset = 0 } = request.query
      return { count: count.get(), results: page.all(Number(limit), Number(offset)) }
    })
  },
}

const [kind, ...args] = process.argv.slice(2)
const app = fastify()
kinds[kind](app, args)
await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${app.server.address().port}\n`)
