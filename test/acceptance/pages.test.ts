/** The HTML pages in a real browser, with and without scripts. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t, { exact } from '../tap.ts'
import type { WatchedPage } from './browser.ts'
import { accessibilityFaults, follow, needsBrowser, openBrowser, openPage } from './browser.ts'
import { hourMs, pathOf } from './series-tree.ts'
import { longestMs, startScanned, startService, until } from './service.ts'
import { arrive, put, tiny } from './tree.ts'

t.setTimeout(longestMs)

const skip = needsBrowser
const api = '/rinex/api/'
/** A sweep finds the files in directories of past days. */
const options = { SWEEP_INTERVAL_SECONDS: '1' }
/** The pages ask again after this time, which passes by their clocks. */
const pollMs = 10_000

/** Starts something at its first use, for all tests of this file. */
function shared<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => (started ??= start())
}

const openedBrowser = shared(() => openBrowser(t))
t.afterEach(async () => {
  if (skip !== false) return
  for (const context of (await openedBrowser()).contexts()) await context.close()
})

/** A service with daily files of 30 days and three stations, and hourly files of one day. */
const startArchive = shared(async () => {
  const service = await startScanned(t, fillArchive, { options })
  await until('all files are listed', async () => (await service.count()) === 184)
  return { service, browser: await openedBrowser() }
})

function fillArchive(archive: string): void {
  for (let day = 1; day <= 30; day++)
    for (const station of ['GRAZ00AUT', 'WTZR00DEU', 'MATE00ITA']) {
      const date = `2026${String(day).padStart(3, '0')}`
      put(archive, `obs/2026/${date.slice(4)}/${station}_R_${date}0000_01D_30S_MO.crx.gz`, tiny)
      put(archive, `obs/2026/${date.slice(4)}/${station}_R_${date}0000_01D_MN.rnx.gz`, tiny)
    }
  for (const hour of ['00', '01', '02', '05'])
    put(archive, `nrt/2026/030/${hour}/GRAZ00AUT_S_2026030${hour}00_01H_30S_MO.crx.gz`, tiny)
  put(archive, 'obs/2026/001/README.txt', tiny)
}

const rows = 'table tbody tr'
const phone = { width: 360, height: 640 }

for (const javaScriptEnabled of [true, false])
  t.test(
    `the list is filtered, sorted and paged, ${javaScriptEnabled ? 'with' : 'without'} scripts`,
    { skip },
    async (t) => {
      const { service, browser } = await startArchive()
      const { page, complaints } = await openPage(browser, service.url, { javaScriptEnabled })
      await page.goto(`${api}rinex-file/`)
      t.match(await page.title(), /^All 18\d files, 42\.\d kB/)
      await page.getByLabel('Station', { exact: true }).fill('graz')
      await page.getByText(/^More: type/).click()
      await page.getByLabel('Type', { exact: true }).selectOption('observation')
      await follow(page, page.getByRole('button', { name: 'Show' }))
      await page.getByText('1 to 20 of 34 files').waitFor()
      t.equal(new URL(page.url()).searchParams.get('station'), 'graz')
      t.notOk(new URL(page.url()).searchParams.has('country'), 'no empty parameter')
      const h1 = page.locator('h1')
      t.match(await h1.textContent(), /^GRAZ, observation: 34 files, 7\.8 kB$/)
      await follow(page, page.getByRole('link', { name: 'hour', exact: true }))
      t.match(await h1.textContent(), 'GRAZ, observation, hour: 4 files')
      await follow(page, page.getByRole('link', { name: 'Remove the filter hour, 4 files' }))
      t.match(await h1.textContent(), 'GRAZ, observation: 34 files')
      await page.getByLabel('When').fill('2026-01-30 05:13')
      await follow(page, page.getByRole('button', { name: 'Show' }))
      t.match(await h1.textContent(), 'GRAZ, 30 Jan 2026 05:13, observation: 2 files')
      await follow(page, page.getByRole('link', { name: /Remove the filter When/ }))
      await follow(page, page.getByRole('link', { name: 'Start of data' }))
      const first = page.locator(`${rows} th`).first()
      t.match(await first.textContent(), 'GRAZ00AUT_S_20260300500', 'the latest data first')
      await follow(page, page.getByRole('link', { name: 'Start of data' }))
      t.match(await first.textContent(), 'GRAZ00AUT_R_20260010000')
      t.equal(await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending')
      await follow(page, page.getByRole('link', { name: 'Next', exact: true }))
      await page.getByText('21 to 34 of 34 files').waitFor()
      await follow(page, page.getByRole('link', { name: /Remove the filter Type/ }))
      await page.getByText('1 to 20 of 64 files').waitFor()
      t.equal(await page.getByLabel('Station', { exact: true }).inputValue(), 'graz')
      await page.getByLabel('When').fill('never')
      await follow(page, page.getByRole('button', { name: 'Show' }))
      t.equal(
        await page.getByLabel('When').inputValue(),
        'never',
        'the form keeps the invalid value',
      )
      t.match(
        await page.locator('#e-when').textContent(),
        'Enter a day, a month, a year, a range, a GPS week or a time.',
      )
      t.strictSame(complaints, [])
    },
  )

t.test('a record page has the download and links to its station', { skip }, async (t) => {
  const { service, browser } = await startArchive()
  for (const javaScriptEnabled of [false, true]) {
    const options = { acceptDownloads: true, javaScriptEnabled }
    const { page, complaints } = await openPage(browser, service.url, options)
    await openRecord(t, page)
    t.strictSame(complaints, [])
  }
})

async function openRecord(t: Test, page: Page): Promise<void> {
  await page.goto(`${api}rinex-file/?station=GRAZ&date=2026-030&file_duration=h&ordering=data_date`)
  await follow(page, page.locator(`${rows} th a`).first())
  t.match(await page.locator('h1').textContent(), 'GRAZ00AUT_S_20260300000_01H_30S_MO.crx.gz')
  t.equal(await page.getByRole('link', { name: /20260300100_01H/ }).count(), 1, 'the next hour')
  await page.getByText('Other files of the station').click()
  t.equal(await page.getByRole('link', { name: /20260300000_01D_MN/ }).count(), 1, 'another type')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  t.ok(readFileSync(await download.path()).equals(tiny))
  await page.getByText('All that is known').click()
  await follow(page, page.locator('dd a[href*="/changes/"]'))
  t.match(
    await page.locator(`${rows} th`).allTextContents(),
    exact(['GRAZ00AUT_S_20260300000_01H_30S_MO.crx.gz']),
  )
  await page.goBack()
  await follow(page, page.getByRole('link', { name: 'GRAZ00AUT', exact: true }))
  t.match(await page.locator('h1').textContent(), 'GRAZ00AUT Austria')
  t.ok((await page.locator('svg a[href*="when="]').count()) > 0, 'days with files')
}

t.test('parts of a live page that are open stay open when others come', { skip }, async (t) => {
  const { service, browser } = await startArchive()
  const { page } = await openPage(browser, service.url)
  const oslo = (hours: number) =>
    `<details id="loss-oslo"><summary>Oslo, for ${hours} h</summary><a href="#oslo">hours</a></details>`
  const rest = (count: number) => `<details><summary>${count} stations</summary></details>`
  const graz = '<details id="loss-graz"><summary>Graz</summary><a href="#graz">hours</a></details>'
  const bodies = [oslo(1) + rest(5), graz + oslo(2) + rest(4)]
  const script = new URL('/rinex/assets/page.js', service.url).href
  let asked = 0
  await page.route('**/live/', (route) => {
    const body = bodies[Math.min(asked++, 1)] ?? ''
    const html = `<script src="${script}" defer></script><div data-live>${body}</div>`
    return route.fulfill({ contentType: 'text/html', body: html })
  })
  await page.clock.install()
  await page.goto(new URL('/live/', service.url).href)
  await page.locator('#loss-oslo summary').click()
  await page.locator('text=stations').click()
  await page.locator('#loss-oslo a').focus()
  await page.clock.runFor(11_000)
  await page.locator('#loss-graz').waitFor()
  const open = await page.locator('details[open] summary').allTextContents()
  t.strictSame(open, ['Oslo, for 2 h', '4 stations'])
  t.equal(await page.locator(':focus').getAttribute('href'), '#oslo')
})

t.test('open pages of changes and status show a new file', { skip }, async (t) => {
  const { service, browser } = await startArchive()
  const open = async (path: string): Promise<WatchedPage> => {
    const opened = await openPage(browser, service.url)
    await opened.page.clock.install()
    await opened.page.goto(`${api}${path}`)
    return opened
  }
  const [changes, status] = [await open('changes/'), await open('status/')]
  const name = 'POTS00DEU_R_20260310000_01D_30S_MO.crx.gz'
  arrive(service.archive, `obs/2026/031/${name}`, tiny)
  await until('the new file is listed', async () => (await service.count()) === 185)
  for (const { page } of [changes, status]) await page.clock.fastForward(pollMs)
  await changes.page.getByText(name).waitFor()
  t.match(await changes.page.locator(`${rows} th`).first().textContent(), name)
  t.equal(await changes.page.locator(`${rows} td`).first().textContent(), 'new')
  const { seq } = (await service.get('/rinex/api/status/')).body as { readonly seq: number }
  await status.page.getByText(String(seq), { exact: true }).first().waitFor()
  await changes.page.getByText(/^Live, checked every ten seconds, last at/).waitFor()
  const [unchanged] = await Promise.all([
    changes.page.waitForResponse((answer) => answer.status() === 304),
    changes.page.clock.fastForward(pollMs),
  ])
  const { etag } = await unchanged.allHeaders()
  t.equal((await unchanged.request().allHeaders())['if-none-match'], etag, 'asked with its ETag')
  t.strictSame([...changes.complaints, ...status.complaints], [])
})

/**
 * A service with hourly files of the last three days; one station is late. The database is changed
 * so that the deliveries count as recorded while the service ran.
 */
const startNetwork = shared(async () => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const hour = Math.floor(Date.now() / hourMs) * hourMs
  for (let age = 72; age >= 1; age--) {
    putHour(archive, 'GRAZ00AUT', hour, age)
    if (age > 5) putHour(archive, 'WTZR00DEU', hour, age)
  }
  const [program, args] = programLine(['index', '--once', '--archive', 'archive'])
  execFileSync(program, [...args, '--database', 'catalogue.db'], { cwd: folder, stdio: 'ignore' })
  new Sqlite(join(folder, 'catalogue.db')).exec('UPDATE catalogue SET deliveries_us = 0').close()
  const service = await startService(t, folder, { options })
  await until('the first scan ends', service.ready)
  return { service, browser: await openedBrowser(), hour }
})

/** Writes the hourly file that began `age` hours before another hour. */
function putHour(archive: string, station: string, hour: number, age: number): void {
  put(archive, pathOf(station, '01H', hour - age * hourMs), tiny)
}

t.test('on a phone, the pictures of the network begin at now', { skip }, async (t) => {
  const { service, browser } = await startNetwork()
  for (const javaScriptEnabled of [false, true]) {
    const { page } = await openPage(browser, service.url, { javaScriptEnabled, viewport: phone })
    await page.goto(`${api}network/`)
    await showsNewest(t, page)
  }
})

/** The left and the right edge of an element on the screen, in pixels. */
async function edgesOf(element: Locator): Promise<{ left: number; right: number }> {
  const { x: left, width } = (await element.boundingBox()) ?? { x: NaN, width: NaN }
  return { left, right: left + width }
}

/**
 * Checks that the matrix shows its newest column at the right, without scaling: a text has 12
 * pixels. The names of the stations stay beside it.
 */
async function showsNewest(t: Test, page: Page): Promise<void> {
  const region = page.getByRole('region', { name: 'All stations' })
  const svg = region.locator('svg').last()
  // A live page may replace it between two questions.
  await until('the newest hours are shown without scaling', async () => {
    const [shown, { left, right }] = [await edgesOf(region), await edgesOf(svg)]
    const width = Number(await svg.getAttribute('width'))
    return Math.abs(right - shown.right) <= 1 && right - left === width
  })
  const size = 'getComputedStyle(document.querySelector(".matrix text")).fontSize'
  t.equal(await page.evaluate(size), '12px')
  const names = region.locator('summary')
  t.ok(await isShown(region, names.first().locator('b')), 'the name of a country')
}

/** True if the middle of an element is shown in a region that scrolls sideways. */
async function isShown(region: Locator, element: Locator): Promise<boolean> {
  const [shown, { left, right }] = [await edgesOf(region), await edgesOf(element)]
  const middle = (left + right) / 2
  return middle > shown.left && middle < shown.right
}

t.test('the links of a table are reachable on screens of all widths', { skip }, async (t) => {
  const { service, browser } = await startArchive()
  const directory = 'obs/2026/001'
  arrive(service.archive, `${directory}/GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz`)
  put(service.archive, `${directory}/GRAZ00AUT_R_20260020000_01D_30S_MO.crx.gz`, tiny)
  await until('the misplaced file is listed', async () => (await service.count()) === 186)
  for (const javaScriptEnabled of [false, true]) {
    const { page } = await openPage(browser, service.url, { javaScriptEnabled })
    for (const [path, names] of [
      ['rinex-file/', [/^Download GRAZ/, /^GRAZ/]],
      ['changes/', [/^GRAZ/]],
      ['status/problems/', [/^GRAZ/, /^the file is in the directory of another/]],
    ] as const) {
      await page.goto(`${api}${path}`)
      if (path === 'changes/') await page.locator('td', { hasText: /^replaced$/ }).waitFor()
      for (const width of [1000, 800, 500, 360]) {
        await page.setViewportSize({ width, height: 640 })
        for (const name of names) {
          const region = page.locator('.wide').first()
          const link = region.locator('tbody').getByRole('link', { name }).first()
          t.ok(await isShown(region, link), `${path} ${String(name)} at ${width} pixels`)
        }
      }
    }
  }
})

t.test('no page, listing or JSON has an error in the console', { skip }, async (t) => {
  const { service, browser } = await startArchive()
  const { page } = await openPage(browser, service.url)
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.location().url} ${message.text()}`)
  })
  for (const path of ['../data/', '../data/obs/2026/', '', 'rinex-file/', '?format=json'])
    await page.goto(`${api}${path}`, { waitUntil: 'networkidle' })
  t.strictSame(errors, [])
})

async function followMissing(t: Test, page: Page): Promise<void> {
  await page.goto('/')
  t.match(new URL(page.url()).pathname, new RegExp(`${api}network/$`), 'the start page')
  t.equal(await page.locator('h1').textContent(), '1 of 2 stations does not deliver: WTZR00DEU')
  t.equal(await page.getByRole('region', { name: 'All stations' }).count(), 1)
  const loss = page.locator('.losses li', { hasText: 'WTZR00DEU' }).first()
  await loss.locator('summary').click()
  t.ok(await loss.getByRole('link', { name: /observation, hour: nothing since/ }).isVisible())
  await follow(page, loss.getByRole('link', { name: 'Missing files' }))
  t.match(page.url(), 'station=WTZR00DEU')
  t.match(await page.locator('h1').textContent(), /: [45] files of 1 station, [45] of them late/)
  await page.getByText('1 to 1 of 1 outage').waitFor()
  await page.goto(`${api}station/`)
  t.equal(await page.locator('th path.late').count(), 1)
}

t.test('every page is accessible and requests only this server', { skip }, async (t) => {
  const { service, browser } = await startNetwork()
  put(service.archive, 'obs/2026/001/README.txt', tiny)
  const paths = [
    '',
    'network/',
    'alerts/',
    'series/',
    'missing/',
    'missing/?from=never',
    'report/',
    'rinex-file/',
    'rinex-file/?station=graz&area=obs',
    'rinex-file/?station=x&nothing=1',
    'rinex-file/1/',
    'station/',
    'station/?station=GRAZ,WTZR',
    'station/GRAZ/',
    'station/GRAZ/availability/',
    'station/GRAZ/latency/',
    'station/GRAZ/equipment/',
    'receiver/',
    'antenna/?search=nothing',
    'archive/',
    'search/?q=graz',
    'search/?q=GRAZ00AUT_R_20260010000_01D_30S_XX.crx.gz',
    'changes/',
    'changes/?sinc=1',
    'changes/?since=0&filename=GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'status/',
    'status/problems/',
    'docs/',
    'docs/rinex-file/',
    'docs/status/',
    'changes/?since=yesterday&change=created',
    '../data/obs/1999/',
  ]
  const wide = { width: 1280, height: 720 }
  const { page, complaints } = await openPage(browser, service.url, { colorScheme: 'light' })
  for (const path of paths) {
    await page.setViewportSize(wide)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${api}${path}`)
    t.ok(await page.title(), path)
    t.strictSame(await accessibilityFaults(page), [], path)
    await page.emulateMedia({ colorScheme: 'dark' })
    t.strictSame(await accessibilityFaults(page, ['color-contrast']), [], `${path} in the dark`)
    await page.setViewportSize(phone)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    t.ok(Number(width) <= 360, `${path} is ${String(width)} pixels wide`)
    const small = await accessibilityFaults(page, ['target-size'])
    t.strictSame(small, [], `${path} on a phone`)
  }
  t.strictSame(complaints, [])
})

t.test(
  'what a finger meets on Now and Alerts is large enough, also opened',
  { skip },
  async (t) => {
    const { service, browser } = await startNetwork()
    const { page } = await openPage(browser, service.url)
    for (const path of ['network/', 'alerts/'])
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(`${api}${path}`)
        t.ok((await page.locator('.losses').count()) === 1, path)
        t.strictSame(await accessibilityFaults(page, ['target-size']), [], `${path} at ${width}`)
        await page.evaluate('document.querySelectorAll("details").forEach((e) => (e.open = true))')
        t.strictSame(await accessibilityFaults(page, ['target-size']), [], `${path}, all is open`)
        t.strictSame(await accessibilityFaults(page), [], `${path}, all is open`)
      }
  },
)

// The last one, because its new file changes the network.
t.test('the network page leads to missing files, and shows a new file', { skip }, async (t) => {
  const { service, browser, hour } = await startNetwork()
  for (const javaScriptEnabled of [false, true]) {
    const { page, complaints } = await openPage(browser, service.url, { javaScriptEnabled })
    await followMissing(t, page)
    t.strictSame(complaints, [])
  }
  const { page, complaints } = await openPage(browser, service.url, { viewport: phone })
  await page.clock.install()
  await page.goto(`${api}network/`)
  // The newest hour decides about the state, while the page is open.
  putHour(service.archive, 'WTZR00DEU', hour, 1)
  const late = page.locator('.losses')
  await until('no series is late', async () => {
    await page.clock.fastForward(pollMs)
    return (await late.count()) === 0
  })
  await showsNewest(t, page)
  t.strictSame(complaints, [])
})
