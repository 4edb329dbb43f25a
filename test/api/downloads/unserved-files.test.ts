/** Catalogued files that could not be served. */
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Archive } from '../../../src/api/downloads/archived-file.ts'
import { UnservedFiles } from '../../../src/api/downloads/unserved-files.ts'
import type { WireStatus } from '../../../src/api/status/serialise.ts'
import { serialiseUnserved } from '../../../src/api/status/serialise.ts'
import t, { exact } from '../../tap.ts'
import type { Service } from '../service.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'

async function statusOf({ app }: Service, headers = {}) {
  return await app.inject({ url: '/rinex/api/status/', headers })
}

const download = async ({ app }: Service, path: string) =>
  (await app.inject(`/rinex/data/${path}`)).statusCode

t.test('the status lists files that could not be served, the latest first', async (t) => {
  const service = await openService(t)
  await service.add(`${hour}/${hourFile}`)
  for (const name of [dayFile, shortFile]) await service.add(`${day}/${name}`)
  const before = await statusOf(service)
  t.same(before.json<WireStatus>().unserved, { count: 0, latest: [] })
  const linked = join(service.archive, day, shortFile)
  rmSync(linked)
  symlinkSync('/etc/passwd', linked)
  rmSync(join(service.archive, day, dayFile))
  mkdirSync(join(service.archive, day, dayFile))
  for (const name of [shortFile, dayFile, shortFile])
    t.equal(await download(service, `${day}/${name}`), 404)
  t.equal(await download(service, `${hour}/${hourFile}`), 200)

  const answer = await statusOf(service, { 'if-none-match': before.headers.etag })
  t.equal(answer.statusCode, 200, 'the status has changed')
  const { count, latest } = answer.json<WireStatus>().unserved
  t.equal(count, 3)
  t.match(
    latest,
    exact([
      { path: `${day}/${shortFile}`, reason: 'lies-elsewhere', at: /^\d{4}-.*\.\d{6}Z$/ },
      { path: `${day}/${dayFile}`, reason: 'not-regular' },
    ]),
  )
  t.equal(latest.length, 2, 'each file once')
  t.notMatch(answer.body, '/etc/passwd', 'no path outside of the catalogue')

  const page = await service.page('status/')
  const words = '3 answers 404 for listed files since the start of the API'
  t.match(page.text, words)
  const problems = await service.page(`status/${page.hrefOf(words)}`)
  t.match(problems.text, `${shortFile} behind a link that may not be followed`)
  const { body: metrics } = await service.app.inject('/metrics')
  for (const [reason, times] of Object.entries({
    'lies-elsewhere': 2,
    'not-regular': 1,
    'no-permission': 0,
  }))
    t.match(metrics, `rinex_files_not_served_total{reason="${reason}"} ${times}\n`)
})

t.test('a path that is not in the catalogue is not reported', async (t) => {
  const service = await openService(t)
  await service.add(`${day}/${dayFile}`)
  for (const path of [`${day}/${shortFile}`, `${day}/${dayFile}/`, '../etc/passwd', '<b>'])
    t.equal(await download(service, path), 404)
  t.same((await statusOf(service)).json<WireStatus>().unserved, { count: 0, latest: [] })
  t.notMatch((await service.page('status/')).text, 'since the start of the API')
})

t.test('the report keeps 1000 files and shows 10', async (t) => {
  let nowMs = 0
  const reported: string[] = []
  const unservedFiles = new UnservedFiles(
    (reason) => reported.push(reason),
    () => nowMs++,
  )
  for (let n = 0; n < 1000; n++) unservedFiles.note(`${day}/${n}`, 'not-there')
  const { count, latest } = serialiseUnserved(unservedFiles, true)
  t.equal(count, 1000)
  t.equal(reported.length, 1000)
  t.same(
    latest.map(({ path }) => path),
    Array.from({ length: 10 }, (_, n) => `${day}/${999 - n}`),
  )
  t.equal(latest[0]?.at, '1970-01-01T00:00:00.999000Z')
})

t.test('a file without read permission has the reason no-permission', async (t) => {
  const service = await openService(t)
  const path = join(service.archive, day, dayFile)
  await service.add(`${day}/${dayFile}`)
  chmodSync(path, 0)
  // Root may read every file; so the test runs as nobody, who may not enter the directory.
  const isRoot = process.geteuid?.() === 0
  if (isRoot) chmodSync(dirname(path), 0o700)
  const archive = new Archive({ archive: service.archive, linkedDirectories: [] })
  if (isRoot) process.seteuid?.(65534)
  try {
    const opening = archive.open({ directory: day, name: dayFile })
    await t.rejects(opening, { reason: 'no-permission', message: 'EACCES' })
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})
