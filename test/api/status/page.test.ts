/** The HTML page of the status. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { StatusReply } from '../../../src/control-socket/client.ts'
import type { IndexerStatus } from '../../../src/control-socket/protocol.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import t, { exact } from '../../tap.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { day, dayFile, openService, shortFile, startUs } from '../service.ts'

const path = '/rinex/api/status/'

const watching: IndexerStatus = {
  state: 'watching',
  sinceUs: startUs,
  problems: [],
  pid: 4711,
  version: '1.2.3',
  notCurrent: undefined,
  scan: undefined,
  lastScan: undefined,
  lastSweepUs: undefined,
  dirtyDirectories: 1234,
  settlingFiles: 4,
  withheldRemovals: 5,
  watching: { directories: 3, limit: null, overflows: 0 },
  rescans: { running: 2, waiting: undefined, done: 1 },
  hashing: { all: false, allFacts: false, behind: 6 },
  startedUs: startUs - 3600e6,
  endedRescans: [],
}

interface Options {
  readonly reply?: StatusReply
  readonly settings?: ServiceOptions['settings']
  readonly nowUs?: number
}

const open = (t: Test, { reply, settings = {}, nowUs = startUs + 1e6 }: Options) =>
  openService(t, {
    settings,
    deps: () => ({ indexerStatus: () => Promise.resolve(reply), nowUs: () => nowUs }),
  })

const pageOf = ({ page }: Service) => page('status/')
const textOf = async (service: Service) => (await pageOf(service)).text

t.test('the page names the hosts of the indexers of a server', async (t) => {
  const waiting = ['two.example', 'three.example']
  const hosts = { active: 'one.example', waiting }
  const text = await textOf(await open(t, { reply: { ...watching, hosts } }))
  t.match(text, 'Indexer host one.example Waiting indexers two.example, three.example')
  t.notMatch(await textOf(await open(t, { reply: watching })), /Indexer host|Waiting/)
})

t.test('the page shows the state in words and the lengths of the queues', async (t) => {
  const text = await textOf(await open(t, { reply: watching }))
  t.match(text, 'The indexer is watching. It lists new, replaced')
  t.match(text, 'Indexer watching, runs since 22 Jan 2026 04:06 UTC')
  t.match(
    text,
    'Queues 1,234 directories to read, 4 files still being written, 5 withheld removals, 1 ordered rescan, 6 files to hash at most',
  )
  const stopped = await textOf(await open(t, {}))
  t.match(stopped, 'The indexer is stopped. No indexer runs')
  t.match(stopped, 'Queues not known')
})

t.test('the page shows the progress, the rate and the remaining time of a scan', async (t) => {
  const scan = {
    startedUs: startUs,
    directoriesDone: 1000,
    directoriesFound: 2000,
    files: 30_000,
    done: 0.508,
    rate: 1234.5,
    secondsLeft: 599.4 as number | undefined,
  }
  const text = await textOf(await open(t, { reply: { ...watching, state: 'scanning', scan } }))
  t.match(text, '50 % of the tree')
  t.match(text, 'Started (UTC) 22 Jan 2026 05:06:07')
  t.match(text, 'Time left about 10 min')
  t.match(text, 'Directories read 1,000 of 2,000 found so far')
  t.match(text, 'Files found 30,000')
  t.match(text, 'Files a second 1,235')
  const early = { ...watching, scan: { ...scan, secondsLeft: undefined } }
  t.match(await textOf(await open(t, { reply: early })), 'Time left not known yet')
})

t.test('the newest file is shown, and the page of the archive', async (t) => {
  const service = await open(t, { nowUs: startUs + 200e6, reply: watching })
  const added = [newFile(dayFile, { size: 1_400_000, mtimeUs: 1 }), newFile(shortFile)]
  await service.writer.apply([change(day, { added })])
  const page = await pageOf(service)
  t.match(page.text, 'Last file listed 22 Jan 2026 05:06')
  t.equal(page.hrefOf('Archive'), '../archive/?format=api', 'it has sizes and disks')
})

t.test('queues and problems without files are words', async (t) => {
  const idle = {
    ...watching,
    dirtyDirectories: 0,
    settlingFiles: 0,
    withheldRemovals: 0,
    rescans: { running: undefined, waiting: undefined, done: 0 },
    hashing: undefined,
  }
  const text = await textOf(await open(t, { reply: idle }))
  t.match(text, 'Queues empty Last rescans the first scan has not ended')
  t.match(text, 'Problems none Checksums 0 of 0 files')
  t.notMatch(text, /Not catalogued|New Replaced/)
})

t.test('the last rescans, with what they changed', async (t) => {
  const rescan = {
    number: 3,
    paths: ['obs/2020', 'nrt/<b>'],
    pathCount: 5,
    acceptedRemovals: true,
    startedUs: startUs - 90e6,
    endedUs: startUs,
    added: 1200,
    modified: 2,
    removed: 1,
    problem: 'some changes could not be written and are tried again',
  }
  const service = await open(t, { reply: { ...watching, endedRescans: [rescan] } })
  const { text } = await pageOf(service)
  t.match(text, 'Last rescans')
  t.match(
    text,
    'obs/2020, nrt/<b>, and 3 more 22 Jan 2026 05:06:07 90 s 1,200 2 1 removals accepted; some changes could not be written',
  )
  const { rescans } = (await service.app.inject(path)).json<{ readonly rescans: object }>()
  t.match(rescans, {
    done: 1,
    ended: exact([{ rescan: 3, path_count: 5, accepted_removals: true }]),
  })
})

t.test('the page has the problems of the indexer with advice', async (t) => {
  const problems = [
    { text: 'obs/ is <gone>', advice: 'Mount it, or run `rinex-catalogue check`.' },
    { text: 'no disk', advice: 'Buy one.' },
  ]
  const degraded = await pageOf(
    await open(t, { reply: { ...watching, state: 'degraded', problems } }),
  )
  const items = degraded.all('li').filter((item) => item.has('strong'))
  t.strictSame(
    items.map(({ text }) => text),
    ['obs/ is <gone> Mount it, or run rinex-catalogue check.', 'no disk Buy one.'],
  )
  t.strictSame(items[0]?.texts('code'), ['rinex-catalogue check'])
  const unknown = await textOf(await open(t, { reply: { state: 'unknown', reason: 'EACCES' } }))
  t.match(unknown, 'EACCES Check that the indexer runs, and that')
})

t.test('each advice is a whole sentence', async (t) => {
  const literal = /\badvice(?: =|:)[^'`]*'([^']+)'(?:\s*: '([^']+)')?/g
  const advice = readdirSync('src/indexer', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join('src/indexer', file), 'utf8').matchAll(literal)])
    .flatMap(([, ...sentences]) => sentences.filter(Boolean))
  t.equal(advice.length, 15)
  for (const sentence of advice) t.match(sentence, /^[A-Z].*[^.]\.$/)
})

async function addProblems({ writer }: Service): Promise<void> {
  const facts = { size: 12, mtimeUs: 1000 }
  const incomplete = { ...newFile(dayFile, facts), incomplete: true }
  const rejections = [{ reason: 'not-gz', count: 2, names: ['README.txt', 'b.txt'] }]
  await writer.apply([change(day, { added: [incomplete], rejections })])
  await writer.apply([change('obs/2026/002', { added: [newFile(shortFile, facts)] })])
  await writer.keepChecksums([checksumOf(2, { ...facts, problem: 'broken' })], 2)
}

t.test('problems link to their paths, and reasons link to their explanations', async (t) => {
  const service = await open(t, { reply: watching })
  await addProblems(service)
  const page = await pageOf(service)
  for (const [text, problem] of [
    ['1 incomplete', 'incomplete'],
    ['1 damaged', 'broken'],
    ['1 misplaced', 'misplaced'],
    ['2 not catalogued', 'rejected'],
  ] as const) {
    const href = `../status/problems/?problem=${problem}&format=api`
    t.strictSame(page.links({ href }), [{ text, href }])
  }
  t.equal(page.hrefOf('the name does not end in .gz'), '../docs/status/?format=api#reason-not-gz')
  t.match(page.text, '2: the name does not end in .gz')
})

t.test('names with a suffix that is not chosen say how many, and where to choose it', async (t) => {
  for (const [names, words] of [
    [['graz0010.26d.Z'], '1 file ends in .Z: see suffixes'],
    [['graz0010.26d.Z', 'graz0010.26n.Z'], '2 files end in .Z: see suffixes'],
  ] as const) {
    const service = await open(t, { reply: watching })
    const rejections = [{ reason: 'suffix', count: names.length, names }]
    await service.writer.apply([change(day, { rejections })])
    const page = await pageOf(service)
    t.match(page.text, words)
    t.equal(page.hrefOf(words.replace(/:.*/, '')), '../docs/status/?format=api#reason-suffix')
  }
})

t.test('the page and the status say when the oldest look was', async (t) => {
  const service = await open(t, { reply: watching })
  t.match((await service.app.inject('/rinex/api/status/')).json(), { as_of: null })
  await service.writer.setAsOf({
    atUs: Date.UTC(2026, 0, 22, 5, 7, 9) * 1000 + 5,
    limitSeconds: 180,
  })
  t.match((await service.app.inject('/rinex/api/status/')).json(), {
    as_of: '2026-01-22T05:07:09Z',
  })
  t.match(
    (await pageOf(service)).text,
    /Oldest look at a directory \(UTC\)\s+22 Jan(?: 2026)? 05:07:09/,
  )
})

t.test('if paths are not public, the page has counts and no links to the paths', async (t) => {
  const service = await open(t, { reply: watching, settings: { problems: 'command-line' } })
  await addProblems(service)
  const page = await pageOf(service)
  t.notOk(page.has('a', { href: /problems\// }))
  t.notMatch(page.text, day)
  t.match(page.text, 'on the command line only: rinex-catalogue status --problems')
  t.match(page.text, '1 incomplete, 1 damaged, 1 misplaced, 2 not catalogued')
  t.ok(page.has('a', { href: /#reason-not-gz$/ }))
})
