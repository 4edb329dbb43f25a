/** With fewer file watches than directories the indexer logs little, and sweeps find new files. */
import t from '../tap.ts'
import { lacks, longestMs, slow, startScanned, untilEqual, untilReported } from './service.ts'
import { arrive, hourDirectory, pathIn } from './tree.ts'

const limit = slow ? 2000 : 20
const directories = slow ? 5000 : 60
const setLimit = `echo ${limit} > /proc/sys/user/max_inotify_watches`

t.setTimeout(longestMs)

const skip = lacks('limit of watches for a user namespace', `unshare -Ur sh -c '${setLimit}'`)

t.test(`new files are listed although only ${limit} watches are allowed`, { skip }, async (t) => {
  // Directories below that of an hour are watched too.
  const inGroup = (n: number) =>
    pathIn(hourDirectory(), n).replace(/\/([^/]*)$/, `/group${n % directories}/$1`)
  const files = Array.from({ length: directories }, (_, n) => inGroup(n))
  const service = await startScanned(t, files, {
    wrapIndexer: ['unshare', '-Ur', 'sh', '-c', `${setLimit} && exec "$@"`, 'sh'],
    options: { SWEEP_INTERVAL_SECONDS: '2' },
  })
  await untilReported(service, /no file watches left.*max_user_watches/)
  const { state, watching } = await service.status()
  t.equal(state, 'degraded')
  // The next one is being tried.
  t.ok((watching?.directories ?? Infinity) <= limit + 1, 'no more watches than allowed')

  for (let n = directories; n < 2 * directories; n++) arrive(service.archive, inGroup(n))
  const tookMs = await untilEqual(service)
  t.pass(`all new files are listed ${Math.round(tookMs)} ms after the last`)
  t.equal(service.indexer.exitCode, null, 'the indexer still runs')
  // On a busy machine there are more of these.
  const busy = /^(event loop|scanning)/
  const lines = service.log.filter(({ name, msg }) => name === 'indexer' && !busy.test(msg))
  t.ok(lines.length <= 10, `${lines.length} lines in the log`)
})
