/** How alerts reach people: the metric of the rules for Prometheus, and the program for cron. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { hour, midnight, openNetwork } from './stopping-network.ts'

const norwegians = ['BODO', 'HONS', 'OSLS', 'STAS', 'TRDS'].map((code) => `${code}00NOR`)

/** Five stations of a country stop together, one before, and one does not stop. */
function openStopped(...[t]: Parameters<typeof testFolder>) {
  const norway = norwegians.map((code) => [code, [10, 13]] as const)
  return openNetwork(t, { ...Object.fromEntries(norway), GRAZ00AUT: 5, WTZR00DEU: 30 }, 12)
}

t.test('the metric counts alerts by kind and country', async (t) => {
  const { app, setNow } = await openStopped(t)
  const alerts = async (): Promise<readonly string[]> =>
    (await app.inject('/metrics')).body.match(/^rinex_alerts.*$/gm) ?? []
  await app.inject('/rinex/api/alerts/')
  t.same(await alerts(), ['rinex_alerts{kind="late",country="AUT"} 1'])
  await setNow(midnight + 12 * hour + 40 * 60)
  await app.inject('/rinex/api/alerts/')
  const both = [
    'rinex_alerts{kind="late",country="AUT"} 1',
    'rinex_alerts{kind="late",country="NOR"} 1',
  ]
  t.same((await alerts()).toSorted(), both, 'the loss of a country is one')
})

const [, program = ''] =
  /```sh\n(#!\/bin\/sh\n# Prints the alerts.*?)```/s.exec(
    readFileSync('docs/monitor.md', 'utf8'),
  ) ?? []

/** The reason to skip a test: a program is missing. */
const lacking = ['curl', 'jq', 'diff'].find((name) => spawnSync(name, ['--version']).error)

t.test(
  'the program of docs/monitor.md prints each alert and its end once',
  { skip: lacking !== undefined && `no ${lacking} here` },
  async (t) => {
    const service = await openStopped(t)
    const port = await service.listen()
    const folder = testFolder(t)
    const ours = program.replace('https://archive.example', `http://127.0.0.1:${port}`)
    t.not(ours, program)
    writeFileSync(join(folder, 'program'), ours)
    /** What cron would mail. */
    const run = async (): Promise<string[]> => {
      const env = { ...process.env, HOME: folder }
      const { stdout } = await promisify(execFile)('sh', [join(folder, 'program')], { env })
      return stdout.split('\n').slice(0, -1)
    }
    const graz = 'GRAZ00AUT: late since 2026-01-22T05:00:00Z'
    const norway = 'NOR: late since 2026-01-22T10:00:00Z'
    t.same(await run(), [graz])
    t.same(await run(), [], 'nothing twice')
    await service.setNow(midnight + 12 * hour + 40 * 60)
    t.same(await run(), [norway])
    for (const end of [13, 14]) await service.deliver(midnight + end * hour)
    t.same(await run(), [`over: ${norway}`])
    await service.app.close()
    await t.rejects(run(), 'a service that is away is a failure')
    t.equal(readFileSync(join(folder, '.late-stations'), 'utf8'), `${graz}\n`, 'and no news')
  },
)
