/** The metrics for Prometheus. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { TooManyQueries } from '../../../src/catalogue/errors.ts'
import type { AppliedChange } from '../../../src/catalogue/updates/change.ts'
import type { StatusReply } from '../../../src/control-socket/client.ts'
import { IndexerMetrics } from '../../../src/indexer/state/metrics.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { aboutSqlite } from '../../catalogue/engines.ts'
import { lacksPromtool } from '../../promtool.ts'
import t from '../../tap.ts'
import type { Service } from '../service.ts'
import { day, dayFile, hour, hourFile, openService, shortFile, startUs } from '../service.ts'
import { readToEnd } from '../wire.ts'
import { metricsOfIndexer, watchingIndexer } from './indexer-status.ts'

const api = '/rinex/api/'

// The timeouts of the metrics do not keep the process running.
const timer = setInterval(() => undefined, 1000)
t.teardown(() => clearInterval(timer))

async function metricsOf({ app }: Pick<Service, 'app'>): Promise<string> {
  const { statusCode, body } = await app.inject('/metrics')
  if (statusCode !== 200) throw new Error(body)
  return body
}

/** Lines of the metrics that begin with this. */
async function linesOf(service: Pick<Service, 'app'>, prefix: string): Promise<string[]> {
  const body = await metricsOf(service)
  return body.split('\n').filter((line) => line.startsWith(prefix))
}

t.test('the endpoint has metrics of requests by route, and of the catalogue', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [dayFile])
  await service.app.inject(`${api}rinex-file/1/`)
  await service.app.inject(`${api}rinex-file/2/`)
  await service.app.inject('/nothing/1')
  const answer = await service.app.inject('/metrics')
  t.match(answer.headers['content-type'], /^text\/plain; version=0\.0\.4/)
  const count = (route: string, status: number) =>
    `rinex_http_requests_total{method="GET",route="${route}",status="${status}"} 1\n`
  const route = `${api}rinex-file/:id/`
  for (const line of [
    count(route, 200),
    count(route, 404),
    count('none', 404),
    `rinex_http_request_duration_seconds_count{route="${route}"} 2\n`,
    `rinex_http_request_duration_seconds_bucket{le="300",route="${route}"} 2\n`,
    `rinex_http_request_duration_seconds_bucket{le="+Inf",route="${route}"} 2\n`,
    '# TYPE rinex_http_request_duration_seconds histogram\n',
    '# TYPE rinex_http_requests_total counter\n',
    'rinex_catalogue_seq 1\n',
    'rinex_catalogue_files{area="obs"} 1\n',
    'rinex_catalogue_available 1\n',
    'rinex_catalogue_checksums 0\n',
    'rinex_catalogue_broken_files 0\n',
    'process_cpu_seconds_total',
  ]) {
    t.ok(answer.body.includes(line), line)
  }
  service.reader.close()
  const without = await service.app.inject('/metrics')
  t.equal(without.statusCode, 200)
  t.match(without.body, 'rinex_catalogue_available 0\n')
})

const deps = () => ({
  indexerStatus: async () => watchingIndexer,
  indexerMetrics: metricsOfIndexer,
})

t.test('counters, and only counters, have the ending that Prometheus gives them', async (t) => {
  const { app } = await openService(t, { deps })
  const { body } = await app.inject('/metrics')
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  t.ok(types.length > 60)
  for (const [, name = '', type] of types)
    t.equal(name.endsWith('_total'), type === 'counter', `${name} ${type}`)
})

t.test('promtool accepts the metrics', { skip: lacksPromtool }, async (t) => {
  const { app } = await openService(t, { deps })
  const { body: input } = await app.inject('/metrics')
  const options = { input, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], options)
  t.equal(status, 0, stderr)
})

t.test('the metrics of the indexer are present only while the indexer answers', async (t) => {
  let nowUs = 3_000_000
  const metrics = new IndexerMetrics(() => nowUs, defaultLayout)
  t.teardown(() => metrics.close())
  metrics.fullyRead()
  nowUs = 4_000_000
  metrics.backedUp('kept')
  const aged = (seconds: number) => ({
    ...newFile('graz0010.20d.gz'),
    arrivalUs: nowUs - seconds * 1e6,
  })
  const added = [0.5, 60, 50, 1e6, 1e6, 1e6].map(aged)
  metrics.applied({ added: 9, modified: 10, removed: 11 } as AppliedChange, [
    change(hour, { added }),
  ])
  let status = watchingIndexer
  let reply: StatusReply = status
  const service = await openService(t, {
    deps: () => ({ indexerStatus: async () => reply, indexerMetrics: () => metrics.text(status) }),
  })
  await service.addNames(day, [dayFile])
  const lines = await linesOf(service, 'rinex_indexer')
  const measured = /^(rinex_indexer_(?:event_loop_delay_\w+|cpu_\w+|resident_\w+)) [\d.e-]+$/
  const latency = 'rinex_indexer_listing_latency_seconds'
  const bounds = '1 2 5 10 30 60 120 300 600 1800 3600 21600 86400 +Inf'.split(' ')
  const buckets = (area: string, counts: readonly number[]) =>
    bounds.map((le, index) => `${latency}_bucket{le="${le}",area="${area}"} ${counts[index]}`)
  t.same(
    lines.map((line) => line.replace(measured, '$1')).sort(),
    [
      'rinex_indexer_backup_check_timestamp_seconds 4',
      'rinex_indexer_backup_success 1',
      'rinex_indexer_changes_total{change="created"} 9',
      'rinex_indexer_changes_total{change="modified"} 10',
      'rinex_indexer_changes_total{change="removed"} 11',
      'rinex_indexer_checksums_waiting 6',
      'rinex_indexer_cpu_seconds_total',
      'rinex_indexer_degraded 0',
      'rinex_indexer_dirty_directories 1',
      'rinex_indexer_event_loop_delay_max_seconds',
      'rinex_indexer_event_loop_delay_p50_seconds',
      'rinex_indexer_event_loop_delay_p99_seconds',
      'rinex_indexer_event_overflows 0',
      'rinex_indexer_held_removals 5',
      'rinex_indexer_last_full_read_timestamp_seconds 3',
      'rinex_indexer_last_sweep_timestamp_seconds 2',
      ...buckets('nrt', [1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 6]),
      ...buckets(
        'obs',
        Array.from(bounds, () => 0),
      ),
      `${latency}_count{area="nrt"} 6`,
      `${latency}_count{area="obs"} 0`,
      `${latency}_sum{area="nrt"} 3000110.5`,
      `${latency}_sum{area="obs"} 0`,
      'rinex_indexer_problems 0',
      'rinex_indexer_resident_memory_bytes',
      'rinex_indexer_settling_files 4',
      'rinex_indexer_start_time_seconds 1',
      'rinex_indexer_state{state="degraded"} 0',
      'rinex_indexer_state{state="scanning"} 0',
      'rinex_indexer_state{state="starting"} 0',
      'rinex_indexer_state{state="watching"} 1',
      'rinex_indexer_up 1',
      'rinex_indexer_watch_limit 99',
      'rinex_indexer_watches 3',
    ].sort(),
  )
  t.same(await linesOf(service, 'rinex_build_info'), [
    `rinex_build_info{process="api",version="1.2.3",node="${process.versions.node}"} 1`,
    'rinex_build_info{process="indexer",version="1.2.4"} 1',
  ])
  const watching = { ...watchingIndexer.watching, limit: null }
  reply = status = {
    ...watchingIndexer,
    state: 'degraded',
    problems: [{ text: 'no disk', advice: 'Mount it.' }],
    watching,
  }
  const degraded = await linesOf(service, 'rinex_indexer')
  t.ok(degraded.includes('rinex_indexer_degraded 1'))
  t.ok(degraded.includes('rinex_indexer_problems 1'))
  t.notOk(degraded.some((line) => line.startsWith('rinex_indexer_watch_limit')))
  reply = undefined
  t.same(await linesOf(service, 'rinex_indexer'), ['rinex_indexer_up 0'], 'stopped')
  reply = { state: 'unknown', reason: 'no answer' }
  t.same(await linesOf(service, 'rinex_indexer'), ['rinex_indexer_up 0'], 'unknown')
  t.equal((await linesOf(service, 'rinex_build_info')).length, 1)
})

t.test('if an older indexer sends no metrics, those of the API are present', async (t) => {
  const service = await openService(t, {
    deps: () => ({ indexerStatus: async () => watchingIndexer }),
  })
  const lines = await linesOf(service, 'rinex_indexer')
  t.same(lines.sort(), ['rinex_indexer_checksums_waiting 6', 'rinex_indexer_up 1'])
})

t.test('a metric has the time of the newest file of each area and file type', async (t) => {
  const service = await openService(t)
  const newest = async () =>
    Object.fromEntries(
      (await linesOf(service, 'rinex_catalogue_newest_file')).map((line) => line.split('} ')),
    ) as Record<string, string>
  const name = (area: string, type: string) =>
    `rinex_catalogue_newest_file_timestamp_seconds{area="${area}",file_type="${type}"`
  t.same(await newest(), {})
  await service.addNames(day, [dayFile, shortFile])
  const first = await newest()
  t.same(Object.keys(first), [name('obs', 'm'), name('obs', 'o')])
  const age = Number(first[name('obs', 'o')]) - startUs / 1e6
  t.ok(age >= 0 && age < 60, `${age}`)
  // More than one bucket of ids.
  const stations = Array.from({ length: 200 }, (_, index) => `S${index}`.padEnd(4, 'X'))
  await service.addNames(
    hour,
    stations.map((station) => hourFile.replace('GRAZ', station)),
  )
  const second = await newest()
  t.same(Object.keys(second), [name('nrt', 'o'), name('obs', 'm'), name('obs', 'o')])
  t.equal(second[name('obs', 'o')], first[name('obs', 'o')])
  t.ok(Number(second[name('nrt', 'o')]) > Number(first[name('obs', 'o')]))
})

t.test('metrics count names that are not catalogued, and listed files with problems', async (t) => {
  const service = await openService(t)
  const rejection = (reason: string) => ({ reason, count: 2, names: ['a', 'b'] })
  const incomplete = { ...newFile(dayFile, { size: 1, mtimeUs: 1 }), incomplete: true }
  const added = [incomplete, newFile('graz0020.26d.gz')]
  await service.writer.apply([
    change(day, { added, rejections: [rejection('not-gz')] }),
    change(hour, { rejections: [rejection('not-gz'), rejection('bad-day')] }),
  ])
  t.same(await linesOf(service, 'rinex_catalogue_rejected_names'), [
    'rinex_catalogue_rejected_names{reason="not-gz"} 4',
    'rinex_catalogue_rejected_names{reason="bad-day"} 2',
  ])
  await service.writer.apply([change(hour, {})])
  t.same(await linesOf(service, 'rinex_catalogue_rejected_names'), [
    'rinex_catalogue_rejected_names{reason="not-gz"} 2',
  ])
  const body = await metricsOf(service)
  t.match(body, 'rinex_catalogue_incomplete_files 1\n')
  t.match(body, 'rinex_catalogue_misplaced_files 1\n')
  t.match(body, 'rinex_catalogue_directories{area="nrt"} 1\n')
  t.notMatch(body, /^rinex_catalogue_last_scan/m)
  const counts = { directories: 1, files: 1, added: 1, modified: 0, removed: 0 }
  await service.writer.scanned({ startedUs: 1, endedUs: 5_500_000, ...counts })
  t.match(await metricsOf(service), 'rinex_catalogue_last_scan_timestamp_seconds 5.5\n')
})

t.test(
  'metrics have the sizes of the database, its backup and the disks',
  { skip: aboutSqlite },
  async (t) => {
    const service = await openService(t)
    await service.addNames(day, [dayFile])
    const database = join(dirname(service.archive), 'catalogue.db')
    t.ok(existsSync(database))
    const before = await metricsOf(service)
    t.match(before, `rinex_database_bytes ${statSync(database).size}\n`)
    t.match(before, `rinex_database_wal_bytes ${statSync(`${database}-wal`).size}\n`)
    t.notMatch(before, /^rinex_backup_timestamp_seconds/m)
    for (const disk of ['archive', 'database'])
      for (const figure of ['free', 'size'])
        t.match(before, new RegExp(`^rinex_disk_${figure}_bytes\\{disk="${disk}"\\} \\d{6,}$`, 'm'))
    writeFileSync(`${database}-backup-1`, '')
    utimesSync(`${database}-backup-1`, 7, 7)
    t.match(await metricsOf(service), 'rinex_backup_timestamp_seconds 7\n')
  },
)

t.test('metrics have the bytes of the files', async (t) => {
  const service = await openService(t)
  const added = [newFile(dayFile, { size: 5e9, mtimeUs: 1 })]
  await service.writer.apply([change(day, { added })])
  await service.addNames(hour, ['graz0010.26d.gz'])
  const body = await metricsOf(service)
  t.match(body, 'rinex_catalogue_bytes{area="obs",period="01D"} 5000000000\n')
  t.match(body, 'rinex_catalogue_bytes{area="nrt",period="01D"} 10\n')
})

t.test('metrics do not wait for busy query workers', async (t) => {
  // A scrape that waited would never end.
  let summary: () => Promise<never> = () => new Promise(() => undefined)
  const service = await openService(t, {
    reader: () => ({ summary: () => summary(), volumes: () => summary() }),
  })
  t.match(await metricsOf(service), 'rinex_catalogue_available 1\n')
  summary = () => Promise.reject(new TooManyQueries('too many'))
  t.match(await metricsOf(service), 'rinex_catalogue_available 1\n')
})

t.test('bytes of responses are counted by route', async (t) => {
  const service = await openService(t)
  await service.add(`${day}/${dayFile}`, Buffer.alloc(100_000))
  const port = await service.listen()
  const get = (path: string, connection: string) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`
  const socket = connect(port, '127.0.0.1')
  socket.write(get('/healthz', 'keep-alive'))
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.write(get(`/rinex/data/${day}/${dayFile}`, 'close'))
  const rest = await readToEnd(socket)
  const route = 'rinex_http_response_bytes_total{route='
  t.same(await linesOf(service, 'rinex_http_response_bytes_total'), [
    `${route}"/healthz"} ${first.length}`,
    `${route}"/rinex/data/*"} ${rest.length}`,
  ])
})

t.test('series are counted by state, and left out without a catalogue', async (t) => {
  const service = await openService(t)
  await service.addNames(hour, [hourFile])
  await service.addNames(day, [dayFile])
  // The first scrape does not wait for the states; the answer of the network does.
  t.strictSame(await linesOf(service, 'rinex_series{'), [])
  const network = await service.app.inject('/rinex/api/network/')
  const lines = await linesOf(service, 'rinex_series{')
  t.match(lines.join('\n'), /^rinex_series{state="\w+",period="01D",file_type="o"} 1$/m)
  t.match(lines.join('\n'), /^rinex_series{state="\w+",period="01H",file_type="o"} 1$/m)
  // Stations are those of the network.
  const { states, ended } = network.json<{ states: Record<string, number>; ended: number }>()
  t.strictSame(
    (await linesOf(service, 'rinex_stations{')).toSorted(),
    Object.entries({ ...states, ended })
      .map(([state, count]) => `rinex_stations{state="${state}"} ${count}`)
      .toSorted(),
  )
  const without = await openService(t)
  without.reader.close()
  for (const name of ['rinex_series{', 'rinex_stations{'])
    t.strictSame(await linesOf(without, name), [])
})
