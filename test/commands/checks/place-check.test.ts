/** Where archive and database lie, in real directories and mounts. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { checkPlaces } from '../../../src/commands/checks/place-check.ts'
import { lacksMounts, openMounts } from '../../acceptance/service.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import { kept, programLine } from '../../program.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'

/** Makes directories in a folder, and returns what is found about places in it. */
async function findingsOf(
  t: Test,
  { make, archive, database }: Readonly<Record<'make' | 'archive' | 'database', string>>,
) {
  const folder = testFolder(t)
  for (const path of make.split(' ')) mkdirSync(join(folder, path), { recursive: true })
  symlinkSync('a', join(folder, 'link'))
  const places = { archive: join(folder, archive), database: join(folder, database) }
  const found = await checkPlaces(places)
  return found.map(({ key, level, words }) => `${level} ${key} ${words.replaceAll(folder, '')}`)
}

t.test('places in a folder', async (t) => {
  const area = 'is an area, obs/ or nrt/, and not the directory that holds them: set it to'
  const none = 'has no obs/ or nrt/: mount its disk, make the directory, or set areas'
  const within = 'lies inside the archive: move it to a directory of its own'
  const cases: readonly [
    make: string,
    archive: string,
    database: string,
    found: readonly string[],
  ][] = [
    ['a/obs', 'a', 'c.db', []],
    ['a/nrt a-b', 'a', 'a-b/c.db', []],
    ['a/nrt', 'a', '..c.db', []],
    ['a/obs/2026/001', 'a/obs', 'c.db', [`fault archive "/a/obs" ${area} "/a"`]],
    ['a/obs', 'a/obs', 'c.db', [`fault archive "/a/obs" ${area} "/a"`]],
    [
      'a/2026/001',
      'a',
      'c.db',
      [`warning archive "/a" ${none} as rinex-catalogue survey proposes`],
    ],
    ['a', 'a', 'c.db', [`warning archive "/a" ${none} as rinex-catalogue survey proposes`]],
    ['b', 'a', 'c.db', []],
    ['a/obs', 'a', 'a/c.db', [`warning database "/a/c.db" ${within}`]],
    ['a/obs a/var', 'a', 'a/var/c.db', [`warning database "/a/var/c.db" ${within}`]],
    ['a/obs', 'link', 'a/var/c.db', [`warning database "/a/var/c.db" ${within}`]],
    ['a/obs', 'a', 'link/nrt/c.db', [`fault database "/a/nrt/c.db" ${within}`]],
    ['a/obs/x', 'a', 'a/obs/x/c.db', [`fault database "/a/obs/x/c.db" ${within}`]],
  ]
  for (const [make, archive, database, found] of cases)
    t.same(await findingsOf(t, { make, archive, database }), found, `${archive} ${database}`)
})

t.test('areas that are configured and not there', async (t) => {
  const archive = testFolder(t, { pub: { obs: {} }, 2026: {} })
  const missing = async (...areas: string[]) =>
    (await checkPlaces({ archive, areas })).map(({ level, words }) => `${level} ${words}`)
  const remedy =
    'mount its disk, make the directory, or set areas as rinex-catalogue survey proposes'
  t.same(await missing('pub/obs', '2026'), [])
  t.same(await missing('.'), [])
  t.same(await missing('pub/obs', 'pub/nrt', 'hr'), [
    `warning "${archive}" has no pub/nrt/ or hr/: ${remedy}`,
  ])
  t.same(await missing('pub'), [])
  t.same(await missing('pbu'), [`warning "${archive}" has no pbu/: ${remedy}`])
})

t.test('a server has no place', async (t) => {
  t.same(await checkPlaces({ archive: undefined, database: 'postgresql://a/b' }), [])
})

t.test('bind mounts by which the archive contains itself', { skip: lacksMounts }, async (t) => {
  const folder = commonFolder(t, { a: { obs: { 2026: { '001': {}, 'a b': {} } }, nrt: {} } })
  const archive = join(folder, 'a')
  const check = (wrapped: readonly string[]) => {
    const [program, args] = programLine([
      ...['check-config', 'index', '--archive', archive, '--database', join(folder, 'c.db')],
    ])
    const [first = '', ...rest] = [...wrapped, program, ...args]
    const { status, stdout, stderr } = spawnSync(first, rest, { env: kept, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const cases = [
    ['a', 'a/obs/2026/001', '.'],
    ['a/obs', 'a/obs/2026/001', '/obs'],
    ['.', 'a/nrt', '..'],
    ['a/nrt', 'a/obs/2026/001', undefined],
    // Its name is not read.
    ['a', 'a/obs/2026/a b', undefined],
  ] as const
  for (const [from, to, itself] of cases) {
    const mounts = await openMounts(t)
    mounts.run(`mount --bind "${join(folder, from)}" "${join(folder, to)}"`)
    const { status, stderr } = check(mounts.wrap(folder))
    t.equal(status, itself === undefined ? 0 : 78, to)
    const mount = `contains itself: "${join(folder, to)}" is a mount of "${join(folder, from)}"`
    if (itself === undefined) t.equal(stderr, '')
    else t.match(stderr, mount)
  }
})

/** Debian's Python, which has the module of its packages. */
const python = '/usr/bin/python3'
const fuse = 'import fusepy, sys; fusepy.FUSE(fusepy.Operations(), sys.argv[1], foreground=True)'
const lacksFuse =
  (process.getuid?.() !== 0 && 'only root can mount') ||
  (!existsSync('/dev/fuse') && 'no /dev/fuse here') ||
  (spawnSync(python, ['-c', 'import fusepy']).status !== 0 && 'no python3-fusepy here')

t.test('a database on a FUSE file system', { skip: lacksFuse }, async (t) => {
  const folder = testFolder(t, { a: { obs: {} }, mount: {} })
  const places = { archive: join(folder, 'a'), database: join(folder, 'mount/none/c.db') }
  t.same(await checkPlaces(places), [], 'on a local disk')
  const mount = spawn(python, ['-c', fuse, join(folder, 'mount')], { stdio: 'inherit' })
  t.teardown(async () => {
    spawnSync('umount', [join(folder, 'mount')])
    if (mount.exitCode === null) await once(mount, 'exit')
  })
  const isMounted = () => statSync(join(folder, 'mount')).dev !== statSync(folder).dev
  await until('it is mounted', isMounted)
  const words = /network or FUSE file system \(FUSE\), where SQLite may lose data/
  t.match(await checkPlaces(places), exact([{ key: 'database', level: 'warning', words }]))
})

t.test('an indexer on an area says so, and starts', async (t) => {
  const folder = testFolder(t, { obs: { 2026: { '001': {} } } })
  const line = ['index', '--once', '--archive', join(folder, 'obs')]
  const [program, args] = programLine([...line, '--database', join(folder, 'c.db')])
  const { status, stdout } = spawnSync(program, args, { env: kept, encoding: 'utf8' })
  t.equal(status, 1, 'there is nothing to scan')
  const lines = stdout.trim().split('\n')
  const errors = lines
    .map((each) => JSON.parse(each) as { level: string; msg: string })
    .filter(({ msg }) => msg.startsWith('archive '))
  const msg = /^archive ".*obs" is an area, .* set it to /
  t.match(errors, exact([{ level: 'error', msg }]))
})
