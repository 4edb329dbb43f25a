/** The equipment of a station in a browser, with headers that would break a page. */
import type { Equipment } from '../../src/rinex/facts.ts'
import { openService, startUs } from '../api/service.ts'
import { checksumOf } from '../catalogue/catalogue.ts'
import { change, newFile } from '../catalogue/change.ts'
import { allFacts } from '../catalogue/some-facts.ts'
import t from '../tap.ts'
import { accessibilityFaults, needsBrowser, openBrowser, openPage } from './browser.ts'

const texts = ['<img src=x onerror=alert(1)>', '\u202eתחנה\u202e', '"\'>&amp;', 'Ω'.repeat(60)]

const { marker, receiver, antenna, position } = allFacts
const usual: Equipment = { marker, receiver, antenna, position }
const strange = texts.map((text): Equipment => ({
  receiver: { type: text, serial: text, version: text },
  antenna: { type: text, radome: text, serial: text },
  marker: { name: text, number: text },
}))

t.test('what headers say is text, and fits on any screen', { skip: needsBrowser }, async (t) => {
  const service = await openService(t, { nowUs: startUs })
  for (const [index, equipment] of [usual, ...strange, usual].entries()) {
    const directory = `obs/2026/00${index + 1}`
    const added = [newFile(`GRAZ00AUT_R_202600${index + 1}0000_01D_30S_MO.crx.gz`)]
    await service.writer.apply([change(directory, { added })])
    const facts = { ...equipment, flags: [] }
    await service.writer.keepChecksums([checksumOf(index + 1, { facts })], index + 1)
  }
  await service.setNow(startUs / 1e6)
  const url = new URL(`http://127.0.0.1:${await service.listen()}/`)
  const browser = await openBrowser(t)
  for (const width of [1440, 1000, 390]) {
    const viewport = { width, height: 900 }
    const { page, context, complaints } = await openPage(browser, url, { viewport })
    for (const path of ['station/GRAZ/equipment/', 'station/GRAZ/', 'receiver/', 'antenna/']) {
      await page.goto(`/rinex/api/${path}`)
      const where = `${path} ${width}`
      t.strictSame(await accessibilityFaults(page), [], where)
      const scrolls = await page.evaluate('document.documentElement.scrollWidth')
      t.ok(Number(scrolls) <= width, `${where}: nothing is wider than the screen`)
      const body = await page.locator('main').textContent()
      const lines = await page.locator('.year-rows .change').count()
      t.equal(lines, path === 'station/GRAZ/' ? strange.length + 1 : 0, where)
      for (const text of texts) t.ok(body?.includes(text), `${where}: ${text}`)
      await page.emulateMedia({ colorScheme: 'dark' })
      t.strictSame(await accessibilityFaults(page, ['color-contrast']), [], `${where} in the dark`)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    t.strictSame(complaints, [])
    await context.close()
  }
})
