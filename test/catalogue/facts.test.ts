/** What is inside the files, as the catalogue stores it. */
import type { Test } from 'tap'
import type { Facts } from '../../src/rinex/facts.ts'
import t, { exact } from '../tap.ts'
import { checksumOf, day, facts as version, manyNames, openCatalogue } from './catalogue.ts'
import { newFile } from './change.ts'
import { allFacts, flagged, someFacts } from './some-facts.ts'

const names = ['graz', 'zimm', 'onsa', 'wtzr'].map((code) => `${code}0010.26o.gz`)
const ids = [1, 2, 3, 4]

async function open(t: Test) {
  const opened = await openCatalogue(t, { stepUs: 1 })
  const { apply, reader, writer, sql } = opened
  await apply({ added: names.map((name) => newFile(name, version)) })
  return {
    ...opened,
    /** Stores checksums with facts, those of the first file first. */
    keep: (...all: readonly (Facts | undefined)[]) =>
      writer.keepChecksums(
        all.map((facts, index) => checksumOf(index + 1, { facts })),
        4,
      ),
    found: async () => {
      const found = await reader.facts({ ids })
      return Object.fromEntries([...found].map(([id, { facts }]) => [id, facts]))
    },
    rowsOf: async (table: string) => (await sql(`SELECT id FROM ${table}`)).length,
    counted: async () => (await sql('SELECT facts FROM hashing'))[0]?.['facts'],
  }
}

t.test('facts are read as they were stored', async (t) => {
  const { keep, found, sql, differences } = await open(t)
  const { marker, epochs } = allFacts
  const some: readonly Facts[] = [
    allFacts,
    { flags: [] },
    { marker, flags: [] },
    { ...flagged('empty'), epochs, first: '1999-12-31T23:59:59.9999999' },
  ]
  await keep(...some)
  const last = { ...some[3], first: '2000-01-01T00:00:00' }
  t.same(await found(), { 1: some[0], 2: some[1], 3: some[2], 4: last })
  t.same(await sql('SELECT share_ppm, epochs, expected, flags FROM fact WHERE id = 1'), [
    { share_ppm: 750_000, epochs: 90, expected: 120, flags: 0b10100 },
  ])
  const { latitude, longitude } = allFacts.position
  t.same(await sql('SELECT receiver, latitude, longitude FROM equipment WHERE id = 1'), [
    {
      receiver: 'SEPT POLARX5',
      latitude: Math.round(latitude * 1e7),
      longitude: Math.round(longitude * 1e7),
    },
  ])
  t.same(await differences(), [])
})

t.test('dates in headers are read as they are written there', async (t) => {
  const { keep, found, sql } = await open(t)
  const dates = [
    '20260101 190120 UTC',
    '20260229 000000 UTC',
    '20260101 240000 UTC',
    '1-JAN-26 19:01',
  ]
  await keep(...dates.map((run_date) => ({ ...allFacts, run_date })))
  t.same(
    Object.values(await found()).map((facts) => facts?.run_date),
    dates,
  )
  t.same(await sql('SELECT id FROM fact WHERE run_date IS NULL'), [{ id: 1 }], 'a number if usual')
})

t.test('positions are stored on a grid of ten metres, flags in their order', async (t) => {
  const { keep, found } = await open(t)
  const { position, flags } = allFacts
  const near = { x: 4_194_423.9, y: 1_162_696, z: 4_647_250.1, latitude: 47.1 }
  await keep({
    ...allFacts,
    position: { ...position, ...near },
    flags: flags.toReversed(),
  })
  t.same(await found(), { 1: allFacts })
})

t.test('equal equipment and observables are stored once', async (t) => {
  const { keep, rowsOf } = await open(t)
  const other = { ...allFacts, run_date: 'x', receiver: { type: 'TRIMBLE NETR9' } }
  await keep(allFacts, { ...allFacts, run_date: 'other' }, other)
  const shared = async () => [await rowsOf('equipment'), await rowsOf('observables')]
  t.same(await shared(), [2, 1])
  await keep(other, allFacts, { ...allFacts, interval_s: 15 }, { flags: [] })
  t.same(await shared(), [2, 2])
})

t.test(
  'the newest files of a filter are found among many groups, some of whose newest are gone',
  async (t) => {
    const { apply, writer, reader, differences } = await openCatalogue(t, { stepUs: 1 })
    const count = 300
    await apply({ added: manyNames(count).map((name) => newFile(name, version)) })
    // A group for each file, but two; every third is read again with what another one has.
    const groups = Array.from({ length: count }, (_, index) => (index < 20 ? index % 2 : index))
    const keep = (ids: readonly number[]) =>
      writer.keepChecksums(
        ids.map((id) => {
          const serial = String(groups[id - 1])
          return checksumOf(id, { facts: { ...allFacts, receiver: { type: 'A', serial } } })
        }),
        1,
      )
    const all = groups.map((_, index) => index + 1)
    await keep(all)
    const again = all.filter((id) => id % 3 === 0 || id > 200)
    for (const id of again) groups[id - 1] = groups[id % 40] ?? 0
    await keep(again)
    const ids = all.toReversed()
    for (const [offset, limit] of [
      [0, 2],
      [0, 150],
      [130, 20],
      [299, 5],
    ] as const) {
      const query = { filter: { receiver: ['a'] }, offset, limit }
      const page = await reader.page(query)
      t.same(page.count, count)
      t.same(
        page.records.map(({ id }) => id),
        ids.slice(offset, offset + limit),
        `${limit} from ${offset}`,
      )
    }
    t.same(await differences(), [])
  },
)

t.test('files that lack epochs are counted below any share, with and without a flag', async (t) => {
  const { apply, writer, reader, differences } = await openCatalogue(t, { stepUs: 1 })
  const expected_epochs = 90
  const files = Array.from({ length: 91 }, (_, epochs) => ({
    epochs,
    flags:
      epochs % 3 === 0 ? flagged('short').flags : epochs % 3 === 1 ? flagged('torn').flags : [],
  }))
  await apply({ added: manyNames(files.length).map((name) => newFile(name, version)) })
  await writer.keepChecksums(
    files.map((file, at) =>
      checksumOf(at + 1, { facts: { ...allFacts, ...file, expected_epochs, share: 1 } }),
    ),
    1,
  )
  for (const shareBelow of [1, 9999, 500_000, 505_000, 505_556, 758_333, 990_001, 1_000_000])
    for (const flag of [undefined, 'short', 'long'] as const) {
      const filter = { shareBelow, ...(flag && { flags: [flag] }) }
      const { count, records } = await reader.page({ filter, offset: 0, limit: 100 })
      const ids = files.flatMap(({ epochs, flags }, at) => {
        const isBelow = Math.floor((epochs * 1e6) / expected_epochs) < shareBelow
        const isFlagged = flag === undefined || flags.some((each) => each.flag === flag)
        return epochs < expected_epochs && isBelow && isFlagged ? [at + 1] : []
      })
      t.same([count, records.map(({ id }) => id)], [ids.length, ids.toReversed()], filter)
    }
  t.same(await differences(), [])
})

t.test('texts that no engine would store in a column of texts are stored', async (t) => {
  const { keep, found, sql } = await open(t)
  const odd = someFacts(1)
  await keep({ ...odd, run_date: 'a\0\ud800' })
  t.same(await found(), { 1: { ...odd, run_date: 'a\uFFFD\uFFFD' } })
  t.match(
    await sql('SELECT receiver FROM equipment'),
    exact([{ receiver: 'RECEIVER 1\uFFFD\uFFFD' }]),
  )
})

t.test('facts are there if and only if the checksum is valid', async (t) => {
  const { keep, found, counted, apply, writer, reader, differences } = await open(t)
  const seen = async (...expected: readonly number[]) => {
    t.same(Object.keys(await found()).map(Number), expected)
    t.equal(await counted(), expected.length)
    t.same(await differences(), [])
  }
  await keep(allFacts, allFacts, allFacts, undefined)
  await seen(1, 2, 3)
  const { seq, detailsSeq } = await reader.head()
  await apply({ rehash: [1] })
  await seen(2, 3)
  await writer.hashAgain([2, 4], 5)
  await seen(3)
  t.match(await reader.head(), { seq, detailsSeq: detailsSeq + 2 })
  await keep(allFacts, undefined, undefined, allFacts)
  await seen(1, 4)
  await writer.keepChecksums([checksumOf(1, { facts: allFacts, rested: false })], 4)
  await seen(4)
  await apply({ modified: [{ id: 4, name: names[3] ?? '', size: 11, mtimeUs: 5 }] })
  await seen()
  await keep(allFacts, allFacts)
  await apply({ removed: [1] })
  await seen(2)
  await apply({ added: [newFile(names[0] ?? '', version)] })
  await seen(2)
  await keep(someFacts(1))
  await seen(1, 2)
  const other = { size: version.size + 1, facts: allFacts }
  await writer.keepChecksums([checksumOf(3, other), checksumOf(99, { facts: allFacts })], 4)
  await seen(1, 2)
  await writer.repairCounts()
  await seen(1, 2)
  t.match(await reader.record({ id: 1, details: true }), { directory: day })
})
