/** The page of one record: its history, its checksum, and its commands. */
import type { Test } from 'tap'
import type { ApiSettings } from '../../../src/api/server.ts'
import { checksumOf, sha256 } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
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

t.test('the history has the latest change, with its number and a link to it', async (t) => {
  const service = await openWithFile(t)
  const { writer } = service
  const link = (since: number) =>
    `${root}/api/changes/?filename=${dayFile}&format=api&limit=1&since=${since}`
  const page = await pageOf(service)
  t.match(page.facts, {
    'Found (UTC)': '2026-01-22 05:06:07',
    'Last modified (UTC)': 'never',
    'Latest change (UTC)': '2026-01-22 05:06:07, new',
    'Number of the change': '1',
  })
  t.equal(page.hrefOf('1'), link(0))
  t.equal(page.hrefOf(`/rinex/data/${day}/`), `${root}/data/${day}/`)
  await writer.apply([change(day, { added: [newFile(shortFile)] })])
  await writer.apply([change(day, { modified: [{ id: 1, name: dayFile, size: 2, mtimeUs: 2 }] })])
  const replaced = await pageOf(service)
  t.match(replaced.facts, {
    'Last modified (UTC)': '2026-01-22 05:06:07',
    'Latest change (UTC)': '2026-01-22 05:06:07, replaced: another size or time',
    'Number of the change': '3',
  })
  t.equal(replaced.hrefOf('3'), link(2))
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
    'Last modified (UTC)': 'never',
    'Latest change (UTC)': '2026-01-22 05:06:07, restored',
  })
  await writer.apply([change(day, { removed: [1] })])
  await writer.apply([change(day, { added: [newFile(dayFile, { ...facts, size: 13 })] })])
  t.match(await factsOf(service), {
    'Latest change (UTC)': '2026-01-22 05:06:07, restored, with another size or time',
  })
})

t.test('a change before the beginning of the feed has no link', async (t) => {
  const service = await openWithFile(t)
  await service.addNames(day, [shortFile])
  await service.writer.apply([change(day, { removed: [2] })])
  await service.writer.purgeRemovals(Number.MAX_SAFE_INTEGER)
  const { facts, text } = await pageOf(service)
  t.match(facts['Number of the change'], /^1\b/)
  t.notOk('Latest change (UTC)' in facts)
  t.match(text, 'the change feed begins after this one')
})

t.test('the page shows the state of the checksum in words', async (t) => {
  const service = await openWithFile(t, 'arriving')
  const { writer } = service
  const state = async () => (await factsOf(service))['Checksum']
  t.equal(await state(), 'not hashed')
  await writer.keepChecksums([], 0)
  t.equal(await state(), 'not hashed yet')
  await writer.keepChecksums([checksum], 1)
  t.equal(await state(), 'known')
  t.equal((await factsOf(service))['SHA-256'], sum)
  await writer.hashAgain([1], 0)
  t.equal(await state(), 'not hashed yet', 'a stale checksum')
  t.notOk('SHA-256' in (await factsOf(service)))
})

t.test('the page says "not hashed yet" only of a file that will be hashed', async (t) => {
  for (const [checksums, before, after] of [
    ['all', 'not hashed yet', 'not hashed yet'],
    ['arriving', 'not hashed', 'not hashed yet'],
    ['none', 'not hashed', 'not hashed'],
  ] as const) {
    const service = await openWithFile(t, checksums)
    const state = async () => (await factsOf(service))['Checksum']
    t.equal(await state(), before, `an old file with ${checksums}`)
    await service.writer.keepChecksums([], 0)
    t.equal(await state(), after, `a new file with ${checksums}`)
  }
})

t.test('commands download the file, and check it if its checksum is known', async (t) => {
  const service = await openWithFile(t)
  const commands = async () =>
    (await pageOf(service)).all('pre').flatMap((pre) => pre.all('code').map((each) => each.rawText))
  const url = `${root}/data/${day}/${dayFile}`
  const rescan = `rinex-catalogue rescan ${day}`
  t.strictSame(await commands(), [`curl -O '${url}'`, `wget -N '${url}'`, rescan])
  await service.writer.keepChecksums([checksum], 1)
  t.strictSame((await commands()).slice(2), [`echo '${sum}  ${dayFile}' | sha256sum -c`, rescan])
})

t.test(
  'the page says in one sentence whether the file is complete, and when it arrived',
  async (t) => {
    const service = await openWithFile(t)
    const { writer } = service
    t.match(
      (await pageOf(service)).text,
      'not known whether it is complete; it is in the queue. It was not seen arriving',
    )
    await writer.keepChecksums([checksum], 1)
    t.match(
      (await pageOf(service)).text,
      'Complete: the whole file was read to the end of its gzip stream',
    )
    const again = { id: 1, name: dayFile, size: 2, mtimeUs: 2, incomplete: true }
    await writer.apply([change(day, { modified: [again] })])
    t.match((await pageOf(service)).text, 'Problem: It is incomplete: the gzip stream has no end')
  },
)
