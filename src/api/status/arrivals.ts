/** How many records were created lately, for the page of the status. */
import { NotBuilt, QueryTimeout, TooManyQueries } from '../../catalogue/reader.ts'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { ScanSummary } from '../../catalogue/records.ts'

const minutes = 10

/** A scan that has just added more files is not counted: the count would read an entry of the index for each of them. */
const maxScanned = 10_000

interface Arrivals {
  readonly reader: Pick<CatalogueReader, 'page'>
  readonly nowUs: number
  readonly isScanning: boolean
  readonly lastScan: ScanSummary | undefined
}

/**
 * New records a minute, mean of the last ten minutes. `undefined` while a scan runs or its index is built, after a large scan,
 * and when the query would have to wait.
 */
export async function arrivalsPerMinute({
  reader,
  nowUs,
  isScanning,
  lastScan,
}: Arrivals): Promise<number | undefined> {
  const fromUs = nowUs - minutes * 60e6
  const isAfterScan =
    lastScan !== undefined && lastScan.endedUs > fromUs && lastScan.added > maxScanned
  if (isScanning || isAfterScan) return undefined
  try {
    const { count } = await reader.page({ filter: { created: { fromUs } }, limit: 1, offset: 0 })
    return count / minutes
  } catch (error) {
    if (
      error instanceof NotBuilt ||
      error instanceof QueryTimeout ||
      error instanceof TooManyQueries
    )
      return undefined
    throw error
  }
}
