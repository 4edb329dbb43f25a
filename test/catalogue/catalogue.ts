/** A catalogue in a folder of its own, and what tests write to it. */
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { openReader, openWriter } from '../../src/catalogue/engines/engine.ts'
import { countFaults } from '../../src/catalogue/questions/count-faults.ts'
import type { FileIdentity } from '../../src/catalogue/records.ts'
import type { DirectoryChange } from '../../src/catalogue/updates/change.ts'
import type { Checksum } from '../../src/catalogue/updates/checksum-rows.ts'
import { testFolder } from '../folder.ts'
import { change, newFile } from './change.ts'
import type { Connection, TestEngine } from './engines.ts'
import { engine as ownEngine } from './engines.ts'

/** The directory of most files. */
export const day = 'obs/2026/001'

/** That of a directory that is not young, unlike the directories of tests. */
export const stamp = { mtimeUs: 1, ctimeUs: 2, inode: 3, namesSum: 4 }

export const facts = { size: 10, mtimeUs: 1000 }

export const identity: FileIdentity = {
  ...facts,
  inode: 7,
  ctimeUs: 2000,
  links: 1,
  mode: 0o100644,
  uid: 1,
  gid: 1,
}

export const sha256 = createHash('sha256').update('x').digest()
export const md5 = createHash('md5').update('x').digest()

/** A checksum of the file with this id, of the version with `identity`. */
export const checksumOf = (id: number, other: Partial<Checksum> = {}): Checksum => ({
  id,
  ...identity,
  sha256,
  md5,
  facts: undefined,
  problem: undefined,
  rested: true,
  ...other,
})

/** Short names of many stations in the order of their bytes, by default of a day. */
export const manyNames = (count: number, end = '0010.26d.gz', first = 0): string[] =>
  Array.from({ length: count }, (_, n) => (first + n).toString(36).padStart(4, '0') + end)

interface CatalogueOptions {
  readonly folder?: string
  /** How far the clock of the test advances each time it is read. */
  readonly stepUs?: number
  /** Another clock than that of the test. */
  readonly nowUs?: () => number
  /** Another engine than that of this process. */
  readonly engine?: TestEngine
}

/** Opens a new catalogue, or that of a folder. */
export async function openCatalogue(t: Test, options: CatalogueOptions = {}) {
  const { folder = testFolder(t), stepUs = 0, engine = ownEngine } = options
  const database = await engine.database(t, folder)
  const clock = { us: 1_700_000_000_000_000 }
  const { nowUs = () => (clock.us += stepUs) - stepUs } = options
  const writer = await openWriter({ database }, nowUs)
  const reader = await openReader({ database })
  const connection = lazily(() => engine.connect(database))
  const close = async (): Promise<void> => {
    await connection.close()
    await reader.close()
    await engine.close(writer)
  }
  t.teardown(close)
  const apply = (parts: Partial<DirectoryChange>, path = day) => writer.apply([change(path, parts)])
  const { ask, sql } = connection
  return {
    engine,
    folder,
    database,
    clock,
    writer,
    reader,
    close,
    apply,
    ask,
    sql,
    /** Adds files by their names. */
    add: (...names: readonly string[]) => apply({ added: names.map((name) => newFile(name)) }),
    /** Raises the next id, so that few files have ids far apart; does nothing for a lower one. */
    setNextId: (id: number) =>
      sql(`UPDATE catalogue SET last_id = ${id - 1} WHERE last_id < ${id - 1}`),
    /** The differences between the counts and the records, as lines. */
    differences: () => ask(countFaults()),
  }
}

export type OpenedCatalogue = Awaited<ReturnType<typeof openCatalogue>>

/** Connects when it is used first. */
function lazily(connect: () => Promise<Connection>): Connection {
  let connected: Promise<Connection> | undefined
  const open = () => (connected ??= connect())
  return {
    ask: async (question) => (await open()).ask(question),
    sql: async (text) => (await open()).sql(text),
    close: async () => {
      await (await connected)?.close()
      connected = undefined
    },
  }
}
