import type { Question } from '../../src/catalogue/question.ts'
import { adoptLayout } from '../../src/catalogue/updates/adopt-layout.ts'
import type { LayoutLists } from '../../src/parse/layout.ts'
import { defaultLists } from '../../src/parse/layout.ts'
import t from '../tap.ts'
import type { OpenedCatalogue } from './catalogue.ts'
import { day, facts, openCatalogue, stamp } from './catalogue.ts'
import { change, newFile } from './change.ts'

const hour = 'nrt/2026/001/05'
const lists = (other: Partial<LayoutLists>): LayoutLists => ({ ...defaultLists, ...other })
const scan = {
  startedUs: 1,
  endedUs: 2,
  directories: 3,
  files: 4,
  added: 4,
  modified: 0,
  removed: 0,
}

/** A catalogue of the seed with files in both areas, one of them removed. */
async function fill({ writer }: OpenedCatalogue) {
  await writer.apply([
    change('obs', { stamp }),
    change('nrt', { stamp }),
    change(day, {
      stamp,
      added: ['graz0010.26d.gz', 'zimm0010.26n.gz'].map((name) => newFile(name, facts)),
    }),
    change(hour, {
      stamp,
      added: ['graz001f.26d.gz', 'onsa001f.26d.gz'].map((name) => newFile(name, facts)),
    }),
  ])
  await writer.apply([change(hour, { stamp, removed: [4] })])
  await writer.scanned(scan)
  await writer.setAsOf({ atUs: 5, limitSeconds: 6 })
}

const idsOf = async ({ reader }: OpenedCatalogue, areas?: readonly string[]) => {
  const filter = areas === undefined ? {} : { areas }
  const { records } = await reader.page({ limit: 9, offset: 0, filter })
  return records.map(({ id, directory, name }) => `${id} ${directory}/${name}`)
}

const stamped = async ({ writer }: OpenedCatalogue) =>
  (await writer.directories())
    .filter((each) => each.stamp !== undefined)
    .map(({ path }) => path)
    .sort()

const build = async ({ writer }: OpenedCatalogue) => {
  while ((await writer.buildIndexes()).left > 0);
}

t.test('the same layout changes nothing', async (t) => {
  const catalogue = await openCatalogue(t)
  const { writer, reader, sql } = catalogue
  await fill(catalogue)
  const before = await sql('SELECT seq, details_seq, last_scan, as_of_us FROM catalogue')
  t.equal(await reader.layout(), undefined)
  t.equal(await writer.adoptLayout(defaultLists), false)
  t.equal(await writer.adoptLayout(defaultLists), false)
  t.same(await reader.layout(), defaultLists)
  t.same(await sql('SELECT seq, details_seq, last_scan, as_of_us FROM catalogue'), before)
  t.same(await stamped(catalogue), ['nrt', hour, 'obs', day])
})

t.test(
  'the order of the lists is none of the layout, and an empty catalogue has none',
  async (t) => {
    const catalogue = await openCatalogue(t)
    const { writer, reader } = catalogue
    t.equal(await writer.adoptLayout(lists({ areas: ['.'] })), false)
    t.match((await reader.summary()).areas, { archive: { files: 0, directories: 0 } })
    t.equal(await writer.adoptLayout(defaultLists), false)
    await fill(catalogue)
    const other = { areas: ['nrt', 'obs'], suffixes: ['.gz', '.gz'] }
    t.equal(await writer.adoptLayout(lists(other)), false)
    t.same(Object.keys((await reader.summary()).areas), ['nrt', 'obs'])
    t.match(await writer.lastScan(), scan)
  },
)

t.test('what is broken off in any of its steps changes nothing', async (t) => {
  const catalogue = await openCatalogue(t)
  const { engine, ask, sql } = catalogue
  await fill(catalogue)
  const tables = ['catalogue', 'directory', 'kind', 'file', 'tombstone', 'id_count', 'built']
  const all = async () => {
    const found = []
    for (const table of tables)
      found.push((await sql(`SELECT * FROM ${table}`)).map((row) => JSON.stringify(row)).sort())
    return found
  }
  const before = await all()
  let steps = 0
  for (let isDone = false; !isDone; steps++) {
    const question = adoptLayout(engine.dialect, lists({ areas: ['.'], exclude: ['raw/'] }))
    isDone = await ask(brokenOff(question, steps)).then(
      () => true,
      (error: unknown) => {
        t.match(error, { message: 'broken off' })
        return false
      },
    )
    if (!isDone) t.same(await all(), before)
  }
  t.ok(steps > 10, `${steps} steps`)
  t.match((await catalogue.reader.summary()).areas, { archive: { files: 3 } })
  await build(catalogue)
  t.same(await catalogue.differences(), [])
})

/** The same question, which fails before a step. */
function* brokenOff<T>(question: Question<T>, at: number): Question<T> {
  let next = question.next()
  for (let step = 0; next.done !== true; step++) {
    if (step === at) throw new Error('broken off')
    next = question.next(yield next.value)
  }
  return next.value
}

t.test('with all of the archive as one area, ids stay and areas change', async (t) => {
  const catalogue = await openCatalogue(t)
  const { writer, reader, differences } = catalogue
  await fill(catalogue)
  const before = await idsOf(catalogue)
  const { seq, epoch, detailsSeq } = await writer.head()
  t.equal(await writer.adoptLayout(lists({ areas: ['.'] })), true)
  t.same(await reader.layout(), lists({ areas: ['.'] }))
  const head = await writer.head()
  t.match(head, { seq, epoch, asOf: undefined })
  t.ok(head.detailsSeq > detailsSeq, 'other answers')
  t.equal(await writer.lastScan(), undefined, 'what is in other directories is found by a scan')
  t.same(await idsOf(catalogue), before)
  t.match((await reader.summary()).areas, { archive: { files: 3, directories: 4 } })
  await build(catalogue)
  t.same(await differences(), [])
  t.same(await idsOf(catalogue, ['archive']), before)
  t.same(await idsOf(catalogue, ['obs']), [])
  t.equal(await writer.count('archive'), 3)
  t.same(await stamped(catalogue), ['nrt', hour, 'obs', day], 'all are covered as before')
  const [removal] = await writer.removalsAfter({ seq: 0 })
  t.equal(removal?.area, 'archive')
  // A file that comes back gets its id, and the area of its directory.
  await writer.apply([change(hour, { stamp, added: [newFile('onsa001f.26d.gz', facts)] })])
  t.ok((await idsOf(catalogue, ['archive'])).includes(`4 ${hour}/onsa001f.26d.gz`))
})

t.test('an area that goes keeps its records until they are removed', async (t) => {
  const catalogue = await openCatalogue(t)
  const { writer, reader } = catalogue
  await fill(catalogue)
  t.equal(await writer.adoptLayout(lists({ areas: ['obs'] })), true)
  t.same(await stamped(catalogue), ['obs', day], 'the others are found by the next sweep')
  t.match(await writer.lastScan(), scan, 'nothing can come')
  t.match((await writer.head()).asOf, { atUs: 5 })
  t.match((await reader.summary()).areas, { obs: { files: 2 }, nrt: { files: 1 } })
  t.equal(await writer.count(), 3)
  // And back.
  t.equal(await writer.adoptLayout(defaultLists), true)
  t.match((await reader.summary()).areas, { obs: { files: 2 }, nrt: { files: 1 } })
})

t.test('areas that divide one, and one area in another place', async (t) => {
  const catalogue = await openCatalogue(t)
  const { writer, reader, differences } = catalogue
  await writer.adoptLayout(lists({ areas: ['.'] }))
  const paths = ['a/x', 'a-b', 'a', 'b/c/d', 'b/cc']
  await writer.apply([
    change('', { stamp, added: [newFile('root0010.26d.gz', facts)] }),
    ...paths.map((path) => change(path, { stamp, added: [newFile('graz0010.26d.gz', facts)] })),
  ])
  t.match((await reader.summary()).areas, { archive: { files: 6, directories: 6 } })
  t.equal(await writer.adoptLayout(lists({ areas: ['a', 'b/c'] })), true)
  await build(catalogue)
  t.same(await differences(), [])
  const { areas } = await reader.summary()
  const files = Object.entries(areas).map(([area, each]) => [area, each.files])
  t.same(Object.fromEntries(files), { a: 2, 'b/c': 1, archive: 3 })
  t.same(
    (await idsOf(catalogue, ['b/c'])).map((each) => each.slice(2)),
    ['b/c/d/graz0010.26d.gz'],
  )
  t.same(await stamped(catalogue), ['a', 'a/x', 'b/c/d'])
  t.notOk((await writer.directories()).find(({ path }) => path === '')?.stamp)
  t.equal(await writer.adoptLayout(lists({ areas: ['a', 'b'] })), true)
  await build(catalogue)
  const after = Object.entries((await reader.summary()).areas)
  t.same(Object.fromEntries(after.map(([area, each]) => [area, each.files])), {
    a: 2,
    b: 2,
    archive: 2,
  })
  t.same(await differences(), [])
})

t.test('other suffixes and exclusions: every directory is looked at again', async (t) => {
  for (const other of [{ suffixes: ['.gz', '.Z'] }, { exclude: ['raw/'] }]) {
    const catalogue = await openCatalogue(t)
    const { writer, differences } = catalogue
    await fill(catalogue)
    t.equal(await writer.adoptLayout(lists(other)), true)
    t.same(await stamped(catalogue), [])
    t.equal(await writer.lastScan(), undefined)
    t.equal((await writer.head()).asOf, undefined)
    t.same(await differences(), [], 'the counts are complete')
    t.equal(await writer.adoptLayout(lists(other)), false)
  }
})
