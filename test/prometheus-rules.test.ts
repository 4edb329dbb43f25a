/** Each alert rule fires for its series and for no others. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { testFolder } from './folder.ts'
import { lacksPromtool } from './promtool.ts'
import t from './tap.ts'

const rulesFile = 'config/prometheus-rules.yml'
const rules = readFileSync(rulesFile, 'utf8')

/**
 * Values of series, in the notation of promtool: one each minute, `a+bxn` begins with a and adds b
 * n times.
 */
type Series = Readonly<Record<string, string>>

interface Case {
  /** The alert fires with these series. */
  readonly fires: Series
  /** It does not fire with these. */
  readonly silent: Series
  /** Minutes from the start, which is 1970-01-01T00:00:00Z. */
  readonly at: number
  /** How many alerts of this name fire; default 1. */
  readonly count?: number
}

/** A value that never changes. `x10000` at the end of values lasts until the end of a case. */
const always = (value: number): string => `${value}x10000`
const day = 24 * 60

const newest = (area: string) =>
  `rinex_catalogue_newest_file_timestamp_seconds{area="${area}",file_type="o"}`
const requests = (status: number) => `rinex_http_requests_total{route="/",status="${status}"}`
const scanning = 'rinex_indexer_state{state="scanning"}'

/** A case of one series, with the values of both kinds. */
const one = (name: string, fires: string, silent: string, at: number): Case => ({
  fires: { [name]: fires },
  silent: { [name]: silent },
  at,
})

const cases: Readonly<Record<string, Case>> = {
  RinexApiDown: one('up', always(0), always(1), 10),
  RinexCatalogueUnavailable: one('rinex_catalogue_available', always(0), always(1), 10),
  RinexIndexerDown: one('rinex_indexer_up', always(0), '1x8 0x3 1x20', 11),
  RinexIndexerRestarts: one(
    'rinex_indexer_start_time_seconds',
    '0+60x100',
    '0x20 1200x20 2400x100',
    60,
  ),
  RinexReleasesDiffer: {
    fires: {
      'rinex_build_info{process="api",version="2"}': always(1),
      'rinex_build_info{process="indexer",version="1"}': always(1),
    },
    silent: {
      'rinex_build_info{process="api",version="2"}': always(1),
      'rinex_build_info{process="indexer",version="2"}': always(1),
    },
    at: 70,
  },
  RinexMemoryHigh: {
    fires: {
      process_resident_memory_bytes: always(7e8),
      rinex_indexer_resident_memory_bytes: always(8e8),
    },
    silent: {
      process_resident_memory_bytes: always(1e8),
      rinex_indexer_resident_memory_bytes: '7e8x10 1e8x100',
    },
    at: 40,
    count: 2,
  },
  RinexEventLoopBlocked: one('nodejs_eventloop_lag_p99_seconds', always(1), always(0.02), 20),
  RinexIndexerDegraded: one('rinex_indexer_degraded', always(1), '1x5 0x20', 15),
  RinexRemovalsWithheld: one('rinex_indexer_held_removals', always(2000), always(0), 10),
  RinexSweepOld: {
    fires: { rinex_indexer_last_sweep_timestamp_seconds: always(0), [scanning]: always(0) },
    silent: { rinex_indexer_last_sweep_timestamp_seconds: always(0), [scanning]: always(1) },
    at: 25,
  },
  RinexFullReadOld: {
    fires: {
      rinex_indexer_start_time_seconds: always(0),
      rinex_indexer_last_full_read_timestamp_seconds: `_x${day} 0x10000`,
    },
    silent: {
      rinex_indexer_start_time_seconds: always(0),
      rinex_indexer_last_full_read_timestamp_seconds: '0+60x10000',
    },
    at: 3 * day + 70,
  },
  RinexQueueLong: {
    fires: { rinex_indexer_dirty_directories: always(9000), [scanning]: always(0) },
    silent: { rinex_indexer_dirty_directories: always(9000), [scanning]: always(1) },
    at: 40,
  },
  RinexWatchLimitNear: {
    fires: { rinex_indexer_watches: always(90), rinex_indexer_watch_limit: always(100) },
    silent: { rinex_indexer_watches: always(70), rinex_indexer_watch_limit: always(100) },
    at: 15,
  },
  RinexChecksumsBehind: one(
    'rinex_indexer_checksums_waiting',
    '2000+1x1000',
    '900000-10x1000',
    8 * 60,
  ),
  RinexNoHourlyArrivals: one(newest('nrt'), always(0), '0+60x10000', 130),
  RinexNoDailyArrivals: one(newest('obs'), always(0), `0x${day} 86400x10000`, 26 * 60 + 10),
  RinexStationsLost: {
    fires: {
      'rinex_alerts{kind="late",country="NOR"}': always(2),
      'rinex_alerts{kind="down",country="NOR"}': always(1),
      'rinex_alerts{kind="late",country="AUT"}': always(1),
    },
    silent: {
      'rinex_alerts{kind="late",country="NOR"}': '1x3 _x20',
      'rinex_alerts{kind="damaged",country="NOR"}': always(1),
    },
    at: 10,
    count: 2,
  },
  RinexRejectedNamesRising: {
    fires: {
      rinex_catalogue_available: always(1),
      'rinex_catalogue_rejected_names{reason="not-gz"}': `_x${day} 101x10000`,
    },
    silent: {
      rinex_catalogue_available: always(1),
      'rinex_catalogue_rejected_names{reason="not-gz"}': always(5000),
      'rinex_catalogue_rejected_names{reason="bad-day"}': `_x${day} 99x10000`,
    },
    at: day + 30,
  },
  RinexBrokenFilesRising: one(
    'rinex_catalogue_broken_files',
    `0x${day} 11x10000`,
    `90x${day} 95x10000`,
    day + 30,
  ),
  RinexFlaggedFilesRising: one(
    'rinex_catalogue_flagged_files{flag="cut",file_type="o"}',
    `3x${day} 24x10000`,
    `3x${day} 23x10000`,
    day + 60,
  ),
  RinexFilesNotServed: {
    fires: { 'rinex_files_not_served_total{reason="no-permission"}': '0+1x1000' },
    silent: { 'rinex_files_not_served_total{reason="not-there"}': '0x20 1x1000' },
    at: 60,
  },
  RinexDiskNearlyFull: {
    fires: {
      'rinex_disk_free_bytes{disk="database"}': always(4),
      'rinex_disk_size_bytes{disk="database"}': always(100),
      'rinex_disk_free_bytes{disk="archive"}': always(50),
      'rinex_disk_size_bytes{disk="archive"}': always(100),
    },
    silent: {
      'rinex_disk_free_bytes{disk="database"}': always(6),
      'rinex_disk_size_bytes{disk="database"}': always(100),
    },
    at: 15,
  },
  // A GB a day, of 50 GB or of 70.
  RinexDiskFullSoon: one(
    'rinex_disk_free_bytes{disk="archive"}',
    `50-${1 / day}x10000`,
    `70-${1 / day}x10000`,
    2 * day,
  ),
  RinexBackupFailed: one('rinex_indexer_backup_success', always(0), always(1), 15),
  RinexBackupOld: {
    fires: { rinex_backup_timestamp_seconds: always(0), rinex_catalogue_seq: '0+1x10000' },
    silent: { rinex_backup_timestamp_seconds: always(0), rinex_catalogue_seq: always(7) },
    at: 3 * day + 70,
  },
  RinexWalLarge: one('rinex_database_wal_bytes', always(3e8), always(6e7), 20),
  RinexApiErrors: {
    fires: { [requests(200)]: '0+100x100', [requests(500)]: '0+2x100' },
    silent: { [requests(200)]: '0+1000x100', [requests(500)]: '0+2x100' },
    at: 30,
  },
  RinexClientsTurnedAway: one(
    'rinex_clients_turned_away_total{reason="full"}',
    '0+10x100',
    '0+1x100',
    30,
  ),
}

function inputSeries(instance: string, series: Series, minutes: number) {
  return Object.entries(series).map(([name, values]) => {
    const labels = `job="rinex-catalogue",instance="${instance}"`
    const full = name.endsWith('}') ? `${name.slice(0, -1)},${labels}}` : `${name}{${labels}}`
    return { series: full, values: values.replace(/x10000$/, `x${minutes}`) }
  })
}

/**
 * A test of promtool: the alert fires for one instance and not for the other, and no other alert
 * fires.
 */
function promtoolTest(alert: string, { fires, silent, at, count = 1 }: Case) {
  const expected = { labels: `{alertname="${alert}",instance="bad"}`, value: count }
  return {
    name: alert,
    interval: '1m',
    input_series: [...inputSeries('bad', fires, at), ...inputSeries('good', silent, at)],
    promql_expr_test: [
      {
        expr: 'count by (alertname, instance) (ALERTS{alertstate="firing"})',
        eval_time: `${at}m`,
        exp_samples: [expected],
      },
    ],
  }
}

const alerts = Array.from(rules.matchAll(/^ +- alert: (\w+)$/gm), ([, name = '']) => name)

t.test('every alert rule has test cases, a sentence and a remedy', async (t) => {
  t.strictSame(Object.keys(cases), alerts)
  for (const rule of rules.split(/^ +- alert: /m).slice(1)) {
    const [name = ''] = rule.split('\n', 1)
    t.match(rule, /^ +expr: /m, name)
    t.match(rule, /^ +labels: \{ severity: (critical|warning) \}$/m, name)
    t.match(rule, /^ +summary: [A-Z].+\.$/m, name)
    t.match(rule, /^ +description: (>-\n +)?\S/m, name)
  }
})

t.test('promtool accepts the rules', { skip: lacksPromtool }, async (t) => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rulesFile], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stdout + stderr)
})

t.test('each alert fires for its metrics and for no others', { skip: lacksPromtool }, async (t) => {
  const file = join(testFolder(t), 'tests.json')
  const isLong = ([, { at }]: [string, Case]): boolean => at > 200
  for (const long of [false, true]) {
    const tests = Object.entries(cases)
      .filter((each) => isLong(each) === long)
      .map(([alert, each]) => promtoolTest(alert, each))
    // JSON is YAML. Days in steps of one minute would take half a minute.
    const evaluation_interval = long ? '5m' : '1m'
    const unit = { rule_files: [resolve(rulesFile)], evaluation_interval, tests }
    writeFileSync(file, JSON.stringify(unit))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
      encoding: 'utf8',
    })
    t.equal(status, 0, stdout + stderr)
  }
})
