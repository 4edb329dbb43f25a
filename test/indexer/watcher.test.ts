import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { isExhaustion, openWatcher, watchLimit } from '../../src/indexer/watcher.ts'
import { until } from './until.ts'
import { testFolder } from '../folder.ts'

/** A watcher, and what it tells. */
function openOn(t: Test, tree: Parameters<Test['testdir']>[0]) {
  const archive = testFolder(t, tree)
  const told = { hints: [] as string[], watching: [] as string[], failures: [] as string[] }
  const watcher = openWatcher({
    archive,
    onEvent: (directory) => told.hints.push(directory),
    onWatching: (directory) => told.watching.push(directory),
    onOverflow: () => undefined,
    onFailure: (directory) => told.failures.push(directory),
  })
  t.teardown(() => watcher.close())
  const watchController = async (...directories: string[]) => {
    watcher.setDirectories(directories, { retry: false })
    await until(t, `watching ${directories.join()}`, () =>
      directories.every((directory) => told.watching.includes(directory)),
    )
  }
  /** Whether what is done shows as a hint at this directory. */
  const hinted = async (directory: string, what: string, reconcileLoop: () => void) => {
    told.hints.length = 0
    reconcileLoop()
    await until(t, what, () => told.hints.includes(directory))
  }
  return { archive, watcher, told, watchController, hinted }
}

t.test('whatever happens in a watched directory is a hint at it', async (t) => {
  const { archive, watcher, watchController, hinted } = openOn(t, {
    obs: { a: { 'old.gz': 'x' }, b: {} },
  })
  await watchController('obs', 'obs/a')
  t.equal(watcher.size, 2)
  const file = join(archive, 'obs/a/new.gz')
  await hinted('obs/a', 'a new file', () => {
    writeFileSync(file, 'x')
  })
  await hinted('obs/a', 'a file that grows', () => {
    appendFileSync(file, 'y')
  })
  await hinted('obs/a', 'a file that was there before and is written over', () => {
    writeFileSync(join(archive, 'obs/a/old.gz'), 'z')
  })
  await hinted('obs/a', 'a file renamed into it', () => {
    writeFileSync(join(archive, 'aside'), '')
    renameSync(join(archive, 'aside'), join(archive, 'obs/a/renamed.gz'))
  })
  await hinted('obs/a', 'a file removed from it', () => {
    rmSync(file)
  })
  await hinted('obs', 'a new directory', () => {
    mkdirSync(join(archive, 'obs/c'))
  })
})

t.test('directories are watched that join after all others have been', async (t) => {
  const { archive, watcher, watchController, hinted } = openOn(t, { obs: { a: {}, b: {} } })
  await watchController('obs')
  await watchController('obs')
  await watchController('obs', 'obs/a')
  await watchController('obs', 'obs/a', 'obs/b')
  await hinted('obs/b', 'a new file in the last', () => {
    writeFileSync(join(archive, 'obs/b/new.gz'), '')
  })
  await watchController('obs')
  t.notOk(watcher.has('obs/a'), 'and one that leaves is not watched any more')
  t.equal(watcher.size, 1)
})

t.test('a change of mind while watches are started stops none of them for ever', async (t) => {
  const { watcher, told, watchController } = openOn(t, { obs: { a: {}, b: {}, c: {} } })
  watcher.setDirectories(['obs/a', 'obs/b'], { retry: false })
  watcher.setDirectories(['obs/b'], { retry: false })
  watcher.restartAll()
  await watchController('obs/b', 'obs/c')
  t.notOk(told.watching.includes('obs/a'))
  watcher.restartAll()
  await watcher.close()
  t.equal(watcher.size, 0, 'closing in the middle of it ends')
})

t.test('a directory that is replaced by another is watched under its name', async (t) => {
  const { archive, told, watchController, hinted } = openOn(t, {
    obs: { a: { deep: {} } },
    new: { deep: {} },
  })
  await watchController('obs', 'obs/a', 'obs/a/deep')
  told.watching.length = 0
  renameSync(join(archive, 'obs/a'), join(archive, 'aside'))
  renameSync(join(archive, 'new'), join(archive, 'obs/a'))
  await until(
    t,
    'both are watched anew',
    () => told.watching.includes('obs/a') && told.watching.includes('obs/a/deep'),
  )
  for (const directory of ['obs/a', 'obs/a/deep'])
    await hinted(directory, `a new file in ${directory}`, () => {
      writeFileSync(join(archive, directory, 'new.gz'), '')
    })

  told.watching.length = 0
  rmSync(join(archive, 'obs/a'), { recursive: true })
  mkdirSync(join(archive, 'obs/a'))
  await until(t, 'removed and made again', () => told.watching.includes('obs/a'))
  await hinted('obs/a', 'a new file in it', () => {
    writeFileSync(join(archive, 'obs/a/new.gz'), '')
  })
})

t.test('a directory that is not there is not watched until it is asked for again', async (t) => {
  const { archive, watcher, told, watchController } = openOn(t, { obs: {} })
  watcher.setDirectories(['obs/a', 'obs'], { retry: false })
  await until(t, 'the other is watched', () => told.watching.includes('obs'))
  t.notOk(watcher.has('obs/a'))
  t.same(told.failures, [], 'which is no failure')
  mkdirSync(join(archive, 'obs/a'))
  await watchController('obs', 'obs/a')
  t.ok(watcher.has('obs/a'))
})

t.test('no room for watches is told from trouble with one directory', async (t) => {
  const error = (code: string) => Object.assign(new Error(code), { code })
  t.ok(isExhaustion(error('ENOSPC')))
  t.ok(isExhaustion(error('EMFILE')))
  t.notOk(isExhaustion(error('EIO')))
  t.notOk(isExhaustion(new Error('something else')))
  const limit = watchLimit()
  t.ok(limit === null || limit > 0)
})
