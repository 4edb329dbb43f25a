/** The search in a real browser, by keyboard; and why a file on disk is not listed. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../tap.ts'
import { accessibilityFaults, needsBrowser, openBrowser, openPage } from './browser.ts'
import { fetchAlone, longestMs, startScanned, until } from './service.ts'
import { put, tiny } from './tree.ts'

t.setTimeout(longestMs)

const skip = needsBrowser
const api = '/rinex/api/'
const directory = 'obs/2026/062'
const graz = 'GRAZ00AUT_R_20260620000_01D_30S_MO.crx.gz'
const options = { SWEEP_INTERVAL_SECONDS: '1' }

function fillArchive(archive: string): void {
  for (const name of [graz, 'WTZR00DEU_R_20260620000_01D_30S_MO.crx.gz', 'wtza0620.26d.gz'])
    put(archive, `${directory}/${name}`, tiny)
}

t.test('/ leads to the search field, and Enter to the page of a word', { skip }, async (t) => {
  const service = await startScanned(t, fillArchive, { options })
  await until('all files are listed', async () => (await service.count()) === 3)
  const browser = await openBrowser(t)
  const { page, complaints } = await openPage(browser, service.url)
  const search = async (text: string): Promise<string> => {
    await page.keyboard.press('/')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(text)
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
    return page.url().replace(service.url.origin, '')
  }
  await page.goto('/')
  t.equal(new URL(page.url()).pathname, `${api}network/`, 'the start page')
  t.equal(await search('graz'), `${api}station/GRAZ00AUT/?format=api`)
  t.equal(await search('Austria'), `${api}station/?country=AUT&format=api`)
  t.match(await search(`${directory}/${graz}`), /\/rinex-file\/\d+\/\?format=api$/)
  t.equal(await search('2026/062'), `${api}rinex-file/?date=2026-03-03&format=api`)
  t.match(await search('wtz'), `${api}search/?`)
  t.equal(await page.locator('main ul a').count(), 2)
  t.strictSame(await accessibilityFaults(page), [])
  t.match(await search('<b>nothing</b>'), `${api}search/?`)
  t.match(await page.locator('main').textContent(), 'Nothing has this name.')
  await page.goto(`/rinex/data/${directory}/zimm0620.26d.gz`)
  await Promise.all([
    page.waitForEvent('load'),
    page.getByRole('link', { name: 'Find out why' }).click(),
  ])
  t.match(await page.locator('main').textContent(), 'It was never seen')
  t.strictSame(complaints, [])
})

t.test('a file on disk that is not listed: still being written, rejected, removed', async (t) => {
  const service = await startScanned(t, fillArchive, { options })
  await until('all files are listed', async () => (await service.count()) === 3)
  const whyOf = async (word: string): Promise<string> => {
    const target = new URL(`${api}search/?q=${encodeURIComponent(word)}`, service.url)
    const answer = await fetchAlone(target)
    const { results } = (await answer.json()) as { results: { why: string | null }[] }
    return results[0]?.why ?? ''
  }
  const half = 'GRAZ00AUT_R_20260620000_01D_MN.rnx.gz'
  writeFileSync(join(service.archive, directory, half), tiny.subarray(0, 20))
  writeFileSync(join(service.archive, directory, 'a_note.txt'), 'x')
  rmSync(join(service.archive, directory, graz))
  for (const [word, why] of [
    [half, /^It is still being written: its gzip stream has no end yet, since /],
    [`${directory}/a_note.txt`, /^It is rejected, since .* only gzip files are catalogued\.$/],
    [graz, /^It was removed on /],
  ] as const)
    await until(`it says why ${word} is not listed`, async () => why.test(await whyOf(word)))
  t.pass('all reasons are known')
})
