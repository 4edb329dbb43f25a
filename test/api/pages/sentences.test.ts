/** Sentences that misled people: no page of an archive, in whatever state it is, says one. */
import type { LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import t from '../../tap.ts'
import { readPage } from '../html.ts'
import type { Period } from '../series/network.ts'
import { dayOf, daySeconds, lengths, openNetwork } from '../series/network.ts'
import type { Service } from '../service.ts'
import { openService } from '../service.ts'
import { crawl } from './crawl.ts'

/** What was said, and why it was wrong. */
const sentences: readonly (readonly [sentence: RegExp, why: string])[] = [
  [/hourly stations? delivered \d+ h\b/, 'a duration, or an hour of the day'],
  [/\bfor \d+ h \d\d(?! min)\b/, 'a duration has both units'],
  [/\blate since \d{4}-/, 'late counts from when the file is due'],
  [/\d single files?\b/, 'a file has a name'],
  [/\blate from \S+ to/, 'what never came is not late'],
  [/\bat least \w+ files that never came/, 'the rule of an alert is no sentence'],
  [/too young for an alert/, 'a loss has an age'],
  [/\bpresent since\b/, 'a station is not born'],
  [/\bpresent, without a gap for/, 'a line is of one period'],
  [/\bits last data end on/, 'a date has a year'],
  [/Form of the name/, 'a name is long or short'],
  [/\bthat were expected, \S+ were delivered/, 'there is one ratio'],
  [/By the day of the data, it grew/, 'growth is that of the data'],
  [/Only data of the areas on a disk/, 'an estimate says what it is of'],
  [/Those with a checksum arrived/, 'nobody asks'],
  [/not within 100 years/, 'what is far is not in sight'],
  [/\b1 new records\b/, 'a noun has a number'],
  [/\bTook 0 s\b/, 'nothing takes no time'],
  [/The indexer is watching since/, 'the start of the process counts'],
  [/At least [\d,]+ new in the last hour/, 'what a scan found is not new'],
  [/Most changes today/, 'what a scan found is no change'],
  [/The files that came last/, 'a scan has no order'],
  [/observation data of a day from/, 'a day is whole'],
  [/percentage points/, 'a week is beside the one before'],
  [/series had ended by the end of this week/, 'which ones is said'],
  [/replaced: another size or time/, 'replaced is enough'],
  [/Who delivers is not known at this moment/, 'nobody asks'],
  [/At that time: .{1,40} are /, 'what was, was'],
  [/Site log of BRDC/, 'a merged file has none'],
  [/Nothing has this address/, 'no page is here'],
  [/\bhave delivered all of these hours/, 'only what is due can be complete'],
  [/For example: \S+, \S+/, 'an example belongs to the hint of a field'],
]

/** Values and fields of the API: only its reference has them. */
const wireWord = /\b(?:silent|slots?)\b/

/** 2026-03-02T08:20Z */
const now = dayOf(2026, 3, 2) * daySeconds + 8 * 3600 + 1200

/** The files of a station from so many periods before now to so many. */
const stations: readonly (readonly [string, Period, from: number, to: number])[] = [
  ['GRAZ00AUT', '01H', 60, 1],
  ['GRAZ00AUT', '01D', 30, 1],
  ['LATE00AUT', '01H', 60, 6],
  ['DOWN00ITA', '01H', 90, 80],
  ['DOWN00ITA', '01D', 30, 12],
  ['ENDD00POL', '01D', 99, 90],
  ['BRDC00IGS', '01D', 20, 2],
]

/** After some weeks of arrivals; or what a scan finds at the end of them. */
async function serve(t: Test, { isSeen }: { readonly isSeen: boolean }) {
  const begin = isSeen ? now - 100 * daySeconds : now - 600
  const network = await openNetwork(t, { startUs: begin * 1e6 })
  const files = stations.flatMap(([station, period, from, to]) => {
    const last = Math.floor(now / lengths[period])
    return Array.from(
      { length: from - to + 1 },
      (_, index) => [last - from + index, station, period] as const,
    )
  })
  if (!isSeen) await network.scan(files)
  for (const [slot, station, period] of isSeen ? files : []) {
    network.clock.us = ((slot + 1) * lengths[period] + 300) * 1e6
    await network.arrive(slot, station, period)
  }
  await network.setNow(now)
  return network
}

/** The archives, with the number of pages that each has at least, and what one of them says. */
const archives: readonly {
  readonly name: string
  readonly pages: number
  readonly says: RegExp
  readonly open: (t: Test) => Promise<Service>
}[] = [
  { name: 'day one', pages: 50, says: /found/, open: (t) => serve(t, { isSeen: false }) },
  {
    name: 'after service',
    pages: 50,
    says: /since [^,]+, .*\d+ days late/,
    open: (t) => serve(t, { isSeen: true }),
  },
  {
    name: 'indexer stopped',
    pages: 50,
    says: /stopped/,
    open: async (t) => {
      const network = await serve(t, { isSeen: true })
      network.setIndexer(undefined)
      network.passTo(now + 7200)
      return network
    },
  },
  {
    name: 'empty',
    pages: 15,
    says: /No file/,
    open: (t) => openNetwork(t, { startUs: now * 1e6 }),
  },
  { name: 'before the first scan', pages: 15, says: /first scan/, open: (t) => openService(t) },
]

/** The texts of the pages that links lead to: some of each kind, because records are alike. */
async function pagesOf({ app }: Service): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const visits = crawl(app, {
    start: ['https://archive.example/'],
    accepts: ['text/html'],
    kindOf: ({ pathname }) =>
      pathname.replace(/(?<=\/(?:rinex-file|station|data|docs)\/)[^/]+/, ''),
    ofKind: 8,
    // People follow pages: the list of series has one only because each list has.
    leadsOn: ({ searchParams }) => searchParams.get('format') !== 'json',
  })
  for await (const { url, answer } of visits)
    if (answer.headers.location === undefined && isPage(answer))
      texts.set(url.pathname + url.search, readPage(answer.body).text)
  return texts
}

const isPage = ({ headers }: LightMyRequestResponse): boolean =>
  String(headers['content-type']).startsWith('text/html')

for (const { name, pages, says, open } of archives)
  t.test(`no page says what misled: ${name}`, async (t) => {
    const texts = await pagesOf(await open(t))
    t.ok(texts.size >= pages, `${texts.size} pages`)
    t.ok(
      [...texts.values()].some((text) => says.test(text)),
      says.source,
    )
    for (const [url, text] of texts) {
      for (const [sentence, why] of sentences)
        t.equal(sentence.exec(text)?.[0], undefined, `${why}: ${url}`)
      if (!url.includes('/docs/')) t.equal(wireWord.exec(text)?.[0], undefined, url)
    }
  })
