/** No signal opens Node's debugger, or ends a process that somebody sends it to by mistake. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commonFolder, testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import t from '../tap.ts'
import { fetchAlone, longestMs, stop, until } from './service.ts'
import { hourDirectory, pathIn, put } from './tree.ts'

t.setTimeout(longestMs)

/** A process and all below it. */
function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(familyOf)]
}

/** The number of TCP sockets on which a process listens (state 0A of proc_pid_net(5)). */
function listeners(pid: number): number {
  const listening = new Set(
    ['tcp', 'tcp6'].flatMap((file) =>
      readFileSync(`/proc/${pid}/net/${file}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, , , state]) => state === '0A')
        .map((fields) => `socket:[${fields[9]}]`),
    ),
  )
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return '' // closed meanwhile
    }
  })
  return open.filter((target) => listening.has(target)).length
}

/** True if a process handles SIGUSR1 (10); at its very start it would end. */
function isReady(pid: number): boolean {
  const [, caught = '0'] =
    /^SigCgt:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${caught}`) & (1n << 9n)) !== 0n
}

const options = {
  RINEX_CATALOGUE_ARCHIVE: 'archive',
  RINEX_CATALOGUE_DATABASE: 'catalogue.db',
  // A backup is made by one more process, for a moment.
  RINEX_CATALOGUE_BACKUP_INTERVAL_HOURS: '0',
}

const [node, args] = programLine(['start', '--port', '0'])
const lines: Readonly<Record<string, readonly string[]>> = {
  'by Node alone': [node, ...args],
  'by bin/': [resolve('bin/rinex-catalogue'), 'start', '--port', '0'],
}

for (const [title, [program = '', ...rest]] of Object.entries(lines))
  t.test(
    `SIGUSR1 to a service started ${title}`,
    { skip: !existsSync('/proc/self/task') && 'no /proc here' },
    async (t) => {
      const env = { ...kept, PATH: process.env['PATH'] ?? '', ...options }
      // Its path does not have the word that the output must not have.
      const cwd = commonFolder(t)
      put(join(cwd, 'archive'), pathIn(hourDirectory(), 0))
      const child = spawn(program, rest, { cwd, env })
      t.teardown(() => stop(child, 'SIGTERM'))
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text: Buffer) => (output += text.toString()))
      await until('its scan has ended', () => output.includes('caught up'))
      let pids: readonly number[] = []
      await until('API, indexer and the process that hashes handle signals', () => {
        pids = familyOf(child.pid ?? 0)
        return pids.length === 3 && pids.every(isReady)
      })
      const before = pids.map(listeners)
      const [, list = ''] = /"url":"([^"]+)"/.exec(output) ?? []
      for (let times = 0; times < 3; times++) {
        for (const pid of pids) process.kill(pid, 'SIGUSR1')
        const answer = await fetchAlone(`${list}?limit=1`)
        t.equal(answer.status, 200)
        await answer.arrayBuffer()
      }
      t.same(pids.map(listeners), before, 'no process listens on another port')
      t.same(familyOf(child.pid ?? 0), pids, 'and none has ended')
      t.notMatch(output, /debugger|inspector/i)
      child.kill('SIGTERM')
      t.same(await once(child, 'exit'), [0, null])
    },
  )

t.test('a checkout without its own Node uses that of the path, if it is new enough', async (t) => {
  const script = (version: string, isNew: number): string =>
    `#!/bin/sh\ncase $1 in -e) exit ${1 - isNew};; --version) echo ${version};; *) echo "$@";; esac\n`
  const text = (name: string): string => readFileSync(join('bin', name), 'utf8')
  const bin = { 'with-node': text('with-node'), 'rinex-catalogue': text('rinex-catalogue') }
  const folder = testFolder(t, {
    bin,
    old: { node: script('v20.20.2', 0) },
    new: { node: script('v22.18.0', 1) },
  })
  spawnSync('chmod', ['-R', '755', folder])
  const run = (node: string) => {
    const env = { PATH: `${folder}/${node}:/usr/bin:/bin` }
    return spawnSync(join(folder, 'bin/rinex-catalogue'), ['status'], { env, encoding: 'utf8' })
  }
  t.match(run('new'), { status: 0, stdout: `--disable-sigusr1 ${folder}/src/cli.js status\n` })
  const { status, stderr } = run('old')
  t.equal(status, 78)
  t.match(
    stderr,
    'needs Node 22.18 or newer, and finds v20.20.2. On Linux, npm ci installs Node 24',
  )
  // The same test of the version, in a real Node.
  const [, check = ''] = /node -e '(.*)'; then/.exec(text('with-node')) ?? []
  for (const [version, code] of [
    ['22.17.1', 1],
    ['22.18.0', 0],
    ['20.20.2', 1],
    ['24.0.0', 0],
  ] as const) {
    const faked = check.replace('process.versions.node', `'${version}'`)
    t.equal(spawnSync(process.execPath, ['-e', faked]).status, code, version)
  }
})
