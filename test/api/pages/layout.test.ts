/** All pages of an archive with faults: their HTML, what every page has, and where links lead. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { arriving, change, newFile } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import type { Html } from '../html.ts'
import { readPage } from '../html.ts'
import type { Period } from '../series/network.ts'
import { dayOf, daySeconds, nameOf } from '../series/network.ts'
import type { Service } from '../service.ts'
import { openService } from '../service.ts'
import { watchingIndexer } from '../status/indexer-status.ts'
import { crawl } from './crawl.ts'

const root = 'https://archive.example/gnss/at.gv.bev.dc/v1.0/'
/** 2026-03-02T08:20Z */
const now = dayOf(2026, 3, 2) * daySeconds + 8 * 3600 + 1200
const facts = { size: 12, mtimeUs: 1000 }

/** The hours or days before now whose files are there: `[40, 5]` without those of the last four. */
const stations: readonly (readonly [string, Period, from: number, to: number])[] = [
  ['GRAZ00AUT', '01H', 60, 1],
  ['GRAZ00AUT', '01D', 40, 1],
  ['GRAZ', '01D', 60, 41],
  ['LATE00AUT', '01H', 60, 6],
  ['DOWN00ITA', '01H', 80, 72],
  ['ENDD00POL', '01D', 200, 190],
  ['WTZR', '01D', 30, 20],
  ['WTZR00DEU', '01D', 20, 1],
  ['WTZR01DEU', '01D', 20, 1],
]

async function openFaulty(t: Test): Promise<Service> {
  const problems = [{ text: '`obs/` is <gone>', advice: 'Mount `obs/` & wait.' }]
  const service = await openService(t, {
    nowUs: (now - 90 * daySeconds) * 1e6,
    settings: {
      datasetPrefix: 'gnss/at.gv.bev.dc/v1.0',
      identity: { title: '<b>A</b>', operator: '"&\'', contact: 'a@b.example', notice: '<i>' },
    },
    deps: () => ({ indexerStatus: () => Promise.resolve({ ...watchingIndexer, problems }) }),
  })
  const { writer, clock, setNow } = service
  await setNow(now - 90 * daySeconds)
  for (const [station, period, from, to] of stations) {
    const seconds = period === '01D' ? daySeconds : 3600
    for (let slot = Math.floor(now / seconds) - from; slot <= now / seconds - to; slot++) {
      clock.us = ((slot + 1) * seconds + 60) * 1e6
      const added = arriving([newFile(nameOf(slot, station, period), facts)], clock.us)
      await writer.apply([change(period === '01D' ? 'obs/2026/001' : 'nrt/2026/001/05', { added })])
    }
  }
  await setNow(now)
  await addProblems(service)
  return service
}

/** A problem of each kind, files without a station or a past date, and one on disk. */
async function addProblems(service: Service): Promise<void> {
  const names = ['s0010020.26d.gz', 's0020020.26d.gz', 's0010020.26n.gz', 's0040020.26d.gz']
  const [broken = '', cut = '', gone = '', later = ''] = names
  const path = 'obs/2026/002'
  const rejections = [
    { reason: 'not-gz', count: 250, names: ['<b>.txt', 'a&b'] },
    { reason: 'unreadable-directory', count: 1, names: [''] },
  ]
  const added = [...names, 'BRDC00IGS_R_20990020000_01D_MN.rnx.gz'].map((name) =>
    newFile(name, facts),
  )
  await service.writer.apply([change(path, { added, rejections })])
  const [brokenId, cutId, goneId, laterId] = await Promise.all(
    [broken, cut, gone, later].map((name) => service.idOf(`${path}/${name}`)),
  )
  await service.writer.keepChecksums(
    [checksumOf(brokenId ?? 0, { ...facts, problem: 'broken' })],
    0,
  )
  const modified = [
    { id: cutId ?? 0, name: cut, ...facts, incomplete: true },
    { id: laterId ?? 0, name: later, size: 13, mtimeUs: 2000 },
  ]
  await service.writer.apply([change(path, { modified, removed: [goneId ?? 0] })])
  await service.add(`${path}/graz0020.26d.gz`)
}

/** What people must never read. */
const slip = /\bundefined\b|\[object |\bNaN\b|&(amp|lt|gt|quot|#39);/

function checkPage(t: Test, url: string, page: Html, headers: OutgoingHttpHeaders): void {
  const isListing = url.startsWith(`${root}data/`)
  const { 'content-security-policy': policy } = headers
  t.match(policy, "default-src 'none'", url)
  t.notMatch(policy, /unsafe|upgrade-insecure/, url)
  t.notOk(page.has('style') || page.has('*', { style: /^/ }), url)
  const loaded = [...page.all('script'), ...page.all('link', { rel: 'stylesheet' })].map((each) =>
    new URL(each.attribute('src') ?? each.attribute('href') ?? '', url).href.replace(root, ''),
  )
  t.strictSame(loaded, isListing ? [] : ['assets/page.js', 'assets/page.css'], url)
  t.equal(page.all('h1').length, 1, `one heading: ${url}`)
  t.match(page.title, /\w/, `title: ${url}`)
  t.equal(slip.exec(page.text)?.[0], undefined, url)
  t.ok(isListing || page.has('main', { id: 'main' }), url)
  const ids = page.all('*', { id: /^/ }).map((each) => each.attribute('id'))
  t.equal(new Set(ids).size, ids.length, `ids are unique: ${url}`)
}

/** Links of a page with filters are not followed. */
function leadsOn({ pathname, searchParams }: URL): boolean {
  const others = new Set(['format', 'limit', 'offset', 'ordering'])
  const filters = [...searchParams.keys()].filter((name) => !others.has(name))
  // Examples of the OpenAPI document name no file of this archive.
  return filters.length === 0 && !/\/api\/(schema|docs)\/$/.test(pathname)
}

t.test('every page is whole, and every link leads to an answer below the prefix', async (t) => {
  const { app } = await openFaulty(t)
  const start = ['api/', 'api/network/?format=api', 'data/'].map((path) => root + path)
  const way = { start, accepts: ['text/html', '*/*'], ofKind: 5, leadsOn }
  const found = new Set<string>()
  const inJson: string[] = []
  for await (const { url, accept, answer, links } of crawl(app, {
    ...way,
    kindOf: ({ pathname }) => pathname,
  })) {
    const { pathname, href } = url
    const type = String(answer.headers['content-type'])
    const isPage = type.startsWith('text/html')
    const isLed = /\/api\/(search\/)?$/.test(pathname) && answer.statusCode === 303
    // The files of this archive are names alone.
    const isFile =
      (pathname.includes('/data/') && !pathname.endsWith('/')) || pathname.endsWith('/header/')
    const isDocument = accept === 'text/html' && pathname.endsWith('/api/schema/')
    if (!isLed && !isFile && !isDocument) t.equal(answer.statusCode, 200, `${accept} ${href}`)
    if (answer.statusCode !== 200) continue
    if (accept === 'text/html' && isPage) checkPage(t, href, readPage(answer.body), answer.headers)
    if (!leadsOn(url)) continue
    if (type === 'application/json') inJson.push(...links)
    for (const link of links) found.add(link)
  }
  t.strictSame(
    [...found].filter((link) => !link.startsWith(root)),
    [],
  )
  const isUnnamed = (link: string) => link.startsWith(`${root}api/`) && !/[?&]format=/.test(link)
  t.strictSame(inJson.filter(isUnnamed), [], 'links of JSON name a format')
  t.ok(inJson.length > 10)
  for (const section of ['api/rinex-file', 'api/station/GRAZ', 'api/alerts', `data/obs/2026/002`])
    t.ok(
      [...found].some((link) => link.startsWith(`${root}${section}/`)),
      section,
    )
  t.ok(found.size > 300, `${found.size} links`)
})
