/** Reads the head on a connection that has no driver of its own. */
import type { Database } from 'better-sqlite3'
import type { Head } from '../records.ts'
import { stateStatement, toState } from '../questions/head.ts'
import type { Row } from '../questions/question.ts'

export function prepareHead(db: Database): () => Head {
  const statement = db.prepare(stateStatement.sql).raw()
  return () => toState(statement.get() as Row).head
}
