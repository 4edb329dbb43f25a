/**
 * An indexer that is killed at any moment of a storm and started again: in the end the list is the tree, what was left
 * alone has kept its id, and the API has answered all the time. With SLOW=1 fifty times among 100,000 files.
 */
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { openMirror } from './mirror.ts'
import { alone, compare, restarts, startMirrored, storm } from './mirrored.ts'
import { slow } from './service.ts'
import type { Service } from './service.ts'

const kills = slow ? 50 : 3
const stepsPerKill = slow ? 400 : 150

t.setTimeout(0)

t.test(`${kills} kills during a storm`, async (t) => {
  const { service, churn } = await startMirrored(t, { large: true })
  const before = await service.list()
  const end = new AbortController()
  const answered = answersUntil(end.signal, service)
  const mirror = openMirror(service)
  const keptUp = mirror.keepUp(end.signal)

  const checks = new Set<unknown>()
  for (let kill = 0; kill < kills; kill++) {
    const storming = storm(churn, stepsPerKill)
    // Amidst the catching up of the last start as well as after it.
    await delay(Math.random() * 1500)
    await restarts['the indexer is killed'](service)
    checks.add(quickCheck(service))
    await storming
  }
  t.same([...checks], ['ok'], `the database is whole after ${kills} kills`)
  await Promise.race([compare(t, service, mirror, alone), keptUp])

  const after = await service.list()
  const alike = [...before].filter(([path]) => churn.isUntouched(path))
  const changed = alike.filter(([path, { id }]) => after.get(path)?.id !== id)
  t.same(changed, [], `the ids of ${alike.length} files that were left alone`)
  end.abort()
  await keptUp
  const statuses = await answered
  const others = [...statuses.keys()].filter((status) => status !== 200 && status !== 503)
  t.same(others, [], 'the API is well, or says that there is nothing to read')
  t.comment(`answers: 200 ${statuses.get(200)}, 503 ${statuses.get(503) ?? 0}`)
})

function quickCheck({ database }: Service): unknown {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.pragma('quick_check', { simple: true })
  } finally {
    db.close()
  }
}

/** Asks for the first page again and again; how often which status was answered. */
async function answersUntil(signal: AbortSignal, service: Service): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  while (!signal.aborted) {
    const { status } = await service.get('?limit=20')
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    await delay(20)
  }
  return statuses
}
