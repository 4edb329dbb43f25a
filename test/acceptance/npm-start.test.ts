/** `npm start` under a supervisor, which knows the process of npm only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from '../tap.ts'
import { commonFolder } from '../folder.ts'
import { fetchAlone, until } from './service.ts'
import type { LogLine } from './service.ts'

/** The processes whose command line contains this text. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      // It has ended.
      return false
    }
  })
}

t.test('SIGTERM to npm ends the API and the indexer, and frees the port', async (t) => {
  const database = join(commonFolder(t), 'catalogue.db')
  const args = ['start', '--', '--port', '0', '--database', database]
  const npm = spawn('npm', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => {
    for (const pid of processesWith(database)) process.kill(Number(pid), 'SIGKILL')
  })
  const log: LogLine[] = []
  createInterface(npm.stdout).on('line', (line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine)
  })
  const url = () => log.find(({ msg }) => msg === 'listening')?.['url']
  const hasScanned = () => log.some(({ msg }) => msg.includes('caught up'))
  await until('the service listens and has scanned', () => url() !== undefined && hasScanned())
  // npm itself, the API, the indexer and its process for checksums.
  t.ok(processesWith(database).length >= 3, 'they run')
  npm.kill('SIGTERM')
  await once(npm, 'exit')
  await until('all processes have ended', () => processesWith(database).length === 0)
  await t.rejects(fetchAlone(String(url())), 'the port is free')
})
