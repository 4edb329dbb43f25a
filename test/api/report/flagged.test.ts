/** What is flagged of the files of a week; the numbers of its page are those of lists. */
import type { Test } from 'tap'
import type { WireReport } from '../../../src/api/report/schema.ts'
import type { FlagName } from '../../../src/rinex/facts.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { flagged } from '../../catalogue/some-facts.ts'
import { nameOf, startOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { openService } from '../service.ts'

const directory = 'obs/2026/001'
/** GPS week 2402 begins on this day of 2026. */
const sunday = 18
const days = Array.from({ length: 20 }, (_, index) => index + 8)

/** Daily files of stations, with the flags of those of some days. */
async function open(t: Test, flagsOf: Readonly<Record<string, Readonly<Record<number, string>>>>) {
  const service = await openService(t, { nowUs: startOf(2026, 1) * 1e6 })
  await service.setNow(startOf(2026, 28))
  const { reader, writer } = service
  const files = Object.entries(flagsOf).flatMap(([station, ofDays]) =>
    days.map((day) => ({
      name: nameOf(station, startOf(2026, day)),
      flags: (ofDays[day] ?? '').split(' ').filter(Boolean) as FlagName[],
    })),
  )
  await writer.apply([change(directory, { added: files.map(({ name }) => newFile(name)) })])
  const checksums = []
  for (const { name, flags } of files) {
    const file = await reader.file({ directory, name })
    if (file !== undefined) checksums.push(checksumOf(file.id, { facts: flagged(...flags) }))
  }
  await writer.keepChecksums(checksums, files.length)
  await service.setNow(startOf(2026, 28))
  const report = async (query = '') =>
    (await service.app.inject(`/rinex/api/report/?week=2402${query}`)).json<WireReport>()
  return { ...service, report }
}

/** The flags of all days. */
const always = (flags: string, more: Readonly<Record<number, string>> = {}) => ({
  ...Object.fromEntries(days.map((day) => [day, flags])),
  ...more,
})

const some = {
  GRAZ00AUT: always('marker', { 20: 'cut marker' }),
  LINZ00AUT: { [sunday - 1]: 'torn', 18: 'short', 20: 'cut short', 25: 'torn' },
  ONSA00SWE: { 21: 'marker' },
  WTZR00DEU: {},
}

t.test('the flagged files of a week', async (t) => {
  const { report, app } = await open(t, some)
  const found = await report()
  const flag = (flag: FlagName, files: number) => ({ flag, files })
  t.strictSame(found.flagged, {
    read: 28,
    files: 4,
    flags: [flag('cut', 2), flag('short', 2), flag('marker', 1)],
    days: [
      { date: '2026-01-18', files: 1, flags: [flag('short', 1)] },
      { date: '2026-01-20', files: 2, flags: [flag('cut', 2), flag('short', 1)] },
      { date: '2026-01-21', files: 1, flags: [flag('marker', 1)] },
    ],
    worst: ['LINZ00AUT', 'GRAZ00AUT', 'ONSA00SWE'],
  })
  t.strictSame(
    found.stations.map(({ station, read, flagged, flags, always }) => [
      station,
      read,
      flagged,
      flags,
      always,
    ]),
    [
      ['GRAZ00AUT', 7, 1, [flag('cut', 1)], [flag('marker', 7)]],
      ['LINZ00AUT', 7, 2, [flag('cut', 1), flag('short', 2)], []],
      ['ONSA00SWE', 7, 1, [flag('marker', 1)], []],
      ['WTZR00DEU', 7, 0, [], []],
    ],
  )
  t.strictSame((await report('&country=AUT')).flagged.worst, ['LINZ00AUT', 'GRAZ00AUT'])
  const { body } = await app.inject('/rinex/api/report/?week=2402&format=csv')
  const lines = body.trim().split('\r\n')
  t.match(lines[0], /,read,flagged,flags,always$/)
  t.match(lines[1], /,7,1,cut:1,marker$/)
  t.match(lines[2], /,7,2,cut:1 short:2,$/)
})

t.test('the numbers of the page are those of the lists that they lead to', async (t) => {
  const { page, app } = await open(t, some)
  const html = await page('report/?week=2402')
  t.match(html.one('main').text, '4 files are flagged')
  t.match(html.one('main').text, 'GRAZ00AUT: always marker')
  const links = html.links({ href: /rinex-file\/\?.*flag=/ })
  t.ok(links.length >= 11, `${links.length} links`)
  for (const { text, href } of links) {
    const target = new URL(href, 'http://localhost/rinex/api/report/')
    target.searchParams.set('format', 'json')
    const { count } = (await app.inject(target.pathname + target.search)).json<{ count: number }>()
    t.equal(count, Number(/^\d+/.exec(text)?.[0]), `${text} ${href}`)
  }
})

t.test('a week without flags says nothing of them, and facts change the report', async (t) => {
  const { page, app, reader, writer, setNow } = await open(t, { GRAZ00AUT: {}, WTZR00DEU: {} })
  t.notMatch((await page('report/?week=2402')).one('main').text, /flagged/)
  const path = '/rinex/api/report/?week=2402'
  const { etag = '' } = (await app.inject(path)).headers
  const name = nameOf('GRAZ00AUT', startOf(2026, 20))
  const file = await reader.file({ directory, name })
  await writer.keepChecksums([checksumOf(file?.id ?? 0, { facts: flagged('cut') })], 0)
  await setNow(startOf(2026, 28) + 2)
  t.match((await page('report/?week=2402')).one('main').text, '1 file is flagged')
  const again = await app.inject({ url: path, headers: { 'if-none-match': etag } })
  t.equal(again.statusCode, 200)
  t.equal(again.json<WireReport>().flagged.files, 1)
})
