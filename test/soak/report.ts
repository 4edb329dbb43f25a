/** The report of a simulated day, as Markdown. */
import { readFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { format } from 'prettier'
import type { LogLine } from '../acceptance/service.ts'
import type { Results, Verdict } from './verdicts.ts'
import { causeOf, errorsOf, mean, quietSamples } from './verdicts.ts'

type Row = readonly (string | number)[]

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function writeReport(results: Results, verdicts: readonly Verdict[]): Promise<string> {
  const failed = verdicts.filter(({ holds }) => !holds).length
  const sections = [
    introduction(results, failed),
    '## Results',
    table(
      ['result', 'what', 'seen'],
      verdicts.map(({ what, holds, seen }) => [holds ? 'passed' : '**failed**', what, seen]),
    ),
    '## Events',
    table(
      ['hour', 'event', 'took (s)', 'all files listed after (ms)'],
      results.happened.map(({ event, begunMs, endedMs, tookMs }) => [
        event.hour,
        event.what,
        ((endedMs - begunMs) / 1000).toFixed(0),
        Math.round(tookMs),
      ]),
    ),
    loadSection(results),
    alertSection(results),
    processSection(results),
    logSection(results.log),
  ]
  return format(`${sections.join('\n\n')}\n`, { parser: 'markdown', printWidth: 100 })
}

function introduction({ hours, speed, begunMs, endedMs, files }: Results, failed: number): string {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const minutes = ((endedMs - begunMs) / 60_000).toFixed(0)
  const [cpu] = cpus()
  return `# A simulated day

Report of \`npm run soak -- --hours ${hours} --speed ${speed} --report docs/soak.md\`. The program runs a day of an
archive at ${speed} times the speed: hourly bursts, late files, replaced files, a purge, and the events of the table.
Mirrors follow the change feed and readers load pages and files during all of it. Intervals of the service and times of the alert rules are
divided by the speed; an alert needs at least ten real seconds, because processes do not start faster.

- Date: ${new Date(begunMs).toISOString().slice(0, 10)}, ${minutes} minutes, version ${version}
- Machine: ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), Linux ${release()}, Node ${process.versions.node}
- Files at the end: ${files}
- **${failed === 0 ? 'Passed.' : `Failed: ${failed} of the results below.`}**`
}

function loadSection({ load, readers, mirrors }: Results): string {
  const answers = new Map<number | 'away', number>()
  for (const reader of readers)
    for (const [status, count] of reader.answers)
      answers.set(status, (answers.get(status) ?? 0) + count)
  const downloads = readers.reduce((sum, { files }) => sum + files, 0)
  const statuses = [...answers].map(([status, count]) => [
    status === 'away' ? 'no connection (the API did not run)' : status,
    count,
  ])
  return `## Load

${table(
  ['files', 'count'],
  [
    ['arrived at the full hour, and daily files', load.arrived],
    ['arrived an hour late', load.late],
    ['replaced', load.replaced],
    ['purged', load.removed],
  ],
)}

Two mirrors and ${readers.length} readers; ${downloads} downloads; mirrors repeated requests
${mirrors.map(({ counts }) => counts.away).join(' and ')} times.

${table(['answer to a reader', 'count'], statuses)}`
}

function alertSection(results: Results): string {
  const { firings, begunMs, speed } = results
  if (firings === undefined)
    return '## Alerts\n\nNot judged: this needs Prometheus and at most 60 × speed.'
  const hour = (ms: number) => (((ms - begunMs) * speed) / 3_600_000).toFixed(1)
  const rows = firings.map((firing) => [
    firing.alert,
    hour(firing.fromMs),
    hour(firing.toMs),
    causeOf(results, firing)?.event.what ?? '**unexpected**',
  ])
  return `## Alerts

A Prometheus scraped the API each second.

${table(['alert', 'from hour', 'to hour', 'cause'], rows)}`
}

function processSection(results: Results): string {
  const rows = (['indexer', 'api'] as const).map((name) => {
    const { all, first, last } = quietSamples(results, name)
    if (all.length === 0) return [name, '-', '-', '-', '-']
    const peak = Math.max(...results.footprints[name].map(({ megabytes }) => megabytes))
    return [
      name,
      mean(first, 'megabytes').toFixed(0),
      mean(last, 'megabytes').toFixed(0),
      peak.toFixed(0),
      `${mean(first, 'handles').toFixed(0)}, then ${mean(last, 'handles').toFixed(0)}`,
    ]
  })
  return `## Memory and open files

After the last event that restarted or stopped a process:

${table(['process', 'MB at the beginning', 'MB at the end', 'maximum MB of the day', 'open files'], rows)}`
}

function logSection(log: readonly LogLine[]): string {
  const counts = new Map<string, number>()
  const count = (line: string) => counts.set(line, (counts.get(line) ?? 0) + 1)
  for (const { level, msg } of log.filter(({ level }) => level === 'warn'))
    count(`${level}: ${msg}`)
  for (const { level, msg, problem } of errorsOf(log))
    count(
      `${level}: ${msg}${typeof problem === 'string' ? `: ${problem.replace(/ \d[\d,]*/g, ' …')}` : ''}`,
    )
  const lines = Array.from(counts, ([line, times]) => `- ${times} × ${line}`)
  return `## Warnings and errors in the log

${log.length} lines in all.

${lines.join('\n')}`
}
