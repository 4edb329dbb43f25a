import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ScanSummary } from '../catalogue/records.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import { areas } from '../parse/archive-path.ts'
import { failureFields } from '../runtime/logger.ts'
import type { Figures } from './figures.ts'
import type { Health } from './health.ts'
import type { ReconcileLoop, ScanResult } from './reconcile-loop.ts'

/** Time between two attempts to scan an archive that is not there yet. */
const retryMs = 5000

/** A scan could not read or write everything; the message names the remedy. */
export class IncompleteScan extends Error {
  readonly code = 'INCOMPLETE_SCAN'
}

export interface ScansDeps {
  readonly writer: CatalogueWriter
  readonly logger: Logger
  readonly health: Health
  readonly figures: Pick<Figures, 'fullyRead'>
  readonly reconcileLoop: ReconcileLoop
  /** Absolute path of the archive root. */
  readonly archive: string
}

/** Runs scans one at a time and stores the summary of each complete scan of the whole archive. */
export interface Scans {
  /** @param full whether sizes and times are read in all directories, rather than where files are expected */
  readonly scan: (roots: readonly string[], full: boolean) => Promise<ScanResult>
  /**
   * Scans the whole archive. If it cannot be read, or not all can be written, tries again when `patient`.
   * @throws IncompleteScan when not `patient`
   */
  scanAll(patient: boolean): Promise<ScanSummary>
}

export function openScans(deps: ScansDeps): Scans {
  const { writer, logger, health, figures, reconcileLoop, archive } = deps
  let previous: Promise<unknown> = Promise.resolve()
  const scanNow = async (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    health.enter('scanning')
    const result = await reconcileLoop.scan(roots, full ? 'facts' : 'auto')
    if (isComplete(result) && areas.every((area) => roots.includes(area))) {
      health.scanned(result.summary)
      if (full) figures.fullyRead()
      await writer.scanned(result.summary).catch((error: unknown) => {
        // The records are written, or will be; only the next start scans again.
        logger.error(failureFields(error), 'the summary of the scan cannot be stored')
      })
    }
    health.enter('watching')
    return result
  }
  const scan = (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    const next = previous.then(() => scanNow(roots, full))
    previous = next.catch(() => undefined)
    return next
  }
  return {
    scan,
    async scanAll(patient) {
      for (;;) {
        const result = await scan(areas, false)
        const problem = result.archiveRead
          ? 'some changes could not be written'
          : `${archive} contains no readable obs/ or nrt/: mount the archive, or set archive to its path`
        health.report('archive', isComplete(result) ? undefined : problem)
        if (isComplete(result)) return result.summary
        if (!patient) throw new IncompleteScan(problem)
        await delay(retryMs, undefined, { ref: false })
      }
    },
  }
}

function isComplete({ archiveRead, written }: ScanResult): boolean {
  return archiveRead && written
}
