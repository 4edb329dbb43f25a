/**
 * Files arrive, move and disappear during the first scan: afterwards the list equals the tree, and
 * files that stayed keep their ids. With SLOW=1 ten times, with 100,000 files.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { longestMs, slow, startService, stop, timeoutMs, until, untilEqual } from './service.ts'
import { arrive, dayDirectory, hourDirectory, makeOldDays, pathIn, paths, put } from './tree.ts'

const rounds = slow ? 10 : 1
const oldDays = slow ? 333 : 30
const perDay = slow ? 300 : 100
const created = slow ? 10_000 : 1000
const renamed = created / 2
const deleted = created / 4
const nested = slow ? 1500 : 150

t.setTimeout(longestMs)

for (let round = 1; round <= rounds; round++)
  t.test(`the list has all changes of the first scan, ${round} of ${rounds}`, async (t) => {
    const folder = testFolder(t)
    const archive = join(folder, 'archive')
    makeOldDays(archive, oldDays, perDay)
    // These are renamed and removed during the scan.
    const before = paths(dayDirectory(1), renamed + deleted)
    for (const path of before) put(archive, path)
    put(archive, pathIn(hourDirectory(2), 0))
    const service = await startService(t, folder)
    await until('the scan has begun', async () => (await service.count()) > 0)

    const known = new Map<string, number>()
    await changeFiles(service, before, known)
    t.comment((await service.ready()) ? 'the scan ended first' : 'the changes ended first')
    const tookMs = await untilEqual(service, slow ? 30_000 : timeoutMs)
    t.pass(`the list equals the tree ${Math.round(tookMs)} ms after the last change`)

    const list = await service.list()
    const changed = [...known].filter(([path, id]) => (list.get(path)?.id ?? id) !== id)
    t.same(changed, [], 'files that stayed keep their ids')
    t.equal(await stop(service.indexer, 'SIGTERM'), 0, 'exit code of the indexer')
  })

/** Changes files in batches while the scan runs; stores the ids that are listed meanwhile. */
async function changeFiles(service: Service, before: string[], known: Map<string, number>) {
  const { archive } = service
  const hour = hourDirectory()
  const batches = 10
  for (let batch = 0; batch < batches; batch++) {
    const part = (count: number) => ({
      from: Math.floor((count * batch) / batches),
      to: Math.floor((count * (batch + 1)) / batches),
    })
    const { from, to } = part(created)
    for (const path of paths(hour, to - from, from)) put(archive, path)
    const moves = part(renamed)
    for (let n = moves.from; n < moves.to; n++)
      renameSync(join(archive, before[n] ?? ''), join(archive, pathIn(dayDirectory(1), 20_000 + n)))
    const removals = part(deleted)
    for (let n = removals.from; n < removals.to; n++)
      rmSync(join(archive, before[renamed + n] ?? ''))
    const directories = part(nested)
    for (let n = directories.from; n < directories.to; n++) makeNested(archive, n)
    // Only once, because reading the list takes longer than a batch.
    if (batch === 2) for (const [path, { id }] of await service.list()) known.set(path, id)
  }
}

/** Makes a directory in a new directory and at once renames three files into it. */
function makeNested(archive: string, n: number): void {
  const directory = `${hourDirectory(1)}/group${Math.floor(n / 10)}/n${n}`
  mkdirSync(join(archive, directory), { recursive: true })
  for (const path of paths(hourDirectory(1), 3, n * 3))
    arrive(archive, `${directory}/${path.slice(path.lastIndexOf('/') + 1)}`)
}
