/** The size and the disks of the archive: JSON, CSV and page. */
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { nameOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import type { Html } from '../html.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { openService, startUs } from '../service.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

const api = '/rinex/api/archive/'
const usPerDay = 86_400e6

/** 2026-01-22 */
const today = Math.floor(startUs / usPerDay)
const options: ServiceOptions = { nowUs: startUs }

interface Wire {
  readonly files: number
  readonly years: readonly { readonly year: string }[] | null
  readonly groups: readonly Record<string, unknown>[]
  readonly days: readonly { readonly date: string; readonly files: number }[] | null
  readonly disks: readonly {
    readonly holds: readonly string[]
    readonly free_bytes: number
  }[]
  readonly checksums: Record<string, unknown>
}

const jsonOf = async ({ app }: Service) => (await app.inject(api)).json<Wire>()
const pageOf = ({ page }: Service) => page('archive/')

/** Daily files of the last days before today, of 1 GB each. */
async function fill({ writer }: Service, days: number): Promise<void> {
  const added = Array.from({ length: days }, (_, index) =>
    newFile(nameOf('GRAZ00AUT', (today - 1 - index) * 86_400), { size: 1_000_000_000, mtimeUs: 1 }),
  )
  await writer.apply([change('obs/2026/001', { added })])
}

t.test('an empty archive says where files are expected', async (t) => {
  const service = await openService(t, options)
  const wire = await jsonOf(service)
  t.match(wire, { files: 0, bytes: 0 })
  t.strictSame([wire.years, wire.groups, wire.days?.length], [[], [], 401])
  t.strictSame(
    wire.disks.map(({ holds }) => holds),
    [['archive', 'obs', 'nrt']],
  )
  t.match(
    (await pageOf(service)).text,
    'no files yet. They are expected in the folders obs/ and nrt/ of the archive',
  )
  const { body } = await service.app.inject(`${api}?format=csv`)
  t.equal(body, 'year,area,file_type,period,files,bytes\r\n')
})

t.test('the figures of an archive of some days: JSON, CSV and page say the same', async (t) => {
  const service = await openService(t, options)
  await fill(service, 40)
  await service.addNames('nrt/2026/001', ['graz021a.26n.gz'])
  const wire = await jsonOf(service)
  t.match(wire, { files: 41, bytes: 40_000_000_010 })
  t.strictSame(wire.groups, [
    {
      year: '2025',
      area: 'obs',
      file_type: 'o',
      period: '01D',
      files: 19,
      bytes: 19_000_000_000,
    },
    { year: '2026', area: 'nrt', file_type: 'n', period: '01H', files: 1, bytes: 10 },
    {
      year: '2026',
      area: 'obs',
      file_type: 'o',
      period: '01D',
      files: 21,
      bytes: 21_000_000_000,
    },
  ])
  t.strictSame(wire.years, [
    { year: '2025', files: 19, bytes: 19_000_000_000 },
    { year: '2026', files: 22, bytes: 21_000_000_010 },
  ])
  t.strictSame(wire.days?.slice(-2), [
    { date: '2026-01-21', files: 2, bytes: 1_000_000_010 },
    { date: '2026-01-22', files: 0, bytes: 0 },
  ])
  t.equal(
    wire.days?.reduce((sum, { files }) => sum + files, 0),
    41,
  )
  t.strictSame(Object.keys(wire.disks[0] ?? {}), ['holds', 'free_bytes', 'total_bytes'])
  const { body, headers } = await service.app.inject(`${api}?format=csv`)
  t.equal(headers['content-type'], 'text/csv; charset=utf-8')
  t.strictSame(body.split('\r\n'), [
    'year,area,file_type,period,files,bytes',
    ...wire.groups.map((group) => Object.values(group).join()),
    '',
  ])
  const page = await pageOf(service)
  t.equal(page.one('h1').text, 'Archive: 41 files, 40.0 GB')
  t.match(page.text, 'obs: 40.0 GB, only data since 13 Dec 2025 (347).')
  t.match(page.text, 'nrt: 10 bytes, only data since 21 Jan 2026 (021).')
  t.strictSame(page.table('Files by year').rows, [
    ['2026', '21', '21.0 GB', '1', '10 bytes'],
    ['2025', '19', '19.0 GB', '0', '0 bytes'],
  ])
  t.strictSame(page.table('Disks').rows[0]?.[0], 'archive, obs, nrt')
})

t.test('a first scan: totals without years and days', async (t) => {
  const service = await openService(t, options)
  await service.writer.deferIndexes()
  await fill(service, 2)
  const wire = await jsonOf(service)
  t.match(wire, { files: 2, years: null, days: null })
  t.match(wire.groups[0], { year: null, area: 'obs', files: 2 })
  const before = await service.app.inject(api)
  t.match((await pageOf(service)).text, 'The first scan has not ended')
  await service.writer.buildIndexes()
  const after = await service.app.inject(api)
  t.not(after.headers['etag'], before.headers['etag'], 'without a change of the catalogue')
  t.equal(after.json<Wire>().years?.length, 1)
})

t.test('the tag changes with the catalogue and the day, and answers 304 between', async (t) => {
  const service = await openService(t, options)
  await fill(service, 10)
  const tagOf = async () => String((await service.app.inject(api)).headers['etag'])
  const tag = await tagOf()
  const again = await service.app.inject({ url: api, headers: { 'if-none-match': tag } })
  t.equal(again.statusCode, 304)
  service.clock.us += usPerDay
  const nextDay = await tagOf()
  t.not(nextDay, tag)
  await service.addNames('obs/2026/002', ['graz0020.26d.gz'])
  t.not(await tagOf(), nextDay)
})

/** Where the bars of a picture begin, in percent of its width, by their texts. */
const barsOf = (page: Html, title: string) =>
  page
    .one('svg', { 'aria-label': title })
    .all('g')
    .filter((group) => group.has('title'))
    .map((group) => [
      group.one('title').text,
      group.all('rect').map((bar) => bar.attribute('x') ?? '')[0],
    ])

t.test('every year has its place in the picture, also those without files', async (t) => {
  const service = await openService(t, options)
  const files = [
    ['obs/1996/001', nameOf('GRAZ00AUT', Date.UTC(1996, 0, 1) / 1000), 2e9],
    ['obs/2004/001', nameOf('GRAZ00AUT', Date.UTC(2004, 0, 1) / 1000), 3e9],
    ['obs/2025/001', nameOf('GRAZ00AUT', Date.UTC(2025, 2, 1) / 1000), 4e9],
    ['nrt/2026/022/04', nameOf('GRAZ00AUT', startUs / 1e6 - 7200, { period: '01H' }), 1e9],
    ['obs/2026/001', nameOf('GRAZ00AUT', Date.UTC(2026, 0, 1) / 1000), 5e9],
  ] as const
  for (const [directory, name, size] of files)
    await service.writer.apply([
      change(directory, { added: [newFile(name, { size, mtimeUs: 1 })] }),
    ])
  const page = await pageOf(service)
  const place = (year: number) => `${Math.round(((year - 1996 + 0.1) / 31) * 1e4) / 100}%`
  t.strictSame(barsOf(page, 'Bytes by year'), [
    ['1996: obs 2.0 GB', place(1996)],
    ['2004: obs 3.0 GB', place(2004)],
    ['2025: obs 4.0 GB', place(2025)],
    ['2026: obs 5.0 GB, nrt 1.0 GB', place(2026)],
  ])
  const years = page.table('Files by year').rows
  t.equal(years.length, 31)
  t.strictSame(years[2], ['2024', '0', '0 bytes', '0', '0 bytes'])
  // What is kept says what a year more needs; what goes after some days is no growth.
  t.match(page.text, 'obs: 14.0 GB since 1996; 9.0 GB of it is data of the last 365 days.')
  t.match(page.text, 'nrt: 1.0 GB, only data since 22 Jan 2026 (022).')
  const ticks = page.one('svg', { 'aria-label': 'Bytes by year' }).texts('text', { class: 'value' })
  t.strictSame(ticks, ['0 bytes', '2.0 GB', '4.0 GB', '6.0 GB'], 'from a true zero')
})

t.test('what the service does, in six lines', async (t) => {
  const service = await openService(t, {
    ...options,
    deps: () => ({ indexerStatus: () => Promise.resolve(watchingIndexer) }),
  })
  const linesOf = async () => {
    const page = await pageOf(service)
    const names = page.texts('dt')
    return new Map(page.texts('dd').map((text, index) => [names[index] ?? '', text]))
  }
  const before = await linesOf()
  t.strictSame(
    [...before.keys()],
    ['Indexer', 'Last file listed', 'Queues', 'Last rescans', 'Problems', 'Checksums'],
  )
  t.match(before.get('Indexer'), /^watching, runs since /)
  t.equal(before.get('Problems'), 'none')
  await fill(service, 3)
  const bad = { ...newFile('graz0010.26d.gz'), incomplete: true }
  const rejections = [{ reason: 'not-gz', count: 2, names: ['README.txt'] }]
  await service.writer.apply([change('obs/2026/002', { added: [bad], rejections })])
  await service.writer.keepChecksums([checksumOf(2, { size: 1_000_000_000, mtimeUs: 1 })], 0)
  const after = await linesOf()
  t.equal(after.get('Checksums'), '1 of 4 files')
  t.equal(after.get('Problems'), '1 incomplete, 4 misplaced, 2 not catalogued')
  const page = await pageOf(service)
  const listed = await service.page(page.hrefOf('2 not catalogued').replace('../', ''))
  t.match(listed.text, '1 to 1 of 1 problem')
  t.match(listed.text, '1 more name is not catalogued: hidden ones', 'counted alike')
  const { checksums } = await jsonOf(service)
  t.match(checksums, { files: 1, share: 0.25, stale: 0, oldest: checksums['newest'] })
})

t.test('parameters that the resource does not have', async (t) => {
  const { app } = await openService(t, options)
  for (const query of ['?year=2026', '?x=%00', '?format=api&limit=-1', '?%3Cscript%3E=1']) {
    const { statusCode, headers } = await app.inject(`${api}${query}`)
    t.equal(statusCode, 200, query)
    t.ok(headers['ignored-parameters'], query)
  }
  t.equal((await app.inject(`${api}?strict=1&year=2026`)).statusCode, 400)
  t.equal((await app.inject(`${api}?format=xml`)).statusCode, 404)
})
