/** An archive whose older years are on another disk, behind symlinks. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../tap.ts'
import { openReader } from '../../src/catalogue/sqlite/reader.ts'
import { fetchAlone, startService, until } from './service.ts'
import { put as putFile } from './tree.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'

t.test('a missing disk removes no records, and is read again when it is back', async (t) => {
  const folder = testFolder(t, {
    archive: { obs: { '2020': { '001': {} } }, nrt: {} },
    disk: { '2019': { '001': {} } },
  })
  const put = (directory: string, name: string): void => {
    writeFileSync(join(folder, directory, name), gzipSync(name))
  }
  put('archive/obs/2020/001', 'GRAZ00AUT_R_20200010000_01D_30S_MO.crx.gz')
  put('disk/2019/001', 'GRAZ00AUT_R_20190010000_01D_30S_MO.crx.gz')
  symlinkSync(join(folder, 'disk/2019'), join(folder, 'archive/obs/2019'))
  const index = async (): Promise<number | null> => {
    const process = spawn(
      ...programLine(['index', '--once', '--archive', 'archive', '--database', 'catalogue.db']),
      {
        cwd: folder,
        env: {
          ...globalThis.process.env,
          RINEX_CATALOGUE_LINKED_DIRECTORIES: join(folder, 'disk'),
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    const [code] = (await once(process, 'exit')) as [number | null]
    return code
  }
  const reader = openReader({ database: join(folder, 'catalogue.db') })
  t.teardown(() => reader.close())
  const files = async () => (await reader.summary()).areas.obs.files
  t.equal(await index(), 0)
  t.equal(await files(), 2)
  const before = await reader.head()

  renameSync(join(folder, 'disk'), join(folder, 'away'))
  await index()
  t.equal(await files(), 2, 'the disk is missing')
  mkdirSync(join(folder, 'disk'))
  await index()
  t.equal(await files(), 2, 'its mount point is empty')

  renameSync(join(folder, 'away'), join(folder, 'disk'))
  put('disk/2019/001', 'ZIMM00CHE_R_20190010000_01D_30S_MO.crx.gz')
  t.equal(await index(), 0)
  t.equal(await files(), 3, 'a file that arrived meanwhile is found')
  t.equal((await reader.head()).seq, before.seq + 1, 'nothing else has changed')
})

t.test('a directory that became a file loses its records, a missing disk does not', async (t) => {
  const folder = realpathSync(testFolder(t, { archive: { nrt: {} } }))
  const [archive, disk] = [join(folder, 'archive'), join(folder, 'disk')]
  const kept = ['obs/2010/001/graz0010.10o.gz', 'obs/2009/002/graz0020.09o.gz']
  const linked = 'obs/2010/001/zimm0010.10o.gz'
  const lost = ['obs/2010/001/x/y/graz0010.10o.gz', 'obs/2009/001/graz0010.09o.gz']
  mkdirSync(join(disk, '2009'), { recursive: true })
  mkdirSync(join(archive, 'obs'))
  symlinkSync(join(disk, '2009'), join(archive, 'obs/2009'))
  for (const path of [...kept, ...lost]) putFile(archive, path)
  putFile(disk, 'zimm0010.10o.gz')
  symlinkSync(join(disk, 'zimm0010.10o.gz'), join(archive, linked))
  const options = { LINKED_DIRECTORIES: disk, SWEEP_INTERVAL_SECONDS: '1' }
  const service = await startService(t, folder, { options })
  const listed = async () => [...(await service.list()).keys()].sort()
  const download = async (path: string) => {
    const answer = await fetchAlone(new URL(`/rinex/data/${path}`, service.url))
    await answer.arrayBuffer()
    return answer.status
  }
  const all = [...kept, linked, ...lost]
  await until('all are listed', async () => (await listed()).join() === all.toSorted().join())
  for (const path of all) t.equal(await download(path), 200)

  for (const path of [join(archive, 'obs/2010/001/x'), join(disk, '2009/001')]) {
    rmSync(path, { recursive: true })
    writeFileSync(path, 'notes')
  }
  const left = [...kept, linked].toSorted()
  await until('they are removed', async () => (await listed()).join() === left.join())
  for (const path of lost) t.equal(await download(path), 404)
  for (const path of left) t.equal(await download(path), 200)

  renameSync(disk, join(folder, 'away'))
  const rescanned = async () => {
    const args = ['rescan', '--full', '--accept-removals', '--wait', '--database', 'catalogue.db']
    const rescan = spawn(...programLine(args), { cwd: folder, stdio: 'ignore' })
    t.same(await once(rescan, 'exit'), [0, null])
    return listed()
  }
  t.same(await rescanned(), left, 'the disk is missing')
  mkdirSync(disk)
  t.same(await rescanned(), left, 'its mount point is empty')
  rmSync(disk, { recursive: true })
  renameSync(join(folder, 'away'), disk)
  t.same(await rescanned(), left)
  for (const path of left) t.equal(await download(path), 200)
})
