/**
 * Somebody starts the service on a tree of his own, with nothing but its directory. The answers
 * have the numbers that are counted in the tree, by the names on the disk alone.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { engine } from '../catalogue/engines.ts'
import { commonFolder } from '../folder.ts'
import { filled, putFile } from '../indexer/tree-layouts.ts'
import { kept, programLine } from '../program.ts'
import t from '../tap.ts'
import type { Period } from './series-tree.ts'
import {
  countSlots,
  dayMs,
  hourMs,
  isoOf,
  nameOf,
  seriesOnDisk,
  slotsBetween,
} from './series-tree.ts'
import type { LogLine } from './service.ts'
import { fetchAlone, longestMs, slow, stop, until } from './service.ts'
import { arrive } from './tree.ts'

t.setTimeout(longestMs)

const now = Date.now()
const today = Math.floor(now / dayMs) * dayMs
const thisHour = Math.floor(now / hourMs) * hourMs
const first = today - 60 * dayMs

const isInGap = (start: number): boolean => {
  const day = (start - first) / dayMs
  return (day >= 20 && day < 25) || day === 40
}
/** Not the same hour of each day, which nobody would expect. */
const isLostHour = (start: number): boolean => [20, 21, 45].includes((thisHour - start) / hourMs)

/** The slots of a network: two stations have gaps, and one has ended. */
const network: Readonly<Record<string, readonly [Period, readonly number[]]>> = {
  AAAA00AUT: ['01D', slotsBetween('01D', [first, today])],
  GAPS00CHE: ['01D', slotsBetween('01D', [first, today], isInGap)],
  HOUR00DEU: ['01H', slotsBetween('01H', [thisHour - 20 * dayMs, thisHour - hourMs], isLostHour)],
  OLDS00ITA: ['01D', slotsBetween('01D', [Date.UTC(2016, 6, 1), Date.UTC(2016, 7, 1)])],
}

/** The directories of daily and of hourly files. */
type Tree = Readonly<Record<Period, string>>

const trees: Readonly<Record<string, Tree>> = {
  'types below days': {
    '01D': 'gnss/data/daily/{Y}/{n}/{y}d',
    '01H': 'gnss/data/hourly/{Y}/{n}/{y}d/{h}',
  },
  'stations first': { '01D': '{S9}/{Y}/{n}', '01H': '{S9}/{Y}/{n}' },
  'months by name': { '01D': 'rinex/{Y}/{Mon}/{d}', '01H': 'rinex/{Y}/{Mon}/{d}' },
  'everything in one directory': { '01D': '.', '01H': '.' },
}

const pathIn = (tree: Tree, station: string, period: Period, start: number) =>
  join(filled(tree[period], start / 1000, station), nameOf(station, period, start))

/** Makes the tree, with old short names of `.Z`, and names that are no files of the list. */
function makeTree(archive: string, tree: Tree): void {
  for (const [station, [period, starts]] of Object.entries(network))
    for (const start of starts) putFile(archive, pathIn(tree, station, period, start))
  for (const start of slotsBetween('01D', [Date.UTC(2006, 2, 1), Date.UTC(2006, 2, 9)])) {
    const name = filled('{s}{n}0.{y}d.Z', start / 1000, 'SHRT00AUT')
    putFile(archive, join(filled(tree['01D'], start / 1000, 'SHRT00AUT'), name))
  }
  // With SLOW=1 a directory of 200,000 files.
  const days = slow ? 2000 : 20
  if (tree['01D'] === '.')
    for (let n = 0; n < 100 * days; n++) {
      const station = `M${String(n % 100).padStart(3, '0')}00FIN`
      putFile(archive, nameOf(station, '01D', first - (Math.floor(n / 100) + 400) * dayMs))
    }
  putFile(archive, 'README.txt')
  putFile(archive, 'products/igs24101.sp3.gz')
}

type Service = Awaited<ReturnType<typeof start>>

/** Starts the service with the directory alone; only what a test must not share has options. */
async function start(t: Test, archive: string, folder: string) {
  const own = ['--port', '0', '--database', await engine.database(t, folder)]
  const [program, args] = programLine(['start', '--archive', archive, ...own])
  const env = { PATH: process.env['PATH'], ...kept }
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  t.teardown(() => stop(child, 'SIGTERM'))
  const log: LogLine[] = []
  createInterface(child.stdout).on('line', (line) => {
    if (line.endsWith('}')) log.push(JSON.parse(line) as LogLine)
  })
  const said = (message: string) => log.find(({ msg }) => msg.startsWith(message))
  await until('it has scanned', () => said('caught up') !== undefined)
  const url = String(said('listening')?.['url'])
  const json = async <T>(path: string): Promise<T> => {
    const headers = { accept: 'application/json' }
    const answer = await fetchAlone(new URL(path, url), { headers })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    return (await answer.json()) as T
  }
  return { json, log }
}

/** What is listed, by the names on the disk alone. */
const listedName = /^(?:[A-Z0-9]{9}_R_\d{11}_01[DH]_30S_MO\.crx\.gz|[a-z]{4}\d{4}\.\d\dd\.Z)$/

function filesOnDisk(archive: string): string[] {
  return readdirSync(archive, { recursive: true, encoding: 'utf8' })
    .filter((path) => listedName.test(path.slice(path.lastIndexOf('/') + 1)))
    .sort()
}

interface Page<Row> {
  readonly count: number
  readonly next: string | null
  readonly as_of: string
  readonly results: readonly Row[]
}

/** Reads all pages of a list. */
async function readAll<Row>({ json }: Service, path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let next: string | null = `/rinex/api/${path}`; next !== null;) {
    const page: Page<Row> = await json(next)
    rows.push(...page.results)
    next = page.next
  }
  return rows
}

for (const [name, tree] of Object.entries(trees))
  t.test(name, async (t) => {
    const folder = commonFolder(t)
    const archive = join(folder, 'archive')
    makeTree(archive, tree)
    const service = await start(t, archive, folder)
    const choice = service.log.find(({ msg }) => msg.includes('neither obs/ nor nrt/'))
    t.match(choice?.msg, 'areas = ["."] suffixes = [".gz", ".Z"]', 'what it chose is said')
    await t.test('list', (t) => checkList(t, service, archive))
    await t.test('stations', (t) => checkStations(t, service, archive))
    await t.test('gaps', (t) => checkGaps(t, service, archive))
    await t.test('latency', (t) => checkLatency(t, service, { archive, tree }))
  })

async function checkList(t: Test, service: Service, archive: string) {
  const rows = await readAll<{ download_path: string }>(service, 'rinex-file/?limit=1000')
  const paths = rows.map(({ download_path: path }) => path.split('/rinex/data/')[1])
  t.strictSame(paths.sort(), filesOnDisk(archive))
  const misplaced = await readAll(service, 'rinex-file/?problem=misplaced')
  t.strictSame(misplaced, [])
}

async function checkStations(t: Test, service: Service, archive: string) {
  const found = await readAll<{ code: string; count: number }>(service, 'station/?limit=1000')
  const counted: Record<string, number> = {}
  for (const path of filesOnDisk(archive)) {
    const name = basename(path)
    const code = name.slice(0, name.includes('_') ? 9 : 4).toUpperCase()
    counted[code] = (counted[code] ?? 0) + 1
  }
  t.strictSame(Object.fromEntries(found.map(({ code, count }) => [code, count])), counted)
}

async function checkGaps(t: Test, service: Service, archive: string) {
  const from = isoOf(first).slice(0, 10)
  const series = seriesOnDisk(archive).filter(({ station }) => station in network)
  t.equal(series.length, Object.keys(network).length)
  for (const each of series) {
    const { station, period, starts } = each
    const path = `/rinex/api/missing/?station=${station}&from=${from}&limit=1000`
    const { as_of: asOf, results } = await service.json<Page<{ start: string }>>(path)
    // An old station has ended, so that nothing of it is missing.
    const hasEnded = (starts.at(-1) ?? 0) < first
    const range = { first: starts[0] ?? 0, from: first, end: now }
    const { absent } = countSlots(each, range, Date.parse(asOf))
    t.strictSame(
      results.map(({ start }) => start).sort(),
      hasEnded ? [] : absent.map(isoOf),
      `${station} ${period}`,
    )
  }
}

interface Latency {
  readonly arrivals: number
  readonly median_s: number | null
}

/** The file of the last hour arrives: its latency is the time since the end of its hour. */
async function checkLatency(
  t: Test,
  service: Service,
  { archive, tree }: { archive: string; tree: Tree },
) {
  const path = '/rinex/api/station/HOUR00DEU/latency/?period=01H'
  t.match(await service.json(path), { arrivals: 0, median_s: null }, 'none was seen arriving')
  const start = thisHour - hourMs
  const sinceEnd = () => (Date.now() - thisHour) / 1000
  const least = sinceEnd()
  arrive(archive, pathIn(tree, 'HOUR00DEU', '01H', start))
  let latency: Latency = { arrivals: 0, median_s: null }
  await until('its arrival is known', async () => {
    latency = await service.json<Latency>(path)
    return latency.arrivals > 0
  })
  t.equal(latency.arrivals, 1)
  const seconds = latency.median_s ?? 0
  t.ok(Math.floor(least) - 1 <= seconds && seconds <= sinceEnd(), `${least} s, found ${seconds} s`)
}
