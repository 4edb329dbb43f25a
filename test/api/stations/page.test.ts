/** The page of a station: its years, also if a file has a wrong date. */
import type { Test } from 'tap'
import t from '../../tap.ts'
import { openService, startUs } from '../service.ts'

/** Opens a service at 2026-01-22 whose station GRAZ has a file at each date (`2026-022`). */
async function openStation(t: Test, dates: readonly string[]) {
  const service = await openService(t, { nowUs: startUs })
  for (const date of dates) {
    const name = `GRAZ00AUT_R_${date.replace('-', '')}0000_01D_30S_MO.crx.gz`
    await service.addNames(`obs/${date.replace('-', '/')}`, [name])
  }
  const page = await service.page('station/GRAZ/')
  const years = page.all('ul', { 'aria-label': 'Years' }).flatMap((list) => list.links())
  const notice = page
    .all('p', { class: 'notice' })
    .find(({ text }) => text.startsWith('Some files have a date in the future'))
  const namesAt = async (target = '') =>
    (await service.app.inject(`${target.replace('https://archive.example', '')}&format=json`))
      .json<{ results: { filename: string }[] }>()
      .results.map(({ filename }) => filename.slice(12, 19))
  return { years, notice, namesAt }
}

t.test('the years of a station lead to its files', async (t) => {
  const { years, notice, namesAt } = await openStation(t, ['2023-001', '2025-365', '2026-022'])
  t.strictSame(
    years.map(({ text }) => text),
    ['2026', '2025', '2024', '2023'],
  )
  t.strictSame(await namesAt(years[1]?.href), ['2025365'])
  t.equal(notice, undefined)
})

t.test('a file of the year 2099 hides no year, and the page says that it exists', async (t) => {
  const dates = ['1994-001', '2026-022', '2026-024', '2026-025', '2099-365']
  const { years, notice, namesAt } = await openStation(t, dates)
  t.strictSame(
    years.map(({ text }) => text),
    Array.from({ length: 2026 - 1994 + 1 }, (_, n) => String(2026 - n)),
  )
  t.match(notice?.text, '2099')
  const [link] = notice?.links() ?? []
  t.strictSame((await namesAt(link?.href)).sort(), ['2026025', '2099365'])
})

t.test('files up to two days ahead are not in the future', async (t) => {
  const { years, notice } = await openStation(t, ['2026-022', '2026-024'])
  t.strictSame(
    years.map(({ text }) => text),
    ['2026'],
  )
  t.equal(notice, undefined)
})

t.test('a station whose files are all in the future has no years', async (t) => {
  const { years, notice, namesAt } = await openStation(t, ['2098-001', '2099-001'])
  t.strictSame(years, [])
  t.match(notice?.text, '2099')
  const [link] = notice?.links() ?? []
  t.equal((await namesAt(link?.href)).length, 2)
})
