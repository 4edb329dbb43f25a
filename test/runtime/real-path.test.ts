import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { realDirectories, realPath } from '../../src/runtime/real-path.ts'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'

/** Symbolic links by their paths, and the real path of each path below the folder. */
const links: Record<string, string> = {
  'to-directory': 'x/deep',
  'to-file': 'x/c.db',
  'to-link': 'to-file',
  'to-parent': 'to-directory/../c.db',
  'to-nothing': 'x/new.db',
  'to-no-directory': 'nowhere/new.db',
  'to-nothing-by-link': 'to-directory/new.db',
  'to-link-to-nothing': 'to-nothing',
}

const cases: Record<string, string> = {
  'x/c.db': 'x/c.db',
  'to-file': 'x/c.db',
  'to-link': 'x/c.db',
  'to-parent': 'x/c.db',
  'to-directory/d.db': 'x/deep/d.db',
  'to-directory/new.db': 'x/deep/new.db',
  'to-directory/new/new.db': 'x/deep/new/new.db',
  'to-nothing': 'x/new.db',
  'to-no-directory': 'nowhere/new.db',
  'to-nothing-by-link': 'x/deep/new.db',
  'to-link-to-nothing': 'x/new.db',
  'x/c.db/below-a-file': 'x/c.db/below-a-file',
  'nowhere/new.db': 'nowhere/new.db',
}

t.test('every symbolic link of a path is followed, even a dangling link', async (t) => {
  const folder = realpathSync(testFolder(t, { x: { 'c.db': '', deep: { 'd.db': '' } } }))
  for (const [path, target] of Object.entries(links)) {
    symlinkSync(target, join(folder, path))
    symlinkSync(`${folder}/${target}`, join(folder, `absolute-${path}`))
  }
  for (const [path, real] of Object.entries(cases)) {
    t.equal(realPath(join(folder, path)), join(folder, real), path)
    if (path in links) t.equal(realPath(join(folder, `absolute-${path}`)), join(folder, real), path)
  }
})

t.test('a path with a loop of links is resolved as far as its last real directory', async (t) => {
  const folder = realpathSync(testFolder(t))
  symlinkSync('b', join(folder, 'a'))
  symlinkSync('a', join(folder, 'b'))
  t.match(realPath(join(folder, 'a/c.db')), /^.+\/[ab]\/c\.db$/)
  t.ok(realPath(join(folder, 'a/c.db')).startsWith(folder))
})

t.test('the real path of a linked directory is known while its disk is away', async (t) => {
  const folder = realpathSync(testFolder(t, { mnt: { disk: {} } }))
  const [own, real] = [join(folder, 'disk'), join(folder, 'mnt/disk')]
  symlinkSync(real, own)
  const lines: { msg: string }[] = []
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as never) })
  t.same(realDirectories([own, real, own], logger), [own, real])
  t.same(lines, [])
  renameSync(join(folder, 'mnt'), join(folder, 'away'))
  t.same(realDirectories([own], logger), [own, real])
  t.match(lines, exact([{ msg: `linked directory ${own} not found` }]))
  mkdirSync(join(folder, 'mnt'))
  t.same(realDirectories([own], logger), [own, real])
})
