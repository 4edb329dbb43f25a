import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { ConfigOf } from '../config/command-options.ts'
import { graceMs } from '../runtime/lifecycle.ts'
import type { Lifecycle } from '../runtime/lifecycle.ts'
import { startServing } from './serve.ts'

/**
 * Runs the indexer and the API together: the indexer as a child process, so that a scan never slows an answer.
 * @param flags the flags of this command as they were given; the indexer gets the same.
 */
export async function start(
  config: ConfigOf<'start'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<number> {
  const lifecycle = await startServing(config, {
    // The one ends after the other.
    graceMs: graceMs.api + graceMs.indexer,
    beside(lifecycle) {
      addIndexer(lifecycle, flags)
    },
  })
  return lifecycle.untilEnd()
}

function addIndexer(lifecycle: Lifecycle, flags: Readonly<Record<string, unknown>>): void {
  let ending = false
  const indexer = spawn(process.execPath, [process.argv[1] ?? '', 'index', ...toArguments(flags)], {
    // Of its own group, so that Ctrl-C on a terminal reaches it through us and only once. The channel tells it
    // when this process is gone, however that ended.
    detached: true,
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

/** Flags as the command line has them: `{ baseUrl: 'x' }` is `--base-url x`. */
function toArguments(flags: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    String(value),
  ])
}
