/** The command `status --check` for monitoring: its rules, and its exit codes. */
import { spawnSync } from 'node:child_process'
import { serialiseStatus } from '../../src/api/status/serialise.ts'
import type { CatalogueSummary } from '../../src/catalogue/questions/summary.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { checkCodes, checkFailed, checkStatus } from '../../src/commands/status-check.ts'
import type { StatusReply } from '../../src/control-socket/client.ts'
import type { IndexerStatus } from '../../src/control-socket/protocol.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t from '../tap.ts'

const nowSeconds = 1_800_000_000
const us = (secondsAgo: number): number => (nowSeconds - secondsAgo) * 1e6

const summary: CatalogueSummary = {
  head: { epoch: 'e', seq: 1, detailsSeq: 0 },
  areas: {
    obs: { files: 1200, bytes: 1200, directories: 2 },
    nrt: { files: 34, bytes: 34, directories: 1 },
  },
  rejected: [{ reason: 'not-gz', count: 5, examples: ['a|b'] }],
  misplaced: 0,
  unclearPaths: [],
  incomplete: { count: 1, examples: [] },
  disguised: { count: 0, examples: [] },
  checksums: { files: 0, broken: { count: 2, examples: [] } },
  lastScan: undefined,
  newest: [],
} as unknown as CatalogueSummary

const watching = {
  state: 'watching',
  sinceUs: us(100),
  problems: [],
  pid: 1,
  version: '1',
  lastSweepUs: us(30),
  dirtyDirectories: 3,
  watching: { directories: 1, limit: null, overflows: 0 },
  settlingFiles: 4,
  withheldRemovals: 0,
  rescans: { running: undefined, waiting: undefined, done: 0 },
  endedRescans: [],
} as unknown as IndexerStatus

const data = 'files=1234 dirty=3 settling=4 withheld=0 rejected=5 broken=2 incomplete=1 disguised=0'

t.test('each state has a level, a message and performance data', async (t) => {
  const cases: readonly [StatusReply, string][] = [
    [watching, `RINEX CATALOGUE OK - watching, 1,234 files | ${data} last_sweep=30s`],
    [
      {
        ...watching,
        state: 'degraded',
        problems: ['disk | away:\n mount it', 'and more'].map((text) => ({ text, advice: '' })),
      },
      `RINEX CATALOGUE WARNING - disk / away: mount it; and more | ${data} last_sweep=30s`,
    ],
    [
      { ...watching, lastSweepUs: us(49 * 3600) },
      `RINEX CATALOGUE CRITICAL - the last sweep ended 49 hours ago | ${data} last_sweep=176400s`,
    ],
    [
      undefined,
      'RINEX CATALOGUE CRITICAL - the indexer does not run | files=1234 rejected=5 broken=2 incomplete=1 disguised=0',
    ],
    [
      { state: 'unknown', reason: 'timeout' },
      'RINEX CATALOGUE UNKNOWN - timeout | files=1234 rejected=5 broken=2 incomplete=1 disguised=0',
    ],
  ]
  for (const [reply, line] of cases)
    t.equal(checkStatus(serialiseStatus(summary, reply, { version: '1' }), nowSeconds).line, line)
  t.strictSame(checkFailed('no database'), {
    level: 'critical',
    line: 'RINEX CATALOGUE CRITICAL - no database',
  })
  t.strictSame(checkCodes, { ok: 0, warning: 1, critical: 2, unknown: 3 })
})

t.test(
  'status --check prints one line and exits with the code of a monitoring plugin',
  async (t) => {
    const folder = testFolder(t)
    const run = () => {
      const [program, args] = programLine(['status', '--check', '--database', 'c.db'])
      return spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    }
    t.match(run(), { status: 2, stdout: /^RINEX CATALOGUE CRITICAL - .*c\.db.*\n$/ })
    const writer = openWriter({ database: `${folder}/c.db`, nowUs: () => 1 })
    writer.close()
    t.match(run(), { status: 2, stdout: 'CRITICAL - the indexer does not run | files=0 ' })
  },
)
