/** Filters and orderings over several segments, with words and days that no place holds, and the thread behind them. */
import { once } from 'node:events'
import { renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import type { Test } from 'tap'
import { parseListRequest } from '../../../src/api/list/request.ts'
import { linksBelow } from '../../../src/api/links.ts'
import { serialiseRecord } from '../../../src/api/serialise.ts'
import type { PageQuery } from '../../../src/catalogue/catalogue.ts'
import type { FileFilter } from '../../../src/catalogue/filter.ts'
import { beyond } from '../../../src/catalogue/sqlite/block-layout.ts'
import { openForReading } from '../../../src/catalogue/sqlite/open.ts'
import { prepareAnswering } from '../../../src/catalogue/sqlite/questions/answering.ts'
import type { Answering } from '../../../src/catalogue/sqlite/questions/answering.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { expected, know } from '../../api/list/oracle.ts'
import type { Known, Listed, Parameters } from '../../api/list/oracle.ts'
import { until } from '../../indexer/until.ts'
import { fc } from '../../random.ts'
import { change, newFile } from '../change.ts'
import { openWide } from './wide.ts'
import type { Wide } from './wide.ts'

const segmentSize = 65_536

/** The answer, in as many looks as it takes. */
function answerOf<Answer>(look: (turn: number) => Answer | undefined): Answer {
  for (let turn = 0; ; turn++) {
    const answer = look(turn)
    if (answer !== undefined) return answer
  }
}

function pageOf(answering: Answering, query: PageQuery) {
  return answerOf((turn) => answering.page(query, turn))
}

const stations = ['GRAZ00AUT', 'GRAZ01AUT', 'WTZR00DEU', 'GRAA00AUT', 'ABPO00MDG', 'ZIMM00CHE']
const years = [1, 1960, 1969, 1970, 2024, 2149, 2150, 2254, 2255, 2300, 9999]
const endings = ['01D_30S_MO.crx.gz', '15M_01S_MO.crx.gz', '01H_MN.rnx.gz', '00U_30S_GO.crx.gz']

/** A few names of every year; periods of years only where the numbers of kinds are large. */
function namesOf(wave: number): string[] {
  const station = stations[wave % stations.length] ?? ''
  const long = years.flatMap((year) =>
    endings.map((ending, index) => {
      const start = `${String(year).padStart(4, '0')}${['001', '365', '060'][(wave + index) % 3] ?? ''}`
      return `${station}_${'RSU'.charAt(index % 3)}_${start}${['0000', '2359', '1200'][wave % 3] ?? ''}_${ending}`
    }),
  )
  const short = ['d', 'n', 'm'].map(
    (type) => `${station.slice(0, 4).toLowerCase()}0${10 + wave}0.26${type}.gz`,
  )
  // Kinds that come when numbers are large: the first of them is a short one.
  const yearly =
    wave < 3
      ? []
      : [
          `${station}_R_20240010000_05M_05S_MO.crx.gz`,
          `${station}_R_19990010000_${94 + wave}Y_30S_MO.crx.gz`,
        ]
  return [...long, ...short, ...yearly]
}

/** Records in four segments, of which the later have numbers that do not fit into places. */
async function fill({ writer, setNextId, setNextWords, db }: Wide): Promise<void> {
  const starts = [
    1,
    250,
    segmentSize - 20,
    2 * segmentSize - 5,
    3 * segmentSize,
    9 * segmentSize + 1000,
  ]
  for (const [wave, start] of starts.entries()) {
    setNextId(start)
    // The next kind is exactly what stands for any that is beyond.
    if (wave === 3) setNextWords(beyond)
    if (wave === 5) setNextWords(70_000)
    const path = wave % 2 === 0 ? 'obs/odd' : 'nrt/2026/001/05'
    const added = namesOf(wave).map((name) => newFile(name, { size: 1, mtimeUs: 1 }))
    await writer.apply([change(path, { added })])
  }
  for (const path of ['obs/odd', 'nrt/2026/001/05']) {
    const files = [...((await writer.directory(path))?.files ?? [])]
    const ids = files.map(([, { id }]) => id)
    await writer.apply([change(path, { removed: ids.filter((id) => id % 11 === 0) })])
    const modified = files
      .filter(([, { id }]) => id % 7 === 0 && id % 11 !== 0)
      .map(([name, { id }]) => ({ id, name, size: 2, mtimeUs: 2 }))
    await writer.apply([change(path, { modified })])
  }
  const highest = db.prepare(
    'SELECT min((SELECT max(station) FROM file), (SELECT max(kind) FROM file))',
  )
  if ((highest.pluck().get() as number) <= beyond) throw new Error('no large numbers')
}

const choices: readonly (readonly [name: string, value: string])[] = [
  ['station', 'GRAZ'],
  ['station', 'graz00aut,wtzr'],
  ['station', 'zimm'],
  ['country', 'AUT,MDG'],
  ['country', 'CHE'],
  ['interval', '05S'],
  ['area', 'nrt'],
  ['file_type', 'o'],
  ['file_type', 'n,m'],
  ['file_duration', 'h,m'],
  ['file_duration', 'y'],
  ['file_version', 'r3'],
  ['interval', '30S'],
  ['content', 'MO,GO'],
  ['source', 'S'],
  ['date', '1969-12-31,2150-01-01,2024-03-01'],
  ['date', '1960-12-30,2149-12-31'],
  ['doy', '2255-365,2149-001'],
  ['data_date__gt', '2255-12-31T12:00:00Z'],
  ['data_date__gt', '2300-01-01'],
  ['data_date__gte', '2300-01-01'],
  ['data_date__lt', '9999-12-31T23:59:00Z'],
  ['data_date__lte', '1969-12-31T23:59:00Z'],
  ['data_date', '2300-01-01T12:00:00Z'],
  ['data_date__lt', '1970-01-01'],
  ['overlaps', '2020-01-01/2020-01-01'],
  ['overlaps', '2095-12-31/2096-01-01'],
  ['overlaps', '2097-12-31/2098-01-01'],
  ['overlaps', '../1960-06-01'],
  ['overlaps', '2150-01-01T00:00:00Z/2299-01-01'],
  ['startDate', '2150-01-02'],
  ['startDate', '2300-01-01'],
  ['endDate', '2300-01-01'],
  ['endDate', '1969-12-31'],
  ['startDate', '2150-01-01T12:00:00Z'],
  ['endDate', '2150-01-01T12:00:00Z'],
  ['id__gt', '65536'],
  ['id__gt', '65535'],
  ['id__lt', '131072'],
  ['id__lt', String(9 * segmentSize)],
  ['filename__startswith', 'gra'],
  ['filename__contains', '_mo'],
  ['filename__contains', '0010'],
  ['modified__gt', '2023-11-14T22:13:20.000006Z'],
  ['created__lte', '2023-11-14T22:13:20.000003Z'],
]

const orderings = ['id', 'data_date', 'created', 'modified', 'filename'].flatMap((key) => [
  key,
  `-${key}`,
])

function allRecords(answering: Answering): Known[] {
  const { records } = pageOf(answering, { limit: 100_000, offset: 0, filter: { idAbove: 0 } })
  const links = linksBelow('https://archive.example', 'rinex')
  return records.map((record) => know(serialiseRecord(record, links) as Listed))
}

/** Asks random questions, and compares each answer with one found the plain way. */
function askAndCompare(answering: Answering, known: readonly Known[], numRuns: number): void {
  const question = fc.record({
    chosen: fc.subarray([...choices], { maxLength: 3 }),
    ordering: fc.constantFrom(...orderings),
    limit: fc.integer({ min: 1, max: 60 }),
    offset: fc.nat(300),
  })
  fc.assert(
    fc.property(question, ({ chosen, ordering, limit, offset }) => {
      const parameters = Object.fromEntries(chosen) as Parameters
      const request = parseListRequest({ ...parameters, ordering })
      const page = pageOf(answering, { limit, offset, ...request })
      const ids = expected(known, parameters, ordering)
      const found = page.records.map(({ id }) => id)
      if (page.count !== ids.length || found.join() !== ids.slice(offset, offset + limit).join())
        throw new Error(`found ${page.count}: ${found.join()}, not ${ids.length}: ${ids.join()}`)
      return true
    }),
    { numRuns },
  )
}

t.test(
  'segments, large numbers and far days: the answer is the one found the plain way',
  async (t) => {
    const wide = openWide(t)
    await fill(wide)
    const db = openForReading(wide.database)
    t.teardown(() => db.close())
    const answering = prepareAnswering(db)
    const known = allRecords(answering)
    t.equal(known.length, wide.db.prepare('SELECT count(*) FROM file').pluck().get())
    askAndCompare(answering, known, 1500)
    t.pass('1,500 questions')
  },
)

/** Compares what is told of all stations with what the records say. */
function compareStations(t: Test, { db }: Wide, answering: Answering) {
  const plain = db.prepare(
    `SELECT s.code, count(*) AS files, min(f.data_date) AS first, max(f.data_date) AS last
     FROM file f JOIN station s ON s.id = f.station GROUP BY s.code ORDER BY s.code`,
  )
  const rows = plain.all() as { code: string; files: number; first: number; last: number }[]
  const { count, stations } = answerOf((turn) =>
    answering.stations({ limit: 1000, offset: 0 }, turn),
  )
  t.equal(count, rows.length)
  t.same(
    stations.map(({ code, files, firstDay, lastDay }) => ({ code, files, firstDay, lastDay })),
    rows.map(({ code, files, first, last }) => ({
      code,
      files,
      firstDay: Math.floor(first / 86_400),
      lastDay: Math.floor(last / 86_400),
    })),
  )
  return { rows, stations }
}

t.test('what was counted before a change is counted again after it', async (t) => {
  const wide = openWide(t)
  await fill(wide)
  const db = openForReading(wide.database)
  t.teardown(() => db.close())
  const answering = prepareAnswering(db)
  for (let round = 0; round < 4; round++) {
    askAndCompare(answering, allRecords(answering), 200)
    const path = round % 2 === 0 ? 'obs/odd' : 'nrt/2026/001/05'
    const files = [...((await wide.writer.directory(path))?.files.values() ?? [])]
    const removed = files.filter(({ id }) => id % 5 === round).map(({ id }) => id)
    const names = Array.from({ length: 20 }, (_, n) => `abc${round}${String(101 + n)}0.26d.gz`)
    await wide.writer.apply([change(path, { removed, added: names.map((name) => newFile(name)) })])
    t.ok(removed.length > 0, 'records of older segments are removed')
    compareStations(t, wide, answering)
  }
  askAndCompare(answering, allRecords(answering), 200)
})

function stationOf(answering: Answering, code: string) {
  return answerOf((turn) => answering.station({ code }, turn)).station
}

t.test('stations are summed up over segments and large numbers', async (t) => {
  const wide = openWide(t)
  await fill(wide)
  const db = openForReading(wide.database)
  t.teardown(() => db.close())
  const answering = prepareAnswering(db)
  const { rows, stations } = compareStations(t, wide, answering)
  for (const { files, ...sums } of stations)
    for (const by of [sums.byArea, sums.byType, sums.byDuration, sums.byVersion])
      t.equal(
        Object.values(by).reduce((sum, each) => sum + each, 0),
        files,
      )
  const graz = rows.filter(({ code }) => code.startsWith('GRAZ'))
  t.equal(
    stationOf(answering, 'GRAZ')?.files,
    graz.reduce((sum, { files }) => sum + files, 0),
  )
  t.equal(stationOf(answering, 'NOBO'), undefined)
})

/** A reader of some records, and the threads that it starts. */
async function openThread(t: Test) {
  const wide = openWide(t)
  const added = Array.from({ length: 300 }, (_, i) =>
    newFile(`s${String(i).padStart(3, '0')}0010.26d.gz`),
  )
  await wide.writer.apply([change('obs/2026/001', { added })])
  const threads: Worker[] = []
  const remember = (worker: Worker): void => void threads.push(worker)
  process.on('worker', remember)
  const reader = openReader(wide)
  t.teardown(() => {
    process.off('worker', remember)
    reader.close()
  })
  const count = async (filter: FileFilter) =>
    (await reader.page({ limit: 1, offset: 0, filter })).count
  return { ...wide, reader, threads, count }
}

const early: FileFilter = { names: [{ how: 'starts', text: 's00' }] }

t.test('what filters does not hold up what does not', async (t) => {
  const { reader, count } = await openThread(t)
  let answered = 0
  const slow = Array.from({ length: 20 }, async (_, i) => {
    await count({ names: [{ how: 'contains', text: String(i) }] })
    answered++
  })
  t.equal((await reader.page({ limit: 1, offset: 0 })).count, 300)
  t.equal(answered, 0, 'the plain page waits for none of them')
  await Promise.all(slow)
  t.equal(answered, 20)
})

t.test(
  'a thread that ends takes its questions with it, and the next question starts another',
  async (t) => {
    const { threads, count } = await openThread(t)
    t.equal(threads.length, 0, 'none before it is needed')
    t.equal(await count(early), 10)
    await threads[0]?.terminate()
    t.equal(await count(early), 10, 'after it ended')
    const ended = threads[1]?.terminate()
    await t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' }, 'while it ends')
    await ended
    t.equal(await count(early), 10)
    t.equal(threads.length, 3)
  },
)

t.test('questions are answered from the database that took the place of another', async (t) => {
  const { database, close, count } = await openThread(t)
  t.equal(await count(early), 10)
  close()
  for (const suffix of ['', '-wal', '-shm'])
    if (statSync(database + suffix, { throwIfNoEntry: false }))
      renameSync(database + suffix, join(dirname(database), `aside${suffix}`))
  const writer = openWriter({ database, nowUs: () => 1 })
  t.teardown(() => {
    writer.close()
  })
  await writer.apply([change('obs/2026/001', { added: [newFile('s0000010.26d.gz')] })])
  await until(t, 'the new one', async () => (await count(early)) === 1)
})

t.test('a closed reader answers nothing, and its thread ends', async (t) => {
  const { reader, threads, count } = await openThread(t)
  await count(early)
  const [thread] = threads
  const ended = thread && once(thread, 'exit')
  const asked = t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' }, 'asked before')
  reader.close()
  await asked
  await ended
  const questions: (() => Promise<unknown>)[] = [
    () => count(early),
    () => count({}),
    () => reader.station('S000'),
    () => reader.head(),
  ]
  for (const ask of questions) await t.rejects(ask(), { code: 'CATALOGUE_UNAVAILABLE' })
  t.equal(threads.length, 1)
})
