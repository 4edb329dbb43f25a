/** The map of stations in a browser: marks that are reached, and names that would break it. */
import { StationPlaces } from '../../src/series/station-places.ts'
import { openService } from '../api/service.ts'
import t from '../tap.ts'
import { accessibilityFaults, needsBrowser, openBrowser, openPage } from './browser.ts'

const names = ['<img src=x onerror=alert(1)>', '\u202eתחנה\u202e', '"\'>&amp;', 'Ω'.repeat(60)]

const codes = ['GRAZ00AUT', 'WTZR00DEU', 'SAMO00WSM', 'FIJI00FJI']

const places = new StationPlaces([
  { code: 'GRAZ00AUT', latitude: 47.067, longitude: 15.493, name: names[0] },
  { code: 'WTZR00DEU', latitude: 49.144, longitude: 12.879, name: names[1] },
  { code: 'SAMO00WSM', latitude: -13.849, longitude: -171.738, name: names[2] },
  { code: 'FIJI00FJI', latitude: -17.8, longitude: 177.45, name: names[3] },
])

t.test('on wide and narrow screens every mark is on the map', { skip: needsBrowser }, async (t) => {
  const service = await openService(t, { settings: { places } })
  await service.addNames(
    'obs/2026/001',
    codes.map((code) => `${code}_R_20260010000_01D_30S_MO.crx.gz`),
  )
  const url = new URL(`http://127.0.0.1:${await service.listen()}/`)
  const browser = await openBrowser(t)
  for (const width of [1440, 390]) {
    const viewport = { width, height: 900 }
    const { page, context, complaints } = await openPage(browser, url, { viewport })
    for (const path of ['network/', 'station/', 'station/?country=WSM']) {
      await page.goto(`/rinex/api/${path}`)
      const where = `${path} ${width}`
      t.strictSame(await accessibilityFaults(page), [], where)
      const scrolls = await page.evaluate('document.documentElement.scrollWidth')
      t.ok(Number(scrolls) <= width, `${where}: nothing is wider than the screen`)
      const map = await page.locator('.map > div').boundingBox()
      const marks = await page.locator('.map a').all()
      t.equal(marks.length, path.includes('WSM') ? 1 : 4, where)
      for (const mark of marks) {
        const box = await mark.boundingBox()
        if (map === null || box === null) throw new Error(`${where}: not drawn`)
        const [x, y] = [box.x + box.width / 2 - map.x, box.y + box.height / 2 - map.y]
        t.ok(x > 0 && x < map.width && y > 0 && y < map.height, `${where}: ${x} ${y}`)
      }
    }
    await page.goto('/rinex/api/station/')
    const titles = await page.locator('.map a title').allTextContents()
    for (const name of names)
      t.ok(
        titles.some((title) => title.includes(name)),
        name,
      )
    await page.locator('.map a', { hasText: 'FIJI00FJI' }).click()
    await page.waitForURL('**/station/FIJI00FJI/**')
    t.strictSame(complaints, [])
    await context.close()
  }
})
