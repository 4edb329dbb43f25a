/** All questions of a reader by name, with the caches that they share. */
import { Changes } from './changes.ts'
import { awaitsChecksum, checksums, checksumsVersion } from './checksums.ts'
import type { CatalogueReader } from '../reader.ts'
import type { Dialect } from '../dialect.ts'
import { Directories } from './directories.ts'
import { file, nameInOtherCase, record } from './files.ts'
import { head, lastScan } from '../selection/head.ts'
import { List } from './list.ts'
import { Lookups } from '../selection/lookups.ts'
import { NetworkDeliveryQuestions } from './network-deliveries.ts'
import { Problems } from './problems.ts'
import type { Question } from '../question.ts'
import { ReplacedFileQuestions } from './replaced-files.ts'
import { SeriesSlotQuestions } from './series-slots.ts'
import { Stations } from './stations.ts'
import { Summary } from './summary.ts'

/** The methods of a reader that ask the database. */
export type QuestionName = Exclude<keyof CatalogueReader, 'storage' | 'close'>

export type Query<Name extends QuestionName> = Parameters<CatalogueReader[Name]>[0]
export type Answer<Name extends QuestionName> = Awaited<ReturnType<CatalogueReader[Name]>>

export type Questions = {
  readonly [Name in QuestionName]: (query: Query<Name>) => Question<Answer<Name>>
}

/** For one connection: its caches hold what this connection has read. */
export function questionsFor(dialect: Dialect): Questions {
  const lookups = new Lookups()
  const list = new List(dialect, lookups)
  const stations = new Stations(dialect, lookups)
  const series = new SeriesSlotQuestions(dialect, lookups)
  const network = new NetworkDeliveryQuestions(dialect, lookups)
  const replaced = new ReplacedFileQuestions(dialect, lookups)
  const changes = new Changes(dialect, lookups)
  const directories = new Directories(dialect)
  const problems = new Problems(dialect)
  const summary = new Summary(dialect)
  return {
    head,
    lastScan,
    record,
    file,
    nameInOtherCase,
    checksumsVersion,
    checksums,
    awaitsChecksum,
    page: (query) => list.page(query),
    records: (query) => list.chunk(query),
    stations: (query) => stations.page(query),
    station: (code) => stations.one(code),
    seriesSlots: (query) => series.slots(query),
    seriesArrivals: (query) => series.arrivals(query),
    liveSlots: (query) => series.live(query),
    deliveries: (query) => network.deliveries(query),
    replacedFiles: (modified) => replaced.replacedFiles(modified),
    changedDirectories: (sinceUs) => replaced.changedDirectories(sinceUs),
    changes: (query) => changes.page(query),
    directory: (path) => directories.directory(path),
    subdirectories: (query) => directories.subdirectories(query),
    filesIn: (query) => directories.filesIn(query),
    problems: (query) => problems.page(query),
    summary: () => summary.whole(),
  }
}
