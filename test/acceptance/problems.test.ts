/** The API and the command line list the same files with problems. */
import { execFileSync } from 'node:child_process'
import { truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { WireProblem } from '../../src/api/file-problems/problem-list.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t, { exact } from '../tap.ts'
import { fetchAlone, longestMs, startService, until } from './service.ts'
import { hourDirectory, put, tiny } from './tree.ts'

const hour = hourDirectory()
const old = 'obs/2020/001'

t.setTimeout(longestMs)

t.test('files with problems are listed with their paths and reasons', async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const files: Readonly<Record<string, Buffer>> = {
    [`${old}/aaaa0010.20d.gz`]: tiny,
    [`${old}/noen0010.20d.gz`]: tiny.subarray(0, -1),
    [`${old}/dama0010.20d.gz`]: Buffer.from('no gzip'),
    [`${old}/misp0020.20d.gz`]: tiny,
    [`${old}/readme.txt`]: Buffer.from('text'),
    [`${old}/.hidden.gz`]: tiny,
    [`${hour}/young0010.26d.txt`]: tiny,
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
  put(archive, young, tiny)
  truncateSync(join(archive, young), tiny.length - 1)
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
