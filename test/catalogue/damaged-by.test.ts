/** Files that are damaged because of what is inside them. */
import type { Test } from 'tap'
import type { FlagName } from '../../src/rinex/facts.ts'
import { flagNames } from '../../src/rinex/facts.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'
import { checksumOf, manyNames, openCatalogue } from './catalogue.ts'
import { arriving, newFile } from './change.ts'
import { flagged } from './some-facts.ts'

const names = [
  ...['graz001a.26o.gz', 'graz001a.26n.gz', 'graz0010.26m.gz'],
  ...['R', 'S'].map((source) => `GRAZ00AUT_${source}_20260010000_01H_30S_MO.crx.gz`),
]
const startUs = Date.UTC(2026, 0, 1, 1) * 1000
const usual: readonly FlagName[] = ['cut', 'empty', 'no-header']

async function open(t: Test, damagedBy: readonly FlagName[] = usual) {
  const opened = await openCatalogue(t, { stepUs: 1_000_000 })
  const { apply, clock, writer, sql } = opened
  clock.us = startUs
  const adopt = async (flags: readonly FlagName[]) => {
    let chunks = 0
    for (let after: number | undefined = 0; after !== undefined; chunks++)
      after = await writer.adoptDamagedBy(flags, after)
    return chunks
  }
  await adopt(damagedBy)
  const added = names.map((name) => newFile(name, { size: 10, mtimeUs: 1000 }))
  await apply({ added: arriving(added, clock.us) })
  const versions = new Map<number, number>()
  return {
    ...opened,
    adopt,
    /** Reads a file to its end. */
    find: (id: number, ...flags: readonly FlagName[]) => {
      const mtimeUs = versions.get(id) ?? 1000
      return writer.keepChecksums([checksumOf(id, { mtimeUs, facts: flagged(...flags) })], 0)
    },
    /** Another version of a file, of the same size. */
    replace: async (id: number) => {
      const mtimeUs = (versions.get(id) ?? 1000) + 1
      versions.set(id, mtimeUs)
      const file = { id, name: names[id - 1] ?? '', size: 10, mtimeUs, arrivalUs: clock.us }
      await apply({ modified: [file] })
    },
    damaged: async () =>
      (await sql('SELECT id FROM file WHERE damaged_us IS NOT NULL ORDER BY id')).map(
        ({ id }) => id,
      ),
    deliveries: () =>
      sql(`SELECT s.station, s.file_type, d.good FROM delivery d JOIN series s ON s.id = d.series
        ORDER BY s.station, s.file_type, d.data_date`),
    latencies: () => sql('SELECT latency_s FROM delivery ORDER BY series'),
  }
}

t.test('a flagged file is damaged until a better version comes', async (t) => {
  const { find, replace, damaged, deliveries, latencies, reader, clock } = await open(t)
  const good = await deliveries()
  t.same(
    good.map((each) => each['good']),
    [1, 1, 1, 2],
  )
  const { detailsSeq, seq } = await reader.head()
  await find(1, 'short', 'cut')
  t.same(await damaged(), [1])
  t.equal((await deliveries()).length, 3)
  t.same(await reader.head(), { ...(await reader.head()), seq, detailsSeq: detailsSeq + 1 })
  clock.us = startUs + 600e6
  await replace(1)
  t.same(await damaged(), [])
  t.same(await deliveries(), good)
  t.ok((await latencies()).some((row) => Number(row['latency_s']) >= 600))
  await find(1, 'short', 'marker')
  t.same(await damaged(), [], 'it is not damaged by these')
})

t.test('a navigation file without data is not damaged, others are', async (t) => {
  const { find, damaged } = await open(t)
  for (const id of [1, 2, 3]) await find(id, 'empty')
  t.same(await damaged(), [1, 3])
  await find(2, 'empty', 'type')
  t.same(await damaged(), [1, 3])
  await find(2, 'cut')
  t.same(await damaged(), [1, 2, 3])
})

t.test('other flags are adopted from what was found, also back', async (t) => {
  const { find, damaged, adopt, deliveries, latencies, reader } = await open(t)
  const [good, arrived] = [await deliveries(), await latencies()]
  await find(1, 'cut')
  await find(2, 'empty', 'short')
  await find(4, 'short')
  await find(5, 'short')
  const damaging = async () => {
    const found = await reader.facts({ ids: [1, 2, 4] })
    return [...found.values()].map((each) => each.damaging)
  }
  t.same(await damaging(), [['cut'], ['empty'], []])
  const { detailsSeq } = await reader.head()
  t.equal(await adopt(usual), 1, 'nothing to be done')
  t.equal((await reader.head()).detailsSeq, detailsSeq)
  await adopt(['short'])
  t.same(await damaged(), [2, 4, 5])
  t.same(await damaging(), [[], ['short'], ['short']])
  t.equal((await deliveries()).length, 2)
  t.not((await reader.head()).detailsSeq, detailsSeq)
  await adopt([])
  t.same(await damaged(), [])
  t.same(await deliveries(), good)
  t.same(await latencies(), arrived, 'the arrivals are those of the files')
})

t.test('flags that are adopted later damage what they would have from the start', async (t) => {
  const flags = fc.subarray([...flagNames], { maxLength: 3 })
  const step = fc.record({
    id: fc.integer({ min: 1, max: names.length }),
    does: fc.constantFrom('find', 'find', 'replace', 'stale'),
    flags,
  })
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 12 }),
    flags,
    flags,
    async (...given) => {
      const [steps, first, last] = given
      const both = [await open(t, last), await open(t, first)]
      for (const { id, does, flags } of steps)
        for (const { find, replace, writer } of both)
          if (does === 'find') await find(id, ...flags)
          else if (does === 'replace') await replace(id)
          // What is inside is known again when it is read again.
          else await writer.hashAgain([id], 0).then(() => find(id, ...flags))
      await both[1]?.adopt(last)
      const states = []
      for (const { damaged, deliveries, differences, close } of both) {
        states.push({ damaged: await damaged(), deliveries: await deliveries() })
        t.same(await differences(), [])
        await close()
      }
      t.same(states[1], states[0])
    },
  )
  await fc.assert(property, { numRuns: 15, endOnFailure: true })
})

t.test('any number of flagged files are adopted in parts', async (t) => {
  const { apply, writer, adopt, sql } = await open(t)
  const many = manyNames(2500, '0010.26o.gz')
  await apply({ added: many.map((name) => newFile(name, { size: 10, mtimeUs: 1000 })) })
  const all = many.map((_, n) => checksumOf(names.length + n + 1, { facts: flagged('torn') }))
  await writer.keepChecksums(all, 0)
  const counted = async () =>
    (await sql('SELECT count(damaged_us) AS damaged, count(*) AS files FROM file'))[0]
  t.same(await counted(), { damaged: 0, files: names.length + 2500 })
  for (const flags of [usual, ['torn'] as const]) {
    t.ok(await writer.adoptDamagedBy(['torn'], 0), 'ended after the first part')
    t.match(await counted(), { damaged: 1000 })
    t.equal(await adopt(flags), 3, 'begun anew')
    t.match(await counted(), { damaged: flags === usual ? 0 : 2500 })
  }
  t.equal(await adopt(['torn']), 1)
})
