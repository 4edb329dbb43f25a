/** The page of one file: can one trust it, its checksum, its neighbours, its history. */
import type { Test } from 'tap'
import type { ApiSettings } from '../../../src/api/server.ts'
import { checksumOf, sha256 } from '../../catalogue/catalogue.ts'
import { arriving, change, newFile } from '../../catalogue/change.ts'
import { allFacts, flagged } from '../../catalogue/some-facts.ts'
import t from '../../tap.ts'
import type { Service } from '../service.ts'
import { day, dayFile, openService, shortFile } from '../service.ts'

const root = 'https://archive.example/rinex'
const facts = { size: 12, mtimeUs: 1_769_058_367_000_008 }
const checksum = checksumOf(1, facts)
const sum = sha256.toString('hex')

async function openWithFile(
  t: Test,
  checksums: ApiSettings['checksums'] = 'all',
): Promise<Service> {
  const service = await openService(t, { settings: { checksums } })
  await service.writer.apply([change(day, { added: [newFile(dayFile, facts)] })])
  return service
}

const pageOf = ({ page }: Service) => page('rinex-file/1/')
const factsOf = async (service: Service) => (await pageOf(service)).facts

t.test('the latest change has its time, and leads to the change', async (t) => {
  const service = await openWithFile(t)
  const { writer } = service
  const link = (since: number) =>
    `${root}/api/changes/?filename=${dayFile}&format=api&limit=1&since=${since}`
  const page = await pageOf(service)
  t.match(page.facts, {
    'Found (UTC)': '22 Jan 2026 05:06:07',
    'Replaced (UTC)': 'never',
    'Latest change (UTC)': '22 Jan 2026 05:06:07, new',
  })
  t.equal(page.hrefOf('22 Jan 2026 05:06:07, new'), link(0))
  t.equal(page.hrefOf(`${day}/`), `../../../data/${day}/`)
  await writer.apply([change(day, { added: [newFile(shortFile)] })])
  await writer.apply([change(day, { modified: [{ id: 1, name: dayFile, size: 2, mtimeUs: 2 }] })])
  const replaced = await pageOf(service)
  t.match(replaced.facts['Replaced (UTC)'], '22 Jan 2026 05:06:07')
  t.equal(replaced.hrefOf('22 Jan 2026 05:06:07, replaced'), link(2))
  await writer.apply([change(day, { modified: [{ id: 2, name: shortFile, size: 2, mtimeUs: 2 }] })])
  const { lines } = (await service.page(link(2))).table('Changes')
  t.equal(lines.length, 1, 'the page has this change alone')
  t.match(lines[0]?.hrefOf(dayFile), /rinex-file\/1\/\?format=api$/)
})

t.test('a restored file has the time at which it came back', async (t) => {
  const service = await openWithFile(t)
  const { writer } = service
  await writer.apply([change(day, { removed: [1] })])
  await writer.apply([change(day, { added: [newFile(dayFile, facts)] })])
  t.match(await factsOf(service), {
    'Replaced (UTC)': 'never',
    'Latest change (UTC)': '22 Jan 2026 05:06:07, restored',
  })
  await writer.apply([change(day, { removed: [1] })])
  await writer.apply([change(day, { added: [newFile(dayFile, { ...facts, size: 13 })] })])
  t.match(await factsOf(service), {
    'Latest change (UTC)': '22 Jan 2026 05:06:07, restored, with another size or time',
  })
})

t.test('a change before the beginning of the feed is not named', async (t) => {
  const service = await openWithFile(t)
  await service.addNames(day, [shortFile])
  await service.writer.apply([change(day, { removed: [2] })])
  await service.writer.purgeRemovals(Number.MAX_SAFE_INTEGER)
  t.notOk('Latest change (UTC)' in (await factsOf(service)))
})

/** The lines of code of the page: commands. */
const commandsOf = async (service: Service) =>
  (await pageOf(service)).all('pre').flatMap((pre) => pre.all('code').map((each) => each.rawText))

t.test('a checksum that may come is not known yet, any other one is not known', async (t) => {
  for (const [checksums, before, after] of [
    ['all', 'known yet.', 'known yet.'],
    ['arriving', 'known.', 'known yet.'],
    ['none', 'known.', 'known.'],
  ] as const) {
    const service = await openWithFile(t, checksums)
    const note = async () => (await pageOf(service)).text
    t.match(await note(), `Its checksum is not ${before}`, `an old file with ${checksums}`)
    await service.writer.keepChecksums([], 0)
    t.match(await note(), `Its checksum is not ${after}`, `a new file with ${checksums}`)
  }
})

t.test('commands download the file, and check it if its checksum is known', async (t) => {
  const service = await openWithFile(t)
  const url = `${root}/data/${day}/${dayFile}`
  const others = [`curl -O '${url}'`, `wget -N '${url}'`, `rinex-catalogue rescan ${day}`]
  t.strictSame(await commandsOf(service), others)
  await service.writer.keepChecksums([checksum], 1)
  const checks = [sum, `echo '${sum}  ${dayFile}' | sha256sum -c`]
  t.strictSame(await commandsOf(service), [...checks, ...others])
  await service.writer.hashAgain([1], 0)
  t.strictSame(await commandsOf(service), others, 'a stale checksum')
})

t.test('the page says whether the file is complete, and when it came', async (t) => {
  const service = await openWithFile(t)
  const { writer } = service
  const says = async (words: string | RegExp) => t.match((await pageOf(service)).text, words)
  await says('not known whether it is complete; it is in the queue. It was found, not seen')
  await writer.keepChecksums([checksum], 1)
  await says('Complete: it was read to its end, and its checksum is known. It was found')
  const again = { id: 1, name: dayFile, size: 2, mtimeUs: 2, incomplete: true }
  await writer.apply([change(day, { modified: [again] })])
  await says('Incomplete: the content has no end. It has 2 bytes. ')
  const start = Date.UTC(2026, 0, 2) * 1000
  const [seen] = arriving([newFile('graz0020.26d.gz')], start + 86_400e6 + 240e6)
  await writer.apply([change('obs/2026/002', { added: seen ? [seen] : [] })])
  const second = await service.page('rinex-file/2/')
  t.match(second.text, 'It arrived 4 min after the end of its day, 3 Jan 2026 00:04 UTC.')
  t.match(second.facts['Arrived (UTC)'], '3 Jan 2026 00:04:00')
})

const obsOf = (dayOfYear: number, interval = '30S') =>
  `GRAZ00AUT_R_20260${String(dayOfYear).padStart(2, '0')}0000_01D_${interval}_MO.crx.gz`

/** Files of eight days, and files of a second interval that is much larger. */
async function fillSeries({ writer }: Service): Promise<void> {
  for (let dayOfYear = 1; dayOfYear <= 8; dayOfYear++) {
    const path = `obs/2026/00${dayOfYear}`
    const size = 190_000 + dayOfYear * 10_000
    const own = newFile(obsOf(dayOfYear), { size, mtimeUs: 1 })
    const other = newFile(obsOf(dayOfYear, '01S'), { size: 9e6, mtimeUs: 1 })
    await writer.apply([change(path, { added: [own, other] })])
  }
}

const idOf = (service: Service, dayOfYear: number) =>
  service.idOf(`obs/2026/00${dayOfYear}/${obsOf(dayOfYear)}`)

t.test('a damaged file has its size beside those of its neighbours of the same kind', async (t) => {
  const service = await openService(t)
  await fillSeries(service)
  const damage = async (dayOfYear: number, size: number) => {
    const id = await idOf(service, dayOfYear)
    const again = { id, name: obsOf(dayOfYear), size, mtimeUs: 2, incomplete: true }
    await service.writer.apply([change(`obs/2026/00${dayOfYear}`, { modified: [again] })])
    return id
  }
  await damage(5, 70_000)
  const id = await damage(4, 131_367)
  const page = await service.page(`rinex-file/${id}/`)
  t.match(
    page.text,
    'It has 131 kB, its neighbours 200 to 260 kB.',
    'not the damaged one beside it',
  )
  t.ok(page.has('a', { download: '' }), 'the part that is there can be had')
  await service.writer.keepChecksums(
    [checksumOf(id, { size: 131_367, mtimeUs: 2, problem: 'incomplete' })],
    99,
  )
  const read = await service.page(`rinex-file/${id}/`)
  t.strictSame(
    read.all('details').map((part) => part.text.includes('sha256sum')),
    [false, false, true, false],
    'its checksum is folded',
  )
  t.equal(read.text.match(/sha256sum/g)?.length, 1)
  const beside = page.region('The same series')
  t.strictSame(
    beside.links().map(({ text }) => text),
    [obsOf(3), obsOf(5)],
  )
  const list = await service.page('rinex-file/')
  t.strictSame(list.texts('small'), ['incomplete', 'incomplete'])
})

t.test('an empty file is called empty: no checksum, no download', async (t) => {
  const service = await openService(t)
  await fillSeries(service)
  const id = await idOf(service, 4)
  const again = { id, name: obsOf(4), size: 0, mtimeUs: 2, incomplete: true }
  await service.writer.apply([change('obs/2026/004', { modified: [again] })])
  await service.writer.keepChecksums([checksumOf(id, { size: 0, mtimeUs: 2 })], 99)
  const page = await service.page(`rinex-file/${id}/`)
  t.match(page.text, 'Empty: it has 0 bytes, its neighbours 200 to 260 kB. ')
  t.notMatch(page.text, /checksum|sha256|curl|wget|[0-9a-f]{64}/i)
  t.notOk(page.has('a', { download: '' }))
  const list = await service.page('rinex-file/')
  t.strictSame(list.texts('small'), ['empty'])
})

t.test(
  'the page shows what is inside, each flag with its sentence, and leads to the header',
  async (t) => {
    const service = await openWithFile(t)
    const { writer } = service
    const bare = await pageOf(service)
    t.equal(bare.hrefOf('The header as it is in the file'), 'header/?format=api')
    const agency = '<b>\u202Eagency'
    const [rinex_version, time_system] = ['\u202E3.05', '\u202EGPS']
    const facts = { ...allFacts, agency, rinex_version, time_system, flags: [] }
    await writer.keepChecksums([{ ...checksum, facts }], 1)
    const good = await pageOf(service)
    t.match(good.text, 'its checksum is known, and it holds 90 of 120 epochs.')
    t.match(good.facts, {
      Receiver: 'SEPT POLARX5 5.4.0, serial 3013312',
      Antenna: 'LEIAR25.R4 LEIT, serial 10151004, 1.9640 m up',
      'Interval of the header': '30 s',
      Epochs: '90 of 120 epochs',
      'First epoch': '2026-01-01 18:00:00',
      Systems: 'GPS, Galileo',
      Marker: 'GRAZ, 11001M002',
      Agency: agency,
    })
    const apart = good.texts('bdi')
    for (const text of [agency, rinex_version, time_system]) t.ok(apart.includes(text))
    t.match(good.text, 'Galileo: C1X')
    await writer.keepChecksums([{ ...checksum, facts: flagged('short', 'marker') }], 1)
    const odd = await pageOf(service)
    t.match(odd.text, 'not all is as it should be:')
    t.ok(odd.texts('li').includes('marker: It is marker.'))
    await writer.adoptDamagedBy(['cut'], 0)
    await writer.keepChecksums([{ ...checksum, facts: flagged('cut', 'marker') }], 1)
    const damaged = await pageOf(service)
    t.match(damaged.text, 'Damaged: It is cut.. It has 12 bytes. ')
    t.ok(damaged.texts('li').includes('marker: It is marker.'))
    t.match((await service.page('rinex-file/')).texts('small').join(), 'damaged')
  },
)
