/**
 * A tree full of oddities with both processes killed in between: at rest the list, the downloads, the listings, the checksums
 * and a mirror by the change feed are what the tree says. Runs with SLOW=1, for MINUTES (30).
 */
import { mkdirSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { openRandom } from './chance.ts'
import { openMirror } from './mirror.ts'
import type { Mirror } from './mirror.ts'
import { restarts } from './mirrored.ts'
import { OddRequests } from './odd-requests.ts'
import type { Going } from './odd-requests.ts'
import { openOddTree } from './odd-tree.ts'
import type { OddTree } from './odd-tree.ts'
import { slow, startService, until } from './service.ts'
import type { Service } from './service.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const stepsPerRound = 60
const endMs = performance.now() + Number(process.env['MINUTES'] ?? 30) * 60_000

t.setTimeout(0)

const skip = slow ? false : 'runs with SLOW=1'

t.test(`a tree full of oddities, seed ${seed}`, { skip }, async (t) => {
  const folder = testFolder(t)
  const [archive, linked, outside] = ['archive', 'linked', 'outside'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const random = openRandom(seed)
  const tree = openOddTree({ archive, linked, outside, random })
  mkdirSync(linked, { recursive: true })
  tree.run(stepsPerRound)
  const options = { SWEEP_INTERVAL_SECONDS: '1', CHECKSUMS: 'all', LINKED_DIRECTORIES: linked }
  const service = await startService(t, folder, { options })
  await until('the first scan ends', service.ready)
  const mirror = openMirror(service)
  await mirror.begin()
  const everListed = new Set<string>()
  const kills = Object.entries(restarts)
  const requests = new OddRequests(() => service.url, seed)
  let [rounds, compared] = [0, 0]
  while (performance.now() < endMs) {
    for (let n = 0; n < stepsPerRound; n += 10) {
      tree.run(10)
      await new Promise(setImmediate)
    }
    if (random() < 0.5) {
      const [name, kill] = kills[Math.floor(random() * kills.length)] ?? ['', () => undefined]
      await requests.whileGoing(goingOf(name), async () => kill(service))
    }
    tree.run(stepsPerRound)
    tree.fillEmptyLinked()
    compared += await untilAtRest({ service, tree, mirror, everListed })
    rounds++
    reportFaults(t, requests)
    if (rounds % 50 === 0) t.comment(`${rounds} rounds ${JSON.stringify(requests.counts)}`)
  }
  await requests.stop()
  reportFaults(t, requests)
  const statuses = [...requests.statuses].sort(([a], [b]) => a - b)
  t.comment(JSON.stringify({ ...requests.counts, statuses: Object.fromEntries(statuses) }))
  const where = 'in list, feed, listings, downloads and checksums'
  t.pass(`${compared} files compared ${where} in ${rounds} rounds`)
})

/** How the API goes by a restart of this name, if it does. */
function goingOf(name: string): Going | undefined {
  if (name.startsWith('the indexer')) return undefined
  return name.endsWith('killed') ? 'killed' : 'stopped'
}

/** Fails for each answer that was wrong since it was last asked. */
function reportFaults(t: Test, requests: OddRequests): void {
  for (const { what, ...details } of requests.takeFaults()) t.fail(`${what}, seed ${seed}`, details)
}

interface Compared {
  readonly service: Service
  readonly tree: OddTree
  readonly mirror: Mirror
  /** Paths that were listed once: those that are gone must not be served. */
  readonly everListed: Set<string>
}

/** Has every file looked at, and waits until nothing differs. @returns how many files were compared */
async function untilAtRest(compared: Compared): Promise<number> {
  const { service, tree } = compared
  await until('a full rescan is ordered', () => rescan(service))
  const expected = tree.expected()
  let found: string | undefined
  try {
    await until('the service is what the tree says', async () => {
      found = 'no answer'
      found = await difference(compared, expected)
      if (found === undefined) return true
      if (((await service.status()).held_removals ?? 0) > 0) await rescan(service)
      return false
    })
  } catch (error) {
    const { held_removals, settling_files, reasons } = await service.status()
    const state = JSON.stringify({ held_removals, settling_files, reasons })
    throw new Error(`${String(error)}: ${found} ${state}`, { cause: error })
  }
  return expected.size
}

/** More than a thousand removals within ten minutes are held back, as they should be: those that are held now were meant. */
async function rescan(service: Service): Promise<true> {
  await service.control({ command: 'rescan', path: undefined, full: true, acceptRemovals: true })
  return true
}

/** The first thing that the service says otherwise than the tree. */
async function difference(
  { service, mirror, everListed }: Compared,
  expected: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const listed = await service.list()
  for (const path of listed.keys()) {
    everListed.add(path)
    if (!expected.has(path)) return `listed, not in the tree: ${path}`
  }
  for (const path of expected.keys()) if (!listed.has(path)) return `not listed: ${path}`
  await mirror.catchUp()
  const mirrored = [...mirror.records.keys()].sort((a, b) => a - b).join()
  const ids = [...listed.values()].map(({ id }) => id).sort((a, b) => a - b)
  if (mirrored !== ids.join()) return `mirrored ${mirrored}, listed ${ids.join()}`
  for (const directory of new Set([...expected.keys()].map((path) => dirname(path)))) {
    const other = await differenceIn(service, directory, expected)
    if (other !== undefined) return other
  }
  for (const path of everListed) {
    const status = await differenceOf(service, path, expected)
    if (status !== undefined) return status
  }
  return undefined
}

/** In the listing of a directory and in its checksums. */
async function differenceIn(
  service: Service,
  directory: string,
  expected: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const files = [...expected].filter(([path]) => dirname(path) === directory)
  const sums = files.map(([path, sha256]) => `${sha256}  ${path.slice(directory.length + 1)}`)
  const text = (await get(service, `${directory}/SHA256SUMS`)).bytes.toString()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.sort().join() !== sums.sort().join()) return `SHA256SUMS of ${directory}: ${text}`
  const listing = (await get(service, `${directory}/?format=json`)).bytes.toString()
  const entries = JSON.parse(listing) as { name: string; type: string }[]
  const names = entries.filter(({ type }) => type === 'file').map(({ name }) => name)
  const paths = names.map((name) => `${directory}/${name}`).sort()
  const expectedPaths = files.map(([path]) => path).sort()
  return paths.join() === expectedPaths.join() ? undefined : `listing of ${directory}: ${listing}`
}

/** In its download: its bytes and their digest, or of one that is gone 404, or where the one is that differs in case alone. */
async function differenceOf(
  service: Service,
  path: string,
  expected: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { status, bytes, digest, location } = await get(service, path)
  const sha256 = expected.get(path)
  if (sha256 === undefined) {
    const other = `${dirname(path)}/${location}`
    const isInOtherCase =
      status === 303 && expected.has(other) && other.toLowerCase() === path.toLowerCase()
    // A directory may have its name now, to which the path without a slash leads.
    return status === 404 || status === 301 || isInOtherCase
      ? undefined
      : `${status}, gone: ${path}`
  }
  const hash = createHash('sha256').update(bytes).digest()
  if (status !== 200 || hash.toString('hex') !== sha256) return `${status}, other bytes: ${path}`
  const right = `sha-256=:${hash.toString('base64')}:`
  return digest === right ? undefined : `Repr-Digest ${digest} of ${path}`
}

async function get(service: Service, path: string) {
  const headers = { connection: 'close' }
  const url = new URL(`/rinex/data/${path}`, service.url)
  const answer = await fetch(url, { headers, redirect: 'manual' })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const [digest, location] = ['repr-digest', 'location'].map((name) => answer.headers.get(name))
  return { status: answer.status, bytes, digest, location }
}
