/**
 * A disk that hangs blocks at most half of the threads for files: further downloads get 503, and
 * the rest of the API answers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { fetchAlone, lacksStrace, longestMs, startService, stop, until } from './service.ts'
import { dayDirectory, paths, put } from './tree.ts'

t.setTimeout(longestMs)
// Each test waits for the limits of hanging downloads.
t.jobs = 2

const [hanging = '', other = ''] = paths(dayDirectory(), 2)

/** The system calls of a download that may hang. */
const calls = { 'opening a file': 'openat', 'the size and time of an open file': 'statx,fstat' }

/** These system calls of the API hang for this file. @returns ends the hang */
async function hang(t: Test, service: Service, names: string): Promise<() => Promise<unknown>> {
  const inject = ['-f', '-e', `trace=${names}`, '-e', `inject=${names}:delay_enter=1000s`]
  const target = ['-P', join(service.archive, hanging), '-p', String(service.api.pid)]
  const strace = spawn('strace', [...inject, '-o', '/dev/null', ...target])
  t.teardown(() => stop(strace, 'SIGINT'))
  await once(strace.stderr, 'data')
  return () => stop(strace, 'SIGINT')
}

for (const [what, names] of Object.entries(calls))
  t.test(`two downloads that hang at ${what} block only others`, { skip: lacksStrace }, (t) =>
    blocksOnlyDownloads(t, names),
  )

async function blocksOnlyDownloads(t: Test, names: string): Promise<void> {
  const service = await startService(t, testFolder(t))
  for (const path of [hanging, other]) put(service.archive, path)
  await until('both are listed', async () => (await service.count()) === 2)
  const ask = (path: string) =>
    fetchAlone(new URL(path, service.url), { signal: AbortSignal.timeout(60_000) })
  const download = (path: string) => ask(`/rinex/data/${path}`)
  const statusOf = async (path: string) => (await download(path)).status
  const end = await hang(t, service, names)

  let answered = 0
  const hung = [hanging, hanging].map(async (path) => {
    const { status } = await download(path)
    answered++
    return status
  })
  await until('another download is 503', async () => (await statusOf(other)) === 503)
  const further = [other, hanging, hanging, hanging, hanging].map(download)
  const resources = ['/healthz', '/metrics', '?limit=1', '/rinex/assets/page.js', '/rinex/data/']
  for (const path of resources) t.equal((await ask(path)).status, 200, path)
  for (const { status, headers } of await Promise.all(further)) {
    t.equal(status, 503, 'a further download')
    t.equal(headers.get('retry-after'), '60')
  }
  t.equal(answered, 0, 'the first two still wait')

  await end()
  t.same(await Promise.all(hung), [200, 200], 'they are answered when the disk is back')
  for (const path of [hanging, other]) t.equal(await statusOf(path), 200, path)
  const linesWith = (text: RegExp) => service.log.filter(({ msg }) => text.test(msg)).length
  await until('the recovery is logged', () => linesWith(/downloads are served again/) === 1)
  t.equal(linesWith(/does not answer/), 1, 'logged once')
}
