/** The reader of the catalogue. It decides for each query whether it runs in this thread or in a query worker. */
import type { Database } from 'better-sqlite3'
import { CatalogueUnavailable } from '../reader-errors.ts'
import type {
  Asker,
  CatalogueReader,
  ChangesPage,
  ChangesQuery,
  ChunkQuery,
  Page,
  PageQuery,
  RecordChunk,
  StationsPage,
  StationsQuery,
} from '../reader.ts'
import type { ArrivalsQuery, SeriesArrivals, SeriesQuery, SeriesSlots } from '../series-queries.ts'
import type {
  CatalogueSummary,
  FileRecord,
  FoundFile,
  Head,
  ListedFile,
  ScanSummary,
} from '../records.ts'
import { prepareChanges } from './changes.ts'
import { checksumColumns, prepareChecksums } from './checksums.ts'
import type { ChecksumRow, Checksums } from './checksums.ts'
import { connectionSource } from './connection.ts'
import { prepareList } from './list.ts'
import type { Plan } from './list.ts'
import { prepareListRows } from './list-rows.ts'
import { prepareListings } from './listings.ts'
import type { Listings } from './listings.ts'
import { openQueryPool } from './query-pool.ts'
import type { QueryKind, Queries as PoolQueries } from './query-pool.ts'
import { fileColumns, joinedChecksum, toBound, toRecord } from '../questions/record.ts'
import type { FileRow } from '../questions/record.ts'
import { prepareSeriesSlots } from './series-slots.ts'
import { refuseUnsafeSqlite } from './sqlite-version.ts'
import { prepareStations } from './stations.ts'
import type { StationAnswer } from './stations.ts'
import { storageFigures } from './database-files.ts'
import { prepareCached, prepareCachedHead, prepareLastScan } from './summary.ts'

/** Queries for pages and chunks that are estimated to take longer than this, or do so, in milliseconds, go to a query worker. */
const directMs = 20
/** If the catalogue has more stations than this, lists of stations go to a query worker. */
const directStations = 1000

/**
 * Reads the catalogue in a database file that another process writes. Queries for pages, chunks, stations and slots run in this
 * thread if they are short by an estimate, otherwise in a query worker. Of the other queries, those that `QueryKind` names always
 * run in a query worker, the rest in this thread.
 * @throws UnusableDatabase if the SQLite of the driver is not safe. A database that cannot be read is an error of each query.
 */
export function openReader(options: { readonly database: string }): CatalogueReader {
  refuseUnsafeSqlite()
  const source = connectionSource(options.database, prepareQueries)
  const pool = openQueryPool(options)
  const ask = <T>(query: (queries: Queries) => T): Promise<T> =>
    new Promise((resolve) => {
      resolve(source.use(query))
    })
  /** @param direct returns `undefined` for a query that is too long for this thread */
  const askEither = async <Kind extends QueryKind>(
    kind: Kind,
    query: PoolQueries[Kind]['query'],
    {
      direct,
      asker,
    }: {
      readonly direct: (queries: Queries) => PoolQueries[Kind]['answer'] | undefined
      readonly asker: Asker | undefined
    },
  ): Promise<PoolQueries[Kind]['answer']> =>
    (await ask(direct)) ?? (await pool.ask(kind, query, asker))
  return {
    head: () => ask((queries) => queries.head()),
    page: (query, asker) =>
      askEither('page', query, { direct: (queries) => queries.page(query), asker }),
    record: (id, details) => ask((queries) => queries.record(id, details)),
    file: (directory, name) => ask((queries) => queries.file(directory, name)),
    nameInOtherCase: (directory, name) =>
      ask((queries) => queries.nameInOtherCase(directory, name)),
    checksumsVersion: (directory) => ask((queries) => queries.checksumsVersion(directory)),
    checksums: (directory, after) => ask((queries) => queries.checksums(directory, after)),
    records: (query, asker) =>
      askEither('records', query, { direct: (queries) => queries.records(query), asker }),
    awaitsChecksum: (id) => ask((queries) => queries.awaitsChecksum(id)),
    stations: (query, asker) =>
      askEither('stations', query, { direct: (queries) => queries.stations(query), asker }),
    station: (code) => ask((queries) => queries.station(code)),
    // Series of shorter files have thousands of deliveries, each of which needs a lookup.
    seriesSlots: (query, asker) =>
      query.period === '01D'
        ? ask((queries) => queries.seriesSlots(query))
        : pool.ask('seriesSlots', query, asker),
    seriesArrivals: (query, asker) =>
      query.period === '01D'
        ? ask((queries) => queries.seriesArrivals(query))
        : pool.ask('seriesArrivals', query, asker),
    liveSlots: (query, asker) => pool.ask('liveSlots', query, asker),
    deliveries: (query, asker) => pool.ask('deliveries', query, asker),
    replacedFiles: (modified, asker) => pool.ask('replacedFiles', modified, asker),
    changedDirectories: (sinceUs, asker) => pool.ask('changedDirectories', sinceUs, asker),
    changes: (query) => ask((queries) => queries.changes(query)),
    directory: (path) => ask((queries) => queries.directory(path)),
    subdirectories: (query) => ask((queries) => queries.subdirectories(query)),
    filesIn: (query) => ask((queries) => queries.filesIn(query)),
    lastScan: () => ask((queries) => queries.lastScan()),
    summary: async (asker) => {
      const { cached, known, version } = await ask((queries) => ({
        cached: queries.summary.get(),
        known: queries.summary,
        version: queries.summary.version(),
      }))
      if (cached !== undefined) return cached
      const summary = await pool.ask('summary', undefined, asker)
      // The version is that of this connection. A later connection, to another file, may count alike.
      known.set(version, summary)
      return summary
    },
    storage: () =>
      storageFigures(options.database).catch((error: unknown) => {
        throw new CatalogueUnavailable(`cannot find ${options.database}`, { cause: error })
      }),
    problems: (query, asker) => pool.ask('problems', query, asker),
    close: () => {
      pool.close()
      source.close()
    },
  }
}

interface Queries extends Listings, Checksums {
  head(): Head
  /** `page`, `records` and `stations` return `undefined` for queries that are too long for this thread. */
  page(query: PageQuery): Page | undefined
  records(query: ChunkQuery): RecordChunk | undefined
  stations(query: StationsQuery): StationsPage | undefined
  station(code: string): StationAnswer
  seriesSlots(query: SeriesQuery): SeriesSlots | undefined
  seriesArrivals(query: ArrivalsQuery): SeriesArrivals | undefined
  record(id: number, details?: boolean): (FileRecord & ListedFile) | undefined
  file(directory: string, name: string): FoundFile | undefined
  nameInOtherCase(directory: string, name: string): string | undefined
  changes(query: ChangesQuery): ChangesPage
  lastScan(): ScanSummary | undefined
  readonly summary: ReturnType<typeof prepareCached<CatalogueSummary>>
}

function prepareQueries(db: Database): Queries {
  const head = prepareCachedHead(db)
  const list = prepareList(db, head)
  const stations = prepareStations(db, head)
  const series = prepareSeriesSlots(db, head)
  const from = 'FROM file f JOIN directory d ON d.id = f.directory'
  const rows = prepareListRows(db)
  const record = db.prepare(`SELECT ${fileColumns} ${from} WHERE f.id = ?`)
  const file = db.prepare(
    `SELECT ${fileColumns}, ${checksumColumns}, d.held_since_us IS NOT NULL AS isWithheld
     ${from} ${joinedChecksum} WHERE d.path = ? AND f.name = ?`,
  )
  // Uses the unique index of names in a directory, because `file_name` does not exist before the end of a first scan.
  const inOtherCase = db
    .prepare(
      `SELECT f.name FROM directory d CROSS JOIN file f ON f.directory = d.id
       WHERE d.path = ? AND f.name = ? COLLATE NOCASE LIMIT 2`,
    )
    .pluck()
  const stationCount = db.prepare('SELECT count(*) FROM station').pluck()
  return {
    head,
    page: db.transaction((query: PageQuery) => runIfCheap(list.page(query))),
    records: db.transaction((query: ChunkQuery) => runIfCheap(list.records(query))),
    stations: db.transaction((query: StationsQuery) =>
      (stationCount.get() as number) > directStations ? undefined : stations.page(query),
    ),
    station: db.transaction((code: string) => stations.one(code)),
    seriesSlots: db.transaction(series.slots),
    seriesArrivals: db.transaction(series.arrivals),
    record: db.transaction((id: number, details?: boolean) => {
      const row = record.get(id) as FileRow | undefined
      return row && { ...toRecord(row), ...rows.byIds([id], details)[0] }
    }),
    file: (directory, name) => {
      const row = file.get(directory, name) as (FileRow & ChecksumRow & WithheldRow) | undefined
      return row && toFound(row)
    },
    nameInOtherCase: (directory, name) => {
      const names = inOtherCase.all(directory, name) as string[]
      return names.length === 1 ? names[0] : undefined
    },
    ...prepareChecksums(db, head),
    changes: db.transaction(prepareChanges(db)),
    ...prepareListings(db, head),
    lastScan: prepareLastScan(db),
    summary: prepareCached(db),
  }
}

/** Stops a plan whose estimated cost was too low. */
class TooExpensive extends Error {}

function runIfCheap<Answer>(plan: Plan<Answer>): Answer | undefined {
  if (plan.costUs > directMs * 1000) return undefined
  const endMs = performance.now() + directMs
  try {
    return plan.run(() => {
      if (performance.now() > endMs) throw new TooExpensive()
    })
  } catch (error) {
    if (error instanceof TooExpensive) return undefined
    throw error
  }
}

interface WithheldRow {
  readonly isWithheld: number
}

function toFound(row: FileRow & ChecksumRow & WithheldRow): FoundFile {
  const { sha256, inode, ctimeUs, links, mode, uid, gid, isWithheld, ...record } = row
  const identity = toBound({ inode, ctimeUs, links, mode, uid, gid }, record)
  return {
    ...toRecord(record),
    sha256: sha256 ?? undefined,
    identity,
    isWithheld: isWithheld === 1,
  }
}
