/** What the examples of the description show, made by the very functions that make real answers. */
import type { CatalogueSummary, FileRecord, StationSummary } from '../../catalogue/records.ts'
import type { IndexerStatus } from '../../control/protocol.ts'
import { dayStartSeconds, secondsPerDay } from '../../parse/calendar.ts'
import { serialiseChange } from '../changes/serialise.ts'
import { changesUrl } from '../http/links.ts'
import type { CollectionName, Links } from '../http/links.ts'
import type { WireProblem } from '../problems/problem-list.ts'
import { pageLinks } from '../http/query.ts'
import { serialiseRecord } from '../files/serialise.ts'
import { serialiseStation } from '../stations/serialise.ts'
import { describeStatus } from '../status/serialise.ts'
import type { WireStatus } from '../status/serialise.ts'

/** 2026-01-23T00:12:40.518203Z. */
const createdUs = 1_769_127_160_518_203
const epoch = '5b0e4c1f'

/** The file of the examples. */
export const file: FileRecord = {
  id: 72,
  directory: 'obs/2026/022',
  name: 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz',
  createdUs,
  modifiedUs: createdUs,
  size: 2_413_871,
  mtimeUs: createdUs,
  seq: 72,
}

/** Where the file of the examples lies below its area. */
export const filePlace = { year: '2026', day: '022', hour: '05', filename: file.name }

const lastDay = dayStartSeconds(2026, 22) / secondsPerDay

const station: StationSummary = {
  codes: ['GRAZ00AUT'],
  code: 'GRAZ00AUT',
  firstDay: lastDay - 21,
  lastDay,
  files: 46,
  byArea: { obs: 22, nrt: 24 },
  byType: { o: 45, n: 1 },
  byDuration: { d: 22, h: 24 },
  byVersion: { r3: 46 },
}

const scan = { startedUs: createdUs - 2e6, endedUs: createdUs, directories: 31, files: 72 }

const summary: CatalogueSummary = {
  head: { epoch, seq: 72, detailsSeq: 9 },
  areas: { obs: { files: 22, directories: 22 }, nrt: { files: 50, directories: 9 } },
  misplaced: 0,
  incomplete: { reason: 'incomplete', count: 0, examples: [] },
  checksums: { files: 70, broken: { reason: 'broken', count: 0, examples: [] } },
  rejected: [{ reason: 'not-gz', count: 1, examples: ['obs/2026/022/README.txt'] }],
  lastScan: { ...scan, added: 72, modified: 0, removed: 0 },
}

const indexer: IndexerStatus = {
  state: 'watching',
  sinceUs: createdUs,
  reasons: [],
  pid: 4711,
  version: '0.1.0',
  scan: undefined,
  lastScan: summary.lastScan,
  lastSweepUs: createdUs,
  dirtyDirectories: 0,
  watching: { directories: 17, limit: 65_536, overflows: 0 },
  settlingFiles: 0,
  withheldRemovals: 0,
  rescans: { running: undefined, waiting: undefined, done: 1 },
  hashing: { all: false, behind: 2 },
}

/** An example of each answer. */
export function examples(links: Links) {
  const record = serialiseRecord(file, links)
  const change = serialiseChange(
    { seq: 72, change: 'created', atUs: createdUs, record: file },
    links,
  )
  const firstOf = <T>(name: CollectionName, count: number, result: T) => {
    const { next, previous } = pageLinks(links, { limit: 1, offset: 0n }, { name, kept: [], count })
    return { count, next, previous, results: [result] }
  }
  const wireStation = serialiseStation(station, links)
  return {
    record,
    records: firstOf('rinex-file', 72, record),
    problems: firstOf('status/problems', 1, {
      problem: 'rejected',
      path: 'obs/2026/022/README.txt',
      reason: 'not-gz',
      since: record.created,
    } satisfies WireProblem),
    station: wireStation,
    stations: firstOf('station', 6, wireStation),
    change,
    changes: {
      last_seq: 72,
      next: changesUrl(links, [
        ['epoch', epoch],
        ['limit', '20'],
        ['since', '72'],
      ]),
      results: [change],
    },
    status: {
      ...describeStatus(summary, indexer, '0.1.0'),
      unserved: { count: 0, latest: [] },
    } satisfies WireStatus,
  }
}
