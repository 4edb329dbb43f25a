/** An archive whose older years are on another disk, behind symlinks. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t from '../tap.ts'
import { fetchAlone, startService, until } from './service.ts'
import { put as putFile } from './tree.ts'

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

  const { seq } = await service.status()
  renameSync(disk, join(folder, 'away'))
  const rescanned = async () => {
    const args = ['rescan', '--accept-removals', '--wait', '--database', 'catalogue.db']
    const rescan = spawn(...programLine(args), { cwd: folder, stdio: 'ignore' })
    t.same(await once(rescan, 'exit'), [0, null])
    return listed()
  }
  t.same(await rescanned(), left, 'the disk is missing')
  mkdirSync(disk)
  t.same(await rescanned(), left, 'its mount point is empty')
  rmSync(disk, { recursive: true })
  renameSync(join(folder, 'away'), disk)
  const arrived = 'obs/2009/002/zimm0020.09o.gz'
  putFile(archive, arrived)
  const back = [...left, arrived].toSorted()
  t.same(await rescanned(), back, 'a file that arrived meanwhile is found')
  t.equal((await service.status()).seq, seq + 1, 'nothing else has changed')
  for (const path of back) t.equal(await download(path), 200)
})
