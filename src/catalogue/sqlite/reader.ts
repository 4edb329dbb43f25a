/**
 * The reader of the catalogue: runs each question in this thread, and in a worker if it is long.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { CatalogueUnavailable } from '../errors.ts'
import type { AnswerOf, CatalogueReader, QueryOf, QuestionName } from '../questions/reader.ts'
import { askingBy, longQuestions, shortQuestions } from '../questions/reader.ts'
import type { CatalogueSummary } from '../questions/summary.ts'
import type { Asker } from '../turns.ts'
import { connectionSource } from './connection.ts'
import { storageFigures } from './database-files.ts'
import { Driver } from './driver.ts'
import { refuseUnsafeSqlite } from './open.ts'
import { QueryPool } from './query-pool.ts'

/** Time between two reads of the head while clients wait for changes (ms). */
const lookAgainMs = 100

/** A question that takes longer than this in milliseconds begins again in a worker. */
const directMs = 10

/**
 * Reads the catalogue in a database file that another process writes.
 * @throws UnusableDatabase if the SQLite of the driver is not safe. A database that cannot be read
 * is an error of each question.
 */
export function openReader({ database }: { readonly database: string }): CatalogueReader {
  refuseUnsafeSqlite()
  const source = connectionSource(database, onConnection)
  const pool = new QueryPool(database)

  const ask = async <Name extends QuestionName>(
    name: Name,
    query: QueryOf<Name>,
    asker?: Asker,
  ): Promise<AnswerOf<Name>> => {
    const here = longQuestions.has(name)
      ? undefined
      : source.use((open) => askHere(open, name, query))
    return here === undefined ? pool.ask(name, query, asker) : here.answer
  }

  const summary = async (_query?: undefined, asker?: Asker): Promise<CatalogueSummary> => {
    const { known, version } = source.use((open) => ({ ...open, version: open.version.get() }))
    if (known.summary !== undefined && known.version === version) return known.summary
    const answer = await ask('summary', undefined, asker)
    // The version is that of this connection, before the summary was read.
    Object.assign(known, { version, summary: answer })
    return answer
  }

  return {
    ...askingBy(ask),
    summary,
    storage: () =>
      storageFigures(database).catch((error: unknown) => {
        throw new CatalogueUnavailable(`cannot find ${database}`, { cause: error })
      }),
    untilWritten: () => pause(lookAgainMs),
    close: () => {
      pool.close()
      source.close()
      return Promise.resolve()
    },
  }
}

function onConnection(db: Database) {
  /** The summary is read again after another connection has written. */
  const known: { version?: unknown; summary?: CatalogueSummary } = {}
  const version = db.prepare('PRAGMA data_version').pluck()
  return { driver: new Driver(db), version, known }
}

/** @returns `undefined` if it takes too long */
function askHere<Name extends QuestionName>(
  { driver }: ReturnType<typeof onConnection>,
  name: Name,
  query: QueryOf<Name>,
): { readonly answer: AnswerOf<Name> } | undefined {
  const endMs = shortQuestions.has(name) ? Infinity : performance.now() + directMs
  try {
    const answer = driver.answer(name, query, () => {
      if (performance.now() > endMs) throw new TooLong()
    })
    return { answer }
  } catch (error) {
    if (error instanceof TooLong) return undefined
    throw error
  }
}

/** Ends a question in this thread. */
class TooLong extends Error {}
