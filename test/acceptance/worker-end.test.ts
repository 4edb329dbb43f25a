/**
 * If the thread that reads the tree ends, the indexer ends in order, so that systemd starts it
 * again.
 */
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'
import { longestMs, slow, startService, until } from './service.ts'

t.setTimeout(longestMs)

/**
 * Ends each worker thread of the process when the file `end` exists. The thread first blocks for
 * five seconds, so that several requests wait for it.
 */
const preload = (end: string) => `
import { existsSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const timer = isMainThread ? undefined : setInterval(() => {
  if (!existsSync('end')) return
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000)
  ${end}
}, 20)
timer?.unref()
`

const ends = [
  {
    title: 'with an error',
    skip: false,
    end: "throw new Error('a fault of the worker')",
    message: /^the tree worker has ended: a fault of the worker$/,
  },
  {
    title: 'out of memory',
    skip: slow ? false : 'takes half a minute: runs with SLOW=1',
    end: 'for (const held = []; ; ) held.push(new Array(100_000).fill(held.length))',
    options: '--max-old-space-size=128',
    message: /^the tree worker has ended: .*memory/,
  },
  {
    title: 'without an error',
    skip: slow ? false : 'takes half a minute: runs with SLOW=1',
    end: 'process.exit(7)',
    message: /^the tree worker has ended: exit code 7$/,
  },
]

for (const { title, skip, end, options = '', message } of ends)
  t.test(`the tree worker ends ${title}`, { skip }, async (t) => {
    const folder = testFolder(t, { archive: { obs: {}, nrt: {} }, 'preload.mjs': preload(end) })
    writeFileSync(join(folder, 'archive/obs/graz0010.20d.gz'), gzipSync('x'))
    const wrapIndexer = ['env', `NODE_OPTIONS=${options} --import ./preload.mjs`]
    const service = await startService(t, folder, { wrapIndexer })
    await until('the file is listed', async () => (await service.count()) === 1)
    await until('the indexer is ready', service.ready)
    const { indexer } = service
    const ended = once(indexer, 'exit')
    writeFileSync(join(folder, 'end'), '')
    t.same(await ended, [1, null], 'systemd starts it again')
    const fatal = service.log.filter(({ level }) => level === 'fatal')
    t.match(fatal, exact([{ msg: 'ending because of an error', err: { message } }]))
    t.equal(statSync(`${service.database}-wal`).size, 0, 'with a checkpoint')
  })
