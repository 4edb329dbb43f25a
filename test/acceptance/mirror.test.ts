/**
 * A mirror that downloads the complete list and follows the change feed equals the list, while the
 * tree changes and both processes are killed and restarted. With SLOW=1 among 100,000 files.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import t from '../tap.ts'
import { Away, openMirror } from './mirror.ts'
import { changeFiles, restarts, startMirrored, untilSame } from './mirrored-archive.ts'
import type { Service } from './service.ts'
import { slow } from './service.ts'
import { arrive, dayDirectory, hourDirectory, pathIn, paths } from './tree.ts'

const steps = slow ? 20_000 : 400
const rounds = slow ? 10 : 1
const some = slow ? 50 : 40

t.setTimeout(0)

t.test('a list that is downloaded while files change is complete', async (t) => {
  const { service, changes, mirror } = await startMirrored(t, { large: true })
  const broken = mirror.begin(() => service.api.kill('SIGKILL'))
  await broken.catch((error: unknown) => t.ok(error instanceof Away, 'an incomplete list fails'))
  await service.startApi()
  await mirror.begin(() => changes.run(slow ? 10 : 30))
  await mirror.catchUp()
  changes.run(100)
  await untilSame(t, service, mirror)
})

t.test('a mirror equals the list after changes, kills and restarts', async (t) => {
  const { service, changes, mirror } = await startMirrored(t, { large: true })
  const before = await service.list()
  const end = new AbortController()
  const running = mirror.keepUp(end.signal)
  const statuses = statusesUntil(end.signal, service)
  const checks = new Set<unknown>()
  const stepsPerPart = steps / (2 * rounds * Object.keys(restarts).length)
  for (let round = 0; round < rounds; round++)
    for (const restart of Object.values(restarts)) {
      await changeFiles(changes, stepsPerPart)
      const changing = changeFiles(changes, stepsPerPart)
      await delay(Math.random() * 500)
      await restart(service)
      checks.add(quickCheck(service))
      await changing
    }
  t.same([...checks], ['ok'], 'the database is intact after each restart')
  await untilSame(t, service, mirror, running)
  const after = await service.list()
  const untouched = [...before].filter(([path]) => changes.isUntouched(path))
  const changed = untouched.filter(([path, { id }]) => after.get(path)?.id !== id)
  t.same(changed, [], `${untouched.length} unchanged files keep their ids`)
  end.abort()
  await running
  const others = [...(await statuses)].filter((status) => ![200, 503].includes(status))
  t.same(others, [], 'the API answers, or says that it is unavailable')
})

function quickCheck({ database }: Service): unknown {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.pragma('quick_check', { simple: true })
  } finally {
    db.close()
  }
}

/** Requests the first page until the end; without a connection there is no status. */
async function statusesUntil(end: AbortSignal, service: Service): Promise<Set<number>> {
  const statuses = new Set<number>()
  while (!end.aborted) {
    const answer = await service.get('?limit=20').catch(() => undefined)
    if (answer !== undefined) statuses.add(answer.status)
    await delay(20)
  }
  return statuses
}

t.test('a mirror that was away gets only the latest change of each file', async (t) => {
  const { service, mirror } = await startMirrored(t)
  const { archive } = service
  await mirror.begin()
  await mirror.catchUp()
  const before = await service.list()
  // Shows when the catalogue has all changes so far.
  const witness = openMirror(service)
  await witness.begin()

  const present = paths(dayDirectory(), 3 * some)
  const returning = present.slice(0, some)
  const replaced = present.slice(some, 2 * some)
  const removed = present.slice(2 * some)
  const brief = paths(hourDirectory(), some, 5000)
  const created = paths(dayDirectory(100), some, 5000)
  for (const path of [...returning, ...removed]) rmSync(join(archive, path))
  for (const path of [...brief, ...created]) arrive(archive, path)
  for (const path of replaced) arrive(archive, path, gzipSync('replaced'))
  await untilSame(t, service, witness)
  await restarts['both are killed'](service)
  for (const path of returning) arrive(archive, path, gzipSync('another'))
  for (const path of replaced) arrive(archive, path, gzipSync('replaced once more'))
  for (const path of brief) rmSync(join(archive, path))
  await untilSame(t, service, witness)
  await restarts['the indexer is restarted'](service)

  await mirror.follow('&limit=50')
  await untilSame(t, service, mirror)
  t.equal(mirror.counts.changes, 5 * some, 'only the latest change of each file')
  const after = await service.list()
  const idsOf = (list: typeof after, some: string[]) => some.map((path) => list.get(path)?.id)
  const [stayed, came] = [before, after].map((list) => idsOf(list, [...returning, ...replaced]))
  t.same(came, stayed, 'restored and replaced files keep their ids')
})

const breaks = ['the API is killed', 'the indexer is killed', 'the API is restarted'] as const

t.test('a mirror with long polls equals the list', async (t) => {
  const { service, changes, mirror } = await startMirrored(t)
  await mirror.begin()
  await mirror.catchUp()
  const poll = mirror.follow('&wait=60')
  arrive(service.archive, pathIn(hourDirectory(), 5000))
  t.ok(await poll, 'a waiting poll answers with the first change')

  const end = new AbortController()
  const running = mirror.keepUp(end.signal, '&wait=1')
  for (const what of breaks) {
    await changeFiles(changes, some)
    await restarts[what](service)
  }
  await changeFiles(changes, some)
  await untilSame(t, service, mirror, running)
  end.abort()
  await running
})
