/**
 * A Prometheus that scrapes the API each second, with the alert rules of config/ at the speed of
 * the simulated day.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { lacks, stop } from '../acceptance/service.ts'

export const lacksPrometheus = lacks('Prometheus', 'prometheus --version && promtool --version')

/**
 * Minimum of all times: starts of processes and scrapes take real time, and would fire shorter
 * alerts.
 */
const shortestSeconds = 10
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** All times of the rules, divided by the speed. */
export function scaleRules(rules: string, speed: number): string {
  return rules
    .replaceAll(
      /(\[|for: |offset )(\d+)([smhd])\b/g,
      (_, before: string, n: string, unit: string) => {
        const seconds = (Number(n) * (unitSeconds[unit] ?? 1)) / speed
        return `${before}${Math.max(shortestSeconds, Math.round(seconds))}s`
      },
    )
    .replaceAll(/(time\(\) - [^>]*?) > ([\d* ]*\d)/g, `$1 > ($2) / ${speed}`)
}

/** A period in which an alert fired. */
export interface Firing {
  readonly alert: string
  readonly fromMs: number
  readonly toMs: number
}

export type Prometheus = ReturnType<typeof startPrometheus>

export function startPrometheus(t: Test, folder: string, speed: number) {
  mkdirSync(folder)
  const at = (name: string) => join(folder, name)
  const write = (name: string, content: unknown): void => {
    writeFileSync(
      at(`${name}.new`),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
    renameSync(at(`${name}.new`), at(name))
  }
  write('rules.yml', scaleRules(readFileSync('config/prometheus-rules.yml', 'utf8'), speed))
  // JSON is YAML.
  write('prometheus.yml', {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [
      { job_name: 'rinex-catalogue', file_sd_configs: [{ files: ['targets.json'] }] },
    ],
  })
  const checked = spawnSync('promtool', ['check', 'config', at('prometheus.yml')], {
    encoding: 'utf8',
  })
  if (checked.status !== 0) throw new Error(checked.stdout + checked.stderr)
  write('targets.json', [])
  const options = [
    `--config.file=${at('prometheus.yml')}`,
    `--storage.tsdb.path=${at('data')}`,
    '--web.listen-address=127.0.0.1:0',
    '--log.level=warn',
  ]
  const prometheus = spawn('prometheus', options, { stdio: ['ignore', 'ignore', 'inherit'] })
  t.teardown(() => stop(prometheus, 'SIGKILL'))
  return {
    /** Scrapes this address from now on; the series stay those of one instance. */
    scrape(url: URL): void {
      write('targets.json', [{ targets: [url.host], labels: { instance: 'soak' } }])
    },
    async end(): Promise<Firing[]> {
      await stop(prometheus, 'SIGTERM')
      const match = '--match={__name__="ALERTS",alertstate="firing"}'
      const dump = spawnSync('promtool', ['tsdb', 'dump', match, at('data')], {
        encoding: 'utf8',
        maxBuffer: 2 ** 30,
      })
      if (dump.status !== 0) throw new Error(dump.stderr)
      return firingsOf(dump.stdout)
    },
  }
}

/** Joins the samples of an alert, one each second, with gaps of at most `gapMs`. */
function firingsOf(dump: string, gapMs = 15_000): Firing[] {
  const samples = Array.from(
    dump.matchAll(/alertname="(\w+)".*\} \S+ (\d+)$/gm),
    ([, alert = '', time]) => ({ alert, time: Number(time) }),
  ).sort((a, b) => a.time - b.time)
  const last = new Map<string, { alert: string; fromMs: number; toMs: number }>()
  const firings: Firing[] = []
  for (const { alert, time } of samples) {
    const known = last.get(alert)
    if (known !== undefined && time - known.toMs <= gapMs) known.toMs = time
    else {
      const firing = { alert, fromMs: time, toMs: time }
      last.set(alert, firing)
      firings.push(firing)
    }
  }
  return firings
}
