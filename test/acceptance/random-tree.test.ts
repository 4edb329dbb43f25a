/**
 * Random changes of an archive while both processes are killed: afterwards the list, the downloads,
 * the listings, the checksums and a mirror by the change feed equal the tree. A few rounds with a
 * fixed seed; with SLOW=1 it runs for MINUTES (30) with another seed each time. SEED repeats a run.
 */
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Mirror } from './mirror.ts'
import { openMirror } from './mirror.ts'
import { restarts } from './mirrored-archive.ts'
import { openRandom } from './random-choices.ts'
import type { End } from './random-client.ts'
import { RandomClient } from './random-client.ts'
import type { RandomTree } from './random-tree.ts'
import { openRandomTree } from './random-tree.ts'
import type { Service } from './service.ts'
import { fetchAlone, longestMs, slow, startService, until } from './service.ts'

const seed = Number(process.env['SEED'] ?? (slow ? Date.now() % 1_000_000 : 1))
const stepsPerRound = slow ? 60 : 40
const minutes = Number(process.env['MINUTES'] ?? 30)
const sampleRounds = 2

t.setTimeout(longestMs)

t.test(`after random changes all answers equal the tree, seed ${seed}`, async (t) => {
  const folder = testFolder(t)
  const [archive, linked, outside] = ['archive', 'linked', 'outside'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const random = openRandom(seed)
  const tree = openRandomTree({ archive, linked, outside }, random)
  mkdirSync(linked, { recursive: true })
  tree.run(stepsPerRound)
  const options = { SWEEP_INTERVAL_SECONDS: '1', CHECKSUMS: 'all', LINKED_DIRECTORIES: linked }
  const service = await startService(t, folder, { options })
  await until('the first scan is complete', service.ready)
  const mirror = openMirror(service)
  await mirror.begin()
  const everListed = new Set<string>()
  const client = new RandomClient(() => service.url, seed)
  const endMs = performance.now() + minutes * 60_000
  let [rounds, compared] = [0, 0]
  while (slow ? performance.now() < endMs : rounds < sampleRounds) {
    for (let n = 0; n < stepsPerRound; n += 10) {
      tree.run(10)
      await new Promise(setImmediate)
    }
    if (!slow || random.isTrue(0.5)) {
      const [name, restart] = random.pick(Object.entries(restarts))
      await client.during(endOfApi(name), async () => restart(service))
    }
    tree.run(stepsPerRound)
    tree.fillEmptyLinked()
    compared += await untilEqualToTree({ service, tree, mirror, everListed })
    rounds++
    reportFaults(t, client)
    if (rounds % 50 === 0) t.comment(`${rounds} rounds ${JSON.stringify(client.counts)}`)
  }
  await client.stop()
  reportFaults(t, client)
  const statuses = [...client.statuses].sort(([a], [b]) => a - b)
  t.comment(JSON.stringify({ ...client.counts, statuses: Object.fromEntries(statuses) }))
  t.pass(`${compared} files compared in ${rounds} rounds`)
})

/** How a restart with this name ends the API; `undefined` if it does not. */
function endOfApi(name: string): End | undefined {
  if (name.startsWith('the indexer')) return undefined
  return name.endsWith('killed') ? 'killed' : 'stopped'
}

function reportFaults(t: Test, client: RandomClient): void {
  for (const { what, ...details } of client.takeFaults()) t.fail(`${what}, seed ${seed}`, details)
}

interface Compared {
  readonly service: Service
  readonly tree: RandomTree
  readonly mirror: Mirror
  /** Paths that were listed at any time; removed files must not be served. */
  readonly everListed: Set<string>
}

/** Requests a full rescan and waits until nothing differs. @returns how many files were compared */
async function untilEqualToTree(compared: Compared): Promise<number> {
  const { service, tree } = compared
  await until('a full rescan is requested', () => rescan(service))
  const expected = tree.expected()
  let found: string | undefined
  try {
    await until('the service equals the tree', async () => {
      found = 'no response'
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

/** Accepts removals: the deletion guard withholds more than a thousand in ten minutes. */
async function rescan(service: Service): Promise<true> {
  await service.control({ command: 'rescan', path: undefined, acceptRemovals: true })
  return true
}

/** The first difference between the service and the tree. */
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
    const found = await directoryDifference(service, directory, expected)
    if (found !== undefined) return found
  }
  for (const path of everListed) {
    const found = await downloadDifference(service, path, expected)
    if (found !== undefined) return found
  }
  return undefined
}

/** Compares the listing and the checksums of a directory. */
async function directoryDifference(
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

/**
 * Compares the bytes and the digest of a download; a removed file must be 404, or 303 to its case
 * variant.
 */
async function downloadDifference(
  service: Service,
  path: string,
  expected: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { status, bytes, digest, location } = await get(service, path)
  const sha256 = expected.get(path)
  if (sha256 === undefined) {
    const other = `${dirname(path)}/${location}`
    const isCaseVariant = other.toLowerCase() === path.toLowerCase() && expected.has(other)
    // 301: a directory has the name of the removed file.
    const isGone = status === 404 || status === 301 || (status === 303 && isCaseVariant)
    return isGone ? undefined : `${status}, removed: ${path}`
  }
  const hash = createHash('sha256').update(bytes).digest()
  if (status !== 200 || hash.toString('hex') !== sha256) return `${status}, other bytes: ${path}`
  const right = `sha-256=:${hash.toString('base64')}:`
  return digest === right ? undefined : `Repr-Digest ${digest} of ${path}`
}

async function get(service: Service, path: string) {
  const url = new URL(`/rinex/data/${path}`, service.url)
  const answer = await fetchAlone(url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const [digest, location] = ['repr-digest', 'location'].map((name) => answer.headers.get(name))
  return { status: answer.status, bytes, digest, location }
}
