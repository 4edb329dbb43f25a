/** The command `check`, as its users start it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pino from 'pino'
import type { Test } from 'tap'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { openControl } from '../../src/control-socket/answers.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import { change, newFile } from '../catalogue/change.ts'
import { commonFolder } from '../folder.ts'
import { bare } from '../program.ts'
import t from '../tap.ts'

async function makeCatalogue(t: Test) {
  const folder = commonFolder(t)
  const database = join(folder, 'catalogue.db')
  const socket = join(folder, 'socket')
  const writer = openWriter({ database, nowUs: () => 1 })
  await writer.apply([change('obs/2026/001', { added: [newFile('graz0010.26d.gz')] })])
  await writer.checkpoint()
  return { database, socket, writer }
}

function run(database: string, socket: string, ...flags: string[]) {
  const files = ['--database', database, '--control-socket', socket]
  const [program, ...words] = [...bare, process.execPath, 'src/cli.js', 'check', ...files, ...flags]
  const child = spawn(program, words)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

function falsify(database: string): void {
  new Sqlite(database).exec('UPDATE directory SET files = 7').close()
}

const clean = { code: 0, stdout: 'nothing differs\n', stderr: '' }
const line = 'directory: obs/2026/001: stored 7 files, counted 1 files\n'
const repaired = {
  code: 0,
  stdout: `${line}the counts were recomputed\nnothing differs\n`,
  stderr: '',
}

t.test('check lists differences, and check --repair recomputes the counts', async (t) => {
  const { database, socket, writer } = await makeCatalogue(t)
  writer.close()
  t.same(await run(database, socket), clean)
  falsify(database)
  t.same(await run(database, socket), { code: 1, stdout: line, stderr: '' })
  t.same(await run(database, socket, '--repair'), repaired)
  t.same(await run(database, socket), clean)
})

t.test('with check --repair the running indexer recomputes the counts', async (t) => {
  const { database, socket, writer } = await makeCatalogue(t)
  const logger = pino({ enabled: false })
  const control = await openControl({
    layout: defaultLayout,
    path: socket,
    logger,
    indexer: {} as never,
    writer,
  })
  t.teardown(() => {
    control.close()
    writer.close()
  })
  falsify(database)
  t.same(await run(database, socket), { code: 1, stdout: line, stderr: '' })
  t.same(await run(database, socket, '--repair'), repaired)
})

t.test('check --repair fails if an indexer without a socket holds the lock', async (t) => {
  const { database, socket, writer } = await makeCatalogue(t)
  falsify(database)
  const { code, stderr } = await run(database, socket, '--repair')
  writer.close()
  t.equal(code, 1)
  t.match(stderr, /already running/)
})

t.test('check fails without a database', async (t) => {
  const { database, socket, writer } = await makeCatalogue(t)
  writer.close()
  t.match(await run(`${database}-other`, socket), {
    code: 1,
    stderr: /unable to open database file/,
  })
})
