/** Alert rules, dashboard and documents agree with the metrics of the endpoint. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { statusSchema } from '../../../src/api/status/schema.ts'
import { testFolder } from '../../folder.ts'
import { lacksPromtool } from '../../promtool.ts'
import t from '../../tap.ts'
import { openService } from '../service.ts'
import { metricsOfIndexer, watchingIndexer } from './indexer-status.ts'

const pages = ['docs/operate.md', 'docs/monitor.md']
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

/** The section below a heading, with its subsections. */
function sectionOf(heading: string): string {
  const [, level = '', text = ''] = new RegExp(`^(#+) ${heading}\\n(.*)`, 'ms').exec(pages) ?? []
  return text.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0] ?? ''
}

/** Words in the code spans with which the items of the lists of a section begin. */
function termsOf(heading: string): string[] {
  const items = sectionOf(heading).matchAll(/^- ((?:`[^`]+`(?:, )?)+)/gm)
  return Array.from(items).flatMap(([, terms = '']) =>
    Array.from(terms.matchAll(/`([^`]+)`/g), ([, word = '']) => word),
  )
}

/** The text of all source files. */
function sources(): string {
  const entries = readdirSync('src', { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n')
}

/** Names of the metrics of the endpoint. */
async function exposedMetrics(t: Test): Promise<Set<string>> {
  const { app } = await openService(t, {
    deps: () => ({ indexerStatus: async () => watchingIndexer, indexerMetrics: metricsOfIndexer }),
  })
  const { body } = await app.inject('/metrics')
  return new Set(Array.from(body.matchAll(/^# TYPE (\S+) /gm), ([, name = '']) => name))
}

/** Names of metrics in a text; series of a histogram have the name of the histogram. */
function metricsIn(text: string): string[] {
  const names = text.match(/\b(rinex|process|nodejs)_[a-z0-9_]+\b/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}

interface Panel {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets: readonly { readonly expr: string }[]
}

const dashboardText = readFileSync('config/grafana-dashboard.json', 'utf8')
const dashboard = JSON.parse(dashboardText) as { readonly panels: readonly Panel[] }
const rules = readFileSync('config/prometheus-rules.yml', 'utf8')

t.test('alert rules and dashboard use only metrics of the endpoint', async (t) => {
  const exposed = await exposedMetrics(t)
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  for (const [file, text] of [
    ['rules', rules],
    ['dashboard', `${expressions.join('\n')}${dashboardText}`],
  ] as const) {
    const used = metricsIn(text)
    t.ok(used.length > 20, file)
    t.strictSame(
      used.filter((name) => !exposed.has(name)),
      [],
      file,
    )
  }
})

t.test('each panel of the dashboard has a description and a place of its own', async (t) => {
  const cells: string[] = []
  for (const { title, description, gridPos } of dashboard.panels) {
    t.match(description, /^[A-Z].+\.$/, title)
    t.ok(gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) cells.push(`${x} ${y}`)
  }
  t.equal(new Set(cells).size, cells.length)
  const ids = dashboard.panels.map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length)
})

t.test('promtool accepts the queries of the dashboard', { skip: lacksPromtool }, async (t) => {
  const rules = dashboard.panels.flatMap(({ id, targets }) =>
    targets.map(({ expr }, index) => ({ record: `panel_${id}_${index}`, expr })),
  )
  const file = join(testFolder(t), 'rules.json')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stdout + stderr)
})

t.test('docs/operate.md explains each alert, docs/monitor.md each metric', async (t) => {
  const alerts = Array.from(rules.matchAll(/- alert: (\w+)$/gm), ([, name = '']) => name)
  const explained = sectionOf('Alerts').matchAll(/^### `(\w+)`$/gm)
  t.strictSame(
    Array.from(explained, ([, name]) => name),
    alerts,
  )
  const exposed = [...(await exposedMetrics(t))].filter((name) => name.startsWith('rinex_'))
  t.strictSame(termsOf('Metrics').toSorted(), exposed.toSorted())
})

t.test('both use only states, fields and messages that the program has', async (t) => {
  const text = sources()
  t.strictSame(termsOf('`state`'), ['starting', 'scanning', 'watching', 'degraded', 'stopped'])
  const fields = Object.keys(statusSchema['properties'] as object)
  const described = termsOf('Other fields').filter((word) => word.includes('_'))
  t.ok(described.length > 4)
  for (const field of described) t.ok(fields.includes(field), field)
  const words = [...termsOf('`reasons`'), ...termsOf('The log')]
  t.ok(words.length > 30)
  for (const word of words)
    for (const part of word.split('…')) t.ok(text.includes(part.trim()), word)
})
