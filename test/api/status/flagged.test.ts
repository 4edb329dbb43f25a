/** What is flagged of the newest files, as status, metrics and pages say it. */
import type { Test } from 'tap'
import type { WireStatus } from '../../../src/api/status/serialise.ts'
import type { FlagName } from '../../../src/rinex/facts.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { flagged } from '../../catalogue/some-facts.ts'
import { nameOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { day as directory, openService, startUs } from '../service.ts'

/** Midnight, the begin of 2026-01-22. */
const today = Math.floor(startUs / 86_400e6) * 86_400
const hour = 3600

/** Hourly files that were read, by their starts and flags. */
async function open(t: Test) {
  const service = await openService(t, { nowUs: startUs })
  const { app, reader, writer } = service
  const read = async (name: string, ...flags: readonly FlagName[]): Promise<void> => {
    const file = await reader.file({ directory, name })
    await writer.keepChecksums([checksumOf(file?.id ?? 0, { facts: flagged(...flags) })], 0)
  }
  return {
    ...service,
    read,
    add: async (station: string, start: number, ...flags: readonly FlagName[]) => {
      const name = nameOf(station, start, { period: '01H' })
      await writer.apply([change(directory, { added: [newFile(name)] })])
      await read(name, ...flags)
    },
    status: async () => (await app.inject('/rinex/api/status/')).json<WireStatus>(),
    /** `cut o 3`, of the metrics above 0 */
    metrics: async () => {
      const { body } = await app.inject('/metrics')
      const found = body.matchAll(
        /^rinex_catalogue_flagged_files\{flag="(.+)",file_type="(.)"\} (.+)$/gm,
      )
      const all = Array.from(found, ([, ...words]) => words.join(' '))
      return all.filter((words) => !words.endsWith(' 0'))
    },
  }
}

t.test('the flagged files of yesterday and today', async (t) => {
  const { add, status, metrics, page, app } = await open(t)
  const none = { from: '2026-01-21', to: '2026-01-22', files: 0, flags: [] }
  t.strictSame((await status()).flagged, none)
  t.strictSame(await metrics(), [])
  t.notMatch((await page('status/')).text, 'Flagged files')
  for (const [station, hours, ...flags] of [
    ['GRAZ00AUT', -25, 'torn'],
    ['GRAZ00AUT', -24, 'cut', 'short'],
    ['GRAZ00AUT', 3, 'short'],
    ['GRAZ00AUT', 4],
    // These are always so, by the files of seven days.
    ['LINZ00AUT', -90, 'marker'],
    ['LINZ00AUT', -80, 'marker'],
    ['LINZ00AUT', 2, 'marker'],
    ['WTZR00DEU', 2, 'marker'],
    ['WTZR00DEU', -30],
    ['WTZR00DEU', -200, 'cut'],
  ] as const)
    await add(station, today + hours * hour, ...(flags as readonly FlagName[]))
  await until('the status has them', async () => (await status()).flagged?.files === 3)
  t.strictSame((await status()).flagged, {
    ...none,
    files: 3,
    flags: [
      { flag: 'cut', files: 1 },
      { flag: 'short', files: 2 },
      { flag: 'marker', files: 1 },
    ],
  })
  t.strictSame(await metrics(), ['cut o 1', 'short o 2', 'marker o 1'])
  for (const path of ['status/', 'archive/']) {
    const html = await page(path)
    t.match(html.text, '1 cut, 2 short, 1 marker; data since 21 Jan 2026 (021)', path)
    const links = html.links({ href: /flag=/ })
    t.equal(links.length, 2, 'not of the marker: its list has more files')
    for (const { text, href } of links) {
      const { pathname, searchParams } = new URL(href, `http://localhost/rinex/api/${path}`)
      searchParams.set('format', 'json')
      const { count } = (await app.inject(`${pathname}?${searchParams.toString()}`)).json<{
        count: number
      }>()
      t.equal(count, Number.parseInt(text), href)
    }
  }
})

t.test('it is not known before the first scan has ended, and stays after it', async (t) => {
  const { writer, add, status, metrics, app } = await open(t)
  await writer.deferIndexes()
  await add('GRAZ00AUT', today, 'cut')
  t.equal((await status()).flagged, null)
  t.strictSame(await metrics(), [])
  t.equal((await app.inject('/rinex/api/archive/?format=api')).statusCode, 200)
  await writer.buildIndexes()
  await until('the status has it', async () => (await status()).flagged?.files === 1)
  t.strictSame(await metrics(), ['cut o 1'])
})
