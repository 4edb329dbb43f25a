/**
 * What people come to do, in a browser from the start page: without a wrong answer, and with at
 * most as many clicks and fields as given. On files of the demo: a minute after their first scan,
 * as if they had been watched for a year, and with the indexer stopped.
 */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Browser, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { Contents } from '../../src/demo/contents.ts'
import { filesArriving } from '../../src/demo/network.ts'
import t from '../tap.ts'
import { until } from '../until.ts'
import { follow, needsBrowser, openBrowser, openPage } from './browser.ts'
import type { Service } from './service.ts'
import { fetchAlone, longestMs, startScanned, stop } from './service.ts'
import { arrive, hourDirectory } from './tree.ts'

t.setTimeout(longestMs)

const startedAt = Math.floor(Date.now() / 1000)
const secondsPerDay = 86_400

/** `2026-09-13`, so many days ago. */
const dayAgo = (days: number) =>
  new Date((startedAt - days * secondsPerDay) * 1000).toISOString().slice(0, 10)

const lastMonth = dayAgo(Number(dayAgo(0).slice(8)) + 40).slice(0, 7)

interface At {
  readonly situation: 'day one' | 'a year' | 'stopped'
  readonly service: Service
}

/** A person at a browser: counts what they do. */
class Hand {
  readonly page: Page
  clicks = 0
  fields = 0

  constructor(page: Page) {
    this.page = page
  }

  async click(locator: Locator): Promise<void> {
    this.clicks++
    await follow(this.page, locator)
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name, exact: typeof name === 'string' }).first()
  }

  section(name: string | RegExp): Promise<void> {
    const navigation = this.page.getByRole('navigation', { name: 'Resources' })
    return this.click(navigation.getByRole('link', { name }))
  }

  async fill(label: string, text: string): Promise<void> {
    this.fields++
    await this.page.getByLabel(label, { exact: true }).fill(text)
  }

  async choose(label: string, text: string): Promise<void> {
    this.fields++
    await this.page.getByLabel(label, { exact: true }).selectOption(text)
  }

  /** By the key `/`, words and Enter. */
  async search(text: string): Promise<void> {
    this.fields++
    await this.page.keyboard.press('/')
    await this.page.keyboard.type(text)
    await this.enter()
  }

  async enter(): Promise<void> {
    await Promise.all([this.page.waitForEvent('load'), this.page.keyboard.press('Enter')])
  }

  async text(selector: string): Promise<string> {
    return (await this.page.locator(selector).allTextContents()).join('\n')
  }
}

interface Task {
  readonly name: string
  readonly clicks: number
  readonly fields: number
  readonly run: (t: Test, hand: Hand, at: At) => Promise<void>
}

const tasks: readonly Task[] = [
  {
    name: 'who is late, since when, us or them',
    clicks: 1,
    fields: 0,
    run: async (t, hand, { situation }) => {
      await hand.section('Now')
      const losses = await hand.text('.losses')
      t.match(losses, /Norway, 3 of 3 stations no hour since .* \d+ h/)
      t.match(losses, /MATE00ITA nothing since \d+ \w+, days and hours \d+ days/)
      const banner = await hand.text('.banner')
      if (situation === 'stopped') t.match(banner, /The indexer is stopped since/)
      else t.notMatch(banner, 'indexer')
      const verb = situation === 'stopped' ? 'did' : 'do'
      const [heading, detail] = [await hand.text('h1'), await hand.text('.lead')]
      // The station that sends six hours at once may be late or not.
      const words = `^[45] of 15 stations ${verb} not deliver, 3 of them in Norway since`
      t.match(heading, new RegExp(words))
      if (situation !== 'stopped') t.match(detail, /The archive was looked at .*/)
    },
  },
  {
    name: 'observation files at 30 s of a country and a month, as a list for wget with its size',
    clicks: 1,
    fields: 4,
    run: async (t, hand) => {
      await hand.search(lastMonth)
      await hand.choose('Country', 'Austria')
      await hand.page.getByText(/^More: type/).click()
      await hand.choose('Type', 'observation')
      await hand.fill('Interval', '30S')
      await hand.click(hand.page.getByRole('button', { name: 'Show' }))
      const days = new Date(Number(lastMonth.slice(0, 4)), Number(lastMonth.slice(5)), 0).getDate()
      t.match(await hand.text('h1'), new RegExp(`Austria, .*: ${days} files, [\\d.]+ [kM]B`))
      const [command = ''] = (await hand.text('.command code')).split('\n')
      t.match(command, /wget/)
      const [, url = ''] = /'([^']+)'/.exec(command) ?? []
      const urls = (await (await fetchAlone(url)).text()).trim().split('\n')
      t.equal(urls.length, days)
      t.ok(urls.every((each) => /\/GRAZ00AUT_R_\d+_01D_30S_MO/.test(each)))
    },
  },
  {
    name: 'completeness of a station over the years, with its missing days as CSV',
    clicks: 2,
    fields: 1,
    run: async (t, hand) => {
      await hand.search('pasa')
      t.match(await hand.text('main'), /Days of all years, 9[45]\.\d %/)
      await hand.click(hand.link('Availability'))
      hand.clicks++
      const download = hand.page.waitForEvent('download')
      await hand.link('CSV').click()
      const rows = readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\r\n')
      const missing = rows
        .map((row) => row.split(','))
        .filter(([, , , state]) => state === 'missing')
      t.equal(
        missing.reduce((sum, [, , slots]) => sum + Number(slots), 0),
        20,
      )
    },
  },
  {
    name: 'the files that cover a moment',
    clicks: 1,
    fields: 1,
    run: async (t, hand) => {
      const day = dayAgo(100)
      await hand.section('Files')
      await hand.fill('When', `${day}T05:13`)
      await hand.enter()
      const starts = await hand.page.locator('tbody td[data-label="Start of data"] time').all()
      const days = await Promise.all(starts.map((start) => start.getAttribute('datetime')))
      t.ok(days.length > 10)
      t.ok(days.every((each) => each?.startsWith(day)))
    },
  },
  {
    name: 'what is known of a file that seems corrupt',
    clicks: 1,
    fields: 1,
    run: async (t, hand) => {
      await hand.search(damaged)
      t.match(await hand.text('.notice'), /damaged/)
    },
  },
  {
    name: 'what is known of it in its first ten minutes',
    clicks: 1,
    fields: 1,
    run: async (t, hand, { situation, service }) => {
      const [, year = '', day = '', hour = ''] = hourDirectory().split('/')
      const name = `GRAZ00AUT_R_${year}${day}${hour}00_01H_10S_MO.rnx.gz`
      arrive(service.archive, `${hourDirectory()}/${name}`, half)
      if (situation === 'stopped') {
        await hand.search(name)
        t.match(await hand.text('main'), /Newer files are not known: the indexer is stopped/)
        return
      }
      const isSeen = async () =>
        JSON.stringify(await service.get('/rinex/api/status/problems/?problem=settling')).includes(
          name,
        )
      await until('the file is settling', isSeen)
      await hand.search(name)
      t.match(await hand.text('main'), /still being written/)
    },
  },
  {
    name: 'the command that reads a directory again',
    clicks: 2,
    fields: 0,
    run: async (t, hand) => {
      await hand.section('Files')
      await hand.click(hand.page.locator('tbody th a').first())
      t.match(await hand.text('.command code'), /rinex-catalogue rescan (obs|nrt)\/\d{4}\/\d{3}/)
    },
  },
  {
    name: 'the open alerts as a table for a program',
    clicks: 3,
    fields: 0,
    run: async (t, hand) => {
      await hand.section('Now')
      await hand.click(hand.link(/^Alerts \(\d+\)$/))
      hand.clicks++
      const href = await hand.link('CSV').getAttribute('href')
      const csv = await fetchAlone(new URL(href ?? '', hand.page.url()))
      t.match(csv.headers.get('content-type'), 'text/csv')
      t.match(await csv.text(), /^loss-NOR-[^,]*,late,,NOR,/m)
    },
  },
  {
    name: 'a first request that works',
    clicks: 2,
    fields: 0,
    run: async (t, hand) => {
      await hand.section('API')
      await hand.click(hand.link('Run'))
      const answer = JSON.parse(await hand.text('body')) as { readonly count: number }
      t.ok(answer.count > 0)
    },
  },
  {
    name: 'the size of the archive, and the files of each year',
    clicks: 1,
    fields: 0,
    run: async (t, hand) => {
      await hand.click(hand.link('Archive'))
      const text = await hand.text('main')
      t.match(text, /[\d,]+ files, [\d.]+ [MG]B/)
      t.match(text, new RegExp(`${dayAgo(0).slice(0, 4)}\\s*[\\d,]+`), 'its years')
    },
  },
  {
    name: 'a link to a filtered list that says what it is',
    clicks: 1,
    fields: 1,
    run: async (t, hand) => {
      await hand.search(lastMonth)
      await hand.click(hand.link(/^navigation/))
      const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' })
      const words = month.format(new Date(`${lastMonth}-15`))
      t.match(await hand.page.title(), new RegExp(`^navigation, ${words}: \\d+ files`, 'i'))
    },
  },
]

const contents = new Contents()
/** Those of the demo that tasks ask for: the daily files of 400 days, and hourly observations. */
const someFiles = filesArriving(0, startedAt, startedAt).filter(({ type, period, startSeconds }) =>
  period === '01D'
    ? startSeconds > startedAt - 400 * secondsPerDay
    : period === '01H' && type === 'o',
)
/** A damaged file, so recent that it is read soon. */
const damaged = basename(someFiles.find(({ damage }) => damage === 'changed')?.path ?? '')
const half = readFileSync('fixtures/archive/obs/2024/366/graz3660.24o.gz').subarray(0, 300)

function fillArchive(archive: string): void {
  const folders = new Set<string>()
  for (const file of someFiles) {
    const path = join(archive, file.path)
    if (!folders.has(dirname(path))) mkdirSync(dirname(path), { recursive: true })
    folders.add(dirname(path))
    writeFileSync(path, contents.of(file))
    utimesSync(path, file.arrivesAt, file.arrivesAt)
  }
}

/** All deliveries were seen: daily files after a quarter of an hour, others after two minutes. */
function asIfWatched(database: string): void {
  const sqlite = new Sqlite(database)
  sqlite.exec(`UPDATE delivery SET latency_s = (
    SELECT CASE period WHEN '01D' THEN 900 ELSE 120 END FROM series WHERE series.id = delivery.series)`)
  sqlite.prepare('UPDATE catalogue SET deliveries_us = ?').run((startedAt - 399 * 86_400) * 1e6)
  sqlite.close()
}

async function runAll(t: Test, browser: Browser, { situation, service }: At): Promise<void> {
  for (const { name, clicks, fields, run } of tasks)
    await t.test(name, async (t) => {
      const { page, context, complaints } = await openPage(browser, service.url)
      await page.goto('/')
      const hand = new Hand(page)
      await run(t, hand, { situation, service })
      t.ok(hand.clicks <= clicks, `${hand.clicks} clicks of ${clicks}`)
      t.ok(hand.fields <= fields, `${hand.fields} fields of ${fields}`)
      t.strictSame(complaints, [])
      await context.close()
    })
}

t.test('people find what they came for', { skip: needsBrowser }, async (t) => {
  const browser = await openBrowser(t)
  const service = await startScanned(t, fillArchive)
  const isRead = async () =>
    JSON.stringify(await service.get('/rinex/api/status/problems/?problem=broken')).includes(
      damaged,
    )
  await until('the damaged file was read', isRead)
  await t.test('on day one', (t) => runAll(t, browser, { situation: 'day one', service }))
  await stop(service.indexer, 'SIGTERM')
  await stop(service.api, 'SIGTERM')
  asIfWatched(service.database)
  service.startIndexer()
  await service.startApi()
  await until('it watches again', async () => (await service.status()).state === 'watching')
  await t.test('after a year', (t) => runAll(t, browser, { situation: 'a year', service }))
  await stop(service.indexer, 'SIGTERM')
  // The network notices it a moment after the status.
  await until('it is stopped', async () => {
    const { body } = await service.get('/rinex/api/network/')
    return (body as { not_current: string | null }).not_current === 'the indexer is stopped'
  })
  await t.test('with the indexer stopped', (t) =>
    runAll(t, browser, { situation: 'stopped', service }),
  )
})
