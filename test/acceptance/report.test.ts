/** The report of a week as it is mailed: printed, and on a phone. */
import { flagNames } from '../../src/rinex/facts.ts'
import { dayOf, openNetwork } from '../api/series/network.ts'
import { checksumOf } from '../catalogue/catalogue.ts'
import { flagged } from '../catalogue/some-facts.ts'
import t from '../tap.ts'
import { accessibilityFaults, needsBrowser, openBrowser, openPage } from './browser.ts'

const countries = ['AUT', 'CZE', 'DEU', 'ESP', 'FRA', 'ITA', 'NOR', 'POL']

const stations = Array.from({ length: 400 }, (_, index) => {
  const country = countries[index % countries.length] ?? ''
  return `S${String(index).padStart(3, '0')}00${country}`
})

/** 2025-11-02, a Sunday: week 2391 is the fourth week after. */
const firstDay = dayOf(2025, 11, 2)

/**
 * Five weeks of daily files of 400 stations, and hourly ones of forty. A third of the stations lost
 * a day of the last week, the hourly ones some hours of each day.
 */
function files() {
  const days = Array.from({ length: 35 }, (_, n) => firstDay + n)
  const isLast = (day: number): boolean => day >= firstDay + 28
  return stations.flatMap((station, index) => [
    ...days.flatMap((day) =>
      index % 3 === 0 && isLast(day) && day % 7 === index % 7
        ? []
        : ([[day, station, '01D']] as const),
    ),
    ...(index >= 40 ? [] : days.slice(21)).flatMap((day) =>
      Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour) =>
        isLast(day) && hour % 6 === 1 ? [] : ([[day * 24 + hour, station, '01H']] as const),
      ),
    ),
  ])
}

const notDamaging = flagNames.filter((flag) => flag !== 'cut')

/** Every file was read: a fifth is flagged, and a tenth of the stations always has one flag. */
async function readAll({ reader, writer }: Awaited<ReturnType<typeof openNetwork>>) {
  const { records } = await reader.page({ filter: {}, limit: 100_000, offset: 0 })
  const checksums = records.map(({ id, name }) => {
    const isAlways = name.startsWith('S') && name.charAt(3) === '0'
    // A file that is cut is missing.
    const flags = notDamaging.filter((_, at) => id % 5 === 0 && id % notDamaging.length === at)
    const facts = flagged(...(isAlways ? [...new Set([...flags, 'marker' as const])] : flags))
    return checksumOf(id, { facts })
  })
  await writer.keepChecksums(checksums, 0)
}

t.test('the report is printed on at most three pages', { skip: needsBrowser }, async (t) => {
  const service = await openNetwork(t, { startUs: (firstDay + 35) * 86_400e6 })
  await service.scan(files())
  await readAll(service)
  await service.setNow((firstDay + 36) * 86_400)
  const url = new URL(`http://127.0.0.1:${await service.listen()}/rinex/api/report/?week=2395`)
  const { page } = await openPage(await openBrowser(t), url)
  await page.goto(url.href)
  t.match(await page.locator('h2').first().textContent(), '160 stations are incomplete or late')
  t.match(await page.locator('h2').nth(1).textContent(), /^\d,\d{3} files are flagged$/)
  t.match(await page.locator('main').textContent(), 'Always so, and not counted above')
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
  const pages = pdf.match(/\/Type *\/Page\b/g)?.length ?? 0
  t.ok(pages >= 1 && pages <= 3, `${pages} pages`)
  t.strictSame(await accessibilityFaults(page), [])
  await page.setViewportSize({ width: 390, height: 800 })
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  t.strictSame(await accessibilityFaults(page), [])
})
