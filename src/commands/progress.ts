/**
 * Shows the progress of a scan or a copy as a bar on a terminal; without a terminal, logs the
 * progress of a scan. Also formats the state of the indexer and the outcome of a scan.
 */
import { Presets, SingleBar } from 'cli-progress'
import type { Logger } from 'pino'
import type { CatalogueSummary } from '../catalogue/questions/summary.ts'
import type { ScanSummary } from '../catalogue/records.ts'
import type { IndexerStatus, ScanProgress } from '../control-socket/protocol.ts'
import type { CaughtUp } from '../indexer/indexer.ts'
import { readableNumber } from '../runtime/readable.ts'

const barEveryMs = 200
const logEveryMs = 10_000

/** Reports the progress of a scan until `stop` is called; prints nothing while no scan runs. */
export function reportProgress(
  progress: () => ScanProgress | undefined,
  logger: Logger,
): { stop: () => void } {
  const { isTTY } = process.stdout
  const format = '{bar} {percentage}% | {files} files | {rate} files/s | {left}'
  const bar = new SingleBar({ format, clearOnComplete: true }, Presets.shades_classic)
  const timer = setInterval(
    () => {
      const scan = progress()
      if (scan === undefined) return
      if (isTTY) show(scan, bar)
      else logger.info(progressFields(scan), 'scanning')
    },
    isTTY ? barEveryMs : logEveryMs,
  )
  return {
    stop() {
      clearInterval(timer)
      bar.stop()
    },
  }
}

function show({ files, rate, done, secondsLeft }: ScanProgress, bar: SingleBar): void {
  const thousandths = Math.floor(done * 1000)
  const left = secondsLeft === undefined ? '' : `${duration(secondsLeft)} left`
  const fields = { files: readableNumber(files), rate: readableNumber(Math.round(rate)), left }
  if (bar.isActive) bar.update(thousandths, fields)
  else bar.start(1000, thousandths, fields)
}

function progressFields({ files, directoriesDone, done, rate, secondsLeft }: ScanProgress) {
  return {
    files,
    directories: directoriesDone,
    percent: Math.round(done * 100),
    files_per_second: Math.round(rate),
    seconds_left: secondsLeft === undefined ? undefined : Math.round(secondsLeft),
  }
}

/** Shows the progress of a copy: a bar on a terminal, nothing elsewhere. */
export function copyProgress() {
  if (!process.stdout.isTTY) return { update: (): void => undefined, stop: (): void => undefined }
  const format = '{bar} {percentage}% | {eta_formatted} left'
  const bar = new SingleBar({ format, clearOnComplete: true }, Presets.shades_classic)
  return {
    update: (copied: number, total: number): void => {
      if (bar.isActive) bar.update(copied)
      else bar.start(total, copied)
    },
    stop: (): void => {
      bar.stop()
    },
  }
}

/**
 * Formats the state of the indexer as one line.
 * @param files number of files in the list
 */
export function stateLine(
  { state, problems, scan, dirtyDirectories, settlingFiles }: IndexerStatus,
  files: number,
): string {
  const left = scan?.secondsLeft === undefined ? '' : `, ${duration(scan.secondsLeft)} left`
  const parts = [
    `${readableNumber(files)} files listed`,
    ...(scan === undefined ? [] : [`scan ${Math.floor(scan.done * 100)} %${left}`]),
    ...(dirtyDirectories === 0
      ? []
      : [`${readableNumber(dirtyDirectories)} directories to be read`]),
    ...(settlingFiles === 0 ? [] : [`${readableNumber(settlingFiles)} files not complete yet`]),
    ...problems.map(({ text }) => text),
  ]
  return `${state}: ${parts.join('; ')}`
}

/**
 * Returns the outcome of catching up as the fields of a log line.
 * @param settling number of files that are not complete yet, and therefore not in the catalogue, or
 * only with their earlier content
 */
export function summaryFields(caughtUp: CaughtUp, summary: CatalogueSummary, settling: number) {
  return {
    ...(caughtUp.now ? scanFields(caughtUp.scan) : undefined),
    records: Object.values(summary.areas).reduce((sum, { files }) => sum + files, 0),
    misplaced: summary.misplaced,
    settling,
    rejected: Object.fromEntries(summary.rejected.map(({ reason, count }) => [reason, count])),
  }
}

function scanFields({ startedUs, endedUs, ...counts }: ScanSummary) {
  const seconds = (endedUs - startedUs) / 1e6
  return {
    ...counts,
    seconds: Math.round(seconds * 1000) / 1000,
    files_per_second: Math.round(counts.files / Math.max(seconds, 1e-6)),
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
