/** A directory listing in a browser: its buttons lead on, and it fits on a phone. */
import t from '../tap.ts'
import { accessibilityFaults, follow, needsBrowser, openBrowser, openPage } from './browser.ts'
import { longestMs, startScanned } from './service.ts'
import { dayDirectory, paths } from './tree.ts'

t.setTimeout(longestMs)

const directory = dayDirectory(3)

t.test('people find their way from a listing', { skip: needsBrowser }, async (t) => {
  const service = await startScanned(t, [...paths(directory, 3), ...paths(dayDirectory(4), 1)])
  const browser = await openBrowser(t)
  const viewport = { width: 390, height: 800 }
  const { page, complaints } = await openPage(browser, service.url, { viewport })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const here = `/rinex/data/${directory}/`
  await page.goto(here)
  t.strictSame(await accessibilityFaults(page), [])
  const width = () => page.evaluate('document.documentElement.scrollWidth')
  t.equal(await width(), viewport.width, 'nothing is wider than the phone')
  t.match(await page.locator('main').textContent(), /3 files, \d+ bytes/)
  await follow(page, button('These files in the catalogue'))
  t.match(await page.locator('main').textContent(), /3 files/)
  t.match(page.url(), `area=obs&date=`)
  await page.goto(here)
  const [, year = ''] = directory.split('/')
  await follow(page, button(year))
  t.match(page.url(), new RegExp(`/rinex/data/obs/${year}/$`))
  await page.goto(here)
  await follow(page, button('Checksums'))
  t.match(await page.locator('body').textContent(), /[0-9a-f]{64}|not hashed yet/)
  await page.goto(here)
  await follow(page, button('RINEX file catalogue'))
  t.match(page.url(), /\/rinex\/api\/\?format=api$/)
  t.strictSame(complaints, [])
})
