/**
 * Readers of pages, lists and files, and a log of the memory and the open files of both processes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '../acceptance/service.ts'
import { fetchAlone } from '../acceptance/service.ts'

const paths = [
  '/rinex/api/rinex-file/?limit=20',
  '/rinex/api/rinex-file/?station=A000&limit=100',
  '/rinex/api/rinex-file/?file_type=o&ordering=-data_date&offset=5000',
  '/rinex/api/rinex-file/?filename__contains=mo&limit=1',
  '/rinex/api/rinex-file/?format=urls&limit=500',
  '/rinex/api/changes/?since=1&limit=100',
  '/rinex/api/station/?limit=50',
  '/rinex/api/network/',
  '/rinex/api/status/',
  '/rinex/data/obs/',
  '/metrics',
]
const accepts = ['application/json', 'text/html']

/**
 * Expected statuses; 503 while the catalogue is unavailable, 429 because all clients here share one
 * address.
 */
const expected = new Set([200, 404, 410, 429, 503])

export interface ReaderCounts {
  /** Number of answers by status; `away` if the API does not run. */
  readonly answers: ReadonlyMap<number | 'away', number>
  readonly unexpected: readonly string[]
  /** Complete downloads. */
  readonly files: number
}

/** Requests pages and files one after the other until the signal. */
export async function readPages(service: Service, signal: AbortSignal): Promise<ReaderCounts> {
  const answers = new Map<number | 'away', number>()
  const unexpected: string[] = []
  let files = 0
  const read = async (path: string, accept: string): Promise<string> => {
    try {
      const answer = await fetchAlone(new URL(path, service.url), { headers: { accept } })
      const body = await answer.text()
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
      if (!expected.has(answer.status))
        unexpected.push(`${answer.status} ${path}: ${body.slice(0, 200)}`)
      return answer.status === 200 ? body : ''
    } catch {
      answers.set('away', (answers.get('away') ?? 0) + 1)
      await pause(100)
      return ''
    }
  }
  for (let n = 0; !signal.aborted; n++) {
    const path = paths[n % paths.length] ?? '/'
    const body = await read(path, accepts[Math.floor(n / paths.length) % 2] ?? '*/*')
    if (path.includes('format=urls')) {
      const urls = body.split('\n')
      const url = urls[n % urls.length] ?? ''
      // The list may be older than the last restart, with another port.
      if (url !== '' && (await read(new URL(url).pathname, '*/*')) !== '') files++
    }
    await pause(20)
  }
  return { answers, unexpected, files }
}

export interface Footprint {
  readonly atMs: number
  readonly pid: number
  readonly megabytes: number
  readonly handles: number
}

export type ProcessName = 'indexer' | 'api'

/** Samples each process every two seconds until the signal. */
export async function watchFootprints(service: Service, signal: AbortSignal) {
  const samples: Record<ProcessName, Footprint[]> = { indexer: [], api: [] }
  while (!signal.aborted) {
    for (const name of ['indexer', 'api'] as const) {
      const sample = footprintOf(service[name].pid)
      if (sample !== undefined) samples[name].push(sample)
    }
    await pause(2000)
  }
  return samples
}

/** `undefined` if the process has ended. */
function footprintOf(pid = 0): Footprint | undefined {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    if (kilobytes === undefined) return undefined
    const handles = readdirSync(`/proc/${pid}/fd`).length
    return { atMs: Date.now(), pid, megabytes: Number(kilobytes) / 1024, handles }
  } catch {
    return undefined
  }
}
