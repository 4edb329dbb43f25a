/**
 * Which layout the commands use: each row of the order of layouts, and `start` with a tree that it
 * does not know, by real processes.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import type { LayoutChoice, StoredLayout } from '../../../src/commands/checks/layout-choice.ts'
import { layoutChoice } from '../../../src/commands/checks/layout-choice.ts'
import { fetchAlone, stop } from '../../acceptance/service.ts'
import { testFolder } from '../../folder.ts'
import { compress } from '../../lzw.ts'
import { lacksPostgres, openSchema } from '../../postgres.ts'
import { kept, programLine } from '../../program.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'

t.test('the order in which layouts win', async (t) => {
  const stored = (areas: readonly string[], suffixes = ['.gz']): StoredLayout => ({
    isNew: false,
    lists: { areas, suffixes, exclude: ['old/'] },
  })
  const fresh: StoredLayout = { isNew: true }
  const seed = { areas: ['obs', 'nrt'], suffixes: ['.gz'], exclude: [] }
  const whole = { areas: ['.'], suffixes: ['.gz', '.Z'], exclude: [] }
  type Configured = Parameters<typeof layoutChoice>[0]
  const cases: readonly [Configured, StoredLayout, boolean, LayoutChoice][] = [
    [{ areas: ['a'] }, fresh, true, { by: 'configuration', lists: { ...seed, areas: ['a'] } }],
    [
      { areas: ['a'], suffixes: ['.Z'] },
      stored(['.']),
      true,
      { by: 'configuration', lists: { ...seed, areas: ['a'], suffixes: ['.Z'] } },
    ],
    [{}, stored(['.'], ['.gz', '.Z']), true, { by: 'database', lists: whole }],
    [{}, stored(['.'], ['.Z']), false, { by: 'database', lists: { ...whole, suffixes: ['.Z'] } }],
    [
      { suffixes: ['.gz'], exclude: ['raw/'] },
      stored(['.'], ['.Z']),
      false,
      { by: 'database', lists: { areas: ['.'], suffixes: ['.gz'], exclude: ['raw/'] } },
    ],
    [{}, fresh, true, { by: 'start', lists: whole }],
    [{ suffixes: [''] }, fresh, true, { by: 'start', lists: { ...whole, suffixes: [''] } }],
    [{}, fresh, false, { by: 'default', lists: seed }],
    [{}, { isNew: false }, true, { by: 'default', lists: seed }],
    [{}, stored(['obs', 'nrt']), true, { by: 'default', lists: seed }],
    [{}, stored(['pub', '.Z'], ['.Z']), true, { by: 'default', lists: seed }],
    [
      { suffixes: ['.Z'], exclude: ['raw/'] },
      stored(['pub']),
      true,
      { by: 'default', lists: { areas: ['obs', 'nrt'], suffixes: ['.Z'], exclude: ['raw/'] } },
    ],
  ]
  for (const [configured, known, isUnknown, expected] of cases)
    t.strictSame(
      await layoutChoice(configured, known, () => Promise.resolve(isUnknown)),
      expected,
      JSON.stringify([configured, known, isUnknown]),
    )
})

const text = Buffer.from('the text of a file\n'.repeat(50))

/** Writes files that have been there for long. */
function put(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, path.endsWith('.Z') ? compress(text) : gzipSync(text))
    utimesSync(file, 1.6e9, 1.6e9)
  }
}

const tree = [
  'pub/daily/2006/073/graz0730.06d.Z',
  'pub/rinex3/2021/129/GRAZ00AUT_R_20211290000_01D_30S_MO.crx.gz',
  'pub/rinex3/2021/129/ZIMM00CHE_R_20211290000_01D_30S_MO.crx.gz',
]
const seedTree = [
  'obs/2021/129/GRAZ00AUT_R_20211290000_01D_30S_MO.crx.gz',
  'nrt/2021/129/05/GRAZ00AUT_R_20211290500_01H_30S_MO.crx.gz',
]

/** A folder with an archive, in which commands run. */
function place(t: Test, paths: readonly string[], database = 'c.db') {
  const folder = testFolder(t, { archive: {} })
  const archive = join(folder, 'archive')
  put(archive, paths)
  const variables = { ARCHIVE: 'archive', DATABASE: database }
  const environment = (more: Readonly<Record<string, string>>) => ({
    PATH: process.env['PATH'],
    ...kept,
    ...Object.fromEntries(
      Object.entries({ ...variables, ...more }).map(([name, value]) => [
        `RINEX_CATALOGUE_${name}`,
        value,
      ]),
    ),
  })
  return {
    archive,
    /** Runs a command that ends. */
    run: (args: readonly string[], more = {}) => {
      const [program, all] = programLine(args)
      const options = { cwd: folder, env: environment(more), encoding: 'utf8' } as const
      const { status, stdout, stderr } = spawnSync(program, all, options)
      return { status, text: stdout + stderr }
    },
    /** Starts a command that goes on. */
    launch: (command: 'start' | 'index' | 'serve', more = {}) =>
      launched(t, command, folder, environment({ PORT: '0', ...more })),
  }
}

interface StatusBody {
  readonly state: string
  readonly reasons: readonly string[]
}

interface LogLine {
  readonly msg: string
  readonly name?: string
  readonly url?: string
  readonly reason?: string
}

function launched(t: Test, command: string, cwd: string, env: NodeJS.ProcessEnv) {
  const [program, args] = programLine([command])
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => stop(child, 'SIGTERM'))
  const log: LogLine[] = []
  createInterface(child.stdout).on('line', (line) => log.push(JSON.parse(line) as never))
  const get = async (path: string): Promise<unknown> => {
    const url = log.find(({ msg }) => msg === 'listening')?.url
    const headers = { accept: 'application/json' }
    const answer = await fetchAlone(new URL(path, url), { headers })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    return answer.json()
  }
  const status = async () => (await get('/rinex/api/status/')) as StatusBody
  return {
    child,
    /** What a process has said of a choice. */
    said: (name: 'api' | 'indexer') => {
      const lines = log.filter((line) => line.name === name && line.msg.includes('one area'))
      return lines.map(({ msg }) => msg).join('\n')
    },
    failed: (words: RegExp) => log.some(({ reason = '' }) => words.test(reason)),
    logged: (words: RegExp) => log.some(({ msg }) => words.test(msg)),
    caughtUp: () =>
      until('it has caught up', () => log.some(({ msg }) => msg === 'caught up with the archive')),
    status,
    degraded: () =>
      until('it is degraded', async () => (await status()).reasons.join().includes('obs')),
    count: async () =>
      ((await get('/rinex/api/rinex-file/?limit=1')) as { readonly count: number }).count,
  }
}

const engines: readonly [string, string | false, (t: Test) => Promise<string>][] = [
  ['an SQLite file', false, () => Promise.resolve('c.db')],
  ['a PostgreSQL server', lacksPostgres(), openSchema],
]

const lines = /In the configuration: areas = \["\."\] suffixes = \["\.gz", "\.Z"\]/
const later = /areas is not set: all of the archive is one area, as start chose it/
const whole = { areas: { archive: { files: 3 } } }

for (const [engine, skip, open] of engines)
  t.test(`a tree that start does not know, with ${engine}`, { skip }, async (t) => {
    const { run, launch } = place(t, tree, await open(t))
    t.match(run(['check-config']).text, /^areas = \[ "\." \] # from start, because archive has/m)
    t.match(run(['check-config', 'index']).text, /^areas = \[ "obs", "nrt" \] # from default$/m)

    const first = launch('start')
    await first.caughtUp()
    t.match(first.said('api'), /archive" has neither obs\/ nor nrt\/: all of it is listed/)
    t.match(first.said('api'), lines)
    t.match(first.said('api'), /rinex-catalogue survey "\/.*archive" says what is in it\./)
    t.equal(await first.count(), 3)
    t.match(await first.status(), whole)
    t.match(run(['rescan', '--wait', 'pub/daily']), { status: 0, text: /pub\/daily: rescan/ })
    t.equal(await stop(first.child, 'SIGTERM'), 0)

    t.match(run(['check-config', 'serve']).text, /^areas = .* # from the choice of start in the/m)
    t.match(run(['check']), { status: 0, text: /nothing differs/ })
    t.match(run(['index', '--once']), { status: 0, text: later })
    const again = launch('start')
    await again.caughtUp()
    for (const name of ['api', 'indexer'] as const) t.match(again.said(name), later, name)
    t.match(await again.status(), whole)
    await stop(again.child, 'SIGTERM')

    const [indexer, api] = [launch('index'), launch('serve')]
    await indexer.caughtUp()
    await until('the API answers', async () => (await api.count()) === 3)
    for (const said of [api.said('api'), indexer.said('indexer')]) {
      t.match(said, later)
      t.match(said, lines)
    }
    for (const { child } of [api, indexer]) await stop(child, 'SIGTERM')

    // The configuration wins over the choice.
    const areas = { AREAS: 'pub/rinex3' }
    t.notMatch(run(['index', '--once'], areas).text, 'one area')
    const configured = launch('serve', areas)
    await until('it answers', async () => (await configured.count()) === 2)
    t.match(await configured.status(), { areas: { 'pub/rinex3': { files: 2 } } })
    t.equal(configured.said('api'), '')
  })

t.test('where start chooses nothing, an archive without its areas is degraded', async (t) => {
  const none = /archive" has no obs\/ or nrt\/: mount its disk, make the directory, or set areas/
  const area = /archive\/obs" is an area, obs\/ or nrt\/, and not the directory that holds them/
  const cases: readonly [readonly string[], Readonly<Record<string, string>>, RegExp][] = [
    [[], {}, none],
    // Nothing of this would be read.
    [['README.txt', '.hidden/x', '#recycle/x'], {}, none],
    // Whoever names areas has them.
    [tree, { PURGED_AFTER_DAYS: 'nrt=3' }, none],
    [seedTree, { ARCHIVE: 'archive/obs' }, area],
  ]
  for (const [paths, more, words] of cases) {
    const started = place(t, paths).launch('start', more)
    await started.degraded()
    await until('it says why', () => started.logged(words))
    t.equal(started.said('api') + started.said('indexer'), '')
    await stop(started.child, 'SIGTERM')
  }
})

t.test('index and serve choose nothing', async (t) => {
  const { launch } = place(t, tree)
  const [indexer, api] = [launch('index'), launch('serve')]
  await api.degraded()
  t.equal(await api.count(), 0)
  t.equal(api.said('api') + indexer.said('indexer'), '')
  for (const { child } of [api, indexer]) await stop(child, 'SIGTERM')
  // The database never had a record, so it is new to `start`.
  const started = launch('start')
  await started.caughtUp()
  t.equal(await started.count(), 3)
  await stop(started.child, 'SIGTERM')
})

t.test('from a catalogue with records, nothing is removed by another tree', async (t) => {
  const { archive, run, launch } = place(t, seedTree)
  t.equal(run(['index', '--once']).status, 0)
  renameSync(archive, `${archive}-away`)
  put(archive, tree)
  const started = launch('start')
  await started.degraded()
  t.equal(await started.count(), 2)
  t.equal(started.said('api') + started.said('indexer'), '')
  await stop(started.child, 'SIGTERM')
})

t.test('the choice of a lost database is that of its backup', async (t) => {
  const { archive, run, launch } = place(t, tree)
  const started = launch('start')
  await started.caughtUp()
  const [database, copy] = ['c.db', 'copy'].map((name) => join(dirname(archive), name))
  t.equal(run(['backup', 'copy']).status, 0)
  await stop(started.child, 'SIGTERM')
  for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true })
  renameSync(String(copy), `${database}-backup-1`)
  const again = launch('start')
  await again.caughtUp()
  for (const name of ['api', 'indexer'] as const) t.match(again.said(name), later, name)
  t.match(await again.status(), whole)
  await stop(again.child, 'SIGTERM')
})

t.test('an API that could not know the choice ends, and its next start knows it', async (t) => {
  const { run, launch } = place(t, tree)
  const early = launch('serve')
  await until('it listens', () => early.logged(/^listening$/))
  t.equal(run(['index', '--once'], { AREAS: '.', SUFFIXES: '.gz,.Z' }).status, 0)
  await until('it has ended', () => early.child.exitCode !== null)
  t.equal(early.child.exitCode, 1)
  t.ok(early.failed(/^start chose all of the archive as one area for this database, which/))
  const next = launch('serve')
  await until('the next one answers', async () => (await next.count()) === 3)
  t.match(next.said('api'), later)
  await stop(next.child, 'SIGTERM')
})
