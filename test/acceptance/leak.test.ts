/** Temporary files leave no memory and no open handles in the indexer. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { longestMs, memoryOf, slow, startScanned, until, untilEqual } from './service.ts'
import { arrive, hourDirectory, pathIn, paths, put } from './tree.ts'

const rounds = slow ? 200 : 4
const perRound = 500
const megabytes = 10

t.setTimeout(longestMs)

t.test(
  `${rounds * perRound} temporary files leave no open handles and no memory behind`,
  async (t) => {
    const service = await startScanned(t, [pathIn(hourDirectory(), 0)])
    arrive(service.archive, pathIn(hourDirectory(1), 0))
    // It ends when it is idle for 30 seconds, which the end of the test would wait for.
    await until('the process that hashes has started', () => hasChild(service))
    // After the first rounds the process has all that it needs once.
    for (let round = 0; round < rounds; round++) await addAndRemove(service, round)
    await untilIdle(service)
    const before = footprint(service)
    for (let round = 0; round < rounds; round++) await addAndRemove(service, round)
    await untilEqual(service)
    await untilIdle(service)
    await until('all handles are closed', () => footprint(service).handles <= before.handles)
    const growth = footprint(service).megabytes - before.megabytes
    t.pass(`${before.handles} handles before and after`)
    // In a short run the heap has not reached its size.
    if (slow) t.ok(growth <= megabytes, `${growth.toFixed(1)} MB more memory`)
    else t.comment(`${growth.toFixed(1)} MB more memory`)
  },
)

/** Waits until all directories are watched and no work is pending. */
async function untilIdle(service: Service): Promise<void> {
  await until('no work is pending', async () => {
    const { dirty_directories, settling_files, watching } = await service.status()
    return dirty_directories === 0 && settling_files === 0 && (watching?.directories ?? 0) >= 4
  })
}

/** Half of the names are temporary, half are RINEX names of incomplete files. */
async function addAndRemove({ archive, status }: Service, round: number): Promise<void> {
  const some = paths(hourDirectory(), perRound, 1 + round * perRound)
  const names = some.map((path, n) => (n % 2 === 0 ? path : `${path}.part`))
  for (const path of names) put(archive, path, Buffer.from('no gzip'))
  await status()
  for (const path of names) rmSync(join(archive, path))
}

function hasChild({ indexer: { pid } }: Service): boolean {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== ''
}

function footprint({ indexer }: Service): { handles: number; megabytes: number } {
  const handles = readdirSync(`/proc/${indexer.pid}/fd`).length
  return { handles, megabytes: memoryOf(indexer, 'VmRSS') / 1024 ** 2 }
}
