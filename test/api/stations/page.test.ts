/** The page of a station: its years, also if a file has a wrong date. */
import t from '../../tap.ts'
import type { Test } from 'tap'
import { openService, startUs } from '../service.ts'

/** Opens a service at 2026-01-22 whose station GRAZ has a file at each date (`2026-022`). */
async function openStation(t: Test, dates: readonly string[]) {
  const service = await openService(t, { deps: () => ({ nowUs: () => startUs }) })
  for (const date of dates) {
    const name = `GRAZ00AUT_R_${date.replace('-', '')}0000_01D_30S_MO.crx.gz`
    await service.addNames(`obs/${date.replace('-', '/')}`, [name])
  }
  const { body } = await service.app.inject({
    url: '/rinex/api/station/GRAZ/',
    headers: { accept: 'text/html' },
  })
  const linksOf = (html: string) =>
    Array.from(html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g), ([, href = '', text = '']) => ({
      href: href.replaceAll('&amp;', '&').replace('https://archive.example', ''),
      text,
    }))
  const [, list = ''] = /<ul class="years">(.*?)<\/ul>/s.exec(body) ?? []
  const [notice] =
    /<p class="notice">Some files have a date in the future.*?<\/p>/s.exec(body) ?? []
  const namesAt = async (target: string) =>
    (await service.app.inject(`${target}&format=json`))
      .json<{ results: { filename: string }[] }>()
      .results.map(({ filename }) => filename.slice(12, 19))
  return { years: linksOf(list), notice, linksOf, namesAt }
}

t.test('the years of a station lead to its files', async (t) => {
  const { years, notice, namesAt } = await openStation(t, ['2023-001', '2025-365', '2026-022'])
  t.strictSame(
    years.map(({ text }) => text),
    ['2026', '2025', '2024', '2023'],
  )
  t.strictSame(await namesAt(years[1]?.href ?? ''), ['2025365'])
  t.equal(notice, undefined)
})

t.test('a file of the year 2099 hides no year, and the page says that it exists', async (t) => {
  const {
    years,
    notice = '',
    linksOf,
    namesAt,
  } = await openStation(t, [...['1994-001', '2026-022', '2026-024', '2026-025', '2099-365']])
  t.strictSame(
    years.map(({ text }) => text),
    Array.from({ length: 2026 - 1994 + 1 }, (_, n) => String(2026 - n)),
  )
  t.match(notice, '2099')
  const [link] = linksOf(notice)
  t.strictSame((await namesAt(link?.href ?? '')).sort(), ['2026025', '2099365'])
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
  const { years, notice = '', linksOf, namesAt } = await openStation(t, ['2098-001', '2099-001'])
  t.strictSame(years, [])
  t.match(notice, '2099')
  const [link] = linksOf(notice)
  t.equal((await namesAt(link?.href ?? '')).length, 2)
})
