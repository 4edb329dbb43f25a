/** `npm start` without an archive: a demo, which lives and leaves nothing behind. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Test } from 'tap'
import { commonFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import t from '../tap.ts'
import type { LogLine } from './service.ts'
import { fetchAlone, longestMs, stop, until } from './service.ts'

t.setTimeout(longestMs)

/** The processes with this folder for temporary files. */
function processesOf(temporary: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${temporary}\0`)
    } catch {
      // It has ended.
      return false
    }
  })
}

/** Starts a program with its own folder for temporary files; all its processes are killed. */
function launch(t: Test, temporary: string, [program, args]: readonly [string, readonly string[]]) {
  const env = { PATH: process.env['PATH'], HOME: temporary, ...kept, TMPDIR: temporary }
  const child: ChildProcess & { stdout: Readable } = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  t.teardown(async () => {
    for (const pid of processesOf(temporary)) process.kill(Number(pid), 'SIGKILL')
    await stop(child, 'SIGKILL')
  })
  const log: LogLine[] = []
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine)
  })
  const listening = () => log.find(({ msg }) => msg === 'listening')
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetchAlone(new URL(path, String(listening()?.['url'])))).json()) as T
  return {
    child,
    listening,
    get,
    listens: () => until('the service listens', () => listening() !== undefined),
    hasScanned: () =>
      until('it has scanned', () => log.some(({ msg }) => msg.includes('caught up'))),
  }
}

const demosIn = (temporary: string) =>
  readdirSync(temporary).filter((name) => name.startsWith('rinex-catalogue-demo-'))

t.test('SIGTERM to npm ends all and removes the demo, a start that of a killed one', async (t) => {
  const temporary = commonFolder(t)
  const own = 'rinex-catalogue-demo-of-mine'
  mkdirSync(join(temporary, own))
  const killed = launch(t, temporary, programLine(['start', '--port', '0']))
  await killed.listens()
  killed.child.kill('SIGKILL')
  await until('its indexer has ended', () => processesOf(temporary).length === 0)
  const [left = ''] = demosIn(temporary).filter((name) => name !== own)
  t.ok(left, 'its demo is left')
  const npm = launch(t, temporary, ['npm', ['start', '--', '--port', '0']])
  await npm.listens()
  await until('npm itself, the API and the indexer run', () => processesOf(temporary).length >= 3)
  const found = demosIn(temporary)
  t.notOk(found.includes(left), 'it is removed')
  t.equal(found.length, 2)
  t.ok(found.includes(own), 'a folder of somebody else stays')
  npm.child.kill('SIGTERM')
  await once(npm.child, 'exit')
  await until('all processes have ended', () => processesOf(temporary).length === 0)
  await t.rejects(fetchAlone(String(npm.listening()?.['url'])), 'the port is free')
  t.strictSame(demosIn(temporary), [own])
})

interface Network {
  readonly stations: number
  readonly states: Readonly<Record<'late' | 'down' | 'present', number>>
}
interface Changes {
  readonly results: readonly { change: string; record: { filename: string } }[]
}

t.test('the demo shows something at once, and files keep arriving', async (t) => {
  const temporary = commonFolder(t)
  const demo = launch(t, temporary, programLine(['start', '--port', '0']))
  const begunMs = Date.now()
  await demo.listens()
  await demo.hasScanned()
  t.match(demo.listening(), { notice: /^This is a demo/ })
  const { last_seq: seq } = await demo.get<{ last_seq: number }>('../changes/')
  const changes = await demo.get<Changes>(`../changes/?since=${seq}&wait=20`)
  t.comment(`first change after ${Date.now() - begunMs} ms`)
  t.match(changes.results[0], { change: 'created', record: { filename: /\.(gz|Z)$/ } })
  const network = await demo.get<Network>('../network/')
  t.equal(network.stations, 19)
  const { late, down, present } = network.states
  // Three stations of Norway are late, one station is dead.
  t.ok(late >= 3 && down === 1 && present > 8, JSON.stringify(network))
  const page = await fetchAlone(new URL('../status/', String(demo.listening()?.['url'])), {
    headers: { accept: 'text/html' },
  })
  t.match(await page.text(), '<p class="notice">This is a demo')
  const problems = await demo.get<{ count: number }>('../status/problems/')
  t.ok(problems.count >= 4, 'a misplaced file of each type, and rejected names')
  for (const question of ['station=GRAZ', 'station=ONSA', 'station=HKBL', 'area=stations']) {
    const { count } = await demo.get<{ count: number }>(`?${question}&limit=1`)
    t.ok(count > 1000, question)
  }
  demo.child.kill('SIGINT')
  t.strictSame(await once(demo.child, 'exit'), [0, null])
  t.strictSame(demosIn(temporary), [])
})

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  t.test(`${signal} while the demo is made removes it too`, async (t) => {
    const temporary = commonFolder(t)
    const demo = launch(t, temporary, programLine(['start', '--port', '0']))
    const exit = once(demo.child, 'exit')
    const isFilling = () =>
      demosIn(temporary).some((name) => existsSync(join(temporary, name, 'archive')))
    await until('it is being filled', isFilling)
    t.notOk(demo.listening(), 'the API does not listen yet')
    demo.child.kill(signal)
    await exit
    await until('all processes have ended', () => processesOf(temporary).length === 0)
    t.strictSame(demosIn(temporary), [])
  })
