/**
 * If the feed no longer has all changes that a mirror needs, it answers 410, and the mirror starts
 * again.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import t from '../tap.ts'
import type { Mirror } from './mirror.ts'
import { openMirror } from './mirror.ts'
import { startMirrored, untilSame } from './mirrored-archive.ts'
import type { Service } from './service.ts'
import { stop, until } from './service.ts'
import { arrive, dayDirectory, paths } from './tree.ts'

t.setTimeout(0)

const answerFrom = async (service: Service, since: number) => {
  const { status, body } = await service.get(`/rinex/api/changes/?since=${since}`)
  return { status, detail: String((body as { detail?: string }).detail) }
}

async function startsAgain(t: Test, service: Service, mirror: Mirror): Promise<void> {
  await t.rejects(mirror.catchUp(), { name: 'Gone' }, 'the mirror gets 410')
  await mirror.begin()
  await untilSame(t, service, mirror)
}

t.test('the feed answers 410 to a `since` from which it cannot continue', async (t) => {
  const { service, mirror } = await startMirrored(t)
  const removed = paths(dayDirectory(), 100)
  const before = await service.list()
  await mirror.begin()
  const witness = openMirror(service)
  await witness.begin()
  for (const path of removed.slice(0, 50)) rmSync(join(service.archive, path))
  await untilSame(t, service, witness)
  const purgedSeq = witness.seq
  for (const path of removed.slice(50)) rmSync(join(service.archive, path))
  await until('all are removed', async () => (await service.count()) === before.size - 100)

  // Makes the removals older than the retention.
  await stop(service.indexer, 'SIGTERM')
  const db = new Sqlite(service.database)
  db.prepare('UPDATE tombstone SET removed_us = 0 WHERE seq <= ?').run(purgedSeq)
  db.close()
  service.startIndexer()
  const isPurged = async () => (await answerFrom(service, mirror.seq)).status === 410
  await until('they are purged', isPurged)
  t.equal((await answerFrom(service, purgedSeq - 1)).status, 410)
  t.equal((await answerFrom(service, purgedSeq)).status, 200)

  for (const path of removed) arrive(service.archive, path)
  await untilSame(t, service, witness)
  t.equal((await answerFrom(service, witness.seq)).status, 200)
  const { status, detail } = await answerFrom(service, witness.seq + 1)
  t.equal(status, 410)
  t.match(detail, `The latest number is ${witness.seq}`)
  await startsAgain(t, service, mirror)
  const after = await service.list()
  const same = removed.map((path) => after.get(path)?.id === before.get(path)?.id)
  t.notOk(same.slice(0, 50).includes(true), 'a purged file is a new record when it is restored')
  t.notOk(same.slice(50).includes(false), 'other restored files keep their ids')
})

const epochOf = async (service: Service) => {
  const { body } = await service.get('/rinex/api/status/')
  return (body as { epoch: string }).epoch
}

for (const withNumbers of [true, false]) {
  const title = `a rebuilt database ${withNumbers ? 'with' : 'without'} its file of numbers`
  t.test(title, async (t) => {
    const { service, changes, mirror } = await startMirrored(t)
    await mirror.begin()
    changes.run(100)
    await untilSame(t, service, mirror)
    const [ids, epoch] = [new Set(mirror.records.keys()), await epochOf(service)]

    await Promise.all([stop(service.indexer, 'SIGTERM'), stop(service.api, 'SIGTERM')])
    // Also the backups, which would be restored.
    const files = ['', '-wal', '-shm', '-backup-1', '-backup-2']
    const suffixes = [...files, ...(withNumbers ? [] : ['-numbers'])]
    for (const suffix of suffixes) rmSync(service.database + suffix, { force: true })
    service.startIndexer()
    await service.startApi()
    await until('the first scan is complete', service.ready)

    t.not(await epochOf(service), epoch, 'the epoch is another one')
    if (withNumbers) t.equal((await answerFrom(service, mirror.seq)).status, 410)
    await startsAgain(t, service, mirror)
    const again = [...mirror.records.keys()].filter((id) => ids.has(id))
    if (withNumbers) t.same(again, [], 'no id is reused')
    changes.run(100)
    await untilSame(t, service, mirror)
  })
}
