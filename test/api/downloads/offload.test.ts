/**
 * Headers of offloaded downloads; test/acceptance/web-servers.test.ts tests them with
 * real web servers.
 */
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { catalogue, day, dayFile, openService, shortFile } from '../service.ts'

const path = `${day}/${dayFile}`
const target = `/rinex/data/${path}`
const conditions = { 'if-none-match': '*', range: 'bytes=0-1', 'if-match': '"other"' }

const open = (t: Test, linkedDirectories: string[] = []) =>
  openService(t, { settings: { internalPrefix: '/internal/archive/', linkedDirectories } })

t.test('X-Accel-Redirect names the file to nginx, and conditions are ignored', async (t) => {
  const service = await open(t)
  await service.add(path)
  for (const method of ['GET', 'HEAD'] as const)
    for (const headers of [{}, conditions]) {
      const answer = await service.app.inject({ method, url: `${target}?x`, headers })
      t.equal(answer.statusCode, 200)
      t.equal(answer.payload, '')
      t.match(answer.headers, {
        'x-accel-redirect': `/internal/archive/${path}`,
        'content-type': 'application/gzip',
        'content-disposition': `attachment; filename="${dayFile}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      })
      // nginx sets these itself.
      for (const own of ['etag', 'last-modified', 'accept-ranges'])
        t.notOk(own in answer.headers, own)
    }
})

t.test('a file that may not be served is not offloaded', async (t) => {
  const service = await open(t)
  await service.add(path)
  const file = join(service.archive, path)
  const isRejected = async (status: number, why: string): Promise<void> => {
    const answer = await service.app.inject(target)
    t.equal(answer.statusCode, status, why)
    t.notOk('x-accel-redirect' in answer.headers, why)
  }
  writeFileSync(file, 'being rewritten')
  await isRejected(503, 'young, and not as catalogued')
  renameSync(file, `${file}.aside`)
  symlinkSync(`${file}.aside`, file)
  await isRejected(404, 'a symlink')
  unlinkSync(file)
  mkdirSync(file)
  await isRejected(404, 'a directory')
})

t.test('listings and checksum lists are not offloaded', async (t) => {
  const service = await open(t)
  await service.add(path)
  for (const url of ['/rinex/data/', `/rinex/data/${day}/`, `/rinex/data/${day}/SHA256SUMS`]) {
    const answer = await service.app.inject(url)
    t.equal(answer.statusCode, 200, url)
    t.not(answer.payload, '', url)
    t.notOk('x-accel-redirect' in answer.headers, url)
  }
})

t.test('a linked file is sent by this service', async (t) => {
  const disk = join(t.testdirName, 'disk')
  const service = await open(t, [disk])
  mkdirSync(disk)
  writeFileSync(join(disk, shortFile), 'older')
  mkdirSync(join(service.archive, day, '..'))
  symlinkSync(disk, join(service.archive, day))
  await catalogue(service.writer, service.archive, `${day}/${shortFile}`)
  const { payload, headers } = await service.app.inject(`/rinex/data/${day}/${shortFile}`)
  t.equal(payload, 'older')
  t.notOk('x-accel-redirect' in headers)
})

t.test('a linked directory may contain the archive itself', async (t) => {
  const around = testFolder(t)
  const archive = join(around, 'archive')
  const service = await openService(t, {
    settings: {
      archive,
      linkedDirectories: [around],
      internalPrefix: '/a/',
    },
  })
  mkdirSync(join(archive, day), { recursive: true })
  writeFileSync(join(archive, path), 'x')
  await catalogue(service.writer, archive, path)
  t.equal((await service.app.inject(target)).headers['x-accel-redirect'], `/a/${path}`)
})
