/** Every request of a file looks at the file on disk. */
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../tap.ts'
import { catalogue, day, dayFile, openService } from '../service.ts'

const url = `/rinex/data/${day}/${dayFile}`
const then = new Date('2026-01-02T00:00:00Z')

t.test('responses repeat until a file is replaced or removed', async (t) => {
  // Ten seconds ahead, so that the file is settled.
  const nowUs = () => (Date.now() + 10_000) * 1000
  const { app, archive, writer } = await openService(t, { deps: () => ({ nowUs }) })
  const path = join(archive, day, dayFile)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'the content')
  utimesSync(path, then, then)
  await catalogue(writer, archive, `${day}/${dayFile}`)
  const send = async (method: 'GET' | 'HEAD', headers: Record<string, string> = {}) => {
    const { statusCode, body, headers: received } = await app.inject({ method, url, headers })
    const comparable = Object.entries(received).filter(
      ([name]) => !/^(date|x-request-id)$/.test(name),
    )
    return { statusCode, body, headers: Object.fromEntries(comparable) }
  }
  const all = async (etag: string) => [
    await send('HEAD'),
    await send('GET', { range: 'bytes=4-6' }),
    await send('GET', { range: 'bytes=99-' }),
    await send('GET', { 'if-none-match': etag }),
    await send('GET', { 'if-match': '"other"' }),
    await send('GET'),
  ]
  const etag = String((await send('HEAD')).headers['etag'])
  const first = await all(etag)
  t.match(first.at(-1), { statusCode: 200, body: 'the content' })
  t.match(first[1], { statusCode: 206, body: 'con' })
  t.same(await all(etag), first)
  writeFileSync(join(dirname(path), 'part'), 'THE CONTENT')
  utimesSync(join(dirname(path), 'part'), then, then)
  renameSync(join(dirname(path), 'part'), path)
  t.equal((await send('GET')).body, 'THE CONTENT', 'replaced, with the same size and mtime')
  t.not((await send('HEAD')).headers['etag'], etag)
  rmSync(path)
  t.equal((await send('GET')).statusCode, 404)
})
