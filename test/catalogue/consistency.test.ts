/** The counts agree with the records after any changes. */
import { checkConsistency } from '../../src/catalogue/engines/engine.ts'
import type { FileFilter } from '../../src/catalogue/filter.ts'
import type { Checksum } from '../../src/catalogue/updates/checksum-rows.ts'
import type { CatalogueWriter } from '../../src/catalogue/updates/writer.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'
import { checksumOf, day, openCatalogue } from './catalogue.ts'
import { change, newFile } from './change.ts'
import { engine as ownEngine, sqlite } from './engines.ts'
import { applySteps, steps as singleSteps } from './random-steps.ts'

/** A server takes longer to be opened; engines.test.ts has more histories. */
const share = ownEngine === sqlite ? 1 : 0.25

const directories = [day, 'nrt/2026/001/05', 'obs/odd'] as const

type Step =
  | { readonly does: 'toggle'; readonly files: readonly number[] }
  | { readonly does: 'modify'; readonly files: readonly number[] }
  /** Stores checksums, some of another size or of a removed file. */
  | { readonly does: 'hash'; readonly files: readonly number[] }
  | { readonly does: 'refuse'; readonly files: readonly number[] }
  /** Sets the next id near the end of a bucket: `before` ids before the next bucket. */
  | { readonly does: 'jump'; readonly level: number; readonly before: number }

const files = fc.uniqueArray(fc.nat(899), { minLength: 1, maxLength: 90 })
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ does: fc.constant('toggle' as const), files }),
    fc.record({ does: fc.constant('toggle' as const), files }),
    fc.record({ does: fc.constant('modify' as const), files }),
    fc.record({ does: fc.constant('hash' as const), files }),
    fc.record({ does: fc.constant('refuse' as const), files }),
    fc.record({
      does: fc.constant('jump' as const),
      level: fc.constantFrom(6, 12, 18),
      before: fc.nat(2),
    }),
  ),
  { minLength: 1, maxLength: 14 },
)

/** A directory and a name by index: ten stations, five days, short and long forms. */
function fileAt(index: number): { path: string; name: string } {
  const path = directories[index % 3] ?? ''
  const number = Math.floor(index / 3)
  const station = `st${String(number % 10).padStart(2, '0')}`
  const ddd = String((Math.floor(number / 10) % 5) + 1).padStart(3, '0')
  const names = [
    `${station}${ddd}0.26d.gz`,
    `${station}${ddd}a.26d.gz`,
    `${station}${ddd}0.26n.gz`,
    `${station.toUpperCase()}00AUT_R_2026${ddd}0000_01D_30S_MO.crx.gz`,
    `${station.toUpperCase()}00AUT_R_2026${ddd}0500_01H_30S_MO.crx.gz`,
    // Before 1970, where days are rounded down.
    `${station.toUpperCase()}00AUT_R_1960${ddd}2300_01H_30S_MO.crx.gz`,
  ]
  return { path, name: names[Math.floor(number / 50)] ?? '' }
}

/** The changes of a step, one per directory, to be applied in one transaction. */
async function changesOf(writer: CatalogueWriter, step: Exclude<Step, { does: 'jump' | 'hash' }>) {
  const changes = []
  for (const path of directories) {
    const known = (await writer.directory(path))?.files ?? new Map<string, { id: number }>()
    const names = step.files.map(fileAt).flatMap((file) => (file.path === path ? file.name : []))
    const removed = names.flatMap((name) => known.get(name)?.id ?? [])
    const added = names.filter((name) => !known.has(name)).map(namedFile)
    const facts = removed.map((id) => ({ id, name: '', size: id, mtimeUs: 1 }))
    if (step.does === 'modify') changes.push(change(path, { modified: facts }))
    else {
      // A duplicate name is invalid: all changes of the directory are refused.
      const duplicate = step.does === 'refuse' && path === directories[0] ? added.slice(0, 1) : []
      changes.push(change(path, { removed, added: [...added, ...duplicate] }))
    }
  }
  return changes
}

function namedFile(name: string) {
  return newFile(name, { size: name.charCodeAt(3), mtimeUs: 1 })
}

/** Checksums of files, and of one that does not exist. */
async function checksumsOf(writer: CatalogueWriter, files: readonly number[]): Promise<Checksum[]> {
  const known = await Promise.all(
    files.map(fileAt).map(async ({ path, name }, index) => {
      const file = (await writer.directory(path))?.files.get(name)
      return { id: file?.id ?? 999_999_999, size: file?.size ?? index, mtimeUs: 1 }
    }),
  )
  return known.map(({ id, size, mtimeUs }, index) =>
    checksumOf(id, {
      size: index % 5 === 4 ? size + 1 : size,
      mtimeUs,
      problem: index % 3 === 0 ? 'incomplete' : undefined,
    }),
  )
}

t.test('the counts agree with the records after any changes', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const { writer, sql, setNextId, differences } = await openCatalogue(t, { stepUs: 1 })
      let refused = 0
      for (const step of steps) {
        if (step.does === 'jump') {
          const [row] = await sql('SELECT last_id FROM catalogue')
          const size = 2 ** step.level
          await setNextId((Math.floor(Number(row?.['last_id']) / size) + 1) * size - step.before)
          continue
        }
        if (step.does === 'hash')
          await writer.keepChecksums(await checksumsOf(writer, step.files), 1)
        else refused += (await writer.apply(await changesOf(writer, step))).refused.length
        const found = await differences()
        if (found.length > 0) throw new Error(found.join('\n'))
      }
      return refused >= 0
    }),
    { numRuns: 40 * share },
  )
  t.end()
})

t.test('the counts agree with the records after each of single changes', async (t) => {
  await fc.assert(
    fc.asyncProperty(singleSteps, async (all) => {
      const { writer, differences } = await openCatalogue(t, { stepUs: 1 })
      for (const step of all) {
        await applySteps(writer, [step])
        const found = await differences()
        if (found.length > 0) throw new Error(found.join('\n'))
      }
    }),
    { numRuns: 20 * share },
  )
  t.end()
})

t.test(
  'all rows of counts are deleted when all files are removed, also with large gaps between ids',
  async (t) => {
    const { writer, apply, sql, setNextId } = await openCatalogue(t, { stepUs: 1 })
    for (let round = 0; round < 3; round++) {
      await setNextId(2 ** 22 * round + 70)
      const added = ['graz0010.26d.gz', 'zimm0010.26d.gz'].map((name) => newFile(name))
      const path = `obs/2026/00${round + 1}`
      await apply({ added }, path)
      const ids = [...((await writer.directory(path))?.files.values() ?? [])].map(({ id }) => id)
      await apply({ removed: ids }, path)
    }
    for (const table of ['id_count', 'day_count', 'station_count'])
      t.same(await sql(`SELECT count(*) AS n FROM ${table}`), [{ n: 0 }], table)
  },
)

t.test('indexes and counts that a first scan defers are built at its end', async (t) => {
  const { writer, add, sql, differences } = await openCatalogue(t, { stepUs: 1 })
  const rows = async () => (await sql('SELECT count(*) AS n FROM station_count'))[0]?.['n']
  await writer.deferIndexes()
  await add('graz0010.26d.gz')
  t.equal(await rows(), 0)
  t.same(await sql('SELECT name FROM built'), [])
  t.same(await differences(), [], 'tables that are not built are not compared')
  await writer.deferIndexes()
  t.match(await writer.buildIndexes(), { names: { length: 8 }, left: 0 })
  t.equal(await rows(), 1)
  await writer.deferIndexes()
  t.match(await writer.buildIndexes(), { names: { length: 0 }, left: 0 }, 'there are files now')
  await add('zimm0010.26d.gz')
  t.equal(await rows(), 2)
  t.same(await differences(), [])
})

t.test('queries that need a deferred index throw NotBuilt, other queries work', async (t) => {
  const { writer, reader, sql, add } = await openCatalogue(t, { stepUs: 1 })
  const [path, name] = [day, 'graz0010.26d.gz']
  await writer.deferIndexes()
  await add(name, 'zimm0010.26n.gz')
  const page = { limit: 1, offset: 0 }
  t.match(await reader.page(page), { count: 2, records: exact([{ id: 2 }]) })
  t.match(await reader.page({ ...page, offset: 1 }), { records: exact([{ name }]) })
  t.match(await reader.page({ ...page, filter: { idBelow: 2 } }), {
    count: 1,
    records: exact([{ name }]),
  })
  t.match(await reader.records({ limit: 9 }), { records: { length: 2 } })
  t.match(await reader.record({ id: 1 }), { name })
  t.match(await reader.file({ directory: path, name }), { id: 1 })
  t.match(await reader.changes({ since: 0, limit: 9, filters: {} }), { changes: { length: 2 } })
  t.match(await reader.filesIn({ path, after: '', limit: 9 }), { entries: { length: 2 } })
  t.equal(await reader.lastScan(), undefined)
  t.match(await reader.summary(), { areas: { obs: { files: 2 } } })
  const notYet = { code: 'NOT_BUILT' }
  const filters: FileFilter[] = [{ types: ['o'] }, { stations: ['GRAZ'] }, { days: [1] }]
  for (const filter of filters)
    await t.rejects(reader.page({ ...page, filter }), notYet, JSON.stringify(filter))
  for (const key of ['data_date', 'created', 'modified', 'filename'] as const)
    await t.rejects(reader.page({ ...page, ordering: { key, descending: true } }), notYet, key)
  await t.rejects(reader.stations(page), notYet)
  await writer.buildIndexes()
  t.match(await reader.page({ ...page, filter: { types: ['o'] } }), { count: 1 })
  t.match(await reader.stations(page), { count: 2 })
  await sql("DELETE FROM built WHERE name = 'file_name'")
  for (const filter of filters)
    await t.rejects(reader.page({ ...page, filter }), notYet, 'all answer, or none')
  await t.rejects(reader.stations(page), notYet)
  t.match(await reader.page({ ...page, filter: { problems: ['broken'] } }), { count: 0 })
})

t.test('differences are listed by table and row, and are repaired', async (t) => {
  const { database, engine, writer, apply, sql, differences } = await openCatalogue(t, {
    stepUs: 1,
  })
  const added = [newFile('graz0010.26d.gz', { size: 7, mtimeUs: 1 }), newFile('zimm0010.26d.gz')]
  await apply({ added })
  const sizes = 'bytes 17'
  const cases = {
    'UPDATE id_count SET files = 3 WHERE level = 6 AND kind = 0': `id_count: level 6, kind 0, bucket 0: stored files 3, ${sizes}, counted files 2, ${sizes}`,
    'UPDATE id_count SET bytes = 8 WHERE level = 12 AND kind = 1': `id_count: level 12, kind 1, bucket 0: stored files 2, bytes 8, counted files 2, ${sizes}`,
    'DELETE FROM day_count': `day_count: day 20454, kind 1: stored files none, last_id none, bytes none, counted files 2, last_id 2, ${sizes}`,
    'UPDATE day_count SET bytes = 0': `day_count: day 20454, kind 1: stored files 2, last_id 2, bytes 0, counted files 2, last_id 2, ${sizes}`,
    'UPDATE day_count SET last_id = 1': `day_count: day 20454, kind 1: stored files 2, last_id 1, ${sizes}, counted files 2, last_id 2, ${sizes}`,
    'UPDATE station_count SET first_date = 7 WHERE station = 1': `station_count: station 1, kind 1: stored files 1, first_date 7, last_date 1767225600, bytes 7, counted files 1, first_date 1767225600, last_date 1767225600, bytes 7`,
    'UPDATE station_count SET bytes = 1 WHERE station = 2':
      'station_count: station 2, kind 1: stored files 1, first_date 1767225600, last_date 1767225600, bytes 1, counted files 1, first_date 1767225600, last_date 1767225600, bytes 10',
    'UPDATE directory SET files = 9': 'directory: obs/2026/001: stored 9 files, counted 2 files',
    'UPDATE hashing SET files = 1':
      'hashing: all: stored 1 checksums, 0 stale, 0 facts, counted 0 checksums, 0 stale, 0 facts',
    'UPDATE hashing SET facts = 2':
      'hashing: all: stored 0 checksums, 0 stale, 2 facts, counted 0 checksums, 0 stale, 0 facts',
    'INSERT INTO fact_count VALUES (0, 0, 4, 1, 5)':
      'fact_count: equipment 0, observables 0, flags 4: stored files 1, last_id 5, counted files none, last_id none',
  }
  for (const [fault, line] of Object.entries(cases)) {
    await sql(fault)
    t.same(await checkConsistency({ database }), { differences: [line], damage: [] })
    await writer.repairCounts()
    t.same(await checkConsistency({ database }), { differences: [], damage: [] })
  }
  await sql('UPDATE day_count SET last_id = 5')
  t.same(await differences(), [], 'last_id is an upper bound')
  if (engine !== sqlite) return
  await sql('PRAGMA foreign_keys = OFF')
  await sql('DELETE FROM station WHERE id = 2')
  t.same((await checkConsistency({ database })).damage, [
    'file: row 2 has no station',
    'series: row 2 has no station',
  ])
})
