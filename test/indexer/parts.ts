/** The context of an indexer with its real parts, on an archive of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import type { Test } from 'tap'
import { DeletionGuard } from '../../src/indexer/guard/deletion-guard.ts'
import { startIndexer } from '../../src/indexer/indexer.ts'
import type { DirectorySnapshot } from '../../src/indexer/read/directory-snapshot.ts'
import { startTreeReader } from '../../src/indexer/read/tree-reader.ts'
import { AsOfStore } from '../../src/indexer/state/as-of.ts'
import type { IndexerContext, IndexerOptions } from '../../src/indexer/state/context.ts'
import { DirtyDirectories } from '../../src/indexer/state/dirty-directories.ts'
import { FileFaults } from '../../src/indexer/state/file-faults.ts'
import { Health } from '../../src/indexer/state/health.ts'
import { KnownDirectories } from '../../src/indexer/state/known-directories.ts'
import { Looks } from '../../src/indexer/state/looks.ts'
import { IndexerMetrics } from '../../src/indexer/state/metrics.ts'
import { SecondLooks } from '../../src/indexer/state/second-looks.ts'
import { Settling } from '../../src/indexer/state/settling.ts'
import { SilentFileSystems } from '../../src/indexer/state/silent-file-systems.ts'
import { SureStamps } from '../../src/indexer/state/sure-stamps.ts'
import { UnreadFiles } from '../../src/indexer/state/unread-files.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import { createClock } from '../../src/runtime/clock.ts'
import { openCatalogue } from '../catalogue/catalogue.ts'
import { testFolder } from '../folder.ts'

interface LogLine {
  readonly level: number
  readonly msg: string
  readonly problem?: string
  readonly path?: string
}

/** A logger, and the lines that it has written. */
export function memoryLogger(level = 'debug') {
  const lines: LogLine[] = []
  const logger = pino({ level }, { write: (line) => lines.push(JSON.parse(line) as LogLine) })
  return { logger, lines }
}

/** @param folder that of parts that were closed; by default a new one with an empty archive */
export async function openParts(
  t: Test,
  folder = testFolder(t, { archive: {} }),
  { nowUs = createClock() } = {},
) {
  const archive = join(folder, 'archive')
  const catalogue = await openCatalogue(t, { folder, nowUs })
  const { database, writer, reader, apply, add, sql, close, differences } = catalogue
  const tree = startTreeReader({ archive, linkedDirectories: [] })
  const { logger, lines } = memoryLogger()
  const dirty = new DirtyDirectories()
  const health = new Health({ logger, nowUs, version: 'test', lastScan: undefined })
  const known = new KnownDirectories()
  const metrics = new IndexerMetrics(nowUs, defaultLayout)
  const sweepIntervalMs = 60_000
  const unreadFiles = new UnreadFiles({ writer, tree, dirty, onFailure: () => undefined })
  const context = {
    archive,
    layout: defaultLayout,
    writer,
    tree,
    logger,
    nowUs,
    version: 'test',
    window: { days: 14, hoursDays: 3 },
    sweepIntervalMs,
    fullReadMs: 86_400_000,
    keepRemovalsMs: 86_400_000,
    purgedAfterDays: {},
    backupIntervalMs: 0,
    // The folder is removed while a part may still use it.
    onFailure: () => undefined,
    dirty,
    known,
    looks: new Looks(known),
    settling: new Settling(),
    stamps: new SureStamps(),
    silentFileSystems: new SilentFileSystems(health),
    secondLooks: new SecondLooks(),
    unreadFiles,
    deletionGuard: new DeletionGuard(),
    health,
    asOf: new AsOfStore({ writer, health, unreadFiles, nowUs, sweepIntervalMs }),
    metrics,
    fileFaults: new FileFaults(logger),
    isNewLayout: false,
  } satisfies IndexerContext
  t.teardown(async () => {
    metrics.close()
    await tree.close()
  })
  const put = (path: string, content: string | Buffer = gzipSync('x')): string => {
    mkdirSync(join(archive, dirname(path)), { recursive: true })
    writeFileSync(join(archive, path), content)
    return join(archive, path)
  }
  return { ...context, folder, database, reader, apply, add, close, differences, lines, put, sql }
}

export type Parts = Awaited<ReturnType<typeof openParts>>

/** A running indexer; a test may close it, and start another one on the same parts. */
export async function startOn(t: Test, given?: Parts, other: Partial<IndexerOptions> = {}) {
  const parts = given ?? (await openParts(t))
  const indexer = await startIndexer({ ...parts, sweepIntervalMs: 20, ...other })
  let isOpen = true
  const close = async () => {
    if (isOpen) await indexer.close()
    isOpen = false
  }
  t.teardown(close)
  return { ...parts, indexer, close }
}

/** The snapshot of a directory without files. */
export function emptySnapshotOf(path: string): DirectorySnapshot {
  return {
    path,
    outcome: 'read',
    error: undefined,
    identity: undefined,
    device: undefined,
    stamp: undefined,
    names: [],
    identities: new Float64Array(0),
    away: [],
    directories: [],
    rejections: [],
  }
}

/** The snapshot of a directory that cannot be read. */
export function unreadableSnapshotOf(path: string): DirectorySnapshot {
  const rejections = [{ reason: 'unreadable-directory', count: 1, names: [''] }] as const
  return { ...emptySnapshotOf(path), outcome: 'unreadable', error: 'EACCES', rejections }
}

export const noProblems = {
  scan: undefined,
  dirtyDirectories: 0,
  watching: { directories: 0, limit: null, overflows: 0 },
  settlingFiles: 0,
  withheldRemovals: 0,
  rescans: { running: undefined, waiting: undefined, done: 0 },
  endedRescans: [],
  hashing: undefined,
}

/** A read after which no file was seen arriving. */
export const nothingSeen = { notThereUs: undefined, foundUs: 0, showsContents: false }

/** A moment on two clocks that agree. */
export const moment = (us: number) => ({ us, steadyMs: us / 1000 })

/** The summary of a scan that found nothing. */
export const emptyScan = {
  startedUs: 0,
  endedUs: 1,
  directories: 0,
  files: 0,
  added: 0,
  modified: 0,
  removed: 0,
}

/** The paths of all known directories, sorted. */
export function pathsOf(known: KnownDirectories): string[] {
  const all = Array.from({ length: known.slots }, (_, slot) => known.pathAt(slot) ?? [])
  return all.flat().sort()
}
