/** The page of one record: its history, its checksum, and its commands. */
import t from '../../tap.ts'
import type { Test } from 'tap'
import type { ApiSettings } from '../../../src/api/server.ts'
import { checksumOf, sha256 } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { day, dayFile, openService, shortFile } from '../service.ts'
import type { Service } from '../service.ts'

const path = '/rinex/api/rinex-file/1/'
const root = 'https://archive.example/rinex'
const facts = { size: 12, mtimeUs: 1_769_058_367_000_008 }
const checksum = checksumOf(1, facts)
const sum = sha256.toString('hex')
const headers = { accept: 'text/html' }

async function openWithFile(
  t: Test,
  checksums: ApiSettings['checksums'] = 'all',
): Promise<Service> {
  const service = await openService(t, { settings: { checksums } })
  await service.writer.apply([change(day, { added: [newFile(dayFile, facts)] })])
  return service
}

const bodyOf = async ({ app }: Service): Promise<string> =>
  (await app.inject({ url: path, headers })).body

/** The facts of a page by their names, and the link of each that has one. */
function factsOf(body: string): Record<string, string> {
  const facts = body.matchAll(/<dt>(.*)<\/dt>\n<dd>(?:<a href="(.*?)">)?(.*?)(?:<\/a>)?<\/dd>/g)
  return Object.fromEntries(
    Array.from(facts, ([, name = '', href, value = '']) => [
      name,
      href === undefined ? value : `${value} ${href.replaceAll('&amp;', '&')}`,
    ]),
  )
}

t.test('the history has the latest change, with its number and a link to it', async (t) => {
  const service = await openWithFile(t)
  const { writer, app } = service
  const link = (since: number) =>
    `${root}/api/changes/?filename=${dayFile}&format=api&limit=1&since=${since}`
  t.match(factsOf(await bodyOf(service)), {
    'Found (UTC)': '2026-01-22 05:06:07',
    'Last modified (UTC)': 'never',
    'Latest change (UTC)': '2026-01-22 05:06:07, new',
    'Number of the change': `1 ${link(0)}`,
    Directory: `/rinex/data/${day}/ ${root}/data/${day}/`,
  })
  await writer.apply([change(day, { added: [newFile(shortFile)] })])
  await writer.apply([change(day, { modified: [{ id: 1, name: dayFile, size: 2, mtimeUs: 2 }] })])
  t.match(factsOf(await bodyOf(service)), {
    'Last modified (UTC)': '2026-01-22 05:06:07',
    'Latest change (UTC)': '2026-01-22 05:06:07, replaced: another size or time',
    'Number of the change': `3 ${link(2)}`,
  })
  await writer.apply([change(day, { modified: [{ id: 2, name: shortFile, size: 2, mtimeUs: 2 }] })])
  const feed = await app.inject({ url: link(2).slice(root.length - '/rinex'.length), headers })
  t.equal(feed.statusCode, 200)
  t.match(feed.body, `rinex-file/1/?format=api">${dayFile}</a>`)
  t.equal(feed.body.match(/<tr role="row">/g)?.length, 1, 'the page has this change alone')
})

t.test('a restored file has the time at which it came back', async (t) => {
  const service = await openWithFile(t)
  const { writer } = service
  await writer.apply([change(day, { removed: [1] })])
  await writer.apply([change(day, { added: [newFile(dayFile, facts)] })])
  t.match(factsOf(await bodyOf(service)), {
    'Last modified (UTC)': 'never',
    'Latest change (UTC)': '2026-01-22 05:06:07, restored',
  })
  await writer.apply([change(day, { removed: [1] })])
  await writer.apply([change(day, { added: [newFile(dayFile, { ...facts, size: 13 })] })])
  t.match(factsOf(await bodyOf(service)), {
    'Latest change (UTC)': '2026-01-22 05:06:07, restored, with another size or time',
  })
})

t.test('a change before the beginning of the feed has no link', async (t) => {
  const service = await openWithFile(t)
  await service.addNames(day, [shortFile])
  await service.writer.apply([change(day, { removed: [2] })])
  await service.writer.purgeRemovals(Number.MAX_SAFE_INTEGER)
  const body = await bodyOf(service)
  t.equal(factsOf(body)['Number of the change'], '1')
  t.notOk('Latest change (UTC)' in factsOf(body))
  t.match(body, 'the change feed begins after this one')
})

t.test('the page shows the state of the checksum in words', async (t) => {
  const service = await openWithFile(t, 'arriving')
  const { writer } = service
  const state = async () => factsOf(await bodyOf(service))['Checksum']
  t.equal(await state(), 'not hashed')
  await writer.keepChecksums([], 0)
  t.equal(await state(), 'not hashed yet')
  await writer.keepChecksums([checksum], 1)
  t.equal(await state(), 'known')
  t.equal(factsOf(await bodyOf(service))['SHA-256'], sum)
  await writer.hashAgain([1], 0)
  t.equal(await state(), 'not hashed yet', 'a stale checksum')
  t.notOk('SHA-256' in factsOf(await bodyOf(service)))
})

t.test('the page says "not hashed yet" only of a file that will be hashed', async (t) => {
  for (const [checksums, before, after] of [
    ['all', 'not hashed yet', 'not hashed yet'],
    ['arriving', 'not hashed', 'not hashed yet'],
    ['none', 'not hashed', 'not hashed'],
  ] as const) {
    const service = await openWithFile(t, checksums)
    const state = async () => factsOf(await bodyOf(service))['Checksum']
    t.equal(await state(), before, `an old file with ${checksums}`)
    await service.writer.keepChecksums([], 0)
    t.equal(await state(), after, `a new file with ${checksums}`)
  }
})

t.test('commands download the file, and check it if its checksum is known', async (t) => {
  const service = await openWithFile(t)
  const commands = async () =>
    Array.from(
      (await bodyOf(service)).matchAll(/<pre tabindex="0"><code>(.*)<\/code><\/pre>/g),
      ([, command = '']) => command.replaceAll('&#39;', "'"),
    )
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
      await bodyOf(service),
      'not known whether it is complete; it is in the queue. It was not seen arriving',
    )
    await writer.keepChecksums([checksum], 1)
    t.match(
      await bodyOf(service),
      'Complete: the whole file was read to the end of its gzip stream',
    )
    const again = { id: 1, name: dayFile, size: 2, mtimeUs: 2, incomplete: true }
    await writer.apply([change(day, { modified: [again] })])
    t.match(await bodyOf(service), 'Problem:</strong> Its end is missing')
  },
)
