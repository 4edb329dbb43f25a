/**
 * A standby of PostgreSQL is promoted while files change, and the indexers and API hosts reach it
 * by the address of the lost server. A synchronous one has all that any client saw; after an
 * asynchronous one, which may lack the last commits, mirrors start again, and no number is given
 * twice.
 */
import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { testFolder } from '../folder.ts'
import { Cluster, lacksPostgres } from '../postgres.ts'
import t from '../tap.ts'
import { Fleet, Follower } from './fleet.ts'
import type { RandomChanges } from './random-changes.ts'
import { openRandomChanges } from './random-changes.ts'
import { longestMs, slow, timeoutMs, until } from './service.ts'
import { dayDirectory, hourDirectory, makeOldDays, paths, put } from './tree.ts'

const files = slow ? 2000 : 200
const backMs = slow ? 10_000 : timeoutMs

t.setTimeout(longestMs)

for (const synchronous of [true, false]) {
  const title = `a standby with ${synchronous ? 'all' : 'fewer'} commits is promoted in a storm`
  t.test(title, { skip: lacksPostgres() }, async (t) => {
    const primary = await Cluster.start(t)
    const standby = await primary.standby(t, { synchronous })
    const address = join(primary.folder, 'current')
    symlinkSync(primary.folder, address)
    const archive = join(testFolder(t), 'archive')
    const [hot, cold] = [[hourDirectory(), dayDirectory()], [dayDirectory(100)]]
    makeOldDays(archive, 1, files)
    for (const path of hot.flatMap((directory) => paths(directory, files))) put(archive, path)
    const fleet = new Fleet(t, archive, primary.url.replace(primary.folder, address))
    const follower = new Follower(fleet)
    const ends = { storm: new AbortController(), follower: new AbortController() }
    // The archive is removed after this test, also if it fails.
    t.teardown(() => {
      ends.storm.abort()
    })
    const storm = run(openRandomChanges({ archive, hot, cold, seed: 1 }), ends.storm.signal)
    await until('the first scan has begun', () => follower.follow())
    const following = follower.keepUp(ends.follower.signal)
    const untilMore = async (count: number) => {
      const wanted = follower.seen.size + count
      await until('there are more changes', () => follower.seen.size >= wanted)
    }
    await untilMore(files)
    const { epoch } = await fleet.get<{ epoch: string }>('/rinex/api/status/')
    if (!synchronous) {
      await standby.stop('fast')
      // Only the primary has these.
      await untilMore(20)
    }
    const lostMs = performance.now()
    await primary.stop('immediate')
    const lastSeq = follower.seq
    const acknowledged = new Map(follower.records)
    if (!synchronous) await standby.start()
    symlinkSync(standby.folder, `${address}-new`)
    renameSync(`${address}-new`, address)
    // Nobody may take a standby that is not promoted yet for one that never will be.
    await pause(2000)
    await standby.promote()
    const back = async () => {
      for (const api of fleet.apis) await fleet.ask('?limit=1', api)
      return true
    }
    await until('they answer', back, backMs)
    const backAfterMs = performance.now() - lostMs
    t.pass(`both hosts answer ${Math.round(backAfterMs)} ms after the loss of the server`)

    await untilMore(20)
    ends.storm.abort()
    await storm
    await fleet.untilEqual()
    ends.follower.abort()
    await following
    while (await follower.follow());
    t.same(follower.faults, [], 'no number and no id was given twice')
    const live = await fleet.walk('?limit=150')
    const expected = live.map((record) => [record.id, JSON.stringify(record)] as const)
    const byId = (a: readonly [number, string], b: readonly [number, string]) => a[0] - b[0]
    t.strictSame(
      [...follower.records].sort(byId),
      [...expected].sort(byId),
      'the feed has the list',
    )
    if (synchronous) {
      const idOf = new Map(live.map(({ id, download_path }) => [download_path, id]))
      const lost = [...acknowledged].filter(([id, text]) => {
        const { download_path } = JSON.parse(text) as { download_path: string }
        return (idOf.get(download_path) ?? id) !== id
      })
      t.same(lost, [], 'what a client saw keeps its id')
    } else {
      const status = await fleet.get<{ epoch: string }>('/rinex/api/status/')
      t.not(status.epoch, epoch, 'the epoch is another one')
      // Perhaps at the standby too, which had less than the mirror before it was promoted.
      t.ok(follower.gone >= 1, 'the mirror started again')
      const old = `/rinex/api/changes/?since=${lastSeq}`
      for (const path of [old, `${old}&epoch=${epoch}`])
        await t.rejects(fleet.get(path), { name: 'Gone' }, path)
    }
    t.same(fleet.ends, [], 'no process ended by itself')
  })
}

/** Changes files until the signal. */
async function run(changes: RandomChanges, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    changes.run(5)
    await pause(50)
  }
}
