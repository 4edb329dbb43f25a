/** `status/problems/`: files with problems, from the indexer, the API and the catalogue. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { WireProblem } from '../../../src/api/file-problems/problem-list.ts'
import { reasonMeanings } from '../../../src/api/file-problems/problem-list.ts'
import type { FlagName } from '../../../src/rinex/facts.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { flagged } from '../../catalogue/some-facts.ts'
import t, { exact } from '../../tap.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { dayFile, hour, hourFile, openService, shortFile, startUs } from '../service.ts'

const path = '/rinex/api/status/problems/'
const facts = { size: 12, mtimeUs: 1000 }
const otherDay = 'obs/2026/002'
const names = Array.from({ length: 3 }, (_, n) => `s00${n}0020.26d.gz`)
const settling = { path: `${hour}/${hourFile}`, reason: 'no-end-yet' as const, sinceUs: startUs }

/** A catalogue with a problem of each kind. */
async function openWithProblems(t: Test, settings: ServiceOptions['settings'] = {}) {
  const service = await openService(t, {
    settings,
    deps: () => ({ settlingFiles: () => Promise.resolve([settling]) }),
  })
  const { writer } = service
  const [incomplete = '', broken = '', gone = ''] = names
  const added = [{ ...newFile(incomplete, facts), incomplete: true }, newFile(broken, facts)]
  const rejections = [
    { reason: 'not-gz', count: 250, names: ['<b>.txt', 'b.txt'] },
    { reason: 'symlink', count: 1, names: [] },
  ]
  await writer.apply([change(otherDay, { added })])
  await writer.apply([change('obs/2026/004', { rejections })])
  await writer.apply([
    change('obs/2026/003', {
      rejections: [{ reason: 'unreadable-directory', count: 1, names: [''] }],
    }),
  ])
  await writer.keepChecksums([checksumOf(2, { ...facts, problem: 'broken' })], 2)
  await service.addNames(otherDay, [shortFile])
  await service.add(`${otherDay}/${gone}`)
  const file = join(service.archive, otherDay, gone)
  renameSync(file, `${file}.away`)
  await writer.adoptDamagedBy(['cut', 'empty'], 0)
  for (const [name, size, ...flags] of inside) {
    await writer.apply([change(otherDay, { added: [newFile(name, { ...facts, size })] })])
    const { id = 0 } = (await service.reader.file({ directory: otherDay, name })) ?? {}
    await writer.keepChecksums([checksumOf(id, { ...facts, size, facts: flagged(...flags) })], 0)
  }
  return service
}

/** Damaged by what is inside, or without a byte; the last two are not. */
const inside: readonly (readonly [name: string, size: number, ...FlagName[]])[] = [
  ['s0030020.26d.gz', 12, 'cut', 'short'],
  ['s0040020.26d.gz', 0],
  ['s0050020.26n.gz', 12, 'empty'],
  ['s0060020.26d.gz', 12, 'short'],
]

interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly WireProblem[]
}

const get = async ({ app }: Service, query = '') => (await app.inject(path + query)).json<Page>()

const expected = [
  ['settling', `${hour}/${hourFile}`, 'no-end-yet'],
  ['unservable', `${otherDay}/${names[2]}`, 'not-there'],
  ['incomplete', `${otherDay}/${names[0]}`, 'no-end'],
  ['broken', `${otherDay}/s0040020.26d.gz`, 'no-bytes'],
  ['broken', `${otherDay}/s0030020.26d.gz`, 'cut'],
  ['broken', `${otherDay}/${names[1]}`, 'damaged'],
  ['misplaced', `${otherDay}/${shortFile}`, 'other-date'],
  ['rejected', 'obs/2026/004/<b>.txt', 'not-gz'],
  ['rejected', 'obs/2026/004/b.txt', 'not-gz'],
  ['rejected', 'obs/2026/003', 'unreadable-directory'],
]
const rowsOf = ({ results }: Page) =>
  results.map(({ problem, path, reason }) => [problem, path, reason])

t.test('all problems are listed with their paths', async (t) => {
  const service = await openWithProblems(t)
  const download = `/rinex/data/${otherDay}/${names[2]}`
  t.equal((await service.app.inject(download)).statusCode, 404)
  const page = await get(service)
  t.same(rowsOf(page), expected)
  t.match(page, { count: expected.length, next: null, previous: null })
  for (const { since } of page.results) t.match(since, /^20\d\d-\d\d-\d\dT.*\.\d{6}Z$/)
  const file = join(service.archive, otherDay, names[2] ?? '')
  renameSync(`${file}.away`, file)
  t.equal((await service.app.inject(download)).statusCode, 200)
  const remaining = expected.filter(([problem]) => problem !== 'unservable')
  t.same(rowsOf(await get(service)), remaining, 'not listed after a successful download')
})

t.test('problems are filtered by name, and paged', async (t) => {
  const service = await openWithProblems(t)
  await service.app.inject(`/rinex/data/${otherDay}/${names[2]}`)
  for (const [kind = ''] of expected)
    t.same(
      rowsOf(await get(service, `?problem=${kind}`)),
      expected.filter(([problem]) => problem === kind),
      kind,
    )
  const two = expected.filter(([kind]) => kind === 'settling' || kind === 'misplaced')
  t.same(rowsOf(await get(service, '?problem=misplaced,settling')), two)
  t.same(rowsOf(await get(service, '?problem=misplaced&problem=settling')), two)
  for (const limit of [1, 2, 3, 5, 100]) {
    const seen: string[][] = []
    let next: string | null = `${path}?limit=${limit}`
    while (next !== null) {
      const page: Page = (await service.app.inject(next)).json<Page>()
      t.equal(page.count, expected.length)
      seen.push(...rowsOf(page))
      next = page.next?.replace('https://archive.example', '') ?? null
    }
    t.same(seen, expected, `limit ${limit}`)
  }
  t.match((await get(service, '?problem=incomplete&limit=1')).next, null)
  t.match(
    (await get(service, '?problem=rejected&limit=1')).next,
    '?format=api&limit=1&offset=1&problem=rejected',
  )
})

t.test('the ETag changes when the list of problems changes', async (t) => {
  const service = await openWithProblems(t)
  const first = await service.app.inject(path)
  const getAgain = async () =>
    service.app.inject({ url: path, headers: { 'if-none-match': String(first.headers.etag) } })
  t.equal((await getAgain()).statusCode, 304)
  await service.addNames(otherDay, [dayFile])
  t.equal((await getAgain()).statusCode, 200)
})

t.test('an invalid value gets 400, and an unknown parameter is ignored', async (t) => {
  const service = await openWithProblems(t)
  const { app } = service
  const bad = await app.inject(`${path}?problem=lost`)
  t.equal(bad.statusCode, 400)
  t.match(bad.json(), { problem: exact([/lost is not one of the available choices/]) })
  const ignored = await app.inject(`${path}?problems=rejected`)
  t.equal(ignored.headers['ignored-parameters'], 'problems')
  const strict = await app.inject(`${path}?problems=rejected&strict=1`)
  t.match(strict, { statusCode: 400 })
  t.match(strict.json(), { problems: exact([/Did you mean problem\?/]) })
})

t.test('if paths are not public, the list gets 403 and the status has no paths', async (t) => {
  const service = await openWithProblems(t, { problems: 'command-line' })
  const answer = await service.app.inject(path)
  t.equal(answer.statusCode, 403)
  t.same(answer.json(), {
    detail: 'The paths of files with problems are available only on the command line.',
  })
  await service.app.inject(`/rinex/data/${otherDay}/${names[2]}`)
  const status = await service.app.inject('/rinex/api/status/')
  t.match(status.json(), {
    rejected: exact([
      { reason: 'not-gz', count: 250, examples: [] },
      { reason: 'symlink', count: 1, examples: [] },
      { reason: 'unreadable-directory', count: 1, examples: [] },
    ]),
    checksums: { broken: { count: 3, examples: exact([]) } },
    incomplete: { count: 1, examples: exact([]) },
    unserved: { count: 1, latest: exact([]) },
  })
  t.notMatch(status.body, '2026/00')
})

t.test('the page has reasons in words, and leads to record, directory and station', async (t) => {
  const { app, page } = await openWithProblems(t)
  const html = await page(path)
  const isHere = { 'aria-current': 'page' }
  t.equal(html.one('li', isHere).text, 'Problems')
  t.match(html.text, '9 problems')
  const texts = html.links().map(({ text }) => text)
  for (const words of [
    'Status',
    'the content has no end',
    'ends within the header, a line or an epoch',
    'still being written',
    'the name does not end in .gz',
  ])
    t.ok(texts.includes(words), words)
  const station = names[0]?.slice(0, 4).toUpperCase() ?? ''
  const rinex = 'https://archive.example/rinex'
  t.equal(html.hrefOf(station), `${rinex}/api/station/${station}/?format=api`)
  t.equal(html.hrefOf(otherDay), `${rinex}/data/${otherDay}/`)
  t.notOk(html.has('a', { href: /\/data\/obs\/2026\/003/ }), 'it cannot be read')
  const links = html.links({ href: /^https:.*search/ })
  t.equal(links.length, 9)
  const found = await Promise.all(
    links.map(async ({ href }) => {
      const { pathname, search } = new URL(href)
      return app.inject({ url: pathname + search, headers: { accept: 'text/html' } })
    }),
  )
  t.strictSame(
    found.map(({ statusCode, headers }) => (statusCode === 303 ? headers.location : statusCode)),
    [
      200,
      ...[1, 6, 5, 2, 3].map((id) => `../rinex-file/${id}/?format=api`),
      200,
      200,
      '../../data/obs/2026/003/',
    ],
    'the record, the reason, the directory',
  )
})

t.test('pages link each reason to its explanation in the reference', async (t) => {
  const { page } = await openWithProblems(t)
  const docs = await page('docs/status/')
  for (const reason of Object.keys(reasonMeanings))
    t.equal(docs.one('dt', { id: `reason-${reason}` }).text, reason)
  t.match(docs.facts['not-gz'], 'The name of the file does not end in .gz;')
  const links = (await page(path)).links({ href: /docs\/status\/\?format=api#reason-[a-z-]+$/ })
  const linked = links.map(({ href }) => href.replace(/.*#reason-/, ''))
  t.strictSame(
    linked,
    expected.map(([, , reason]) => reason).filter((reason) => reason !== 'not-there'),
  )
  for (const reason of linked) t.ok(reason in reasonMeanings, reason)
})
