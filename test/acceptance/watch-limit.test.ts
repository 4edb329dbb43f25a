/** Fewer file watches than directories: no crash, no flood of log lines, and sweeps find what is new. */
import { join } from 'node:path'
import t from 'tap'
import { lacks, longestMs, slow, startService, until, untilEqual, untilTold } from './service.ts'
import { arrive, hourDirectory, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

const limit = slow ? 2000 : 20
const directories = slow ? 5000 : 60
const setLimit = `echo ${limit} > /proc/sys/user/max_inotify_watches`

t.setTimeout(longestMs)

const skip = lacks('limit of watches for a user namespace', `unshare -Ur sh -c '${setLimit}'`)

t.test(`${directories} directories and ${limit} watches`, { skip }, async (t) => {
  const folder = testFolder(t)
  // Directories below an hour's are watched like it, whatever their names.
  const inGroup = (n: number) =>
    pathIn(hourDirectory(), n).replace(/\/([^/]*)$/, `/group${n % directories}/$1`)
  for (let n = 0; n < directories; n++) put(join(folder, 'archive'), inGroup(n))
  const service = await startService(t, folder, {
    wrapIndexer: ['unshare', '-Ur', 'sh', '-c', `${setLimit} && exec "$@"`, 'sh'],
    options: { SWEEP_INTERVAL_SECONDS: '2' },
  })
  await until('the first scan ends', service.ready)
  await untilTold(service, /no file watches left.*max_user_watches/)
  const { state, watching } = await service.status()
  t.equal(state, 'degraded')
  // One more is being tried.
  t.ok((watching?.directories ?? Infinity) <= limit + 1, 'no more watches than allowed')

  for (let n = directories; n < 2 * directories; n++) arrive(service.archive, inGroup(n))
  const tookMs = await untilEqual(service)
  t.pass(`all new files are listed ${Math.round(tookMs)} ms after the last`)
  t.equal(service.indexer.exitCode, null, 'the indexer still runs')
  // A busy machine may hold it up, which it tells each time.
  const ofLoad = /^(held up|scanning)/
  const lines = service.log.filter(({ name, msg }) => name === 'indexer' && !ofLoad.test(msg))
  t.ok(lines.length <= 10, `${lines.length} lines in the log`)
})
