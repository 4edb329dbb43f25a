/** Runs the scans of the archive, one at a time. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ScanSummary } from '../catalogue/records.ts'
import type { Layout } from '../parse/layout.ts'
import { areaWords, wholeArchive } from '../parse/layout.ts'
import { failureFields } from '../runtime/logger.ts'
import type { ScanResult } from './mark/scan-progress.ts'
import type { ReconcileLoop } from './reconcile-loop.ts'
import type { IndexerContext } from './state/context.ts'
import { databaseProblem } from './state/health.ts'

/**
 * Time between two attempts to scan the whole archive, if it could not be read or written
 * completely.
 */
const retryMs = 5000

/**
 * A scan could not read the archive or write all changes, or the indexer has a problem after the
 * only scan of `index --once`.
 */
export class IncompleteScan extends Error {
  readonly code = 'INCOMPLETE_SCAN'
}

/** Runs scans one at a time and stores the summary of each complete scan of the whole archive. */
export class Scans {
  readonly #context: IndexerContext
  readonly #reconcileLoop: Pick<ReconcileLoop, 'scan'>
  #previous: Promise<unknown> = Promise.resolve()

  constructor(context: IndexerContext, reconcileLoop: Pick<ReconcileLoop, 'scan'>) {
    this.#context = context
    this.#reconcileLoop = reconcileLoop
  }

  scan(roots: readonly string[]): Promise<ScanResult> {
    const next = this.#previous.then(() => this.#scanNow(roots))
    this.#previous = next.catch(() => undefined)
    return next
  }

  /**
   * Scans the whole archive. If the archive cannot be read, or some changes cannot be written,
   * tries again when `patient`.
   * @throws IncompleteScan when not `patient`
   */
  async scanAll(patient: boolean): Promise<ScanSummary> {
    const { archive, layout, health } = this.#context
    for (;;) {
      const result = await this.scan(layout.roots)
      if (isComplete(result)) return result.summary
      const problem = result.archiveRead
        ? databaseProblem('some changes could not be written')
        : {
            text: unreadableText(archive, layout),
            advice:
              'Check that the archive is mounted, and that every directory from `/` to the files is open to the group of the indexer.',
          }
      health.report('archive', problem)
      if (!patient) throw new IncompleteScan(problem.text)
      await delay(retryMs, undefined, { ref: false })
    }
  }

  async #scanNow(roots: readonly string[]): Promise<ScanResult> {
    const { writer, layout, logger, health, asOf, looks, metrics } = this.#context
    health.enter('scanning')
    const result = await this.#reconcileLoop.scan(roots)
    if (isComplete(result) && layout.roots.every((root) => roots.includes(root))) {
      health.scanned(result.summary)
      health.report('archive', undefined)
      metrics.fullyRead()
      await writer.scanned(result.summary).catch((error: unknown) => {
        // The records are written. If no earlier summary is stored either, the next start scans
        // again.
        logger.error(failureFields(error), 'the summary of the scan cannot be stored')
      })
      looks.scanned(result.started)
      await asOf.reach(result.started, 0)
    }
    health.enter('watching')
    return result
  }
}

function unreadableText(archive: string, layout: Layout): string {
  return layout.areas.includes(wholeArchive)
    ? `${archive} cannot be read, or holds no files: mount the archive, or set archive to another directory`
    : `${archive} contains no readable ${areaWords(layout)}: mount the archive, set archive to the directory that holds them, or set areas`
}

function isComplete({ archiveRead, written }: ScanResult): boolean {
  return archiveRead && written
}
