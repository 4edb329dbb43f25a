/** What pages say of slots that are half: where there are some, and nowhere else. */
import type { Test } from 'tap'
import t from '../../tap.ts'
import { daySeconds, firstDay, nameOf, openNetwork } from './network.ts'

const station = 'GRAZ00AUT'
const end = (firstDay + 10) * 24
/** It is 00:20 on a Thursday, after ten days with all of their hours and days. */
const now = (firstDay + 10) * daySeconds + 1200

async function open(t: Test) {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  await service.setNow(now)
  await service.scan([
    ...Array.from({ length: 240 }, (_, n) => [end - 1 - n, station, '01H'] as const),
    ...Array.from({ length: 10 }, (_, n) => [firstDay + n, station, '01D'] as const),
  ])
  return service
}

/** The pages that say how a station is, below `api/`. */
const paths = [
  'network/',
  'station/',
  `station/${station}/`,
  `station/${station}/availability/?period=01H`,
  'missing/',
  'report/?when=2025-12-08',
  'archive/',
] as const

t.test('no page says it of an archive without such files', async (t) => {
  const { page } = await open(t)
  for (const path of paths) {
    const html = await page(path)
    t.notMatch(html.text, /\bhalf\b/, path)
    t.notOk(html.has('path', { class: 'half' }), path)
  }
})

t.test('pages draw it, count it, and lead to the list with as many rows', async (t) => {
  const { page, count, setNow } = await open(t)
  // Two hours of 8 December, and the day before.
  for (const hour of [end - 60, end - 50]) await count(nameOf(hour, station, '01H'), 0.2)
  await count(nameOf(firstDay + 6, station, '01D'), 0.35)
  await setNow(now + 60)
  const words = '3 files hold less than half of their epochs'
  const mark = /^less than half of its epochs|: less than half of its epochs/
  for (const path of paths)
    t.ok((await page(path)).has('path', { class: 'half' }) || path.startsWith('report'), path)

  const base = 'http://host/rinex/api/'
  const listed = async (from: string, href: string) => {
    const url = new URL(href, `${base}${from}`).href.slice(base.length)
    const html = await page(url)
    const files = html.table('Missing files').records.map(({ Files: files }) => Number(files))
    return [html.one('h1').text, files.reduce((sum, each) => sum + each, 0)]
  }
  for (const path of [`station/${station}/`, 'missing/', 'report/?when=2025-12-08'] as const) {
    const html = await page(path)
    const [heading, files] = await listed(path, html.hrefOf(words))
    t.equal(files, 3, path)
    t.match(heading, /^Less than half of the epochs .*: 3 files of 1 station$/)
  }
  t.match((await page('archive/')).text, `${words}: those of 28 days, all files with so few`)
  const { text } = await page(`station/${station}/availability/?period=01H`)
  t.match(text, '240 of 240 files; 2 files hold less than half of their epochs.')
  t.match((await page('report/?when=2025-12-08')).text, `1 station is complete ${station} 3 half`)

  const drawn = async (path: string) => {
    const cells = (await page(path))
      .all('a')
      .filter((each) => each.texts('title').some((title) => mark.test(title)))
    return Promise.all(
      cells.map(async (each) => [
        each.texts('title')[0],
        ...(await listed(path, each.attribute('href') ?? '')),
      ]),
    )
  }
  const only = (days: string) => `Less than half of the epochs ${days}, ${station}`
  const ofNow = [
    '7 to 8 Dec: less than half of its epochs',
    `${only('7 to 8 Dec')}: 3 files of 1 station`,
    3,
  ]
  t.strictSame(await drawn('network/'), [ofNow, ofNow], 'in its country, and where that opens')
  const { href } = (await page('network/')).links().find(({ text }) => text === ofNow[0]) ?? {}
  t.strictSame(await listed('network/', href ?? ''), ofNow.slice(1), 'the same in words')
  const ofDay = `${only('8 Dec')}: 2 files of 1 station`
  const hours = ['8 Dec 12–13 h', '8 Dec 22–23 h'].map((hour) => [
    `${hour}: less than half of its epochs`,
    ofDay,
    2,
  ])
  const days = [['7 Dec: less than half of its epochs', `${only('7 Dec')}: 1 file of 1 station`, 1]]
  t.strictSame(await drawn(`station/${station}/`), [...hours, ...days])
  const [outage] = (await page('missing/?state=half&period=01D')).table('Missing files').records
  t.match(outage, {
    Station: `half ${station}`,
    Known: '35.0 % of its epochs; 10 bytes, neighbours 10 bytes',
  })
  const strip = (await page('station/')).one('svg', { role: 'img', 'aria-label': /^28 days/ })
  t.equal(strip.attribute('aria-label'), '28 days: 8 delivered, 2 less than half of its epochs')
})
