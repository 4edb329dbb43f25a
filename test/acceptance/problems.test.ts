/** The API and the command line list the same files with problems. */
import { execFileSync } from 'node:child_process'
import { symlinkSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { exact } from '../tap.ts'
import type { WireProblem } from '../../src/api/file-problems/problem-list.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import { fetchAlone, longestMs, startService, until } from './service.ts'
import { hourDirectory, put } from './tree.ts'

const complete = gzipSync('observations'.repeat(100))
const hour = hourDirectory()
const old = 'obs/2020/001'

t.setTimeout(longestMs)

t.test('files with problems are listed with their paths and reasons', async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const files: Readonly<Record<string, Buffer>> = {
    [`${old}/aaaa0010.20d.gz`]: complete,
    [`${old}/noen0010.20d.gz`]: complete.subarray(0, -1),
    [`${old}/dama0010.20d.gz`]: Buffer.from('no gzip'),
    [`${old}/misp0020.20d.gz`]: complete,
    [`${old}/readme.txt`]: Buffer.from('text'),
    [`${old}/.hidden.gz`]: complete,
    [`${hour}/young0010.26d.txt`]: complete,
  }
  for (const [path, content] of Object.entries(files)) {
    put(archive, path, content)
    utimesSync(join(archive, path), 1_600_000_000, 1_600_000_000)
  }
  const service = await startService(t, folder)
  const problems = async (): Promise<readonly WireProblem[]> => {
    const answer = await fetchAlone(new URL('/rinex/api/status/problems/?limit=100', service.url))
    return ((await answer.json()) as { results: readonly WireProblem[] }).results
  }
  await until('the first scan ends', service.ready)
  await until('its files are hashed', async () =>
    (await problems()).some(({ problem }) => problem === 'broken'),
  )
  const station = hour.split('/')
  const young = `${hour}/sett${station[2]}a.${String(station[1]).slice(2)}d.gz`
  put(archive, young, complete)
  truncateSync(join(archive, young), complete.length - 1)
  const expected = [
    `settling ${young} no-end-yet`,
    `incomplete ${old}/noen0010.20d.gz no-end`,
    `broken ${old}/dama0010.20d.gz damaged`,
    `misplaced ${old}/misp0020.20d.gz other-date`,
    `rejected ${hour}/young0010.26d.txt not-gz`,
    `rejected ${old}/readme.txt not-gz`,
  ]
  const lines = async () =>
    (await problems()).map(({ problem, path, reason }) => `${problem} ${path} ${reason}`)
  await until('all are listed', async () => (await lines()).length === expected.length)
  t.same((await lines()).sort(), expected.sort())
  const args = ['status', '--problems', '--json', '--database', service.database]
  const reported = execFileSync(...programLine(args), { encoding: 'utf8', cwd: folder })
  t.same(
    reported
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as WireProblem),
    await problems(),
  )
  const list = await fetchAlone(new URL('/rinex/api/rinex-file/?problem=incomplete', service.url))
  t.match(await list.json(), { count: 1, results: exact([{ filename: 'noen0010.20d.gz' }]) })
  const sums = await fetchAlone(new URL(`/rinex/data/${old}/SHA256SUMS`, service.url))
  t.match(await sums.text(), /^# broken: dama0010.20d.gz\n# incomplete: noen0010.20d.gz\n/)
})

/** Names of entries of a directory that are no files of the archive. */
const odd = [
  ...['.listing', '.graz0010.20d.gz.Xy1', '.graz0010.20d.gz', '.wm.dir/', '.snapshot/'],
  ...['@eaDir/', 'lost+found/', '#recycle/', 'a b/', 'Thumbs.db', 'MD5SUMS', 'graz0010.20d.gz.md5'],
  ...['graz0010.20d.Z', 'graz0000.20d.gz', 'README', 'a\nb.gz', '<b>.gz', 'ä.gz', '%2e.gz', '-rf'],
]

t.test('status, problems, metrics and facets count the same', async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const days = [old, 'obs/2020/002', 'obs/2020/003']
  for (const day of days) {
    put(archive, `${day}/noen0010.20d.gz`, complete.subarray(0, -1))
    put(archive, `${day}/dama0020.20d.gz`, Buffer.from('no gzip'))
    put(archive, `${day}/good0010.20d.gz`, complete)
    for (const name of odd)
      if (name.endsWith('/')) put(archive, `${day}/${name}x0010.20d.gz`, complete)
      else put(archive, `${day}/${name}`, complete)
    execFileSync('mkfifo', [join(archive, day, 'pipe0010.20d.gz')])
    symlinkSync('/etc', join(archive, day, 'link'))
    symlinkSync('/etc', join(archive, day, '.link'))
    execFileSync('sh', ['-c', `echo x > "$(printf '${archive}/${day}/\\377.gz')"`])
  }
  for (let index = 0; index < 130; index++) put(archive, `${old}/junk${index}.txt`, complete)
  execFileSync('find', [archive, '-exec', 'touch', '-h', '-d', '2020-09-13', '{}', '+'])
  const service = await startService(t, folder)
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetchAlone(new URL(`/rinex/api/${path}`, service.url))).json()) as T
  await until('the first scan ends', service.ready)
  const status = () => get<StatusCounts>('status/')
  await until('its files are hashed', async () => (await status()).checksums.files === 3 * 3)

  const { rejected, misplaced, incomplete, checksums } = await status()
  const counted = {
    rejected: rejected.reduce((sum, { count }) => sum + count, 0),
    misplaced,
    incomplete: incomplete.count,
    broken: checksums.broken.count,
  }
  // Of 23 odd entries with the pipe, the link and the name that is not UTF-8, six begin with a dot.
  t.same(counted, { rejected: 3 * 18 + 130, misplaced: 6, incomplete: 3, broken: 3 })

  await t.test('the list of problems', async (t) => {
    for (const [problem, count] of Object.entries(counted)) {
      const path = `status/problems/?problem=${problem}&limit=1000`
      const page = await get<ProblemsAnswer>(path)
      t.equal(page.count, page.results.length, `${problem}: it has as many as it counts`)
      t.equal(page.count + page.unnamed, count, problem)
      t.notOk(
        page.results.find(({ path }) => /\/\./.test(path)),
        `${problem}: no dot name`,
      )
    }
    const { unnamed } = await get<ProblemsAnswer>('status/problems/?problem=rejected')
    t.ok(unnamed >= 30 && unnamed < 50, `${unnamed} of 130 and some in one directory`)
  })
  await t.test('the command line', async (t) => {
    const args = ['status', '--problems', '--json', '--database', service.database]
    const text = execFileSync(...programLine(args), { encoding: 'utf8', cwd: folder })
    const lines = text.trimEnd().split('\n')
    const { count } = await get<ProblemsAnswer>('status/problems/')
    t.equal(lines.length, count)
  })
  await t.test('the metrics', async (t) => {
    const text = await (await fetchAlone(new URL('/metrics', service.url))).text()
    const sumOf = (name: string): number =>
      Array.from(text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm')), ([, value]) =>
        Number(value),
      ).reduce((sum, value) => sum + value, 0)
    t.same(
      {
        rejected: sumOf('rinex_catalogue_rejected_names'),
        misplaced: sumOf('rinex_catalogue_misplaced_files'),
        incomplete: sumOf('rinex_catalogue_incomplete_files'),
        broken: sumOf('rinex_catalogue_broken_streams'),
      },
      counted,
    )
  })
  await t.test('facets and filters of the list', async (t) => {
    const { facets } = await get<Facets>('rinex-file/?facets=1')
    for (const { value, count } of facets.problem) {
      t.equal(count, counted[value], value)
      t.match(await get(`rinex-file/?problem=${value}`), { count }, value)
    }
    t.equal(facets.problem.length, 3)
  })
})

interface StatusCounts {
  readonly rejected: readonly { readonly count: number }[]
  readonly misplaced: number
  readonly incomplete: { readonly count: number }
  readonly checksums: { readonly files: number; readonly broken: { readonly count: number } }
}

interface ProblemsAnswer {
  readonly count: number
  readonly unnamed: number
  readonly results: readonly WireProblem[]
}

interface Facets {
  readonly facets: {
    readonly problem: readonly {
      readonly value: 'misplaced' | 'incomplete' | 'broken'
      readonly count: number
    }[]
  }
}
