/** What words mean, and why there is no page for them. */
import type { Test } from 'tap'
import { createLayout, defaultLists } from '../../../src/parse/layout.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { fc } from '../../random.ts'
import t, { exact } from '../../tap.ts'
import { dayOf, daySeconds, openNetwork } from '../series/network.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { openService, startUs } from '../service.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

const search = '/rinex/api/search/'
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const base = 'https://archive.example/rinex/'

interface Result {
  readonly kind: string
  readonly title: string
  readonly url: string | null
  readonly why: string | null
}

async function ask({ app }: Service, q: string): Promise<readonly Result[]> {
  const answer = await app.inject({ url: search, query: { q } })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json<{ results: Result[] }>().results
}

const graz = 'GRAZ00AUT_R_20260620000_01D_30S_MO.crx.gz'
const graz4 = 'graz0620.26d.gz'
const wtzr = 'WTZR00DEU_R_20260620500_01H_30S_MO.crx.gz'
const wtza = 'WTZA00DEU_R_20260620500_01H_30S_MO.crx.gz'
const zimm = 'zimm0620.26d.gz'
const nor = 'TRDS00NOR_R_20260620000_01D_30S_MO.crx.gz'
const onDay = 'obs/2026/062'
const atHour = 'nrt/2026/062/05'

/** An archive with files of some stations, one of them misplaced. */
async function openArchive(t: Test, options: ServiceOptions = {}): Promise<Service> {
  const service = await openService(t, options)
  await service.addNames(onDay, [graz, zimm, nor, 'TRDS00NOR_R_20260620000_01D_MN.rnx.gz'])
  await service.addNames(atHour, [wtzr, wtza])
  const added = [newFile('GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz')]
  await service.writer.apply([change('obs/2026/063', { added })])
  return service
}

/** Words with the kinds and titles that they mean, and the page without `?format=api`. */
const words: readonly (readonly [word: string, ...results: string[]])[] = [
  // Stations.
  ['GRAZ', 'station GRAZ00AUT api/station/GRAZ00AUT/'],
  ['graz', 'station GRAZ00AUT api/station/GRAZ00AUT/'],
  [' graz ', 'station GRAZ00AUT api/station/GRAZ00AUT/'],
  ['GRAZ00AUT', 'station GRAZ00AUT api/station/GRAZ00AUT/'],
  ['Gr', 'station GRAZ00AUT api/station/GRAZ00AUT/'],
  ['zimm', 'station ZIMM api/station/ZIMM/'],
  ['wtz', 'station WTZA00DEU api/station/WTZA00DEU/', 'station WTZR00DEU api/station/WTZR00DEU/'],
  [
    'GRAX',
    'station GRAZ00AUT api/station/GRAZ00AUT/ No station has the code GRAX; this one is similar.',
  ],
  // Countries.
  ['AUT', 'country Austria (AUT) api/station/?country=AUT'],
  ['aut', 'country Austria (AUT) api/station/?country=AUT'],
  ['Austria', 'country Austria (AUT) api/station/?country=AUT'],
  ['norw', 'country Norway (NOR) api/station/?country=NOR'],
  ['Japan', 'country Japan (JPN) - No station is in this country.'],
  // Names of files.
  [graz, `file ${onDay}/${graz} record`],
  [graz.toLowerCase(), `file ${onDay}/${graz} record`],
  [graz.slice(0, -3), `file ${onDay}/${graz} record`],
  [graz.slice(0, -7), `file ${onDay}/${graz} record`],
  [graz.replace('.gz', '.Z'), `file ${onDay}/${graz} record`],
  ['zimm0620.26d', `file ${onDay}/${zimm} record`],
  ['zimm0620.26d.Z', `file ${onDay}/${zimm} record`],
  ['ZIMM0620.26D.GZ', `file ${onDay}/${zimm} record`],
  ['zimm0620', `file ${onDay}/${zimm} record`],
  [
    'TRDS00NOR_R_2026062',
    `file ${onDay}/TRDS00NOR_R_20260620000_01D_30S_MO.crx.gz record`,
    `file ${onDay}/TRDS00NOR_R_20260620000_01D_MN.rnx.gz record`,
  ],
  // Paths and URLs.
  [`${onDay}/${graz}`, `file ${onDay}/${graz} record`],
  [`/${onDay}/${graz.slice(0, -3)}`, `file ${onDay}/${graz} record`],
  [`${base}data/${onDay}/${graz}`, `file ${onDay}/${graz} record`],
  [`http://a.example:8080/rinex/data//${onDay}/${graz}?x=1#y`, `file ${onDay}/${graz} record`],
  [`/srv/gnss/${onDay}/${graz}`, `file ${onDay}/${graz} record`],
  [`${onDay}/`, `directory ${onDay}/ data/${onDay}/`],
  [onDay, `directory ${onDay}/ data/${onDay}/`],
  ['nrt', 'directory nrt/ data/nrt/'],
  [`${base}data/nrt/2026/`, 'directory nrt/2026/ data/nrt/2026/'],
  ['obs/2027/001', 'directory obs/2027/001/ - No file is in this directory or below it.'],
  // Days.
  ['2026-03-03', 'day 2026-03-03 (day 062): 6 files api/rinex-file/?date=2026-03-03'],
  ['2026/062', 'day 2026-03-03 (day 062): 6 files api/rinex-file/?date=2026-03-03'],
  ['2026-062', 'day 2026-03-03 (day 062): 6 files api/rinex-file/?date=2026-03-03'],
  ['2026 062', 'day 2026-03-03 (day 062): 6 files api/rinex-file/?date=2026-03-03'],
  ['2026062', 'day 2026-03-03 (day 062): 6 files api/rinex-file/?date=2026-03-03'],
  ['20260303', 'day 2026-03-03 (day 062): 6 files api/rinex-file/?date=2026-03-03'],
  ['2026/3/3', 'day 2026-03-03 (day 062): 6 files api/rinex-file/?date=2026-03-03'],
  ['2026', 'day 2026: 7 files api/rinex-file/?year=2026'],
  ['2026-03', 'day March 2026: 6 files api/rinex-file/?date=2026-03'],
  ['2026-3', 'day March 2026: 6 files api/rinex-file/?date=2026-03'],
  [
    '2026-03-03T05:13',
    'day the time 2026-03-03T05:13: 6 files api/rinex-file/?covers=2026-03-03T05:13',
  ],
  ['2400', 'day GPS week 2400 - No file has data of GPS week 2400.'],
  ['week 2408', 'day GPS week 2408: 6 files api/rinex-file/?when=week+2408'],
  ['GPS week 2400', 'day GPS week 2400 - No file has data of GPS week 2400.'],
  ['2025', 'day 2025 - No file has data of 2025.'],
  ['2025-12', 'day December 2025 - No file has data of December 2025.'],
  // As pages and fields have them.
  ['3 Mar 2026 (062)', 'day 3 Mar 2026 (062): 6 files api/rinex-file/?when=3+Mar+2026+%28062%29'],
  ['March 2026', 'day March 2026: 6 files api/rinex-file/?when=March+2026'],
  ['2026-03/2026-04', 'day March 2026 to April 2026: 6 files api/rinex-file/?when=2026-03/2026-04'],
  [
    'zimm 2026-062',
    'day ZIMM, 2026-03-03 (day 062): 1 file api/rinex-file/?date=2026-03-03&station=ZIMM',
  ],
  ['ZIM*', 'station ZIMM api/station/ZIMM/'],
  ['graz,zimm', 'station GRAZ00AUT api/station/GRAZ00AUT/', 'station ZIMM api/station/ZIMM/'],
  ['2026-02-30'],
  ['2026-13'],
  ['2026-366'],
  // Words of the field that name nothing here.
  ...['rinex', 'GNSS', 'Hatanaka', 'RINEX 3.05', 'receiver type', 'x', '...'].map(
    (word) => [word] as const,
  ),
  [''],
  ['   '],
]

/** A result as the table has it: kind, title, page or `-`, and the reason. */
function written({ kind, title, url, why }: Result): string {
  const page = url?.replace(base, '').replace(/&format=api|format=api&|[?]format=api$/, '') ?? '-'
  const isRecord = /^api\/rinex-file\/\d+\/$/.test(page)
  return [kind, title, isRecord ? 'record' : page, why ?? ''].join(' ').trim()
}

t.test('a word leads to the pages that it may mean', async (t) => {
  const service = await openArchive(t)
  for (const [word, ...expected] of words)
    t.strictSame((await ask(service, word)).map(written), expected, word)
})

t.test('all pages that the search finds exist', async (t) => {
  const service = await openArchive(t)
  for (const [word] of words)
    for (const { url } of await ask(service, word)) {
      if (url === null) continue
      const { pathname, search: query } = new URL(url)
      const page = await service.app.inject({ url: pathname + query, headers: browser })
      t.equal(page.statusCode, 200, url)
    }
})

const notListed = 'api/changes/?filename='

t.test('for a file that is not listed, it says why', async (t) => {
  const settling = ['no-end-yet', 'unreadable'] as const
  const young = settling.map((reason, index) => ({
    path: `${atHour}/YOUN0${index}AUT_R_20260620500_01H_30S_MO.crx.gz`,
    reason,
    sinceUs: startUs,
  }))
  const service = await openArchive(t, {
    deps: () => ({ settlingFiles: async () => young, indexerStatus: async () => watchingIndexer }),
  })
  await service.writer.setAsOf({ atUs: Date.now() * 1000, limitSeconds: 1e9 })
  const { writer } = service
  const id = await service.idOf(`${onDay}/${zimm}`)
  await writer.apply([change(onDay, { removed: [id] })])
  const rejections = [
    { reason: 'symlink', count: 1, names: ['LINK00AUT_R_20260620000_01D_30S_MO.crx.gz'] },
    { reason: 'not-gz', count: 1, names: ['Notes_of_the_day.txt'] },
  ]
  await writer.apply([change(onDay, { rejections })])
  const cases: readonly (readonly [word: string, ...results: (string | RegExp)[]])[] = [
    [
      zimm,
      new RegExp(
        `^file ${onDay}/${zimm} ${notListed.replaceAll(/[?]/g, '[?]')}${zimm}&limit=1&since=\\d+ It was removed on 22 Jan 2026 05:06:07 UTC.$`,
      ),
    ],
    [`${onDay}/ZIMM0620.26D`, /It was removed on 22 Jan 2026/],
    [
      'YOUN00AUT_R_20260620500_01H_30S_MO.crx',
      `file ${young[0]?.path} - It is still being written: its gzip stream has no end yet, since 22 Jan 2026 05:06:07 UTC.`,
    ],
    [
      'youn01aut_r_20260620500_01h_30s_mo.crx.gz',
      `file ${young[1]?.path} - It is not listed yet, because the indexer cannot read it since 22 Jan 2026 05:06:07 UTC.`,
    ],
    [
      'LINK00AUT_R_20260620000_01D_30S_MO.crx.gz',
      /^file obs\/2026\/062\/LINK\S* - It is rejected, since 22 Jan 2026 05:06:07 UTC: The symbolic link/,
    ],
    [`${onDay}/notes_of_the_day.txt`, /Notes_of_the_day.txt - It is rejected, since .*in \.gz;/],
    ['notes_of_the_day.txt', /^file notes\S* - It is rejected: The name .* does not end in \.gz;/],
    [
      'GRAZ00AUT_R_20263670000_01D_30S_MO.crx.gz',
      'file GRAZ00AUT_R_20263670000_01D_30S_MO.crx.gz - It is rejected: The year of the name does not have this day.',
    ],
    ['GRAZ00AUT_R_20263670000_01D_30S_MO', /year of the name does not have this day/],
    ['graz0621.26x.gz', /^file graz0621.26x.gz - It is rejected: /],
    ['obs/2026/062/.hidden/x.gz', /^directory .* - It is rejected: The name of the directory/],
    ['obs/../../etc/passwd', /^directory obs\/\.\.\S* - It is rejected: The name of the directory/],
    [
      `obs/2026/061/${graz}`,
      `file ${onDay}/${graz} record It is in another directory than the one asked for.`,
    ],
    [
      'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
      /^file obs\/2026\/063\/GRAZ\S* record It is in the directory of another date\.$/,
    ],
    [
      `obs/2026/001/GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz`,
      /record It is in another directory than the one asked for, which is that of another date\.$/,
    ],
    [
      'GRAZ00AUT_R_20260621200_01H_30S_MO.crx.gz',
      /- It was never seen: .* in the last 90 days\.$/,
      `file ${onDay}/${graz} record Of the same station, on the same day.`,
    ],
    [
      'GRAZ00AUT_R_20260700000_01D_30S_MO.crx.gz',
      /- It was never seen: /,
      'station GRAZ00AUT api/station/GRAZ00AUT/ It has no file of this day.',
    ],
    [
      'GRAY00AUT_R_20260700000_01D_30S_MO.crx.gz',
      /- It was never seen: /,
      'station GRAZ00AUT api/station/GRAZ00AUT/ No station has the code GRAY00AUT; this one is similar.',
    ],
    ['GRAZ00AUT_R_2031', /- No listed file has a name that begins with graz00aut_r_2031\.$/],
  ]
  for (const [word, ...expected] of cases) {
    const found = (await ask(service, word)).map(written)
    t.match(found, exact(expected), word)
  }
})

t.test('what is excluded is found to be, by its pattern', async (t) => {
  const layout = createLayout({ ...defaultLists, exclude: ['raw/', '*2026070*'] })
  const service = await openArchive(t, { settings: { layout } })
  const cases = [
    ['obs/raw', 'directory', 'raw/'],
    ['obs/raw/GRAZ00AUT_R_20260620000_01D_30S_MO.crx.gz', 'file', 'raw/'],
    ['GRAZ00AUT_R_20260700000_01D_30S_MO.crx.gz', 'file', '*2026070*'],
  ] as const
  for (const [word, kind, pattern] of cases) {
    const [first] = await ask(service, word)
    t.match(first, { kind, url: null, why: `It is excluded by ${pattern}.` }, word)
  }
  const { statusCode } = await service.app.inject('/rinex/data/obs/raw/')
  t.equal(statusCode, 404)
})

t.test('what is not known yet is never said to be known', async (t) => {
  const stopped = await openArchive(t)
  const [file] = await ask(stopped, 'GRAZ00AUT_R_20260700000_01D_30S_MO.crx.gz')
  t.match(file?.why, /90 days\. Newer files are not known: the indexer is stopped\.$/)
})

t.test('if paths of problems are not public, no path is shown that is not listed', async (t) => {
  const path = `${atHour}/YOUN00AUT_R_20260620500_01H_30S_MO.crx.gz`
  const young = [{ path, reason: 'no-end-yet', sinceUs: startUs } as const]
  const service = await openArchive(t, {
    settings: { problems: 'command-line' },
    deps: () => ({ settlingFiles: async () => young }),
  })
  const rejections = [{ reason: 'symlink', count: 1, names: [graz4] }]
  await service.writer.apply([change(onDay, { rejections })])
  for (const [word, why] of [
    [path, /^It was never seen/],
    [`${onDay}/${graz4}`, /^It was never seen/],
    ['graz0620.26x.gz', /^It is rejected: The data type/],
  ] as const) {
    const [first] = await ask(service, word)
    t.match(first, { title: word.slice(word.lastIndexOf('/') + 1), url: null, why }, word)
  }
})

t.test('a browser is led to the page of a single exact result, with a relative URL', async (t) => {
  // Answers change with the minute.
  const service = await openArchive(t, { nowUs: startUs })
  const id = await service.idOf(`${onDay}/${graz}`)
  for (const [word, location] of [
    ['graz', '../station/GRAZ00AUT/?format=api'],
    [`${base}data/${onDay}/${graz}`, `../rinex-file/${id}/?format=api`],
    [`/${onDay}`, `../../data/${onDay}/`],
    ['2026/062', '../rinex-file/?date=2026-03-03&format=api'],
    ['wtz', undefined],
    ['GRAX', undefined],
    [`obs/2026/061/${graz}`, undefined],
    ['Nowhere at all', undefined],
    ['', undefined],
  ] as const)
    for (const method of ['GET', 'HEAD'] as const) {
      const query = { q: word, format: 'api' }
      const answer = await service.app.inject({ method, url: search, query, headers: browser })
      t.equal(answer.statusCode, location === undefined ? 200 : 303, word)
      t.equal(answer.headers.location, location, word)
      t.equal(answer.headers.vary, 'Accept, Accept-Encoding', word)
    }
  const program = await service.app.inject({ url: search, query: { q: 'graz' } })
  t.equal(program.statusCode, 200)
  const { etag } = program.headers
  const again = { 'if-none-match': String(etag) }
  const same = await service.app.inject({ url: search, query: { q: 'graz' }, headers: again })
  t.equal(same.statusCode, 304)
})

const odd = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'graz\0',
  '\u0000',
  '\ud800',
  '\u202e',
  '../../../../etc/passwd',
  'obs/../../etc/passwd',
  'obs/%2e%2e/%00',
  'obs//////',
  '/'.repeat(900),
  'obs/'.repeat(200),
  '%',
  "'; DROP TABLE file; --",
  '\\',
  '*',
  '9'.repeat(999),
  '0000',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '-1',
  'http://',
  'data:text/html,x',
  '_'.repeat(254),
  `${'a'.repeat(250)}.gz`,
  'graz '.repeat(190),
]

t.test('any text is answered: with results, or with 400 at the field', async (t) => {
  const { app } = await openArchive(t)
  const check = async (url: string): Promise<string | undefined> => {
    for (const headers of [{}, browser]) {
      const { statusCode, body } = await app.inject({ url, headers })
      if (![200, 303, 400].includes(statusCode)) return `${statusCode} ${url}`
      if (/<script>|<img|\0/.test(body)) return `markup: ${url}`
    }
    return undefined
  }
  for (const text of odd)
    t.equal(await check(`${search}?${String(new URLSearchParams({ q: text }))}`), undefined, text)
  for (const raw of ['%', '%ff', '%c0%af', '%ED%A0%80', 'a&q=b', '+', '%00', 'x'.repeat(5000)])
    t.equal(await check(`${search}?q=${raw}`), undefined, raw)
  for (const [text, count] of [
    ['x', 10_000],
    ['graz ', 10_000],
  ] as const) {
    const answer = await app.inject({ url: search, query: { q: text.repeat(count) } })
    t.equal(answer.statusCode, 400)
    t.strictSame(answer.json(), { q: ['Enter at most 1000 characters.'] })
  }
  const words = fc.constantFrom(
    'obs',
    'nrt',
    graz,
    graz4,
    '2026',
    '062',
    'GRAZ',
    '..',
    '.gz',
    'AUT',
  )
  const joined = fc
    .array(fc.tuple(words, fc.constantFrom('/', '-', ' ', '', '_', '.', '?', '%')), {
      maxLength: 6,
    })
    .map((parts) => parts.flat().join(''))
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), joined)
  await fc.assert(
    fc.asyncProperty(text, async (any) => {
      t.equal(await check(`${search}?${String(new URLSearchParams({ q: any }))}`), undefined)
    }),
    { numRuns: 300 },
  )
})

t.test('a page says countries and states of stations, and dates as all pages do', async (t) => {
  const now = dayOf(2026, 3, 4) * daySeconds
  const service = await openNetwork(t, { startUs: (now - 3 * daySeconds) * 1e6 })
  const hour = now / 3600
  for (let slot = hour - 60; slot < hour - 10; slot++) {
    service.clock.us = ((slot + 1) * 3600 + 60) * 1e6
    await service.arrive(slot, 'WTZR00DEU', '01H')
  }
  await service.setNow(now)
  // Loads the states.
  await service.page('network/?format=api')
  const asked = (q: string) => service.page(`search/?q=${encodeURIComponent(q)}&format=api`)
  t.match((await asked('2026-02-03')).text, 'No file has data of 3 Feb 2026 (034).')
  const absent = await asked('WTZR00DEU_R_20260622000_01H_30S_MO.crx.gz')
  t.match(
    absent.hrefOf('What is missing of that day'),
    /missing.*station=WTZR00DEU&when=2026-03-03/,
  )
  t.match((await asked('Germany WTZ')).text, 'nothing found')
  await service.arrive(hour - 60, 'WTZA00DEU', '01H')
  t.match((await asked('wtz')).text, /WTZR00DEU Germany, .*no hour since/)
})
