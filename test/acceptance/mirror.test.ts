/**
 * A mirror that takes the whole list and follows the changes holds exactly the list, whatever happens meanwhile to the
 * tree and to both processes. With SLOW=1 among 100,000 files.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { Away, openMirror } from './mirror.ts'
import { alone, compare, restarts, startMirrored, storm } from './mirrored.ts'
import { untilSame } from './same.ts'
import { slow } from './service.ts'
import { arrive, dayDirectory, hourDirectory, paths } from './tree.ts'

const stormSteps = slow ? 20_000 : 400
const rounds = slow ? 4 : 1
const some = 100

t.setTimeout(0)

t.test('the list is taken amidst a storm', async (t) => {
  const { service, churn, mirror } = await startMirrored(t, { large: true })
  // One that breaks off is no list. A short one may be on its way already.
  const broken = mirror.begin(() => service.api.kill('SIGKILL'))
  await broken.catch((error: unknown) => t.ok(error instanceof Away, 'the API is killed amidst it'))
  await service.startApi()
  await mirror.begin(() => {
    churn.run(slow ? 10 : 30)
  })
  const listed = mirror.records.size
  await mirror.catchUp()
  churn.run(100)
  await compare(t, service, mirror)
  t.comment(`lines of the list: ${listed}`)
})

t.test('a storm, kills and restarts', async (t) => {
  const { service, churn, mirror } = await startMirrored(t, { large: true })
  const end = new AbortController()
  const keptUp = mirror.keepUp(end.signal)
  const parts = 2 * rounds * Object.keys(restarts).length
  for (let round = 0; round < rounds; round++)
    for (const restart of Object.values(restarts)) {
      await storm(churn, stormSteps / parts)
      await Promise.all([restart(service), storm(churn, stormSteps / parts)])
    }
  await Promise.race([compare(t, service, mirror, alone), keptUp])
  end.abort()
  await keptUp
})

t.test('a mirror that was away while much happened', async (t) => {
  const { service, mirror } = await startMirrored(t)
  const { archive } = service
  await mirror.begin()
  await mirror.catchUp()
  const before = await service.list()
  // Sees to it that the catalogue has noticed everything before the next thing happens.
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
  await untilSame(service, witness)
  await restarts['both are killed'](service)
  for (const path of returning) arrive(archive, path, gzipSync('another'))
  for (const path of replaced) arrive(archive, path, gzipSync('replaced once more'))
  for (const path of brief) rmSync(join(archive, path))
  await untilSame(service, witness)
  await restarts['the indexer is restarted'](service)

  await mirror.follow('&limit=50')
  await compare(t, service, mirror)
  t.equal(mirror.counts.changes, 5 * some, 'of each file the latest change alone')
  const after = await service.list()
  const idsOf = (list: typeof after, some: string[]) => some.map((path) => list.get(path)?.id)
  const [stayed, came] = [before, after].map((list) => idsOf(list, [...returning, ...replaced]))
  t.same(came, stayed, 'what came back or was replaced kept its id')
})
