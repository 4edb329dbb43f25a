import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t, { exact } from '../../tap.ts'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import { HashClient, HashingFailed } from '../../../src/indexer/checksums/hash-client.ts'
import { testFolder } from '../../folder.ts'
import { until } from '../until.ts'

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

t.test('files are read in the order of the requests, in one process', async (t) => {
  const archive = testFolder(t, { a: content, b: 'no gzip' })
  const hashClient = new HashClient({ archive })
  t.teardown(() => hashClient.close())
  const before = children()
  t.match(
    await hashClient.digest([{ path: 'b' }, { path: 'missing' }, { path: 'a' }]),
    exact([
      { problem: 'broken', size: 7 },
      undefined,
      { problem: undefined, size: content.length },
    ]),
  )
  const started = children().filter((pid) => !before.includes(pid))
  t.equal(started.length, 1)
  const [, , , , , , , , , , , , , , , , , , nice] = readFileSync(
    `/proc/${started[0]}/stat`,
    'utf8',
  )
    .replace(/\(.*\)/, 'name')
    .split(' ')
  t.equal(nice, '19', 'of the lowest priority')
  t.match(await hashClient.digest([{ path: 'a' }]), exact([{ problem: undefined }]))
  t.same(
    children().filter((pid) => !before.includes(pid)),
    started,
  )
})

t.test('files are identified without being read', async (t) => {
  const archive = testFolder(t, { a: content })
  const hashClient = new HashClient({ archive })
  t.teardown(() => hashClient.close())
  const identity = toIdentity(statSync(`${archive}/a`))
  t.same(await hashClient.identify(['a', 'missing']), [identity, undefined])
  t.match(await hashClient.digest([{ path: 'a' }]), exact([identity]))
})

t.test('an idle hash process ends, and is started again for new work', async (t) => {
  const archive = testFolder(t, { a: content })
  const before = children().length
  const hashClient = new HashClient({ archive, idleMs: 1 })
  t.teardown(() => hashClient.close())
  t.equal(children().length, before, 'none before there is work')
  for (let turn = 0; turn < 2; turn++) {
    t.match(await hashClient.digest([{ path: 'a' }]), exact([{ problem: undefined }]))
    await until(t, 'it has ended', () => children().length === before)
  }
})

t.test('a hash process that hangs is killed and replaced', async (t) => {
  const archive = testFolder(t, { a: content })
  const before = children()
  const hashClient = new HashClient({ archive, silentMs: 1000 })
  t.teardown(() => hashClient.close())
  const works = () =>
    hashClient.digest([{ path: 'a' }]).then(
      () => true,
      () => false,
    )
  // On a busy machine it may be silent for that long without hanging.
  await until(t, 'it works', works)
  const pid = children().find((each) => !before.includes(each)) ?? 0
  process.kill(pid, 'SIGSTOP')
  await t.rejects(
    hashClient.digest([{ path: 'a' }]),
    new HashingFailed('the disk has not answered for 1 s'),
  )
  await until(t, 'it is gone', () => !children().includes(pid))
  await until(t, 'it works again', works)
})

t.test('a call fails when the hash process dies', async (t) => {
  const archive = testFolder(t, { a: content })
  const before = children()
  const hashClient = new HashClient({ archive })
  t.teardown(() => hashClient.close())
  await hashClient.digest([{ path: 'a' }])
  const pid = children().find((each) => !before.includes(each)) ?? 0
  process.kill(pid, 'SIGSTOP')
  const requested = hashClient.digest([{ path: 'a' }])
  process.kill(pid, 'SIGKILL')
  await t.rejects(requested, new HashingFailed('the hash process has ended: SIGKILL'))
  t.match(await hashClient.digest([{ path: 'a' }]), exact([{ problem: undefined }]))
})

t.test('close does not wait for the hash process', async (t) => {
  const archive = testFolder(t, { a: content })
  const before = children()
  const hashClient = new HashClient({ archive })
  await hashClient.digest([{ path: 'a' }])
  const pid = children().find((each) => !before.includes(each)) ?? 0
  process.kill(pid, 'SIGSTOP')
  const requested = hashClient.digest([{ path: 'a' }])
  hashClient.close()
  await t.rejects(requested, new HashingFailed('the hash client is closed'))
  await t.rejects(
    hashClient.digest([{ path: 'a' }]),
    new HashingFailed('the hash client is closed'),
  )
  await until(t, 'the process is gone', () => !children().includes(pid))
})
