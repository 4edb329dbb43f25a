/**
 * The pages of files in a real browser: twelve rows at once, what arrived and what was found, and
 * files that cannot be used.
 */
import { randomBytes } from 'node:crypto'
import { utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { endOfHeader, versionRecord } from '../rinex/texts.ts'
import t, { exact } from '../tap.ts'
import { accessibilityFaults, follow, needsBrowser, openBrowser, openPage } from './browser.ts'
import { longestMs, startScanned, until } from './service.ts'
import { arrive, dayDirectory, paths, put } from './tree.ts'

t.setTimeout(longestMs)

const api = '/rinex/api/'
/** Nothing in it makes a file damaged. */
const header = versionRecord('3.04', 'NAVIGATION DATA') + endOfHeader
const content = gzipSync(`${header}${randomBytes(3000).toString('base64')}\n`)
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
const daysAgo = Array.from({ length: 30 }, (_, day) => 40 - day)
const file = (day: number, station = 0) => paths(dayDirectory(day), 1, station)[0] ?? ''
const [incomplete, empty] = [file(30), file(20)]

/** Daily files of two stations, old enough to be listed unread; two of them cannot be used. */
function fillArchive(archive: string): void {
  for (const day of daysAgo)
    for (const station of [0, 1]) {
      const path = file(day, station)
      const size = { [incomplete]: 1000, [empty]: 0 }[path] ?? content.length
      put(archive, path, content.subarray(0, size))
      const written = new Date(Date.now() - (day - 1) * 86_400_000)
      utimesSync(join(archive, path), written, written)
    }
}

/** How many rows of the table are above the edge of the screen. */
async function rowsInSight(page: Page): Promise<number> {
  const rows = await page.locator('.files tbody tr').all()
  const boxes = await Promise.all(rows.map((row) => row.boundingBox()))
  return boxes.filter((box) => box !== null && box.y + box.height <= wide.height).length
}

/** Without faults of accessibility, and nothing is wider than a phone. */
async function fits(t: Test, page: Page, path: string): Promise<void> {
  await page.setViewportSize(wide)
  await page.goto(`${api}${path}`)
  t.strictSame(await accessibilityFaults(page), [], path)
  await page.setViewportSize(phone)
  t.strictSame(await accessibilityFaults(page), [], `${path} on a phone`)
  const width = await page.evaluate('document.documentElement.scrollWidth')
  t.equal(width, phone.width, path)
}

t.test('the pages of files', { skip: needsBrowser }, async (t) => {
  const service = await startScanned(t, fillArchive, { options: { SWEEP_INTERVAL_SECONDS: '1' } })
  const isRead = async (path: string) => {
    const query = `problem=incomplete&filename=${basename(path)}`
    const { body } = await service.get(`${api}rinex-file/?${query}`)
    return (body as { readonly count: number }).count === 1
  }
  await until('the files were read', async () => (await isRead(incomplete)) && isRead(empty))
  const { page, complaints } = await openPage(await openBrowser(t), service.url)
  await page.setViewportSize(wide)
  const rowOf = (path: string) => page.locator('.files tbody tr', { hasText: basename(path) })
  const arrivalOf = (path: string) =>
    rowOf(path).locator('[data-label="Arrived or found"]').textContent()

  await t.test('twelve rows are in sight, also with filters', async (t) => {
    for (const query of ['', '?station=A000&file_type=o&file_duration=d&country=AUT']) {
      await page.goto(`${api}rinex-file/${query}`)
      t.ok((await rowsInSight(page)) >= 12, `${await rowsInSight(page)} rows ${query}`)
    }
  })

  await t.test('what a scan found was found, what came later arrived', async (t) => {
    await page.goto(`${api}rinex-file/?limit=100`)
    const cells = await page
      .locator('.files tbody [data-label="Arrived or found"]')
      .allTextContents()
    t.equal(cells.length, 60)
    for (const cell of cells) t.match(cell, /^found, written /)
    const own = await rowOf(file(15)).locator('time').last().getAttribute('datetime')
    t.equal(own?.slice(0, 10), new Date(Date.now() - 14 * 86_400_000).toISOString().slice(0, 10))
    const path = file(1)
    arrive(service.archive, path, content)
    await until('it is listed', async () => (await service.count()) === 61)
    await page.goto(`${api}rinex-file/?limit=100`)
    t.notMatch(await arrivalOf(path), 'found')
    t.match(await arrivalOf(file(2 + 10)), 'found')
    await follow(
      page,
      rowOf(path)
        .getByRole('link', { name: basename(path) })
        .first(),
    )
    t.match(await page.locator('.notice').textContent(), /It arrived .* after the end of its day/)
    await page.goto(`${api}rinex-file/?filename=${basename(file(15))}`)
    await follow(page, rowOf(file(15)).getByRole('link').first())
    t.match(await page.locator('.notice').textContent(), 'It was found, not seen arriving')
  })

  await t.test('files that cannot be used are marked, and say it on their pages', async (t) => {
    await page.goto(`${api}rinex-file/?problem=incomplete`)
    t.match(await rowOf(incomplete).locator('th small').textContent(), 'incomplete')
    t.match(await rowOf(empty).locator('th small').textContent(), 'empty')
    await follow(page, rowOf(incomplete).getByRole('link').first())
    const notice = page.locator('.notice.fault')
    t.match(await notice.textContent(), /Incomplete: .* It has 1\.0 kB, its neighbours /)
    t.equal(await page.getByRole('link', { name: /^Download/ }).count(), 1)
    const beside = page.getByRole('navigation', { name: 'The same series' })
    t.match(
      await beside.getByRole('link').allTextContents(),
      exact([basename(file(31)), basename(file(29))]),
    )
    await page.goto(`${api}rinex-file/?filename=${basename(empty)}`)
    await follow(page, rowOf(empty).getByRole('link').first())
    t.match(await notice.textContent(), /Empty: it has 0 bytes, its neighbours /)
    t.equal(await page.getByRole('link', { name: /^Download/ }).count(), 0)
    t.notMatch(await page.locator('main').textContent(), /sha256sum|[0-9a-f]{64}/)
  })

  await t.test('pages are accessible, and not wider than a phone', async (t) => {
    const idOf = async (path: string) => {
      const { body } = await service.get(`${api}rinex-file/?filename=${basename(path)}`)
      return (body as { readonly results: readonly { readonly id: number }[] }).results[0]?.id
    }
    for (const path of [
      'rinex-file/',
      'rinex-file/?country=AUT&problem=incomplete',
      `rinex-file/${await idOf(incomplete)}/`,
      `rinex-file/${await idOf(empty)}/`,
      'changes/?since=yesterday&change=created',
      'docs/',
      'docs/rinex-file/',
    ])
      await fits(t, page, path)
  })
  t.strictSame(complaints, [])
})

t.test('without a script, no button is dead', { skip: needsBrowser }, async (t) => {
  const service = await startScanned(t, paths(dayDirectory(2), 3))
  const { page } = await openPage(await openBrowser(t), service.url, { javaScriptEnabled: false })
  for (const path of ['rinex-file/', 'rinex-file/1/', 'changes/', 'docs/']) {
    await page.goto(`${api}${path}`)
    t.ok((await page.locator('button.copy').count()) >= (path === 'changes/' ? 0 : 1), path)
    t.equal(await page.locator('button.copy:visible').count(), 0, path)
  }
})
