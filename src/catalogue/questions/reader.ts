/**
 * The interface through which the catalogue is read. The API knows no engine: only the commands
 * open one. Its methods are the questions of the registry, each declared by its generator.
 */
import type { Question } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Asker } from '../turns.ts'
import * as registry from './registry.ts'

const questions = registry satisfies Readonly<
  Record<string, (query: never, context: QuestionContext) => Question<unknown>>
>

export type QuestionName = keyof typeof questions
export type QueryOf<Name extends QuestionName> = Parameters<(typeof questions)[Name]>[0]
export type AnswerOf<Name extends QuestionName> =
  ReturnType<(typeof questions)[Name]> extends Question<infer Found> ? Found : never

/** A question without a query is asked without one, or with `undefined` before the asker. */
type Asked<Query> = undefined extends Query
  ? [query?: Query, asker?: Asker]
  : [query: Query, asker?: Asker]

type Asking = {
  readonly [Name in keyof typeof questions]: (
    ...asked: Asked<QueryOf<Name>>
  ) => Promise<AnswerOf<Name>>
}

/**
 * Reads the catalogue. Every method except `close` may throw `CatalogueUnavailable` (no database,
 * or one that this program cannot read), and works again as soon as there is a readable database.
 * Questions that need an index or a table of counts throw `NotBuilt` while it does not exist yet.
 * Questions that take long throw `TooManyQueries` if too many of them wait, and `QueryTimeout` if a
 * client asks and they take too long.
 */
export interface CatalogueReader extends Asking {
  // Storage

  /** Reads the sizes of the files, not the database itself. */
  storage(): Promise<StorageFigures>

  // Changes

  /**
   * Resolves when the catalogue may have changed, at the latest after the time at which a client
   * that waits for changes should look again.
   */
  untilWritten(): Promise<void>

  // End

  close(): Promise<void>
}

/**
 * Sizes of the database, and the space on its disk. Of a database on a server, only its size is
 * known.
 */
export interface StorageFigures {
  readonly databaseBytes: number
  /** Size of the write-ahead log, which has the changes that are not in the database file yet. */
  readonly walBytes: number | undefined
  /** Time of the newest backup; `undefined` if there is none. */
  readonly backupUs: number | undefined
  readonly disk: DiskSpace | undefined
}

export interface DiskSpace {
  /** Free space for users without privileges. */
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Questions of a few lookups are never moved, whatever they take when the machine is busy. */
export const shortQuestions: ReadonlySet<QuestionName> = new Set([
  'head',
  'lastScan',
  'layout',
  'record',
  'facts',
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
  'halfSlots',
  'halfFiles',
  'problems',
  'summary',
  'countFaults',
])

/** A question by its name. @param context of one connection: it holds what this one has read */
export function questionOf<Name extends QuestionName>(
  name: Name,
  query: QueryOf<Name>,
  context: QuestionContext,
): Question<AnswerOf<Name>> {
  return questions[name](query as never, context) as Question<AnswerOf<Name>>
}

/** The methods of a reader that ask the questions. @param ask how an engine asks one */
export function askingBy(
  ask: <Name extends QuestionName>(
    name: Name,
    query: QueryOf<Name>,
    asker?: Asker,
  ) => Promise<AnswerOf<Name>>,
): Asking {
  const names = Object.keys(questions) as QuestionName[]
  const methods = names.map((name) => [
    name,
    (query: never, asker?: Asker) => ask(name, query, asker),
  ])
  return Object.fromEntries(methods) as Asking
}
