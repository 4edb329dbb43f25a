/** Excerpts of records that were there before there were any; `blocks.test.ts` compares all others with the records. */
import { join } from 'node:path'
import t from 'tap'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { change, newFile } from '../change.ts'
import { makeEarlier } from '../earlier.ts'
import { testFolder } from '../../folder.ts'

const startUs = 1_769_040_000_000_000

t.test('a catalogue of before there were excerpts shows what it did', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const clock = { us: startUs }
  const open = () => openWriter({ database, nowUs: () => clock.us++ })
  const earlier = open()
  const names = Array.from(
    { length: 300 },
    (_, index) =>
      `${index % 2 === 0 ? 'graz' : 'WTZR'}${String(index + 1).padStart(3, '0')}0.26d.gz`,
  )
  const added = [
    ...names.map((name) => newFile(name)),
    newFile('ZIMM00CHE_R_20260010000_01D_MN.rnx.gz'),
  ]
  await earlier.apply([change('obs/2026/001', { added: added.slice(0, 100) })])
  await earlier.apply([change('nrt/2026/001/05', { added: added.slice(100) })])
  await earlier.apply([
    change('obs/2026/001', {
      removed: [5, 63, 64, 65],
      modified: [{ id: 70, name: names[69] ?? '', size: 7, mtimeUs: 8 }],
    }),
  ])
  const look = async () => {
    const reader = openReader({ database })
    const orders = [true, false].map((descending) => ({ key: 'id', descending }) as const)
    const pages = orders.map((ordering) => reader.page({ limit: 400, offset: 0, ordering }))
    const found = await Promise.all(pages)
    reader.close()
    return found.map(({ count, records }) => ({ count, records }))
  }
  const before = await look()
  t.match(before, [{ count: 297 }, { count: 297 }])
  t.equal(before[0]?.records.filter((each) => each.modifiedUs > each.createdUs).length, 1)
  await earlier.checkpoint()
  earlier.close()
  makeEarlier(database)
  open().close()
  t.strictSame(await look(), before)
})
