/** All questions of a reader by name, and their caches. */
import { changeCounts, changes } from './changes.ts'
import { awaitsChecksum, checksums, checksumsVersion } from './checksums.ts'
import type { CatalogueReader } from '../reader.ts'
import type { Dialect } from '../dialect.ts'
import { damagedFiles } from './damaged-files.ts'
import { directory, filesIn, subdirectories } from './directories.ts'
import { file, nameInOtherCase, record } from './files.ts'
import { head, lastScan } from '../selection/head.ts'
import { List } from './list.ts'
import { Lookups } from '../selection/lookups.ts'
import type { QuestionContext } from '../selection/lookups.ts'
import { deliveries } from './network-deliveries.ts'
import { problems } from './problems.ts'
import type { Question } from '../question.ts'
import { liveSlots, seriesArrivals, seriesSlots } from './series-slots.ts'
import { countFaults } from './count-faults.ts'
import { station, stations } from './stations.ts'
import { summary } from './summary.ts'
import { unlisted } from './unlisted.ts'
import { volumes } from './volumes.ts'

/** The methods of a reader that ask the database. */
export type QuestionName = Exclude<keyof CatalogueReader, 'storage' | 'untilWritten' | 'close'>

export type Query<Name extends QuestionName> = Parameters<CatalogueReader[Name]>[0]
export type Answer<Name extends QuestionName> = Awaited<ReturnType<CatalogueReader[Name]>>

type Context = QuestionContext & { readonly list: List }

const questions: {
  readonly [Name in QuestionName]: (query: Query<Name>, context: Context) => Question<Answer<Name>>
} = {
  head,
  lastScan,
  record,
  file,
  nameInOtherCase,
  unlisted,
  checksumsVersion,
  checksums,
  awaitsChecksum,
  page: (query, { list }) => list.page(query),
  records: (query, { list }) => list.chunk(query),
  stations,
  station,
  seriesSlots,
  seriesArrivals,
  liveSlots,
  deliveries,
  damagedFiles,
  changes,
  changeCounts,
  directory,
  subdirectories,
  filesIn,
  problems,
  summary: (_query, context) => summary(context),
  volumes,
  countFaults,
}

export const questionNames = Object.keys(questions) as QuestionName[]

/** Questions of a few lookups are never moved, whatever they take when the machine is busy. */
export const shortQuestions: ReadonlySet<QuestionName> = new Set([
  'head',
  'lastScan',
  'record',
  'file',
  'nameInOtherCase',
  'checksumsVersion',
  'checksums',
  'awaitsChecksum',
  'station',
  'directory',
  'subdirectories',
  'filesIn',
  // A page examines at most two thousand changes in each table.
  'changes',
])

/** Questions that always take long take turns from the start. */
export const longQuestions: ReadonlySet<QuestionName> = new Set([
  'liveSlots',
  'deliveries',
  'damagedFiles',
  'problems',
  'summary',
  'countFaults',
])

export type Questions = {
  readonly [Name in QuestionName]: (query: Query<Name>) => Question<Answer<Name>>
}

/** For one connection: its caches hold what this connection has read. */
export function questionsFor(dialect: Dialect): Questions {
  const lookups = new Lookups()
  const context = { dialect, lookups, list: new List(dialect, lookups) }
  const bound = questionNames.map((name) => {
    const ask = questions[name] as (query: unknown, context: Context) => Question<unknown>
    return [name, (query: unknown) => ask(query, context)]
  })
  return Object.fromEntries(bound) as Questions
}
