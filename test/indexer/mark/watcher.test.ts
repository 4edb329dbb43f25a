import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { watch } from 'chokidar'
import type { Test } from 'tap'
import { isExhaustion, overflowDetector, watchLimit } from '../../../src/indexer/mark/inotify.ts'
import { Watcher } from '../../../src/indexer/mark/watcher.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'

/** A watcher and its calls. */
function openOn(
  t: Test,
  tree: Parameters<Test['testdir']>[0],
  options: Partial<ConstructorParameters<typeof Watcher>[0]> = {},
) {
  const archive = testFolder(t, tree)
  const calls = { events: [] as string[], watching: [] as string[], failures: [] as string[] }
  const watcher = new Watcher({
    archive,
    ...options,
    onEvent: (directory) => calls.events.push(directory),
    onWatching: (directory) => calls.watching.push(directory),
    onOverflow: () => undefined,
    onFailure: (directory) => calls.failures.push(directory),
  })
  t.teardown(() => watcher.close())
  const setDirectories = async (...directories: string[]) => {
    watcher.setDirectories(directories, { retry: false })
    await until(`watching ${directories.join()}`, () =>
      directories.every((directory) => calls.watching.includes(directory)),
    )
  }
  /** Checks that an action causes an event in this directory. */
  const causesEvent = async (directory: string, what: string, act: () => void) => {
    calls.events.length = 0
    act()
    await until(what, () => calls.events.includes(directory))
  }
  return { archive, watcher, calls, setDirectories, causesEvent }
}

t.test('every change in a watched directory is an event', async (t) => {
  const { archive, watcher, setDirectories, causesEvent } = openOn(t, {
    obs: { a: { 'old.gz': 'x' }, b: {} },
  })
  await setDirectories('obs', 'obs/a')
  t.equal(watcher.size, 2)
  const file = join(archive, 'obs/a/new.gz')
  await causesEvent('obs/a', 'a new file', () => writeFileSync(file, 'x'))
  await causesEvent('obs/a', 'a file that grows', () => appendFileSync(file, 'y'))
  await causesEvent('obs/a', 'a file that was there before and is written over', () => {
    writeFileSync(join(archive, 'obs/a/old.gz'), 'z')
  })
  await causesEvent('obs/a', 'a file renamed into it', () => {
    writeFileSync(join(archive, 'aside'), '')
    renameSync(join(archive, 'aside'), join(archive, 'obs/a/renamed.gz'))
  })
  await causesEvent('obs/a', 'a file removed from it', () => rmSync(file))
  await causesEvent('obs', 'a new directory', () => mkdirSync(join(archive, 'obs/c')))
})

t.test('a directory with too many entries is not watched', async (t) => {
  const { archive, watcher, calls, setDirectories } = openOn(
    t,
    { obs: { large: { a: '', b: '', c: '' }, small: { a: '', b: '' } } },
    { mostEntries: 2 },
  )
  watcher.setDirectories(['obs/large', 'obs/small'], { retry: false })
  await until('the other is watched', () => calls.watching.includes('obs/small'))
  t.strictSame(calls, { events: [], watching: ['obs/small'], failures: [] })
  t.notOk(watcher.has('obs/large'))
  rmSync(join(archive, 'obs/large/a'))
  await setDirectories('obs/large', 'obs/small')
  t.ok(watcher.has('obs/large'), 'when it is small enough')
})

t.test('events that fill half the queue of the kernel count as an overflow', async (t) => {
  for (const [length, limit] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [16_385, 8193],
  ] as const) {
    let overflows = 0
    const countEvent = overflowDetector(() => overflows++, length)
    for (let n = 1; n < limit; n++) countEvent()
    t.equal(overflows, 0, `${limit - 1} of ${length}`)
    for (let n = 0; n < limit; n++) countEvent()
    t.equal(overflows, 1, `${limit} and more of ${length}`)
  }
})

t.test('directories can be added after other directories were watched', async (t) => {
  const { archive, watcher, setDirectories, causesEvent } = openOn(t, { obs: { a: {}, b: {} } })
  await setDirectories('obs')
  await setDirectories('obs')
  await setDirectories('obs', 'obs/a')
  await setDirectories('obs', 'obs/a', 'obs/b')
  await causesEvent('obs/b', 'a new file in the last', () => {
    writeFileSync(join(archive, 'obs/b/new.gz'), '')
  })
  await setDirectories('obs')
  t.notOk(watcher.has('obs/a'), 'and one that leaves is not watched any more')
  t.equal(watcher.size, 1)
})

t.test(
  'if the set of directories changes while watches start, the latest set is watched',
  async (t) => {
    const { watcher, calls, setDirectories } = openOn(t, { obs: { a: {}, b: {}, c: {} } })
    watcher.setDirectories(['obs/a', 'obs/b'], { retry: false })
    watcher.setDirectories(['obs/b'], { retry: false })
    watcher.restartAll()
    await setDirectories('obs/b', 'obs/c')
    t.notOk(calls.watching.includes('obs/a'))
    watcher.restartAll()
    await watcher.close()
    t.equal(watcher.size, 0, 'closing in the middle of it ends')
  },
)

t.test('a directory that replaces another directory is watched', async (t) => {
  const { archive, calls, setDirectories, causesEvent } = openOn(t, {
    obs: { a: { deep: {} } },
    new: { deep: {} },
  })
  await setDirectories('obs', 'obs/a', 'obs/a/deep')
  calls.watching.length = 0
  renameSync(join(archive, 'obs/a'), join(archive, 'aside'))
  renameSync(join(archive, 'new'), join(archive, 'obs/a'))
  await until(
    'both watches are restarted',
    () => calls.watching.includes('obs/a') && calls.watching.includes('obs/a/deep'),
  )
  for (const directory of ['obs/a', 'obs/a/deep'])
    await causesEvent(directory, `a new file in ${directory}`, () => {
      writeFileSync(join(archive, directory, 'new.gz'), '')
    })

  calls.watching.length = 0
  rmSync(join(archive, 'obs/a'), { recursive: true })
  mkdirSync(join(archive, 'obs/a'))
  await until('removed and made again', () => calls.watching.includes('obs/a'))
  await causesEvent('obs/a', 'a new file in it', () => {
    writeFileSync(join(archive, 'obs/a/new.gz'), '')
  })
})

/** Watches as chokidar does, on a system that has no more watches than these. */
function watchUpTo(most: number): typeof watch {
  let open = 0
  return (path, options) => {
    const watcher = watch(path, options)
    const close = watcher.close.bind(watcher)
    watcher.close = () => (open--, close())
    const error = Object.assign(new Error('no watch is left'), { code: 'ENOSPC' })
    if (++open > most) process.nextTick(() => watcher.emit('error', error))
    return watcher
  }
}

t.test('if the system has too few watches, the first directories are watched', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const tree = Object.fromEntries(names.map((name) => [name, {}]))
  const { watcher, calls } = openOn(t, tree, { startWatch: watchUpTo(3) })
  const watched = () => names.filter((name) => watcher.has(name)).join('')
  watcher.setDirectories(['b', 'c', 'd', 'e'], { retry: false })
  await until('no watch is left', () => calls.failures.includes('e'))
  t.equal(watched(), 'bcd')
  watcher.setDirectories(['a', 'b', 'c', 'd', 'e'], { retry: true })
  await until('a newer one has the watch of an older one', () => calls.failures.includes('d'))
  t.equal(watched(), 'abc')
})

t.test('a watch keeps nothing of what is in its directory', async (t) => {
  const opened: FSWatcher[] = []
  const startWatch: typeof watch = (path, options) => {
    const watcher = watch(path, options)
    opened.push(watcher)
    return watcher
  }
  const tree = { obs: { a: {}, b: {}, 'x.gz': '' } }
  const { archive, setDirectories, causesEvent } = openOn(t, tree, { startWatch })
  await setDirectories('obs')
  const kept = () => opened.map((each) => each.getWatched())
  const itself = { [archive]: ['obs'], [join(archive, 'obs')]: [] }
  t.same(kept(), [itself])
  await causesEvent('obs', 'a new directory', () => {
    mkdirSync(join(archive, 'obs/c'))
  })
  t.same(kept(), [itself])
})

t.test('a missing directory is not watched until it is set again', async (t) => {
  const { archive, watcher, calls, setDirectories } = openOn(t, { obs: {} })
  watcher.setDirectories(['obs/a', 'obs'], { retry: false })
  await until('the other is watched', () => calls.watching.includes('obs'))
  t.notOk(watcher.has('obs/a'))
  t.same(calls.failures, [], 'which is no failure')
  mkdirSync(join(archive, 'obs/a'))
  await setDirectories('obs', 'obs/a')
  t.ok(watcher.has('obs/a'))
})

t.test('a lack of watches is distinguished from a problem of one directory', async (t) => {
  const error = (code: string) => Object.assign(new Error(code), { code })
  t.ok(isExhaustion(error('ENOSPC')))
  t.ok(isExhaustion(error('EMFILE')))
  t.notOk(isExhaustion(error('EIO')))
  t.notOk(isExhaustion(new Error('something else')))
  const limit = watchLimit()
  t.ok(limit === null || limit > 0)
})
