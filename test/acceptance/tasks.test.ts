/**
 * What people come to do, in a browser from the start page: without a wrong answer, and with at
 * most as many clicks and fields as given. On files of the demo: a minute after their first scan,
 * as if they had been watched for a year, and with the indexer stopped. In an empty archive, and
 * during the first scan, each page on which a task begins says what is not known yet.
 */
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import type { Browser, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { Contents } from '../../src/demo/contents.ts'
import type { DemoFile } from '../../src/demo/network.ts'
import { demoLists, filesArriving } from '../../src/demo/network.ts'
import { dayPath } from '../../src/parse/calendar.ts'
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

type Section = 'Now' | 'Files' | 'Stations' | 'Missing' | 'Archive' | 'API' | 'Alerts'

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
  /** The section in which it begins, or the words that are searched. */
  readonly begin: Section | { readonly search: string }
  readonly clicks: number
  readonly fields: number
  readonly run: (t: Test, hand: Hand, at: At) => Promise<void>
}

/** Files of the tree, and what a task asks of them. */
const filesOf = (code: string, wanted: (file: DemoFile) => boolean) =>
  someFiles.filter((file) => file.path.includes(`/${code}`) && wanted(file))

/** Days since 1970 of a month `2026-10`: the first, and the first of the next. */
function monthOf(month: string): readonly [from: number, to: number] {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return [Date.UTC(year, number - 1) / 1000, Date.UTC(year, number) / 1000]
}

/** `2026022` */
const nameDay = (seconds: number) => dayPath(seconds).replace('/', '')

const isIn =
  ([from, to]: readonly [number, number]) =>
  ({ startSeconds }: DemoFile) =>
    startSeconds >= from && startSeconds < to

const isHourly = ({ period }: DemoFile) => period === '01H'

const show = (hand: Hand) => hand.click(hand.page.getByRole('button', { name: 'Show' }))

/** The number of the GPS week of a moment, and its first second and that of the next. */
function gpsWeekOf(seconds: number) {
  const weekSeconds = 7 * secondsPerDay
  const number = Math.floor((seconds - gpsEpoch) / weekSeconds)
  const from = gpsEpoch + number * weekSeconds
  return { number, span: [from, from + weekSeconds] as const }
}

/** 6 January 1980. */
const gpsEpoch = Date.UTC(1980, 0, 6) / 1000

const contents = new Contents()
/**
 * Those of the demo that tasks ask for: the daily files of 400 days, hourly observations, and those
 * of one second of a station.
 */
const someFiles = filesArriving(0, startedAt, startedAt).filter(
  ({ type, period, startSeconds, path }) =>
    (period === '01D' && startSeconds > startedAt - 400 * secondsPerDay) ||
    (period === '01H' && type === 'o') ||
    (period === '15M' && path.includes('/GRAZ')),
)
/** A damaged file, so recent that it is read soon. */
const damaged = basename(someFiles.find(({ fault }) => fault === 'changed')?.path ?? '')
/** The newest file: its checksum is computed among the first. */
const complete = someFiles.findLast(({ fault }) => fault === undefined) as DemoFile
/** A file that is replaced by another version. */
const replaced = basename(someFiles.findLast(({ path }) => path.includes('POTS'))?.path ?? '')
/** The file without an end is still being written, for all that is known. */
const listed = someFiles.filter(({ fault }) => fault !== 'cut').length
const half = readFileSync('fixtures/archive/obs/2024/366/graz3660.24o.gz').subarray(0, 300)

const tasks: readonly Task[] = [
  {
    name: 'is anything wrong, and whose fault is it',
    begin: 'Now',
    clicks: 0,
    fields: 0,
    run: async (t, hand, { situation }) => {
      const isStopped = situation === 'stopped'
      t.match(
        await hand.text('h1'),
        // The station that sends six hours at once may be late or not, and after some minutes the
        // one of quarter hours.
        new RegExp(
          `^[4-6] of 19 stations ${isStopped ? 'did' : 'do'} not deliver, 3 of them in Norway since`,
        ),
      )
      if (isStopped) t.match(await hand.text('.notice.fault'), /The indexer is stopped since/)
      else if (situation === 'day one') t.match(await hand.text('.lead'), 'the newest data are of')
      else t.match(await hand.text('.lead'), 'the cause is not here')
    },
  },
  {
    name: 'which stations stopped in the last 24 hours',
    begin: 'Now',
    clicks: 0,
    fields: 0,
    run: async (t, hand) => {
      const losses = await hand.text('.losses')
      t.match(
        losses,
        /Norway, 3 of 3 stations no hour since [^]* \d+ h[^]*MATE00ITA/,
        'the newest first',
      )
      t.match(losses, /MATE00ITA nothing since \d+ \w+, days and hours \d+ days/)
    },
  },
  {
    name: 'the missing files of a station in a month, copied',
    begin: 'Missing',
    clicks: 2,
    fields: 2,
    run: async (t, hand) => {
      await hand.section('Missing')
      await hand.fill('Station', 'BRUX')
      await hand.fill('When', lastMonth)
      await hand.enter()
      hand.clicks++
      await hand.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await hand.page.locator('.names').getByRole('button', { name: 'Copy' }).click()
      const copied = () => hand.page.evaluate<string>('navigator.clipboard.readText()')
      await until('the names are copied', async () => (await copied()).includes('BRUX00BEL'))
      const [from, to] = monthOf(lastMonth)
      const missing = (['o', 'n'] as const).flatMap((type) => {
        const files = filesOf('BRUX', (file) => file.type === type && file.period === '01D')
        const there = new Set(files.map(({ startSeconds }) => startSeconds))
        const names: string[] = []
        for (let start = from; start < to; start += secondsPerDay)
          if (!there.has(start))
            names.push(`BRUX00BEL_?_${nameDay(start)}????_01D_*${type.toUpperCase()}.*`)
        return names
      })
      t.same((await copied()).trim().split('\n').sort(), missing.sort())
    },
  },
  {
    name: 'observation files of a country and a month, as a list for wget with its size',
    begin: { search: lastMonth },
    clicks: 2,
    fields: 2,
    run: async (t, hand) => {
      await hand.search(lastMonth)
      await hand.choose('Country', 'Austria')
      await show(hand)
      await hand.click(hand.link(/^observation/))
      const wanted = filesOf('GRAZ', isIn(monthOf(lastMonth))).filter(({ type }) => type === 'o')
      t.match(
        await hand.text('h1'),
        new RegExp(`Austria, .*: ${wanted.length} files, [\\d.]+ [kM]B`),
      )
      const [command = ''] = (await hand.text('.command code')).split('\n')
      t.match(command, /wget/)
      const [, url = ''] = /'([^']+)'/.exec(command) ?? []
      const urls = (await (await fetchAlone(url)).text()).trim().split('\n')
      t.same(
        urls.map((each) => basename(each)).sort(),
        wanted.map(({ path }) => basename(path)).sort(),
      )
    },
  },
  {
    name: 'how late a station usually is',
    begin: { search: 'hofn' },
    clicks: 0,
    fields: 1,
    run: async (t, hand, { situation }) => {
      await hand.search('hofn')
      const text = await hand.text('main')
      t.match(text, situation === 'day one' ? 'HOFN00ISL' : 'usually 2 min')
      if (situation === 'day one') t.notMatch(text, 'usually')
    },
  },
  {
    name: 'when a station stopped',
    begin: { search: 'mate' },
    clicks: 0,
    fields: 1,
    run: async (t, hand) => {
      await hand.search('mate')
      const last = new Date((filesOf('MATE', isHourly).at(-1)?.startSeconds ?? 0) * 1000)
      const month = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' }).format(last)
      const [hour, next] = [0, 1].map((more) => String(last.getUTCHours() + more).padStart(2, '0'))
      t.match(
        await hand.text('main'),
        new RegExp(`The last file (is of |\\()${last.getUTCDate()} ${month} ${hour}–${next} h`),
      )
    },
  },
  {
    name: 'whether a file is complete, with its checksum',
    begin: { search: basename(complete.path) },
    clicks: 0,
    fields: 1,
    run: async (t, hand) => {
      await hand.search(basename(complete.path))
      const text = await hand.text('main')
      t.match(text, /Complete: it was read to its end/)
      const sum = createHash('sha256').update(contents.of(complete)).digest('hex')
      t.match(text, `${sum}  ${basename(complete.path)}`)
    },
  },
  {
    name: 'what is wrong with a file',
    begin: { search: damaged },
    clicks: 0,
    fields: 1,
    run: async (t, hand) => {
      await hand.search(damaged)
      t.match(await hand.text('main'), /damaged/)
    },
  },
  {
    name: 'the size of the archive, and of each year by area',
    begin: 'Archive',
    clicks: 1,
    fields: 0,
    run: async (t, hand) => {
      await hand.section('Archive')
      t.match(await hand.text('h1'), `${listed.toLocaleString('en')} files`)
      const year = Number(dayAgo(0).slice(0, 4))
      const files = someFiles.filter(({ path }) => path.startsWith(`obs/${year}/`))
      const rows = await hand.text('main')
      t.match(rows, files.length.toLocaleString('en'), 'the files of this year in obs')
    },
  },
  {
    name: 'two stations beside each other',
    begin: 'Stations',
    clicks: 1,
    fields: 1,
    run: async (t, hand) => {
      await hand.section('Stations')
      await hand.page.getByRole('textbox', { name: 'Stations' }).fill('GRAZ,MATE')
      hand.fields++
      await hand.enter()
      t.same(
        (await hand.page.locator('tbody th a').allTextContents()).map((text) => text.trim()),
        ['MATE00ITA', 'GRAZ00AUT'],
        'the worst first',
      )
    },
  },
  {
    name: 'all files of one second of a day',
    begin: { search: dayAgo(1) },
    clicks: 2,
    fields: 2,
    run: async (t, hand) => {
      await hand.search(dayAgo(1))
      hand.clicks++
      await hand.page.getByText('More', { exact: false }).first().click()
      await hand.fill('Interval', '1 Hz')
      await show(hand)
      const from = Date.parse(dayAgo(1)) / 1000
      const wanted = someFiles
        .filter(isIn([from, from + secondsPerDay]))
        .filter(({ path }) => path.includes('_01S_'))
      t.match(await hand.text('h1'), `${wanted.length} files`)
    },
  },
  {
    name: 'the navigation files of a GPS week',
    begin: 'Files',
    clicks: 2,
    fields: 2,
    run: async (t, hand) => {
      const { number, span } = gpsWeekOf(startedAt - 60 * secondsPerDay)
      await hand.section('Files')
      await hand.fill('Station', 'graz')
      await hand.fill('When', String(number))
      await hand.enter()
      await hand.click(hand.link(/^navigation/))
      const wanted = filesOf('GRAZ', isIn(span)).filter(({ type }) => type === 'n')
      t.match(await hand.text('h1'), new RegExp(`week ${number}.*: ${wanted.length} files`))
    },
  },
  {
    name: 'the alerts of a country',
    begin: 'Alerts',
    clicks: 2,
    fields: 1,
    run: async (t, hand) => {
      await hand.click(hand.link(/^Alerts/))
      await hand.choose('Country', 'Norway')
      await show(hand)
      t.match(await hand.text('main'), /Norway, 3 of 3 stations/)
      t.notMatch(await hand.text('main'), 'MATE00ITA')
    },
  },
  {
    name: 'what was replaced today',
    begin: 'Files',
    clicks: 2,
    fields: 2,
    run: async (t, hand) => {
      await hand.section('Files')
      await hand.click(hand.link(/changes/i))
      await hand.fill('Since', dayAgo(0))
      await hand.choose('Change', 'replaced')
      await hand.page.getByLabel('Since', { exact: true }).focus()
      await hand.enter()
      t.same(await hand.page.locator('tbody th').allTextContents(), [replaced])
    },
  },
  {
    name: 'what the last rescan did',
    begin: 'Archive',
    clicks: 1,
    fields: 0,
    run: async (t, hand, { situation }) => {
      await hand.section('Archive')
      // The file was replaced just before: the rescan or its event noticed it.
      const words =
        /Last rescans\s+obs and 2 more at [^:]*\d\d:\d\d: (?:1 replaced|nothing changed)/
      if (situation === 'day one') t.match(await hand.text('main'), words)
      else t.match(await hand.text('main'), 'Last rescans')
    },
  },
  {
    name: 'the request of a selection',
    begin: { search: lastMonth },
    clicks: 1,
    fields: 1,
    run: async (t, hand) => {
      await hand.search(lastMonth)
      const href = await hand.link('JSON').getAttribute('href')
      const answer = await fetchAlone(new URL(href ?? '', hand.page.url()))
      const { count } = (await answer.json()) as { readonly count: number }
      t.equal(count, someFiles.filter(isIn(monthOf(lastMonth))).length)
    },
  },
  {
    name: 'completeness of a station over the years, with its missing days as CSV',
    begin: { search: 'pasa' },
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
    begin: 'Files',
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
    name: 'what is known of it in its first ten minutes',
    begin: 'Files',
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
    begin: 'Files',
    clicks: 2,
    fields: 0,
    run: async (t, hand) => {
      await hand.section('Files')
      await hand.click(hand.page.locator('tbody th a').first())
      t.match(
        await hand.text('.command code'),
        /rinex-catalogue rescan (obs|nrt|stations)\/\w+\/\d+/,
      )
    },
  },
  {
    name: 'the open alerts as a table for a program',
    begin: 'Alerts',
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
    begin: 'API',
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
    name: 'a link to a filtered list that says what it is',
    begin: { search: lastMonth },
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

/** What no page may say before it knows all files. */
const conclusions =
  /\bnothing\b|never seen|No file has|\bno gap|\b0 (?:stations|missing files)|All \d+ stations/i

/** Each task from its beginning: what is not known is said, and nothing is concluded. */
async function beginAll(
  t: Test,
  browser: Browser,
  service: Service,
  check: (t: Test, hand: Hand) => Promise<void>,
): Promise<void> {
  const beginnings = new Map(tasks.map((task) => [JSON.stringify(task.begin), task]))
  for (const { name, begin } of beginnings.values())
    await t.test(name, async (t) => {
      const { page, context, complaints } = await openPage(browser, service.url)
      const hand = new Hand(page)
      await page.goto('/')
      if (typeof begin === 'object') await hand.search(begin.search)
      else if (begin === 'Alerts') await hand.click(hand.link(/^Alerts/))
      else await hand.section(begin)
      await check(t, hand)
      t.strictSame(complaints, [])
      await context.close()
    })
}

/** So many files that a first scan, slowed down, takes longer than all that is looked at. */
function addOldFiles(archive: string): void {
  for (let day = 0; day < 1100; day++) {
    const path = dayPath(Date.UTC(1999, 0, 1 + day) / 1000)
    const [year = '', ordinal = ''] = path.split('/')
    const directory = join(archive, 'obs', path)
    mkdirSync(directory, { recursive: true })
    const name = (station: number) =>
      join(directory, `x${String(station).padStart(3, '0')}${ordinal}0.${year.slice(2)}d.gz`)
    writeFileSync(name(0), '')
    utimesSync(name(0), 1e9, 1e9)
    // Links take less time than files.
    for (let station = 1; station < 400; station++) linkSync(name(0), name(station))
  }
}

/**
 * CPU time of a process in hundredths of a second: columns 14 and 15 of `proc(5)`; infinite if it
 * has ended.
 */
function cpuTime(pid: number | undefined): number {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return Infinity
  const columns = readFileSync(path, 'latin1').split(') ')[1]?.split(' ') ?? []
  return Number(columns[11]) + Number(columns[12])
}

/**
 * Lets a process work for some 30 ms of each second, however busy the machine is: it answers in
 * each third one.
 */
function slowDown(t: Test, process: ChildProcess): void {
  let isSlow = true
  t.teardown(() => {
    isSlow = false
  })
  const work = async (): Promise<void> => {
    for (let second = 0; isSlow && isAlive(process); second++) {
      process.kill('SIGSTOP')
      await setTimeout(950)
      const until = cpuTime(process.pid) + (second % 3 === 0 ? 5 : 1)
      process.kill('SIGCONT')
      for (let ms = 0; ms < 500 && cpuTime(process.pid) < until; ms += 5) await setTimeout(5)
    }
  }
  void work()
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null

t.test('an empty archive says where files are expected', { skip: needsBrowser }, async (t) => {
  const browser = await openBrowser(t)
  const service = await startScanned(t, (archive) => {
    for (const area of ['obs', 'nrt']) mkdirSync(join(archive, area), { recursive: true })
  })
  await beginAll(t, browser, service, async (t, hand) => {
    const text = (await hand.text('main')).replaceAll(/\s+/g, ' ')
    t.match(text, /The catalogue has no files yet\. They are expected in the folders obs\/ .*nrt\//)
    t.notMatch(await hand.text('h1'), /\b[1-9][\d,]* (?:files|stations)|stations deliver/)
  })
})

t.test('people find what they came for', { skip: needsBrowser }, async (t) => {
  const browser = await openBrowser(t)
  const options = {
    AREAS: demoLists.areas.join(),
    SUFFIXES: demoLists.suffixes.join(),
  }
  const service = await startScanned(t, fillArchive, { options })
  await until('the newest of .Z stand still', async () => (await service.count()) === listed)
  const isRead = async () =>
    JSON.stringify(await service.get('/rinex/api/status/problems/?problem=broken')).includes(
      damaged,
    )
  await until('the damaged file was read', isRead)
  const isHashed = async () =>
    JSON.stringify(
      await service.get(`/rinex/api/rinex-file/?expand=file&filename=${basename(complete.path)}`),
    ).includes('"sha256":"')
  await until('the newest file was hashed', isHashed)
  const path = someFiles.find((file) => basename(file.path) === replaced)?.path ?? ''
  arrive(service.archive, path, gzipSync('another version'))
  await service.control({ command: 'rescan', path: undefined, acceptRemovals: false })
  const isReplaced = async () =>
    JSON.stringify(await service.get('/rinex/api/changes/?since=0&change=modified')).includes(
      replaced,
    )
  await until('a file was replaced', isReplaced)
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
  await stop(service.api, 'SIGTERM')
  for (const name of readdirSync(service.folder))
    if (name.startsWith('catalogue.db')) rmSync(join(service.folder, name))
  addOldFiles(service.archive)
  const earlier = service.log.length
  service.startIndexer()
  await until('the first scan begins', () =>
    service.log.slice(earlier).some(({ msg }) => msg === 'indexing'),
  )
  slowDown(t, service.indexer)
  await service.startApi()
  await until('files are listed', async () => (await service.count()) > 0)
  const hasEnded = () =>
    service.log.slice(earlier).some(({ msg }) => msg === 'caught up with the archive')
  await t.test('during the first scan', async (t) => {
    const progress = new Set<string>()
    let looks = 0
    await beginAll(t, browser, service, async (t, hand) => {
      const text = await hand.text('main')
      // A fast machine may scan everything meanwhile.
      if (hasEnded()) return
      looks++
      t.match(text, 'The first scan of the archive has not ended: not all files are listed')
      t.notMatch(text, conclusions)
      for (const [done] of text.matchAll(/\d+ % (?:is|are) done/g)) progress.add(done)
    })
    t.ok(progress.size > 0, `pages say how far it is: ${[...progress].join()}`)
    t.ok(looks >= 5, `looks before its end: ${looks}`)
  })
})
