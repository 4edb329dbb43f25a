/** What nginx does with the example configuration beyond `web-servers`. */
import { mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { basename, join } from 'node:path'
import { commonFolder } from '../folder.ts'
import t from '../tap.ts'
import { longestMs, until } from './service.ts'
import { dayDirectory, pathIn } from './tree.ts'
import { content, day, file, hourly, listen, startBehind } from './web-server-checks.ts'
import { nginx, publicName, startWebServer } from './web-servers.ts'

t.setTimeout(longestMs)

type Sending = 'complete' | 'paused'

// Far larger than the buffers of nginx and of its two connections.
const downloadBytes = 64 * 1024 * 1024

/**
 * Sends a large file as fast as it is read. @returns `paused` when nothing was read for a second
 */
function sendFile(response: ServerResponse): Promise<Sending> {
  const chunk = Buffer.alloc(1024 * 1024)
  let left = downloadBytes
  response.writeHead(200, { 'content-length': downloadBytes, etag: '"strong"' })
  return new Promise((resolve) => {
    const send = (): void => {
      let taken = true
      for (; taken && left > 0; left -= chunk.length) taken = response.write(chunk)
      if (left === 0) return void response.end(resolve.bind(undefined, 'complete'))
      const timer = setTimeout(resolve, 1000, 'paused')
      response.once('drain', () => {
        clearTimeout(timer)
        send()
      })
    }
    send()
  })
}

t.test(
  'nginx limits connections, reuses its own, and makes no temporary file',
  nginx,
  async (t) => {
    let sending: Promise<Sending> | undefined
    const waiting: ServerResponse[] = []
    const service = await listen(t, ({ url = '', headers, socket }, response) => {
      const offload = headers['x-offload']
      if ('x-hold' in headers) waiting.push(response)
      else if (offload !== undefined) response.setHeader('x-accel-redirect', offload).end()
      else if (url.endsWith('.gz')) sending = sendFile(response)
      else response.end(String(socket.remotePort))
    })
    const folder = commonFolder(t, { archive: { obs: { 'a.gz': 'archived' } } })
    const archive = join(folder, 'archive')
    symlinkSync('a.gz', join(archive, 'obs/linked.gz'))
    symlinkSync('obs', join(archive, 'linked'))
    const { open, ask } = await startWebServer(t, nginx, join(folder, 'nginx'), {
      service,
      archive,
    })

    t.test('it limits the connections of a client address', async (t) => {
      // The service does not answer these requests until the test ends them.
      const requests = Array.from({ length: 129 }, () => ask('/rinex/held', { 'x-hold': '1' }))
      t.equal((await Promise.race(requests)).status, 429)
      await until('128 requests wait', () => waiting.length === 128)
      for (const response of waiting) response.end()
      const answers = await Promise.all(requests)
      t.equal(answers.filter(({ status }) => status === 200).length, 128)
    })

    t.test('it reuses its connection to the service', async (t) => {
      const port = async () => (await ask('/rinex/api/')).body.toString()
      t.equal(await port(), await port())
    })

    t.test('it slows a download for a slow client', async (t) => {
      const answer = await open('/rinex/data/obs/2026/022/graz0220.26d.gz')
      t.match(answer.headers, { etag: '"strong"', 'content-length': String(downloadBytes) })
      t.equal(await sending, 'paused')
      let bytes = 0
      for await (const chunk of answer) bytes += (chunk as Buffer).length
      t.equal(bytes, downloadBytes)
    })

    t.test('it sends offloaded files, and follows no symlink', async (t) => {
      const cases: Record<string, number> = { 'obs/a.gz': 200, 'obs/linked.gz': 403 }
      for (const path of ['linked/a.gz', 'obs/absent.gz', '../nginx/conf']) cases[path] = 404
      for (const [path, expected] of Object.entries(cases)) {
        const { status } = await ask('/rinex/data/x', { 'x-offload': `/internal/archive/${path}` })
        t.equal(status, expected, path)
      }
    })
  },
)

t.test('nginx sends the downloads that the service has checked', nginx, async (t) => {
  const linked = `obs/older/${basename(pathIn(dayDirectory(400), 1))}`
  const { archive, ask } = await startBehind(t, nginx, (folder) => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    writeFileSync(join(disk, basename(linked)), content)
    symlinkSync(disk, join(folder, 'archive/obs/older'))
    return { LINKED_DIRECTORIES: disk, CHECKSUMS: 'all' }
  })
  const get = (path: string) => ask(`/rinex/data/${path}`)
  const [emptied, replaced] = [pathIn(day, 2), pathIn(day, 3)]

  t.test('a download has its checksum', async (t) => {
    const digest = async () => (await get(emptied)).headers['repr-digest']
    await until('it is hashed', async () => (await digest()) !== undefined)
    t.match(await digest(), /^sha-256=:/)
  })

  t.test('listings and absolute targets work in the former layout', async (t) => {
    const older = file.replace('obs/', 'obs_v3/')
    t.equal((await get(older.replace('.gz', '%2egz'))).status, 404)
    t.equal((await get('obs_v3/../../metrics')).status, 404)
    // The names and redirects of a listing are relative, so they work there too.
    const withoutYear = hourly.replace(/^nrt\/\d{4}/, 'nrt')
    const directory = withoutYear.slice(0, withoutYear.lastIndexOf('/'))
    t.match((await get(`${directory}/`)).body.toString(), `<a href="${basename(hourly)}">`)
    const location = `${basename(directory)}/`
    t.match(await get(directory), { status: 301, headers: { location } })
    for (const path of [`//data//${file}`, `/data/obs_v3//${file.slice(4)}`]) {
      const { body } = await ask(`https://${publicName}/rinex${path}`)
      t.ok(body.equals(content), path)
    }
  })

  t.test('clients cannot request the internal location', async (t) => {
    const within = `internal/archive/${file}`
    const forms = ['/', '//', '/rinex/../', '/rinex/%2e./'].map((form) => form + within)
    for (const path of forms) t.equal((await ask(path)).status, 404, path)
    const claimed = await ask('/rinex/data/x', { 'x-accel-redirect': `/${within}` })
    t.equal(claimed.status, 404)
  })

  t.test('the service itself sends files of linked directories', async (t) => {
    await until('it is listed', async () => (await get(linked)).status === 200)
    const { headers, body } = await get(linked)
    const { size } = statSync(join(archive, linked))
    t.match(headers.etag, new RegExp(`^"[0-9a-f]+-${size.toString(16)}-[0-9a-f]+-`))
    t.ok(body.equals(content))
  })

  t.test('error responses to refused downloads are passed on', async (t) => {
    writeFileSync(join(archive, emptied), content.subarray(0, 1000))
    const beingWritten = await get(emptied)
    t.match(beingWritten, { status: 503, headers: { 'retry-after': '5' } })
    t.match(JSON.parse(beingWritten.body.toString()), { detail: /being written/ })
    symlinkSync(basename(file), join(archive, `${replaced}.link`))
    renameSync(join(archive, `${replaced}.link`), join(archive, replaced))
    t.equal((await get(replaced)).status, 404)
  })
})
