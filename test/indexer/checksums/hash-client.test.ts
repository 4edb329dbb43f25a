import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import { HashClient, HashingFailed } from '../../../src/indexer/checksums/hash-client.ts'
import { testFolder } from '../../folder.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'

/** The running child processes. */
function children(): number[] {
  const threads = readdirSync('/proc/self/task')
  return threads.flatMap((thread) => {
    const path = `/proc/self/task/${thread}/children`
    if (!existsSync(path)) return []
    return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number)
  })
}

const content = gzipSync('observations')

/** A client of an archive with a whole and a damaged file, and the processes that it starts. */
function open(t: Test, limits: { idleMs?: number; silentMs?: number } = {}) {
  const archive = testFolder(t, { 'a.gz': content, 'b.gz': 'no gzip' })
  const requestOf = (path: string) => {
    const stats = statSync(`${archive}/${path}`, { throwIfNoEntry: false })
    const { size, mtimeUs } = stats === undefined ? { size: 0, mtimeUs: 0 } : toIdentity(stats)
    return { path, size, mtimeUs }
  }
  const before = children()
  const hashClient = new HashClient({ archive, ...limits })
  t.teardown(() => hashClient.close())
  const processes = () => children().filter((pid) => !before.includes(pid))
  return {
    archive,
    hashClient,
    processes,
    digest: (...paths: string[]) => hashClient.digest(paths.map(requestOf)),
    /** Stops the process, which then hangs. */
    stop: (): number => {
      const [pid = 0] = processes()
      process.kill(pid, 'SIGSTOP')
      return pid
    },
  }
}

t.test('files are read in the order of the requests, in one process', async (t) => {
  const { digest, processes } = open(t)
  t.match(
    await digest('b.gz', 'missing', 'a.gz'),
    exact([
      { problem: 'broken', size: 7 },
      undefined,
      { problem: undefined, size: content.length },
    ]),
  )
  const started = processes()
  t.equal(started.length, 1)
  const stat = readFileSync(`/proc/${started[0]}/stat`, 'utf8')
  t.equal(stat.replace(/\(.*\)/, 'name').split(' ')[18], '19', 'of the lowest priority')
  t.match(await digest('a.gz'), exact([{ problem: undefined }]))
  t.same(processes(), started)
})

t.test('files are identified without being read', async (t) => {
  const { archive, hashClient, digest } = open(t)
  const identity = toIdentity(statSync(`${archive}/a.gz`))
  t.same(await hashClient.identify(['a.gz', 'missing']), [identity, undefined])
  t.match(await digest('a.gz'), exact([identity]))
})

t.test('an idle hash process ends, and is started again for new work', async (t) => {
  const { digest, processes } = open(t, { idleMs: 1 })
  t.equal(processes().length, 0, 'none before there is work')
  for (let turn = 0; turn < 2; turn++) {
    t.match(await digest('a.gz'), exact([{ problem: undefined }]))
    await until('it has ended', () => processes().length === 0)
  }
})

t.test('a hash process that hangs is killed and replaced', async (t) => {
  const { digest, stop } = open(t, { silentMs: 1000 })
  const works = () =>
    digest('a.gz').then(
      () => true,
      () => false,
    )
  // On a busy machine it may be silent for that long without hanging.
  await until('it works', works)
  const pid = stop()
  await t.rejects(digest('a.gz'), new HashingFailed('the disk has not answered for 1 s'))
  await until('it is gone', () => !children().includes(pid))
  await until('it works again', works)
})

t.test('a call fails when the hash process dies', async (t) => {
  const { digest, stop } = open(t)
  await digest('a.gz')
  const pid = stop()
  const requested = digest('a.gz')
  process.kill(pid, 'SIGKILL')
  await t.rejects(requested, new HashingFailed('the hash process has ended: SIGKILL'))
  t.match(await digest('a.gz'), exact([{ problem: undefined }]))
})

t.test('close does not wait for the hash process', async (t) => {
  const { hashClient, digest, stop } = open(t)
  await digest('a.gz')
  const pid = stop()
  const requested = digest('a.gz')
  hashClient.close()
  await t.rejects(requested, new HashingFailed('the hash client is closed'))
  await t.rejects(digest('a.gz'), new HashingFailed('the hash client is closed'))
  await until('the process is gone', () => !children().includes(pid))
})
