/** The command `start`: runs the API and the indexer together. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ConfigOf } from '../config/command-options.ts'
import type { Flags } from '../config/sources.ts'
import { demoNotice, makeDemo } from '../demo/demo.ts'
import { demoLists } from '../demo/network.ts'
import type { Lifecycle } from '../runtime/lifecycle.ts'
import { graceMs } from '../runtime/lifecycle.ts'
import { littleGarbage, noDebugger } from '../runtime/program.ts'
import type { LayoutChoice } from './checks/layout-choice.ts'
import { chooseLayout } from './checks/layout-choice.ts'
import { writeHistory } from './demo-history.ts'
import { startServing } from './serve.ts'

/**
 * Runs the API, and the indexer as its child process, so that a scan does not slow down responses.
 * @param flags the flags of this command; the indexer gets the same
 */
export async function start(
  config: ConfigOf<'start'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<number> {
  const choice = await chooseLayout(config, 'start')
  const lifecycle = await startServing(config, { graceMs: bothMs, choice })
  addIndexer(lifecycle, { ...flags, ...flagsOf(choice, config) })
  return lifecycle.untilEnd()
}

/** The flags by which the indexer learns what was chosen now; it stores this in the database. */
function flagsOf(
  { by, lists }: LayoutChoice,
  { suffixes }: ConfigOf<'start'>,
): Readonly<Record<string, string>> {
  if (by !== 'start') return {}
  const areas = lists.areas.join()
  return suffixes === undefined ? { areas, suffixes: lists.suffixes.join() } : { areas }
}

/** API and indexer end one after the other, so their times add up. */
const bothMs = graceMs.api + graceMs.indexer

/**
 * Makes a demo and does the same with it, until all of it is removed at the end.
 * @param load the configuration with what flags say of the demo
 */
export async function startDemo(
  load: (flags: Flags) => ConfigOf<'start'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<number> {
  // The files are written in one go. A signal meanwhile waits until then, because it has a listener
  // here: without one, it would end the process before the demo can be removed.
  for (const signal of endSignals) process.on(signal, endAtOnce)
  const demo = await makeDemo()
  const { archive, database, stationsFile, history } = demo
  try {
    await writeHistory(database, demoLists, history)
    // The demo is the first part, so it is closed last.
    const config = load({ ...demoFlags, archive, database, stationsFile })
    const starting = startServing(config, {
      graceMs: bothMs,
      choice: await chooseLayout(config, 'start'),
      demo: {
        name: 'demo',
        close: () => {
          demo.close()
        },
      },
      notice: demoNotice,
    })
    // Its lifecycle has listeners by now.
    for (const signal of endSignals) process.off(signal, endAtOnce)
    const lifecycle = await starting
    addIndexer(lifecycle, { ...flags, ...demoFlags, archive, database })
    demo.beginArrivals((error) => void lifecycle.end(error))
    return await lifecycle.untilEnd()
  } catch (error) {
    demo.close()
    throw error
  }
}

const demoFlags = { areas: demoLists.areas.join(), suffixes: demoLists.suffixes.join() }

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The demo is removed when the process exits. */
function endAtOnce(): void {
  process.exit(0)
}

function addIndexer(lifecycle: Lifecycle, flags: Readonly<Record<string, unknown>>): void {
  let ending = false
  const program = [noDebugger, littleGarbage, process.argv[1] ?? '', 'index']
  const indexer = spawn(process.execPath, [...program, ...argumentsOf(flags)], {
    // The indexer has its own process group, so that Ctrl-C on a terminal reaches it once, through
    // this process. When this process ends, in whatever way, the IPC channel closes and the indexer
    // ends too.
    detached: true,
    // The API alone reports to a service manager.
    env: { ...process.env, NOTIFY_SOCKET: undefined },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  indexer.on('exit', (code, signal) => {
    if (!ending) void lifecycle.end(`the indexer has ended: ${signal ?? String(code)}`)
  })
  lifecycle.add({
    name: 'indexer process',
    close: async () => {
      ending = true
      await endChild(indexer)
    },
  })
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Turns parsed flags back into arguments: `{ baseUrl: 'x' }` becomes `--base-url x`. */
function argumentsOf(flags: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    String(value),
  ])
}
