/**
 * Two indexers and two API hosts on a PostgreSQL server, while files change: processes are killed,
 * the server crashes, and connections are cut in the middle of a transaction of the indexer.
 * Afterwards the catalogue equals the tree, and every reader could rely on the numbers of the feed.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { Cluster, lacksPostgres } from '../postgres.ts'
import t from '../tap.ts'
import { Fleet, Follower } from './fleet.ts'
import { openRandomChanges } from './random-changes.ts'
import { openRandom } from './random-choices.ts'
import { longestMs, slow, until } from './service.ts'
import { dayDirectory, hourDirectory, makeOldDays, paths, put } from './tree.ts'

const seed = Number(process.env['SEED'] ?? (slow ? Date.now() % 1_000_000 : 1))
const changes = slow ? 20_000 : 2000
const kills = slow ? 20 : 3
const crashes = slow ? 4 : 1
const cuts = slow ? 50 : 5
/** The deletion guard withholds removals of more than a fifth of an area. */
const files = slow ? 10_000 : 500
const maxPauseMs = slow ? 2500 : 1000

t.setTimeout(longestMs)

const title = `the catalogue equals the tree after a storm with ${kills} kills, ${crashes} crashes and ${cuts} cuts, seed ${seed}`
t.test(title, { skip: lacksPostgres() }, async (t) => {
  const cluster = await Cluster.start(t)
  const archive = join(testFolder(t), 'archive')
  const hot = [hourDirectory(), dayDirectory()]
  const cold = [dayDirectory(100), dayDirectory(101)]
  makeOldDays(archive, 2, files / 2)
  for (const path of hot.flatMap((directory) => paths(directory, files / 2))) put(archive, path)
  const storm = openRandomChanges({ archive, hot, cold, seed })
  const fleet = new Fleet(t, archive, cluster.url)
  const follower = new Follower(fleet)
  await until('the first scan has begun', () => follower.follow())
  const done = new AbortController()
  const following = follower.keepUp(done.signal)

  const daemons = [0, 1].flatMap((n) => [fleet.indexers[n], fleet.apis[n]])
  let inTransaction = 0
  const faults: (() => unknown)[] = [
    ...Array.from({ length: kills }, (_, n) => () => daemons[n % 4]?.kill()),
    ...Array.from({ length: crashes }, () => () => cluster.restart('immediate')),
    ...Array.from({ length: cuts }, () => async () => {
      if (await cutWriter(cluster.url)) inTransaction++
    }),
  ]
  const { below } = openRandom(seed)
  const perFault = Math.ceil(changes / faults.length)
  while (faults.length > 0) {
    const [fault] = faults.splice(below(faults.length), 1)
    const striking = pause(below(maxPauseMs)).then(fault)
    for (let n = 0; n < perFault; n += 10) {
      storm.run(10)
      await pause(1)
    }
    await striking
  }
  const tookMs = await fleet.untilEqual()
  t.pass(`the lists equal the tree ${Math.round(tookMs)} ms after the last change`)
  t.comment(`${inTransaction} of ${cuts} cuts came in a transaction`)
  done.abort()
  await following
  await checkNumbers(t, fleet, follower)
  t.same(fleet.ends, [], 'no process ended by itself')
})

/** Ends the connection that writes, in a transaction if one comes soon. @returns if it was */
async function cutWriter(url: string): Promise<boolean> {
  const client = new Client(url)
  await client.connect()
  const cut = async (more: string) => {
    const { rowCount } = await client.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted) ${more}`)
    return rowCount === 1
  }
  try {
    for (let n = 0; n < 1000; n++) if (await cut('AND backend_xid IS NOT NULL')) return true
    await cut('')
    return false
  } finally {
    await client.end()
  }
}

async function checkNumbers(t: Test, fleet: Fleet, follower: Follower): Promise<void> {
  while (await follower.follow());
  t.equal(follower.gone, 0, 'the feed always continued')
  const replay = new Follower(fleet)
  while (await replay.follow());
  t.same([...follower.faults, ...replay.faults], [], 'each number and id came once, in order')
  t.same(follower.missing(replay), [], 'no number came after a higher one')
  t.equal(replay.seq, follower.seq)
  const [first, second] = fleet.apis
  // A cut while they are built delays them by some seconds.
  for (const host of [first, second])
    await until('the indexes are built', async () => {
      for (const order of ['-filename', 'created'])
        await fleet.ask(`?limit=1&ordering=${order}`, host)
      return true
    })
  for (const order of ['', '&ordering=-filename', '&ordering=created']) {
    const listed = await fleet.walk(`?limit=150${order}`)
    const expected = listed.map((record) => [record.id, JSON.stringify(record)] as const)
    for (const { records } of [follower, replay])
      t.strictSame(inOrder(records), inOrder(expected), `the feed has the walk by ${order}`)
    const tags = [first, second].map((host) => fleet.ask(`?limit=150${order}`, host))
    const [tag, other] = (await Promise.all(tags)).map(({ headers }) => headers.get('etag'))
    t.equal(tag, other, 'both hosts answer the same')
  }
}

function inOrder(records: Iterable<readonly [number, string]>): (readonly [number, string])[] {
  return [...records].sort(([a], [b]) => a - b)
}
