import pino from 'pino'
import { reportProgress, summaryFields } from '../../src/commands/progress.ts'
import type { ScanProgress } from '../../src/control-socket/protocol.ts'
import { emptyScan } from '../indexer/parts.ts'
import t, { exact } from '../tap.ts'

const progress: ScanProgress = {
  startedUs: 0,
  directoriesDone: 3,
  directoriesFound: 9,
  files: 1234,
  done: 0.256,
  rate: 99.6,
  secondsLeft: 12.3,
}

t.test('without a terminal, the progress of a scan is logged', async (t) => {
  let tick = () => undefined as unknown
  t.intercept(globalThis, 'setInterval', { value: (work: () => unknown) => void (tick = work) })
  t.intercept(process.stdout, 'isTTY', { value: false })
  const lines: object[] = []
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as object) })
  let running: ScanProgress | undefined
  const report = reportProgress(() => running, logger)
  tick()
  t.same(lines, [], 'nothing while there is none')
  running = progress
  tick()
  t.match(
    lines,
    exact([{ msg: 'scanning', files: 1234, directories: 3, percent: 26, files_per_second: 100 }]),
  )
  t.match(lines, exact([{ seconds_left: 12 }]))
  running = { ...progress, secondsLeft: undefined }
  tick()
  t.notHas(lines[1], { seconds_left: Number })
  report.stop()
})

t.test('the summary of a scan has its counts and its speed', async (t) => {
  const scan = {
    startedUs: 1_000_000,
    endedUs: 3_500_000,
    directories: 12,
    files: 5000,
    added: 4000,
    modified: 2,
    removed: 1,
  }
  const summary = {
    head: { epoch: 'e', seq: 1, detailsSeq: 0, asOf: undefined },
    areas: {
      obs: { files: 3000, bytes: 3000, directories: 10 },
      nrt: { files: 1000, bytes: 1000, directories: 2 },
    },
    misplaced: 3,
    unclearPaths: [],
    incomplete: { reason: 'incomplete', count: 0, examples: [] },
    disguised: { reason: 'disguised', count: 0, examples: [] },
    checksums: { files: 0, facts: 0, broken: { reason: 'broken', count: 0, examples: [] } },
    excludedDirectories: 0,
    rejected: [{ reason: 'not-gz', count: 999, examples: ['obs/a\nb'] }],
    newest: [],
    lastScan: scan,
  }
  const fields = summaryFields({ scan, now: true }, summary, 7)
  t.match(fields, {
    files: 5000,
    directories: 12,
    added: 4000,
    modified: 2,
    removed: 1,
    misplaced: 3,
    records: 4000,
    rejected: { 'not-gz': 999 },
    seconds: 2.5,
    files_per_second: 2000,
    settling: 7,
  })
  const remembered = summaryFields({ scan, now: false }, summary, 0)
  t.notOk('files_per_second' in remembered, 'it leaves out a scan of an earlier process')
})

t.test('the summary of a scan that took no time has a speed', async (t) => {
  const scan = { ...emptyScan, endedUs: emptyScan.startedUs }
  const empty = { files: 0, bytes: 0, directories: 0 }
  const summary = {
    head: { epoch: 'e', seq: 1, detailsSeq: 0, asOf: undefined },
    areas: { obs: empty, nrt: empty },
    misplaced: 0,
    unclearPaths: [],
    incomplete: { reason: 'incomplete', count: 0, examples: [] },
    disguised: { reason: 'disguised', count: 0, examples: [] },
    checksums: { files: 0, facts: 0, broken: { reason: 'broken', count: 0, examples: [] } },
    excludedDirectories: 0,
    rejected: [],
    newest: [],
    lastScan: undefined,
  }
  t.match(summaryFields({ scan, now: true }, summary, 0), { files_per_second: 0 })
})
