/** The size and the disks of the archive: JSON, CSV and page. */
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { nameOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { openService, startUs } from '../service.ts'

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
  t.match((await pageOf(service)).text, 'no files yet. They are expected in the areas obs and nrt')
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
  const { text } = await pageOf(service)
  for (const words of [
    '41 files, 40.0 GB.',
    'Year Files Size 2026 22 21.0 GB 2025 19 19.0 GB',
    'archive, obs, nrt',
  ])
    t.match(text, words)
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

t.test('checksums: how many files were read, and which', async (t) => {
  const service = await openService(t, options)
  await fill(service, 3)
  t.match(
    (await pageOf(service)).text,
    'No file has a checksum: 3 files were never read for damage.',
  )
  const read = checksumOf(2, { size: 1_000_000_000, mtimeUs: 1 })
  await service.writer.keepChecksums([read], 0)
  const { checksums } = await jsonOf(service)
  t.match(checksums, { files: 1, share: 0.3333, stale: 0, oldest: checksums['newest'] })
  t.match((await pageOf(service)).text, '1 of 3 files have a checksum (33.3 %); 2 files were never')
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
