/**
 * The disk of the PostgreSQL server is full: readers get answers, the indexer says what is wrong
 * and goes on, and the list equals the tree when there is room again.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../folder.ts'
import { Cluster, lacksPostgres } from '../postgres.ts'
import t from '../tap.ts'
import { Fleet } from './fleet.ts'
import { longestMs, slow, timeoutMs, until } from './service.ts'
import { hourDirectory, paths, put } from './tree.ts'

const newFiles = slow ? 5000 : 1000

t.setTimeout(longestMs)

/** Why the server can have no small disk here; false if it can. */
function lacksSmallDisk(): string | false {
  const folder = mkdtempSync(join('/tmp', 'postgres-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'none', folder])
  if (status === 0) execFileSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return status === 0 ? false : 'no disks can be mounted here'
}

t.test(
  'the disk of the server is full',
  { skip: lacksPostgres() || lacksSmallDisk() },
  async (t) => {
    const disk = mkdtempSync(join('/tmp', 'postgres-disk-'))
    chmodSync(disk, 0o777)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=777', 'none', disk])
    t.teardown(() => {
      execFileSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true })
    })
    const cluster = await Cluster.start(t)
    const location = join(disk, 'space')
    execFileSync('install', ['-d', '-o', 'postgres', location])
    await cluster.psql(`CREATE TABLESPACE small LOCATION '${location}'`)
    await cluster.psql('CREATE DATABASE rinex TABLESPACE small')
    const archive = join(testFolder(t), 'archive')
    const hour = hourDirectory()
    for (const path of paths(hour, 20)) put(archive, path)
    const fleet = new Fleet(t, archive, cluster.url.replace('/postgres?', '/rinex?'))
    await fleet.untilEqual()
    const status = () => fleet.get<{ state: string; reasons: string[] }>('/rinex/api/status/')

    spawnSync('sh', ['-c', 'cat /dev/zero > "$0/filler"', disk])
    for (const path of paths(hour, newFiles, 100)) put(archive, path)
    const isReported = async () => {
      const { state, reasons } = await status()
      return state === 'degraded' && reasons.some((each) => each.includes('cannot be written'))
    }
    await until('it says so', isReported)
    t.match((await status()).reasons.join(), /No space left on device/)
    for (const api of fleet.apis)
      t.ok((await fleet.walk('?limit=100', api)).length >= 20, 'the list can be read')

    rmSync(join(disk, 'filler'))
    t.pass(`equal ${Math.round(await fleet.untilEqual(timeoutMs))} ms after there was room again`)
    await until('it has recovered', async () => (await status()).state === 'watching')
    t.same(fleet.ends, [], 'no process ended by itself')
  },
)
