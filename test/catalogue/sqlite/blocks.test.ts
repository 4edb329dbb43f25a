/** Whatever is applied: the blocks say what the records say, and pages are what the plain SQL finds. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { Test } from 'tap'
import type { CatalogueReader } from '../../../src/catalogue/catalogue.ts'
import { beyond, blockSize, placesOf } from '../../../src/catalogue/sqlite/block-layout.ts'
import { excerptSize, readExcerpt } from '../../../src/catalogue/sqlite/excerpt-layout.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { change, newFile } from '../change.ts'
import { testFolder } from '../../folder.ts'
import { fc } from '../../random.ts'
import { openWide } from './wide.ts'
import type { Wide } from './wide.ts'

const directories = ['obs/2026/001', 'nrt/2026/001/05', 'obs/odd']
const segmentSize = 65_536

type Step =
  | { readonly does: 'add'; readonly count: number; readonly directory: number }
  | {
      readonly does: 'remove' | 'modify' | 'return'
      readonly first: number
      readonly count: number
    }
  | { readonly does: 'refuse'; readonly count: number }
  | { readonly does: 'jump'; readonly border: number; readonly before: number }
  | { readonly does: 'words'; readonly number: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('add' as const),
    count: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 200, max: 600 })),
    directory: fc.nat(2),
  }),
  fc.record({
    does: fc.constantFrom('remove' as const, 'modify' as const, 'return' as const),
    first: fc.nat(1000),
    count: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(2000)),
  }),
  fc.record({ does: fc.constant('refuse' as const), count: fc.nat(300) }),
  fc.record({
    does: fc.constant('jump' as const),
    border: fc.constantFrom(blockSize, segmentSize),
    before: fc.nat(9),
  }),
  fc.record({
    does: fc.constant('words' as const),
    number: fc.constantFrom(beyond - 1, beyond, beyond + 1, 70_000),
  }),
)

/** Names that were never used: of several stations, days, forms, and one year in a hundred far away. */
function nextNames(used: { count: number }, count: number): string[] {
  return Array.from({ length: count }, () => {
    const number = used.count++
    const ddd = String((number % 365) + 1).padStart(3, '0')
    const station = `S${String(number % 7).padStart(3, '0')}`
    const minute = String(number % 60).padStart(2, '0')
    const hour = String(Math.floor(number / 60) % 24).padStart(2, '0')
    const year =
      number % 100 === 99 ? ['1960', '2200'][number % 2] : 2001 + Math.floor(number / 1440)
    const period = ['01D', '01H', '15M'][number % 3]
    return `${station}00AUT_R_${year}${ddd}${hour}${minute}_${period}_30S_MO.crx.gz`
  })
}

interface FileRow {
  readonly id: number
  readonly name: string
  readonly path: string
}

const select = (db: Wide['db'], table: 'file' | 'tombstone') =>
  db
    .prepare(
      `SELECT f.id, f.name, d.path FROM ${table} f JOIN directory d ON d.id = f.directory ORDER BY f.id`,
    )
    .all() as FileRow[]

/** A name that is there already cannot be added: what comes with it is left out as well. */
async function refuse({ writer, db }: Wide, used: { count: number }, count: number): Promise<void> {
  const [live] = select(db, 'file')
  if (live === undefined) return
  const [before, wrong, after] = [3, count, 3].map((each) =>
    nextNames(used, each).map((name) => newFile(name)),
  )
  const { refused } = await writer.apply([
    change('obs/2026/002', { added: before ?? [] }),
    change(live.path, { added: [...(wrong ?? []), newFile(live.name)], removed: [live.id + 1] }),
    change('obs/2026/003', { added: after ?? [] }),
  ])
  if (refused.length !== 1) throw new Error(`${refused.length} refused`)
}

/** Applies a change to each directory of the records, some of them. */
async function applyToSome(
  writer: Wide['writer'],
  rows: readonly FileRow[],
  parts: (rows: readonly FileRow[]) => Parameters<typeof change>[1],
): Promise<void> {
  for (const path of new Set(rows.map((row) => row.path)))
    await writer.apply([change(path, parts(rows.filter((row) => row.path === path)))])
}

async function perform(wide: Wide, used: { count: number }, step: Step): Promise<void> {
  const { writer, db } = wide
  const facts = { size: 1, mtimeUs: used.count++ }
  const some = (
    table: 'file' | 'tombstone',
    { first, count }: { first: number; count: number },
  ) => {
    const rows = select(db, table)
    return rows.slice(first % (rows.length || 1)).slice(0, count)
  }
  switch (step.does) {
    case 'add': {
      const added = nextNames(used, step.count).map((name) => newFile(name, facts))
      await writer.apply([change(directories[step.directory] ?? '', { added })])
      return
    }
    case 'remove':
      return applyToSome(writer, some('file', step), (rows) => ({
        removed: rows.map(({ id }) => id),
      }))
    case 'modify':
      return applyToSome(writer, some('file', step), (rows) => ({
        modified: rows.map(({ id, name }) => ({ id, name, ...facts })),
      }))
    case 'return':
      return applyToSome(writer, some('tombstone', step), (rows) => ({
        added: rows.map(({ name }) => newFile(name, facts)),
      }))
    case 'refuse':
      return refuse(wide, used, step.count)
    case 'jump': {
      const last = select(db, 'file').at(-1)?.id ?? 0
      wide.setNextId((Math.floor(last / step.border) + 1) * step.border - step.before)
      return
    }
    case 'words': {
      const sql = 'SELECT max((SELECT max(id) FROM station), (SELECT max(id) FROM kind))'
      const highest = db.prepare(sql).pluck().get() as number | null
      if (step.number - 1 > (highest ?? 0)) wide.setNextWords(step.number)
    }
  }
}

interface Fact {
  readonly id: number
  readonly station: number
  readonly kind: number
  readonly date: number
  readonly created: number
  readonly modified: number
  readonly seq: number
}

interface BlockRow {
  readonly id: number
  readonly seq: number
  readonly live: number
  readonly created_from_us: number
  readonly created_to_us: number
  readonly modified_to_us: number
  readonly places: Buffer
}

const narrow = (value: number) => (value < 0 || value >= beyond ? beyond : value)

/** What the blocks say that the records do not. */
function faultsOfBlocks(db: Wide['db']): string[] {
  const faults: string[] = []
  const byBlock = new Map<number, Fact[]>()
  const facts = db.prepare(
    `SELECT id, station, kind, data_date AS date, created_us AS created,
       coalesce(modified_us, created_us) AS modified, seq FROM file`,
  )
  for (const fact of facts.all() as Fact[]) {
    const block = Math.floor(fact.id / blockSize)
    byBlock.set(block, [...(byBlock.get(block) ?? []), fact])
  }
  const headSeq = db.prepare('SELECT seq FROM catalogue').pluck().get() as number
  const removedSeq = db
    .prepare('SELECT coalesce(max(seq), 0) FROM tombstone WHERE id / ? = ?')
    .pluck()
  for (const row of db.prepare('SELECT * FROM block').all() as BlockRow[]) {
    const live = byBlock.get(row.id) ?? []
    byBlock.delete(row.id)
    const { stations, kinds, days } = placesOf(row.places)
    if (row.live !== live.length || stations.filter((station) => station !== 0).length !== row.live)
      faults.push(`block ${row.id} tells ${row.live} of ${live.length}`)
    const latest = Math.max(
      removedSeq.get(blockSize, row.id) as number,
      ...live.map(({ seq }) => seq),
    )
    if (row.seq < latest || row.seq > headSeq) faults.push(`block ${row.id} is of ${row.seq}`)
    for (const { id, station, kind, date, created, modified } of live) {
      const at = id % blockSize
      const told = [stations[at], kinds[at], days[at]]
      const right = [narrow(station), narrow(kind), narrow(Math.floor(date / 86_400))]
      if (told.join() !== right.join()) faults.push(`${id}: ${told.join()}, not ${right.join()}`)
      if (created < row.created_from_us || created > row.created_to_us)
        faults.push(`${id}: created`)
      if (modified < row.created_from_us || modified > row.modified_to_us)
        faults.push(`${id}: modified`)
    }
  }
  return [...faults, ...[...byBlock.keys()].map((id) => `no block ${id}`)]
}

/** Of records that are no more, or excerpts without any. */
function faultsOfExcerpts(db: Wide['db']): string[] {
  const find = db.prepare('SELECT 1 FROM file WHERE id = ?').pluck()
  const rows = db.prepare('SELECT id, text FROM excerpt').all() as { id: number; text: string }[]
  return rows.flatMap(({ id, text }) => {
    const { slots, isLive } = readExcerpt(text)
    const ids = Array.from({ length: slots }, (_, slot) => slot)
      .filter(isLive)
      .map((slot) => id * excerptSize + slot)
    const gone = ids.filter((each) => find.get(each) === undefined)
    return ids.length === 0 || gone.length > 0 ? [`excerpt ${id} has ${gone.join()}`] : []
  })
}

async function faultsOfPages(
  db: Wide['db'],
  reader: CatalogueReader,
  seed: number,
): Promise<string[]> {
  const count = db.prepare('SELECT count(*) FROM file').pluck().get() as number
  const faults: string[] = []
  for (const descending of [true, false]) {
    const plain = db.prepare(
      `SELECT f.id, d.path AS directory, f.name, f.created_us AS createdUs,
         coalesce(f.modified_us, f.created_us) AS modifiedUs
       FROM file f JOIN directory d ON d.id = f.directory
       ORDER BY f.id ${descending ? 'DESC' : ''} LIMIT ? OFFSET ?`,
    )
    for (const offset of [0, seed % (count + 1), (seed * 31) % (count + 1), count - 1, count]) {
      if (offset < 0) continue
      const limit = 1 + (seed % 50)
      const page = await reader.page({ limit, offset, ordering: { key: 'id', descending } })
      if (page.count !== count) faults.push(`count ${page.count}, not ${count}`)
      if (!isDeepStrictEqual(page.records, plain.all(limit, offset)))
        faults.push(`at ${offset} ${page.records.map(({ id }) => id).join()}`)
    }
  }
  return faults
}

t.test('blocks say what the records say, and pages are those of the plain SQL', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 15 }),
      fc.nat(),
      async (steps, seed) => {
        await t.test('steps', async (t) => {
          const wide = openWide(t)
          const [always, rarely] = [openReader(wide), openReader(wide)]
          t.teardown(() => {
            always.close()
            rarely.close()
          })
          const used = { count: 0 }
          for (const [index, step] of steps.entries()) {
            await perform(wide, used, step)
            const faults = [
              ...faultsOfBlocks(wide.db),
              ...faultsOfExcerpts(wide.db),
              ...(await faultsOfPages(wide.db, always, seed)),
            ]
            if ((index + seed) % 4 === 0)
              faults.push(...(await faultsOfPages(wide.db, rarely, seed + 1)))
            if (faults.length > 0)
              throw new Error(`${index} ${JSON.stringify(step)}: ${faults.slice(0, 3).join('; ')}`)
          }
          t.pass(`${steps.length} steps`)
        })
        return t.passing()
      },
    ),
    { numRuns: 40, endOnFailure: true },
  )
})

t.test(
  'names that find no station are not taken for inserted, and the next time they do',
  async (t) => {
    const { writer, db } = openWide(t)
    const apply = (name: string) =>
      writer.apply([change('obs/2026/001', { added: [newFile(name)] })])
    await apply('graz0010.26d.gz')
    db.exec('PRAGMA foreign_keys = OFF; DELETE FROM station')
    await t.rejects(apply('graz0020.26d.gz'), { message: '0 of 1 names were inserted' })
    t.match(await apply('graz0020.26d.gz'), { added: 1 })
    t.same([...faultsOfBlocks(db), ...faultsOfExcerpts(db)], [])
  },
)

/** Adds, removes and brings back files in changes of many, and prints after each what there is now. */
const busyWriter = `
const [modules, database] = process.argv.slice(1)
const { openWriter } = await import(modules + '/catalogue/sqlite/writer.js')
const { parseFilename } = await import(modules + '/parse/filename.js')
let us = 1_700_000_000_000_000
const writer = openWriter({ database, nowUs: () => us++ })
const path = 'obs/2026/001'
const empty = { path, gone: false, arrived: false, directories: [], added: [], modified: [], filled: [], attributes: [],
  rehash: [], removed: [], rejections: [], misplaced: 0 }
const names = Array.from({ length: 1500 }, (_, i) => (i % 2 ? 'odd' : 'eve') + (i % 10) + String(i % 366 + 1).padStart(3, '0') +
  'abcdefghijklmnopqrstuvwx'[Math.floor(i / 370)] + '.26d.gz').filter((name) => parseFilename(name).kind === 'parsed')
const fresh = [...new Set(names)]
const live = new Map()
let random = 1
const next = () => (random = (random * 48271) % 2147483647)
for (let round = 0; round < 150; round++) {
  const change = { ...empty }
  const from = next() % fresh.length
  const some = fresh.slice(from, from + 1 + next() % 200)
  if (round % 3 === 2) change.removed = some.filter((name) => live.has(name)).map((name) => live.get(name))
  else change.added = some.filter((name) => !live.has(name)).map((name) => ({ name, parsed: parseFilename(name) }))
  const { head } = await writer.apply([change])
  live.clear()
  for (const [name, { id }] of (await writer.directory(path)).files) live.set(name, id)
  const odd = [...live.keys()].filter((name) => name.startsWith('odd')).length
  console.log(JSON.stringify([head.seq, live.size, odd]))
}
await writer.checkpoint()
process.exit(0)
`

async function runWriter(t: Test, database: string) {
  const modules = join(process.cwd(), 'dist')
  const args = ['--input-type=module', '-e', busyWriter, '--', modules, database]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const states = new Map<number, readonly [count: number, odd: number]>()
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const [seq, count, odd] = JSON.parse(line) as [number, number, number]
    states.set(seq, [count, odd])
  })
  const ended = once(child, 'close')
  await once(lines, 'line')
  return { states, ended }
}

t.test('pages that are read while another process writes are each of one state', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const { states, ended } = await runWriter(t, database)
  const reader = openReader({ database })
  t.teardown(() => {
    reader.close()
  })
  const writing = { isOver: false }
  const end = ended.then(() => {
    writing.isOver = true
  })
  const seen: { seq: number; count: number; isWhole: boolean; filtered: boolean }[] = []
  const look = async (filtered: boolean) => {
    const filter = filtered ? { filter: { names: [{ how: 'starts', text: 'odd' } as const] } } : {}
    const page = await reader.page({ limit: 3000, offset: 0, ...filter })
    const ids = page.records.map(({ id }) => id)
    const isWhole =
      ids.length === page.count &&
      ids.every((id, index) => index === 0 || id < (ids[index - 1] as number))
    seen.push({ seq: page.head.seq, count: page.count, isWhole, filtered })
  }
  while (!writing.isOver) {
    await look(false)
    await look(true)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await end
  await look(false)
  await look(true)
  const wrong = seen.filter(({ seq, count, isWhole, filtered }) => {
    const [all, odd] = states.get(seq) ?? []
    return !isWhole || count !== (filtered ? odd : all)
  })
  t.same(wrong.slice(0, 5), [])
  t.ok(seen.length >= 2)
  t.equal(seen.at(-1)?.seq, Math.max(...states.keys()), 'the last look sees the end')
})
