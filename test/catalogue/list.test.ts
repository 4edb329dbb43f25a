/**
 * Pages, counts and chunks of random queries are equal to the results of the oracle, a linear
 * search through all records.
 */
import { readListRequest } from '../../src/api/files/list-request.ts'
import { serialiseRecord } from '../../src/api/files/serialise.ts'
import { parseStreamRequest } from '../../src/api/files/stream.ts'
import { HttpError } from '../../src/api/http/errors.ts'
import { linksBelow } from '../../src/api/http/links.ts'
import { fileFilters } from '../../src/api/parameters/file-filters.ts'
import type { ChunkCursor } from '../../src/catalogue/filter.ts'
import { problems } from '../../src/catalogue/filter.ts'
import type { ChunkQuery, RecordChunk } from '../../src/catalogue/questions/chunks.ts'
import { records } from '../../src/catalogue/questions/chunks.ts'
import type { PageQuery } from '../../src/catalogue/questions/pages.ts'
import { page } from '../../src/catalogue/questions/pages.ts'
import type { ListedFile } from '../../src/catalogue/records.ts'
import type { Few } from '../../src/catalogue/selection/context.ts'
import { contextOf } from '../../src/catalogue/selection/context.ts'
import type { CatalogueWriter } from '../../src/catalogue/updates/writer.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import type { Known, Listed } from '../api/files/oracle.ts'
import { expected, know } from '../api/files/oracle.ts'
import { fc } from '../random.ts'
import { directoryOf, nameOf, startOf } from '../rinex-names.ts'
import t from '../tap.ts'
import type { OpenedCatalogue } from './catalogue.ts'
import { checksumOf, openCatalogue } from './catalogue.ts'
import { newFile } from './change.ts'
import { engine, sqlite } from './engines.ts'
import type { KnownWithSize } from './facets-oracle.ts'
import { countedFacets, sumsFault } from './facets-oracle.ts'
import { someFacts } from './some-facts.ts'

const filterParameters = fileFilters(defaultLayout)
const accepted = { maxLimit: 1000, filters: filterParameters }

const stations = ['GRAZ00AUT', 'GRAZ01AUT', 'WTZR00DEU', 'GRAA00AUT', 'ABPO00MDG', 'ZIMM00CHE']
const years = [1, 1960, 1969, 1970, 2024, 2149, 2150, 2254, 2255, 2300, 9999]
const suffixes = ['01D_30S_MO.crx.gz', '15M_01S_MO.crx.gz', '01H_MN.rnx.gz', '00U_30S_GO.crx.gz']
const paths = ['obs/odd', 'nrt/2026/001/05']

/** Names of each year, with all file periods. */
function namesOf(wave: number): string[] {
  const station = stations[wave % stations.length] ?? ''
  const long = years.flatMap((year) =>
    suffixes.map((suffix, index) => {
      const start = `${String(year).padStart(4, '0')}${['001', '365', '060'][(wave + index) % 3] ?? ''}`
      return `${station}_${'RSU'.charAt(index % 3)}_${start}${['0000', '2359', '1200'][wave % 3] ?? ''}_${suffix}`
    }),
  )
  const site = station.slice(0, 4).toLowerCase()
  const short = ['0', '3', 'c', 'c15'].flatMap((session) =>
    ['d', 'n', 'm'].map((type) => `${site}0${String(10 + wave)}${session}.26${type}.gz`),
  )
  const yearly = [
    `${station}_R_20240010000_01Y_30S_MO.crx.gz`,
    `${station}_R_20233650000_01Y_30S_MO.crx.gz`,
    `${station}_R_19990010000_${String(94 + wave)}Y_30S_MO.crx.gz`,
    `${station}_R_19983650000_${String(94 + wave)}Y_30S_MO.crx.gz`,
  ]
  return [...long, ...short, ...yearly]
}

/** Records with ids far apart; some are removed, some modified, some restored. */
async function fill({ writer, apply, setNextId }: OpenedCatalogue): Promise<void> {
  const starts = [1, 250, 4000, 262_140, 3 * 262_144, 9 * 262_144 + 1000]
  for (const [wave, start] of starts.entries()) {
    await setNextId(start)
    const added = namesOf(wave).map((name) => newFile(name, { size: 1, mtimeUs: 1 }))
    await apply({ added }, paths[wave % 2] ?? '')
  }
  for (const path of paths) {
    const files = [...((await writer.directory(path))?.files ?? [])]
    const ids = files.map(([, { id }]) => id)
    await apply({ removed: ids.filter((id) => id % 11 === 0) }, path)
    const modified = files
      .filter(([, { id }]) => id % 7 === 0 && id % 11 !== 0)
      .map(([name, { id }]) => ({ id, name, size: 2, mtimeUs: 2, incomplete: id % 3 === 0 }))
    await apply({ modified }, path)
    const restored = files.filter(([, { id }]) => id % 22 === 0)
    await apply({ added: restored.map(([name]) => newFile(name)) }, path)
    await hash(writer, path)
  }
}

/** What is inside the files that were hashed; some were not read for that. */
const factsIn = (id: number) => (id % 10 === 4 ? undefined : someFacts(id))

/**
 * Stores checksums of some files of a directory: some are broken, some incomplete, and some of
 * another version of the file.
 */
async function hash(writer: CatalogueWriter, path: string): Promise<void> {
  const files = [...((await writer.directory(path))?.files.values() ?? [])]
  const some = files.filter(({ id }) => id % 2 === 0)
  const checksums = some.map(({ id, size, mtimeUs }) =>
    checksumOf(id, {
      size: id % 10 === 0 ? size + 1 : size,
      mtimeUs,
      sha256: Buffer.alloc(32, id % 251),
      facts: factsIn(id),
      rested: id % 6 !== 0,
      problem: ([undefined, 'broken', 'incomplete', undefined] as const)[id % 7],
    }),
  )
  await writer.keepChecksums(checksums, 0)
}

const choices: readonly (readonly [name: string, value: string])[] = Object.entries({
  station: ['GRAZ', 'graz00aut,wtzr', 'zimm', 'nobo'],
  country: ['AUT,MDG', 'CHE'],
  interval: ['01S', '30S'],
  area: ['nrt'],
  file_type: ['o', 'NAV', 'n,m'],
  file_duration: ['01H,d', 'h,m', 'y'],
  file_version: ['3', 'r3', 'r2'],
  year: ['2024', '2255,1969'],
  data_date__year: ['2149'],
  id: ['4010', '262144'],
  id__gte: ['4010'],
  id__lte: ['262144'],
  content: ['MO,GO'],
  problem: ['incomplete', 'broken', 'misplaced', 'broken,incomplete'],
  source: ['S'],
  date: [
    '1969-12-31,2150-01-01,2024-03-01',
    '1960-12-30,2149-12-31',
    '2024-01-01,2023-01-01,1999-01-01',
  ],
  doy: ['2255-365,2149-001'],
  data_date__gt: ['2255-12-31T12:00:00Z', '2300-01-01'],
  data_date__gte: ['2300-01-01', '2026-01-11T02:15:00Z'],
  data_date__lt: ['9999-12-31T23:59:00Z', '1970-01-01'],
  data_date__lte: ['1969-12-31T23:59:00Z'],
  data_date: ['2300-01-01T12:00:00Z'],
  overlaps: [
    '2020-01-01/2020-01-01',
    '2095-12-31/2096-01-01',
    '2097-12-31/2098-01-01',
    '2024-01-01/2024-01-01',
    '2024-12-31/2025-01-01',
    '2026-01-12T02:20:00Z/2026-01-12T02:59:59Z',
    '2026-01-12T03:00:00Z/2026-01-12T03:00:00Z',
    '../1960-06-01',
    '2150-01-01T00:00:00Z/2299-01-01',
  ],
  when: ['2024-12-31', '2026-01-12T02:20:00Z', '2024-12-31/2025-01-01', '2097-12-31/2098-01-01'],
  covers: ['2026-01-12T02:20:00Z', '2024-12-31', '2098-01-01'],
  startDate: ['2150-01-02', '2300-01-01'],
  endDate: ['2300-01-01', '1969-12-31'],
  id__gt: ['4010', '262143'],
  id__lt: ['262144', String(9 * 262_144)],
  filename: ['graa00aut_s_20240600000_01H_MN.rnx.gz'],
  filename__startswith: ['gra', 'ZIMM0'],
  filename__contains: ['_mo', '%', '\u212a', '0010'],
  modified: ['2023-11-14T22:13:20.000007Z'],
  modified__lt: ['2023-11-14T22:13:20.000006Z'],
  modified__lte: ['2023-11-14T22:13:20.000006Z'],
  modified__gt: ['2023-11-14T22:13:20.000006Z'],
  modified__gte: ['2023-11-14T22:13:20.000009Z'],
  created: ['2023-11-14T22:13:20.000002Z'],
  created__gte: ['2023-11-14T22:13:20.000002Z'],
  created__lt: ['2023-11-14T22:13:20.000003Z'],
  created__lte: ['2023-11-14T22:13:20.000003Z'],
  created__gt: ['2023-11-14T22:13:20.000002Z'],
  stationId: ['graz,WTZR00DEU'],
  rinexVersion: ['2', 'all'],
  filePeriod: ['15M,01d'],
  fileType: ['nav'],
  flag: ['cut', 'no-header,short', 'marker'],
  share__lt: ['1', '0.75', '0.750001'],
  rinex_version: ['2.11', '3.05'],
  rinex_version__startswith: ['3.'],
  receiver: ['RECEIVER'],
  receiver__startswith: ['receiver 1', 'RECEIVER '],
  firmware: ['5.4.0'],
  firmware__startswith: ['5'],
  antenna: ['antenna.r2'],
  antenna__startswith: ['ANTENNA.R', 'nobody'],
  radome: ['none'],
  radome__startswith: ['LE'],
  system: ['R,E', 'C'],
  signal: ['C1C', 'L1,C5Q'],
  bbox: ['179,-20,-179,0', '0,0,180,90', '-180,-90,180,90', '15,47,15.5,47.1'],
}).flatMap(([name, values]) => values.map((value) => [name, value] as const))

t.test('every filter is asked', async (t) => {
  const asked = new Set(choices.map(([name]) => name))
  t.strictSame(
    [...filterParameters.keys()].filter((name) => !asked.has(name)),
    [],
  )
})

const keys = ['id', 'data_date', 'created', 'modified', 'filename']
const steps = keys.flatMap((key) => [key, `-${key}`])
/** Orderings by one key and by several; the newest first has ways of its own. */
const orderings = fc.oneof(
  fc.constant('-id'),
  fc.constantFrom(...steps),
  fc
    .uniqueArray(fc.constantFrom(...steps), {
      minLength: 2,
      maxLength: 4,
      selector: (step) => step.replace('-', ''),
    })
    .map((some) => some.join()),
)

const links = linksBelow('https://archive.example', 'rinex')

/** @param few at most this many files are sorted, although a walk might pass fewer */
function openList({ engine, ask }: OpenedCatalogue, few?: Few) {
  const context = contextOf(engine.dialect, few)
  return {
    page: (query: PageQuery) => ask(page(query, context)),
    chunk: (query: ChunkQuery) => ask(records(query, context)),
  }
}

type OpenedList = ReturnType<typeof openList>

interface Row extends ListedFile {
  readonly incomplete: number
  readonly broken: number
  readonly misplaced: number
  readonly disguised: number
  readonly hashed: number | boolean
  readonly size: number
}

async function allRecords({ sql }: OpenedCatalogue): Promise<KnownWithSize[]> {
  const rows = await sql(
    `SELECT f.id, d.path AS directory, f.name, f.size, f.created_us AS "createdUs",
       coalesce(f.modified_us, f.created_us) AS "modifiedUs", f.incomplete, f.misplaced, f.disguised,
       CASE WHEN f.damaged_us IS NOT NULL AND f.incomplete = 0 THEN 1 ELSE 0 END AS broken,
       EXISTS (SELECT 1 FROM checksum c WHERE c.id = f.id AND c.stale_us IS NULL) AS hashed
     FROM file f JOIN directory d ON d.id = f.directory`,
  )
  return (rows as unknown as Row[]).map((row) => {
    const found = problems.filter((problem) => row[problem] === 1)
    const facts = Number(row.hashed) === 1 ? factsIn(row.id) : undefined
    const record = serialiseRecord(row, links, defaultLayout) as Listed
    return { ...know(record, found, facts), size: row.size }
  })
}

/** Dates and kinds alone have ways of their own. */
const datesAndKinds = choices.filter(([name]) =>
  /date|doy|year|overlaps|file_|content|interval/i.test(name),
)

const subsets = fc.oneof(
  fc.subarray([...choices], { maxLength: 3 }),
  fc.subarray(datesAndKinds, { maxLength: 2 }),
)
/** Without ranges that end before they begin, which are refused. */
const chosen = subsets
  .map((some) => {
    const parameters: Record<string, string> = {}
    for (const [name, value] of some) parameters[name] = value
    return parameters
  })
  .filter((parameters) => {
    try {
      readListRequest(parameters, accepted, 'json')
      return true
    } catch (error) {
      if (error instanceof HttpError && error.statusCode === 400) return false
      throw error
    }
  })

/** SLOW=1 asks ten times as many questions; engines.test.ts asks PostgreSQL too. */
const times = process.env['SLOW'] === '1' ? 10 : engine === sqlite ? 1 : 0.5

/** Reads pages and chunks of random queries, and compares each with the oracle. */
async function compareAll(
  list: OpenedList,
  known: readonly KnownWithSize[],
  pages: number,
): Promise<void> {
  await comparePages(list, known, Math.ceil(pages * times))
  await compareSums(list, known, Math.ceil((pages / 4) * times))
  await compareChunks(list, known, Math.ceil((pages / 10) * times))
}

async function comparePages(list: OpenedList, known: readonly Known[], numRuns: number) {
  let found = 0
  const query = fc.record({
    parameters: chosen,
    ordering: orderings,
    limit: fc.integer({ min: 1, max: 60 }),
    offset: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(400)),
  })
  await fc.assert(
    fc.asyncProperty(query, async ({ parameters, ordering, limit, offset }) => {
      const { filter, values } = readListRequest({ ...parameters, ordering }, accepted, 'json')
      const page = await list.page({ limit, offset, filter, ordering: values.ordering })
      const wanted = expected(known, parameters, ordering)
      const ids = page.records.map(({ id }) => id)
      if (
        page.count !== wanted.length ||
        ids.join() !== wanted.slice(offset, offset + limit).join()
      )
        throw new Error(`${page.count}: ${ids.join()}; not ${wanted.length}: ${wanted.join()}`)
      found += ids.length
      return true
    }),
    { numRuns },
  )
  t.ok(found > 0.4 * numRuns, `${found} records on ${numRuns} pages`)
}

/** Sums and facets are exact or missing, and none is missing if the most may be any. */
async function compareSums(list: OpenedList, known: readonly KnownWithSize[], numRuns: number) {
  let missing = 0
  const query = fc.record({ parameters: chosen, most: fc.constantFrom(0, 300, 3000, Infinity) })
  await fc.assert(
    fc.asyncProperty(query, async ({ parameters, most }) => {
      const { filter } = readListRequest(parameters, accepted, 'json')
      const sums = { facets: true, most }
      const page = await list.page({ limit: 1, offset: 0, filter, sums })
      const fault = sumsFault(page.sums, known, parameters)
      if (fault !== undefined) throw new Error(fault)
      const counted =
        countedFacets(page.sums?.facets).length + Number(page.sums?.bytes !== undefined)
      if (most === Infinity && counted !== 9) throw new Error(`${counted} of 9 were counted`)
      if (counted < 9) missing++
      return true
    }),
    { numRuns },
  )
  t.ok(missing < 0.9 * numRuns, `${missing} of ${numRuns} were not counted`)
}

async function compareChunks(list: OpenedList, known: readonly Known[], numRuns: number) {
  const query = fc.record({
    parameters: chosen,
    ordering: fc.constantFrom(...steps.filter((step) => !step.endsWith('modified'))),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  await fc.assert(
    fc.asyncProperty(query, async ({ parameters, ordering, limit }) => {
      const request = parseStreamRequest({ ...parameters, ordering }, filterParameters)
      const ids: number[] = []
      let after: ChunkCursor | undefined
      do {
        const chunk: RecordChunk = await list.chunk({ ...request, limit, ...(after && { after }) })
        ids.push(...chunk.records.map(({ id }) => id))
        after = chunk.next
      } while (after !== undefined)
      return ids.join() === expected(known, parameters, ordering).join()
    }),
    { numRuns },
  )
}

t.test('pages and chunks of random queries equal those of a simple search in memory', async (t) => {
  const opened = await openCatalogue(t, { stepUs: 1 })
  await fill(opened)
  const known = await allRecords(opened)
  const list = openList(opened)
  t.same(await opened.sql('SELECT count(*) AS n FROM file'), [{ n: known.length }])
  await compareAll(list, known, 200)
})

t.test('pages and chunks are the same if few files are sorted, or all', async (t) => {
  const opened = await openCatalogue(t, { stepUs: 1 })
  await fill(opened)
  const known = await allRecords(opened)
  for (const files of [0, 10, Infinity])
    await compareAll(openList(opened, { ofPage: files, ofChunk: files }), known, 100)
})

/** Archives whose files are spread unevenly, in each of which another way is the best one. */
const skewed: Readonly<Record<string, (opened: OpenedCatalogue) => Promise<void>>> = {
  'one station with half of all files': async (opened) => {
    for (let day = 1; day <= 60; day++)
      await addDay(opened, 2024, day, [
        ['GRAZ00AUT'],
        [day % 2 === 0 ? 'WTZR00DEU' : 'ABPO00MDG', { source: 'S', rest: '30S_MN.rnx' }],
      ])
  },
  'a year that arrives last': async (opened) => {
    for (const year of [2026, 2149, 2024])
      for (let day = 1; day <= 40; day++)
        await addDay(opened, year, day, [['GRAZ00AUT'], ['ZIMM00CHE']])
  },
  'all files of one day': async ({ apply }) => {
    const names = Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour) =>
      ['GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'].flatMap((code) => [
        nameOf(code, startOf(2024, 1, hour, 15), { period: '15M', rest: '01S_MO.crx' }),
        nameOf(code, startOf(2024, 1, hour), { period: '01H' }),
      ]),
    )
    await apply({ added: names.map((name) => newFile(name)) }, 'obs/2024/001')
  },
  'ids with large holes': async (opened) => {
    for (let wave = 0; wave < 40; wave++) {
      await opened.setNextId(1 + wave * wave * 70_000)
      await addDay(
        opened,
        2024,
        wave + 1,
        stations.map((station) => [station]),
      )
    }
  },
}

/** Adds files of a day. */
async function addDay(
  { apply }: OpenedCatalogue,
  year: number,
  day: number,
  files: readonly (readonly [station: string, parts?: Parameters<typeof nameOf>[2]])[],
): Promise<void> {
  const start = startOf(year, day)
  const added = files.map(([station, parts]) => newFile(nameOf(station, start, parts)))
  await apply({ added }, directoryOf('obs', start))
}

for (const [name, fillSkewed] of Object.entries(skewed))
  t.test(`pages and chunks of an archive with ${name}`, async (t) => {
    const opened = await openCatalogue(t, { stepUs: 1 })
    await fillSkewed(opened)
    const list = openList(opened, { ofPage: 30, ofChunk: 10 })
    await compareAll(list, await allRecords(opened), 200)
  })

t.test('pages and chunks are correct after inserts, removals and restored files', async (t) => {
  const opened = await openCatalogue(t, { stepUs: 1 })
  await fill(opened)
  const list = openList(opened)
  for (let round = 0; round < 4; round++) {
    const path = paths[round % 2] ?? ''
    const files = [...((await opened.writer.directory(path))?.files ?? [])]
    const removed = files.filter(([, { id }]) => id % 5 === round)
    const names = Array.from(
      { length: 20 },
      (_, n) => `abc${String(round)}${String(101 + n)}0.26d.gz`,
    )
    const added = names.map((name) => newFile(name))
    await opened.apply({ removed: removed.map(([, { id }]) => id), added }, path)
    const restored = removed.slice(0, 10).map(([name]) => newFile(name))
    await opened.apply({ added: restored }, path)
    t.ok(removed.length > 0, 'files were removed')
    await compareAll(list, await allRecords(opened), 40)
  }
})
