import type { Test } from 'tap'
import type { AppliedChange } from '../../../src/catalogue/updates/change.ts'
import type { CatalogueWriter } from '../../../src/catalogue/updates/writer.ts'
import { maintain } from '../../../src/indexer/maintenance.ts'
import { Schedule } from '../../../src/indexer/schedule.ts'
import { KnownDirectories } from '../../../src/indexer/state/known-directories.ts'
import { Looks } from '../../../src/indexer/state/looks.ts'
import { IndexerMetrics } from '../../../src/indexer/state/metrics.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { watchingIndexer } from '../../api/status/indexer-status.ts'
import { change, newFile } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { openParts } from '../parts.ts'

const day = 'obs/2020/001'
const hour = 'nrt/2020/001/05'
const nowUs = 1_577_836_800_000_000

/** The metrics at the time `nowUs`, and their values by name and labels. */
async function openMetricsOn(t: Test) {
  const metrics = new IndexerMetrics(() => nowUs, defaultLayout)
  t.teardown(() => metrics.close())
  return { metrics, values: () => valuesOf(metrics) }
}

async function valuesOf(metrics: IndexerMetrics): Promise<Record<string, number>> {
  const text = await metrics.text(watchingIndexer)
  const lines = text.matchAll(/^rinex_indexer_(\S+) (\S+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name = '', value]) => [name, Number(value)]))
}

/** A new file that arrived this many seconds ago. */
const aged = (seconds: number) => ({
  ...newFile('graz0010.20d.gz'),
  arrivalUs: nowUs - seconds * 1e6,
})

t.test('changes are counted, and the latency of files that were seen arriving', async (t) => {
  const { metrics, values } = await openMetricsOn(t)
  const applied = { added: 4, modified: 2, removed: 1 } as AppliedChange
  metrics.applied(applied, [
    change(hour, { added: [aged(0.5), aged(-5), aged(90), aged(1e6)] }),
    change(day, { added: [newFile('graz0010.20n.gz')] }),
  ])
  metrics.applied({ added: 1, modified: 0, removed: 0 } as AppliedChange, [])
  const found = await values()
  t.equal(found['changes_total{change="created"}'], 5)
  t.equal(found['changes_total{change="modified"}'], 2)
  t.equal(found['changes_total{change="removed"}'], 1)
  const bucket = (le: string) => found[`listing_latency_seconds_bucket{le="${le}",area="nrt"}`]
  t.equal(
    found['listing_latency_seconds_sum{area="nrt"}'],
    0.5 + 90 + 1e6,
    'the future counts as 0',
  )
  t.same(['1', '60', '120', '86400', '+Inf'].map(bucket), [2, 2, 3, 3, 4])
  t.equal(found['listing_latency_seconds_count{area="obs"}'], 0, 'found by a scan')
})

t.test('there are metrics of the process', async (t) => {
  const startMs = performance.now()
  const { values } = await openMetricsOn(t)
  const found = await values()
  t.ok((found['resident_memory_bytes'] ?? 0) > 1e6)
  t.ok((found['cpu_seconds_total'] ?? 0) > 0)
  t.notOk('last_full_read_timestamp_seconds' in found || 'backup_success' in found)
  const delay = async (which: string) =>
    (await values())[`event_loop_delay_${which}_seconds`] ?? NaN
  await until('a delay of 300 ms is measured', async () => {
    for (const endMs = performance.now() + 300; performance.now() < endMs;);
    return (await delay('max')) > 0.2
  })
  await until('most are shorter', async () => (await delay('p50')) < (await delay('max')))
  const [max, p50] = [await delay('max'), await delay('p50')]
  const seconds = (performance.now() - startMs) / 1000
  t.ok(max < seconds && p50 >= 0, `${max} of ${seconds} seconds`)
})

t.test('a metric has the time at which all directories had been read once', async (t) => {
  const parts = await openParts(t)
  const known = new KnownDirectories([day, hour])
  const context = { ...parts, fullReadMs: 1000, known, looks: new Looks(known) }
  const schedule = new Schedule(context, { caughtUp: () => Promise.resolve() })
  t.teardown(() => schedule.close())
  schedule.start()
  const seconds = async () => (await valuesOf(parts.metrics))['last_full_read_timestamp_seconds']
  await until('it is noted', async () => (await seconds()) !== undefined)
  t.ok(Math.abs(((await seconds()) ?? 0) - parts.nowUs() / 1e6) < 60)
})

t.test('a backup that failed or was skipped does not count as a success', async (t) => {
  const parts = await openParts(t)
  const fields = { path: 'x', bytes: 1 }
  for (const [expected, backup] of [
    [1, () => Promise.resolve({ outcome: 'kept', ...fields } as const)],
    [0, () => Promise.reject(new Error('no'))],
    [1, () => Promise.resolve({ outcome: 'unneeded', ...fields } as const)],
    [0, () => Promise.resolve({ outcome: 'no-space', ...fields } as const)],
  ] as const) {
    const ending = new AbortController()
    const context = {
      ...parts,
      writer: { ...parts.writer, backup: backup as CatalogueWriter['backup'] },
      keepRemovalsMs: 1e9,
      backupIntervalMs: 1e9,
      onFailure: (error: unknown) => t.fail(String(error)),
    }
    maintain(context, ending.signal)
    const values = () => valuesOf(parts.metrics)
    await until('it is noted', async () => (await values())['backup_success'] === expected)
    const seconds = (await values())['backup_check_timestamp_seconds'] ?? 0
    t.ok(Math.abs(seconds - parts.nowUs() / 1e6) < 60)
    ending.abort()
  }
})
