import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { FeedFilter } from '../../src/catalogue/filter.ts'
import type { ChangesPage } from '../../src/catalogue/questions/changes.ts'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'
import { day, manyNames, openCatalogue } from './catalogue.ts'
import { change, newFile } from './change.ts'
import { aboutSqlite } from './engines.ts'

const graz = 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'
const grazShort = 'graz0010.26m.gz'
const zimm = 'zimm0010.26d.gz'

async function openFeed(t: Test, folder = testFolder(t)) {
  const opened = await openCatalogue(t, { folder })
  const changes = (since: number, limit = 1000, filters: FeedFilter = {}) =>
    opened.reader.changes({ since, limit, filters })
  return { ...opened, changes }
}

const brief = ({ changes }: ChangesPage) =>
  changes.map(({ seq, change, record }) => `${seq} ${change} ${record.id}`)

t.test('the feed has the latest change of each file, in the order of seq', async (t) => {
  const { clock, apply, changes } = await openFeed(t)
  const added = [graz, grazShort, zimm].map((name) => newFile(name, { size: 1, mtimeUs: 1 }))
  const { head } = await apply({ added })
  t.strictSame(brief(await changes(0)), ['1 created 1', '2 created 2', '3 created 3'])
  clock.us += 10
  await apply({ modified: [{ id: 1, name: graz, size: 2, mtimeUs: 2 }] })
  clock.us += 10
  const last = await apply({ removed: [2] })
  const page = await changes(0)
  t.strictSame(brief(page), ['3 created 3', '4 modified 1', '5 removed 2'])
  t.match(page, { head: last.head, purgedSeq: 0, throughSeq: 5 })
  t.strictSame(
    page.changes.map(({ atUs }) => atUs - clock.us),
    [-20, -10, 0],
  )
  t.match(page.changes[2]?.record, { id: 2, name: grazShort, directory: day })
  t.strictSame(brief(await changes(head.seq)), ['4 modified 1', '5 removed 2'])
  t.strictSame(brief(await changes(5)), [])
  const first = await changes(0, 2)
  t.strictSame(brief(first), ['3 created 3', '4 modified 1'])
  t.equal(first.throughSeq, 4)
})

t.test('a restored file is reported as created, at the time of its return', async (t) => {
  const { clock, reader, apply, changes } = await openFeed(t)
  const added = [newFile(graz, { size: 1, mtimeUs: 1 })]
  await apply({ added })
  const [record] = (await reader.page({ limit: 1, offset: 0 })).records
  clock.us += 10
  await apply({ removed: [1] })
  clock.us += 10
  await apply({ added })
  t.strictSame(await changes(0), {
    head: await reader.head(),
    purgedSeq: 0,
    joinedSeq: 0,
    throughSeq: 3,
    changes: [{ seq: 3, change: 'created', atUs: clock.us, record }],
  })
  clock.us += 10
  await apply({ modified: [{ id: 1, name: graz, size: 2, mtimeUs: 2 }] })
  t.match(await changes(0), { changes: exact([{ seq: 4, change: 'modified', atUs: clock.us }]) })
})

t.test('the feed has only changes that match the filters', async (t) => {
  const { writer, apply, changes } = await openFeed(t)
  const hourly = 'GRAZ00AUT_S_20260010500_01H_MN.rnx.gz'
  await writer.apply([
    change(day, { added: [graz, grazShort, zimm].map((name) => newFile(name)) }),
    change('nrt/2026/001/05', { added: [newFile(hourly)] }),
  ])
  await apply({ removed: [3] })
  const cases: [FeedFilter, number[]][] = [
    [{}, [1, 2, 4, 3]],
    [{ stations: ['GRAZ'] }, [1, 2, 4]],
    [{ stations: ['GRAZ00AUT'] }, [1, 4]],
    [{ stations: ['ZIMM', 'GRAZ00AUT'] }, [1, 4, 3]],
    [{ stations: ['GRA'] }, []],
    [{ areas: ['nrt'] }, [4]],
    [{ types: ['o'] }, [1, 3]],
    [{ types: ['n', 'm'] }, [2, 4]],
    [{ durations: ['h'] }, [4]],
    [{ versions: ['r2'] }, [2, 3]],
    [{ versions: ['r2'], stations: ['GRAZ'], areas: ['obs'] }, [2]],
    [{ stations: [] }, []],
  ]
  for (const [filters, ids] of cases) {
    const page = await changes(0, 1000, filters)
    const found = page.changes.map(({ record }) => record.id)
    t.strictSame([...found].sort(), [...ids].sort(), JSON.stringify(filters))
    t.equal(page.throughSeq, 5)
  }
})

t.test('a query with filters examines a limited number of changes', async (t) => {
  const { apply, changes } = await openFeed(t)
  for (const ddd of ['001', '002', '003', '004', '005']) {
    const added = manyNames(1000, `${ddd}0.26d.gz`).map((name) => newFile(name))
    await apply({ added }, `obs/2026/${ddd}`)
  }
  const filters = { stations: ['00RR'] }
  const first = await changes(0, 10, filters)
  t.match(first, { throughSeq: 2000, head: { seq: 5000 }, changes: { length: 2 } })
  const last = await changes(4000, 10, filters)
  t.match(last, { throughSeq: 5000, changes: exact([{ seq: 5000 }]) })
  const full = await changes(0, 1, filters)
  t.match(full, { throughSeq: 1000, changes: exact([{ seq: 1000 }]) })
})

t.test('a query with filters examines a limited number of removals, too', async (t) => {
  const { apply, add, changes } = await openFeed(t)
  const names = manyNames(3000)
  await add(...names)
  await apply({ removed: names.map((_, index) => index + 1) })
  // The changes 3001 to 6000 are the removals; no live file is left.
  const filters = { names: [{ how: 'contains', text: 'zzz' }] } as const
  const first = await changes(3000, 10, filters)
  t.strictSame([first.changes, first.throughSeq, first.head.seq], [[], 5000, 6000])
  const last = await changes(5000, 10, filters)
  t.strictSame([last.changes, last.throughSeq], [[], 6000])
})

t.test('old removals are purged, and purgedSeq is the last purged seq', async (t) => {
  const { clock, writer, reader, apply, add, changes } = await openFeed(t)
  const added = [graz, grazShort, zimm].map((name) => newFile(name))
  await apply({ added })
  await apply({ removed: [1] })
  clock.us += 100
  await apply({ removed: [2] })
  t.strictSame(await writer.purgeRemovals(clock.us - 100), { more: false })
  t.match(await changes(0), { purgedSeq: 0, changes: { length: 3 } })
  await writer.purgeRemovals(clock.us)
  t.match(await changes(3), { purgedSeq: 4, changes: exact([]), throughSeq: 3 })
  t.strictSame(brief(await changes(4)), ['5 removed 2'])
  t.match(
    await changes(6),
    { changes: exact([]), head: { seq: 5 } },
    'a seq that does not exist yet',
  )
  await add(graz)
  t.match(await reader.page({ limit: 1, offset: 0 }), { records: exact([{ id: 4, name: graz }]) })
})

t.test('a removed directory is purged with the last of its removals', async (t) => {
  const { clock, writer, apply, add } = await openFeed(t)
  const names = manyNames(2500)
  await add(...names)
  await apply({ removed: names.map((_, index) => index + 1), gone: true })
  clock.us += 1
  t.strictSame(await writer.purgeRemovals(clock.us), { more: true })
  t.ok(await writer.directory(day))
  t.strictSame(await writer.purgeRemovals(clock.us), { more: false })
  t.equal(await writer.directory(day), undefined)
})

t.test(
  'a client with a seq of another database must start again',
  { skip: aboutSqlite },
  async (t) => {
    const folder = testFolder(t)
    const first = await openCatalogue(t, { folder })
    const { head } = await first.add(graz)
    await first.close()
    rmSync(join(folder, 'catalogue.db'))
    const { reader, changes } = await openFeed(t, folder)
    const rebuilt = await reader.head()
    t.not(rebuilt.epoch, head.epoch)
    const page = await changes(head.seq)
    t.ok(page.purgedSeq > head.seq)
    t.strictSame(page.changes, [])
  },
)
