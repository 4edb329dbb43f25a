/** Missing files are distinguished from files whose disk is away by what is in their place. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { createDiskCheck } from '../../../src/indexer/read/links.ts'
import type { Tree } from '../../../src/indexer/read/read-directory.ts'
import { readDirectory } from '../../../src/indexer/read/read-directory.ts'
import { walkTree } from '../../../src/indexer/read/walk.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import { asOtherUser } from '../../other-user.ts'
import t, { exact } from '../../tap.ts'

const name = 'graz0010.10o.gz'
const link = 'zimm0010.10o.gz'
const content = () => ({ [name]: '' })

/** An archive with the year 2010; 2009 and one file of 2010 are on a linked disk. */
function makeTree(t: Test, makeFolder = testFolder) {
  const folder = realpathSync(
    makeFolder(t, {
      archive: {
        obs: { '2010': { '001': { x: { y: content() }, [name]: '' } }, '2011': {} },
        nrt: {},
      },
      disk: {
        '2009': { '001': { x: { y: content() }, [name]: '' }, '002': content() },
        [link]: '',
      },
      elsewhere: { y: content() },
    }),
  )
  const archive = join(folder, 'archive')
  const disk = join(folder, 'disk')
  symlinkSync(join(disk, '2009'), join(archive, 'obs/2009'))
  symlinkSync(join(disk, link), join(archive, 'obs/2010/001', link))
  const tree = {
    archive,
    layout: defaultLayout,
    linkedDirectories: [disk],
    isForeign: createDiskCheck(archive),
  }
  const snapshot = (path: string) => readDirectory(tree, path)
  const outcomes = (...paths: string[]) => paths.map((path) => snapshot(path).outcome)
  return { folder, archive, disk, tree, snapshot, outcomes }
}

type Replace = (path: string, parts: { folder: string; disk: string }) => void

/** Things in the place of a directory that are no directory of the tree. */
const replacements: Record<string, Replace> = {
  nothing: () => undefined,
  'a file': (path) => writeFileSync(path, 'notes'),
  'a FIFO': (path) => execFileSync('mkfifo', [path]),
  'a symlink that leads nowhere': (path, { folder }) => symlinkSync(join(folder, 'missing'), path),
  'a symlink to a directory elsewhere': (path, { folder }) => {
    symlinkSync(join(folder, 'elsewhere'), path)
  },
  'a symlink that leads nowhere on the linked disk': (path, { disk }) => {
    symlinkSync(join(disk, 'missing'), path)
  },
  'a symlink to a file of the linked disk': (path, { disk }) => symlinkSync(join(disk, link), path),
  'a symlink to below a file of the linked disk': (path, { disk }) => {
    symlinkSync(join(disk, link, 'x'), path)
  },
  'a symlink to itself': (path) => symlinkSync(path, path),
  'a symlink to a loop on the linked disk': (path, { disk }) => {
    symlinkSync(join(disk, 'loop'), path)
    symlinkSync(join(disk, 'loop'), join(disk, 'loop'))
  },
  'a symlink to a name that is too long': (path, { disk }) => {
    symlinkSync(join(disk, 'a'.repeat(300)), path)
  },
  'a symlink to a path that is too long': (path, { disk }) => {
    symlinkSync(join(disk, 'a/'.repeat(1900)), path)
  },
}

for (const [what, replace] of Object.entries(replacements))
  t.test(
    `a directory with ${what} in its place is missing, and so is everything below it`,
    async (t) => {
      for (const path of ['obs/2010/001/x', 'obs/2009/001/x', 'obs/2009']) {
        const made = makeTree(t)
        const below = path === 'obs/2009' ? `${path}/001` : `${path}/y`
        t.same(made.outcomes(path, below), ['read', 'read'])
        // The target, if a symlink leads to the directory.
        const real = realpathSync(join(made.archive, path))
        rmSync(real, { recursive: true })
        replace(real, made)
        t.same(made.outcomes(path, below), ['missing', 'missing'], path)
        t.notOk(made.snapshot(dirname(path)).directories.includes('x'), 'and not found any more')
        const met = Array.from(walkTree(made.tree, ['obs']), (step) => step.snapshot.path)
        t.notOk(met.includes(below), 'a walk goes on without it')
      }
    },
  )

t.test('a symlink to a directory on the linked disk replaces a directory', async (t) => {
  const { archive, disk, snapshot } = makeTree(t)
  renameSync(join(archive, 'obs/2010/001/x'), join(disk, 'x'))
  symlinkSync(join(disk, 'x'), join(archive, 'obs/2010/001/x'))
  t.match(snapshot('obs/2010/001/x/y'), { outcome: 'read', names: exact([name]) })
})

t.test('a file with a directory in its place is missing', async (t) => {
  for (const directory of ['obs/2010/001', 'obs/2009/001']) {
    const { archive, snapshot } = makeTree(t)
    rmSync(join(archive, directory, name))
    mkdirSync(join(archive, directory, name))
    t.notOk(snapshot(directory).names.includes(name))
    t.ok(snapshot(directory).directories.includes(name))
  }
})

/** What is in the place of a linked disk, or of the way to it, while it is away. */
const absences: Record<string, (disk: string) => void> = {
  'is not there': () => undefined,
  'is an empty mount point': (disk) => mkdirSync(disk),
  'is a file': (disk) => writeFileSync(disk, 'not mounted'),
  'is a symlink to a missing path': (disk) => symlinkSync(join(disk, 'x'), disk),
}

for (const [what, put] of Object.entries(absences))
  t.test(`no file on a linked disk counts as missing while the disk ${what}`, async (t) => {
    const made = makeTree(t)
    t.same(made.snapshot('obs/2010/001').names, [name, link])
    const away = ['obs/2009', 'obs/2009/001', 'obs/2009/001/x/y']
    const all = ['obs', ...away]
    t.same(
      made.outcomes(...all),
      all.map(() => 'read'),
    )
    renameSync(made.disk, join(made.folder, 'moved'))
    put(made.disk)
    t.same(made.outcomes(...all), ['read', ...away.map(() => 'unreadable')])
    t.ok(made.snapshot('obs').directories.includes('2009'), 'it is still a directory')
    t.match(
      readDirectory(made.tree, 'obs/2010/001'),
      exact({ names: [name], away: [link], stamp: undefined, directories: ['x'] }),
      'a file on it is neither present nor missing, and is read again',
    )
    rmSync(made.disk, { recursive: true, force: true })
    renameSync(join(made.folder, 'moved'), made.disk)
    t.same(
      made.outcomes(...all),
      all.map(() => 'read'),
    )
    t.match(made.snapshot('obs/2010/001'), exact({ names: [name, link], away: [] }))
    rmSync(join(made.disk, link))
    t.match(
      made.snapshot('obs/2010/001'),
      exact({ names: [name], away: [], rejections: [{ reason: 'symlink' }] }),
      'one that is gone from the disk is gone',
    )
  })

t.test('a disk linked from another linked disk may be away alone', async (t) => {
  const { folder, archive, disk } = makeTree(t)
  const second = join(folder, 'second')
  mkdirSync(join(second, 'years/2008/001'), { recursive: true })
  symlinkSync(join(second, 'years'), join(disk, 'years'))
  symlinkSync(join(disk, 'years/2008'), join(archive, 'obs/2008'))
  const tree: Tree = { archive, layout: defaultLayout, linkedDirectories: [disk, second] }
  const outcomes = () =>
    ['obs/2008', 'obs/2008/001'].map((path) => readDirectory(tree, path).outcome)
  t.same(outcomes(), ['read', 'read'])
  renameSync(second, join(folder, 'moved'))
  t.same(outcomes(), ['unreadable', 'unreadable'])
  mkdirSync(second)
  t.same(outcomes(), ['unreadable', 'unreadable'])
  mkdirSync(join(second, 'other'))
  t.same(outcomes(), ['missing', 'missing'], 'it is there, and holds no such year')
})

t.test('a mount point below the linked directory may lack its disk', async (t) => {
  const { archive, disk, outcomes } = makeTree(t)
  mkdirSync(join(disk, 'mount'))
  symlinkSync(join(disk, 'mount'), join(archive, 'obs/2007'))
  symlinkSync(join(disk, 'mount/2008'), join(archive, 'obs/2008'))
  const linked = ['obs/2007', 'obs/2008', 'obs/2008/001']
  t.same(outcomes(...linked), ['unreadable', 'unreadable', 'unreadable'])
  rmSync(join(archive, 'nrt'), { recursive: true })
  symlinkSync(join(disk, 'mount'), join(archive, 'nrt'))
  t.same(outcomes('nrt'), ['read'], 'but an empty area may be new')
  mkdirSync(join(disk, 'mount/other'))
  t.same(outcomes(...linked), ['read', 'missing', 'missing'], 'the disk holds no such year')
})

t.test('an area that is no directory is lost, whatever is in its place', async (t) => {
  for (const [what, replace] of Object.entries(replacements)) {
    const made = makeTree(t)
    rmSync(join(made.archive, 'obs'), { recursive: true })
    replace(join(made.archive, 'obs'), made)
    // As seen by a process that starts now.
    const tree = { ...made.tree, isForeign: createDiskCheck(made.archive) }
    for (const path of ['obs', 'obs/2010', 'obs/2010/001/x'])
      t.equal(readDirectory(tree, path).outcome, 'lost-area', `${what}: ${path}`)
  }
})

t.test('an unreadable file on a linked disk is not missing', async (t) => {
  const { tree, disk } = makeTree(t, commonFolder)
  execFileSync('chmod', ['0', disk])
  t.teardown(() => execFileSync('chmod', ['755', disk]))
  const snapshot = await asOtherUser(() => readDirectory(tree, 'obs/2010/001'))
  t.match(snapshot, exact({ outcome: 'read', names: [name], away: [link] }))
})

t.test(
  'a symlink out of the tree is not followed, even if it leads back to the linked disk',
  (t) => {
    const { archive, folder, disk, outcomes } = makeTree(t)
    const [place, elsewhere] = [join(archive, 'obs/2010/001/x'), join(folder, 'elsewhere')]
    symlinkSync(join(disk, '2009'), join(elsewhere, 'back'))
    t.same(outcomes('obs/2010/001/x/y', 'obs/2009/001/x/y'), ['read', 'read'])
    renameSync(place, `${archive}/x`)
    symlinkSync(elsewhere, place)
    t.same(outcomes('obs/2010/001/x', 'obs/2010/001/x/back', 'obs/2010/001/x/back/001'), [
      'missing',
      'missing',
      'missing',
    ])
    rmSync(place)
    symlinkSync(join(elsewhere, 'back'), place)
    t.same(outcomes('obs/2010/001/x', 'obs/2010/001/x/001'), ['read', 'read'], 'its end counts')
    t.end()
  },
)

t.test('a directory whose name begins with that of a linked directory is not linked', async (t) => {
  const { archive, disk, tree } = makeTree(t)
  const sibling = `${disk}-old`
  mkdirSync(join(sibling, '2008/001'), { recursive: true })
  writeFileSync(join(sibling, '2008/001', name), '')
  writeFileSync(join(sibling, link), '')
  symlinkSync(join(sibling, '2008'), join(archive, 'obs/2008'))
  symlinkSync(join(sibling, link), join(archive, 'obs/2010', link))
  const read = (linkedDirectories: readonly string[], path: string) =>
    readDirectory({ ...tree, linkedDirectories }, path)
  for (const path of ['obs/2008', 'obs/2008/001']) {
    t.match(read([disk], path), { outcome: 'missing', error: /not in linked_directories/ }, path)
    t.match(read([disk, sibling], path), { outcome: 'read' }, path)
  }
  t.strictSame(read([disk], 'obs/2010').names, [])
  t.strictSame(read([disk], 'obs/2010').rejections, [
    { reason: 'symlink', count: 1, names: [link] },
  ])
  t.strictSame(read([disk, sibling], 'obs/2010').names, [link])
})
