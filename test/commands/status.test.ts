/** The text that `status` prints for people. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { problemsOf, serialiseStatus } from '../../src/api/status/serialise.ts'
import type { CatalogueSummary } from '../../src/catalogue/questions/summary.ts'
import { statusLines } from '../../src/commands/status.ts'
import type { StatusReply } from '../../src/control-socket/client.ts'
import type { FlagName } from '../../src/rinex/facts.ts'
import type { RecentFlags } from '../../src/series/flags.ts'
import { watchingIndexer } from '../api/status/indexer-status.ts'
import { testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import t from '../tap.ts'

const atUs = Date.UTC(2026, 0, 22, 5, 7, 9) * 1000 + 123_456

const empty: CatalogueSummary = {
  head: { epoch: 'e', seq: 0, detailsSeq: 0, asOf: undefined },
  areas: {
    obs: { files: 0, bytes: 0, directories: 0 },
    nrt: { files: 0, bytes: 0, directories: 0 },
  },
  misplaced: 0,
  unclearPaths: [],
  incomplete: { reason: '', count: 0, examples: [] },
  disguised: { reason: '', count: 0, examples: [] },
  checksums: { files: 0, facts: 0, broken: { reason: '', count: 0, examples: [] } },
  excludedDirectories: 0,
  rejected: [],
  lastScan: undefined,
  newest: [],
}
const full: CatalogueSummary = {
  ...empty,
  head: { ...empty.head, asOf: { atUs: atUs - 20e6, limitSeconds: 180 } },
  areas: {
    obs: { files: 1_234_567, bytes: 1_234_567, directories: 1200 },
    nrt: { files: 7, bytes: 7, directories: 1 },
  },
  misplaced: 3,
  unclearPaths: [],
  incomplete: { reason: '', count: 1000, examples: ['obs/a'] },
  checksums: {
    files: 5000,
    facts: 4000,
    broken: { reason: '', count: 2, examples: ['obs/2026/001/gr\u001baz.gz'] },
  },
  rejected: [
    { reason: 'not-gz', count: 2001, examples: ['obs/2026/001/README\n'] },
    { reason: 'bad-day', count: 1, examples: ['obs/2026/001/graz3670.26d.gz'] },
    { reason: 'suffix', count: 3412, examples: ['obs/a.26d.Z', 'obs/b.26d.Z', 'obs/a.26o'] },
  ],
  lastScan: {
    startedUs: atUs - 60e6,
    endedUs: atUs,
    directories: 1201,
    files: 1_234_574,
    added: 4000,
    modified: 30,
    removed: 2,
  },
}

const text = (summary: CatalogueSummary, reply: StatusReply, recent?: RecentFlags): string[] =>
  statusLines(serialiseStatus(summary, reply, { version: '1.2.3', recent }), problemsOf(reply))

t.test('an empty catalogue without an indexer', async (t) => {
  t.strictSame(text(empty, undefined), [
    'stopped',
    'obs: 0 files in 0 directories, 0 bytes',
    'nrt: 0 files in 0 directories, 0 bytes',
    'no complete scan yet',
    'misplaced: 0, incomplete: 0',
    'checksums: 0, broken: 0',
  ])
})

const filesAndScan = [
  'obs: 1,234,567 files in 1,200 directories, 1.2 MB',
  'nrt: 7 files in 1 directories, 7 bytes',
  'last scan: ended 2026-01-22 05:07:09 UTC, 1,234,574 files, 4,000 added, 30 modified, 2 removed',
]
const look = 'oldest look at a directory: 2026-01-22 05:06:49 UTC'
const rest = [
  'not catalogued 2,001: not-gz, for example obs/2026/001/README\\u{a}',
  'not catalogued 1: bad-day, for example obs/2026/001/graz3670.26d.gz',
  'not catalogued: 3,412 files end in .Z or nothing, see suffixes, for example obs/a.26d.Z',
]

t.test('a full catalogue with an indexer that watches', async (t) => {
  t.strictSame(text(full, { ...watchingIndexer, sinceUs: atUs, withheldRemovals: 2000 }), [
    'watching since 2026-01-22 05:07:09 UTC',
    ...filesAndScan,
    look,
    'watching 3 directories of 99 possible, 1 to be read, 4 files not complete yet',
    '2,000 removals withheld',
    'misplaced: 3, incomplete: 1,000',
    'checksums: 5,000, 6 to be read, broken: 2, for example obs/2026/001/gr\\u{1b}az.gz',
    ...rest,
  ])
})

t.test('the flagged files of two days', async (t) => {
  const days = { fromDay: 20_474, toDay: 20_475, ofTypes: [], always: new Set<FlagName>() }
  const linesOf = (recent: RecentFlags) =>
    text(empty, undefined, recent).filter((line) => line.startsWith('flagged'))
  t.strictSame(linesOf({ ...days, files: 0, flags: [] }), [])
  const flags = [
    { flag: 'cut', files: 3 },
    { flag: 'short', files: 1200 },
  ] as const
  t.strictSame(linesOf({ ...days, files: 1201, flags }), [
    'flagged, data since 2026-01-21: 3 cut, 1,200 short',
  ])
})

t.test('the last rescans, with what they changed', async (t) => {
  const plain = { startedUs: atUs - 250e6, endedUs: atUs, acceptedRemovals: false }
  const changes = { added: 1200, modified: 1, removed: 0, problem: null }
  const endedRescans = [
    { ...plain, ...changes, number: 4, paths: ['obs/2026', 'nrt\n'], pathCount: 12 },
    { ...plain, ...changes, number: 3, paths: ['obs'], pathCount: 1, problem: 'no disk' },
  ]
  const lines = text(empty, { ...watchingIndexer, endedRescans })
  t.strictSame(
    lines.filter((line) => line.startsWith('rescan')),
    [
      'rescan 4 of obs/2026, nrt\\u{a} and 10 more: ended 2026-01-22 05:07:09 UTC after 4 min, 1,200 added, 1 modified, 0 removed',
      'rescan 3 of obs: ended 2026-01-22 05:07:09 UTC after 4 min, 1,200 added, 1 modified, 0 removed; no disk',
    ],
  )
})

t.test('the hosts of the indexers of a server', async (t) => {
  const lines = (waiting: readonly string[]): string[] =>
    text(empty, { ...watchingIndexer, hosts: { active: 'one', waiting } }).slice(1, 2)
  t.strictSame(lines([]), ['indexer: active on one'])
  t.strictSame(lines(['two', 'three']), ['indexer: active on one, waiting on two, three'])
})

t.test('a rescan by an indexer with a problem, without a limit of watches', async (t) => {
  const reply: StatusReply = {
    ...watchingIndexer,
    state: 'degraded',
    sinceUs: atUs,
    problems: [
      { text: 'one', advice: 'Do this.' },
      { text: 'two', advice: 'Do `that`.' },
    ],
    withheldRemovals: 0,
    hashing: undefined,
    watching: { directories: 1000, limit: null, overflows: 0 },
    scan: {
      startedUs: atUs,
      directoriesDone: 5,
      directoriesFound: 9,
      files: 12_345,
      done: 0.4567,
      rate: 1999.6,
      secondsLeft: 9,
    },
  }
  const [scanned, ...files] = filesAndScan.toReversed()
  t.strictSame(text(full, reply), [
    'degraded since 2026-01-22 05:07:09 UTC',
    '  one',
    '    Do this.',
    '  two',
    '    Do `that`.',
    ...files.toReversed(),
    'scan: 45 %, 12,345 files, 2,000 files/s',
    scanned,
    look,
    'watching 1,000 directories, 1 to be read, 4 files not complete yet',
    'misplaced: 3, incomplete: 1,000',
    'checksums: 5,000, 0 to be read, broken: 2, for example obs/2026/001/gr\\u{1b}az.gz',
    ...rest,
  ])
})

t.test('an indexer that does not answer', async (t) => {
  const [first, reason] = text(full, { state: 'unknown', reason: 'no answer: EACCES' })
  t.strictSame([first, reason], ['degraded', '  no answer: EACCES'])
})

t.test('the command prints these lines, and problems with their time', async (t) => {
  const folder = testFolder(t)
  const day = join(folder, 'archive/obs/1998/001')
  mkdirSync(day, { recursive: true })
  mkdirSync(join(folder, 'archive/nrt'))
  writeFileSync(join(day, 'graz0010.98d.gz'), gzipSync('x'))
  writeFileSync(join(day, 'a\tb'), '')
  const run = (...words: string[]) => {
    const [node, args] = programLine([...words, '--database', 'c.db', '--control-socket', 's'])
    return spawnSync(node, args, { cwd: folder, encoding: 'utf8', env: kept })
  }
  t.equal(run('index', '--once', '--archive', 'archive').status, 0)
  const { status, stdout } = run('status')
  t.equal(status, 0)
  const lines = stdout.trimEnd().split('\n')
  t.strictSame(lines.slice(0, 3), [
    'stopped',
    'obs: 1 files in 3 directories, 21 bytes',
    'nrt: 0 files in 1 directories, 0 bytes',
  ])
  t.match(lines[3], /^last scan: ended \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, 2 files, 1 added, /)
  t.match(lines.at(-1), /^not catalogued 1: not-gz, for example obs\/1998\/001\/a\\u\{9\}b$/)
  const problem =
    /^rejected\tobs\/1998\/001\/a\\u\{9\}b\tnot-gz\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$/
  t.match(run('status', '--problems').stdout, problem)
})
