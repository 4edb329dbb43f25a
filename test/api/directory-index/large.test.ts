/** Large directories. */
import { text } from 'node:stream/consumers'
import { listingFormats, listingOf } from '../../../src/api/directory-index/listing.ts'
import { change, newFile } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import { readFragment, readPage } from '../html.ts'
import { day, openService } from '../service.ts'

const facts = { size: 2_000_000, mtimeUs: 1_769_058_000_000_000 }

function names(count: number): string[] {
  return Array.from(
    { length: count },
    (_, n) =>
      `${(n + 10 * 36 ** 3).toString(36).toUpperCase()}00AUT_R_20260010000_01D_30S_MO.crx.gz`,
  )
}

t.test('a listing of several chunks has all files and all directories', async (t) => {
  const { app, page, writer } = await openService(t)
  const files = names(3500)
  await writer.apply([change(day, { added: files.map((name) => newFile(name, facts)) })])
  const directories = Array.from({ length: 1300 }, (_, n) => `s${String(n).padStart(4, '0')}`)
  const [one = ''] = files
  await writer.apply(
    directories.map((name) => change(`obs/${name}`, { added: [newFile(one, facts)] })),
  )
  const listed = await app.inject(`/rinex/data/${day}/?format=json`)
  t.same(
    listed.json<{ name: string }[]>().map(({ name }) => name),
    files,
  )
  const above = await page('../data/obs/')
  const found = above.links().map(({ href }) => href)
  t.same(
    found,
    ['..', '2026', ...directories].map((name) => `${name}/`),
  )
})

t.test('each chunk of a listing is read in a turn', async (t) => {
  const { reader, writer } = await openService(t)
  await writer.apply([change(day, { added: names(3500).map((name) => newFile(name, facts)) })])
  let turns = 0
  const turn = () => {
    turns++
    return Promise.resolve()
  }
  await text(listingOf(reader, { directory: day, path: '/', format: listingFormats.html, turn }))
  t.equal(turns, 5, 'one chunk of directories and four of files')
})

t.test('names are escaped in HTML listings', async (t) => {
  const { html } = listingFormats
  const name = `<a'&">`
  const line = readFragment(html.file({ name, size: 1, mtimeUs: 0 }))
  t.same(line.links(), [{ text: name, href: name }])
  const page = readPage(`${html.begin('/<b>/', false)}</pre></body></html>`)
  t.equal(page.title, 'Index of /<b>/')
  t.equal(page.one('h1').text, 'Index of /<b>/')
})

t.test('a name longer than its column is not truncated', async (t) => {
  const name = 'x'.repeat(80)
  t.equal(
    listingFormats.html.file({ name, size: 10 ** 12, mtimeUs: 0 }),
    `<a href="${name}">${name}</a> 01-Jan-1970 00:00       1000000000000\n`,
  )
})

t.test('a chunk of files is read only when the chunk before it was sent', async (t) => {
  const { reader, writer } = await openService(t)
  await writer.apply([change(day, { added: names(3500).map((name) => newFile(name, facts)) })])
  let reads = 0
  const filesIn: typeof reader.filesIn = (query) => {
    reads++
    return reader.filesIn(query)
  }
  const turn = () => Promise.resolve()
  const query = { directory: day, path: '/', format: listingFormats.json, turn }
  const listing = listingOf({ ...reader, filesIn }, query)
  const seen: number[] = []
  while ((await listing.next()).done !== true) seen.push(reads)
  t.strictSame(seen, [1, 2, 3, 4, 4], 'four chunks and the end')
})
