/** The disks of the archive are read without waiting for one that hangs. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ArchiveDisks } from '../../../src/api/archive/disks.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'

// The timer of the disks does not keep a process alive.
const alive = setInterval(() => undefined, 1000)
t.teardown(() => {
  clearInterval(alive)
})

/** A disk with as many thousand bytes as its number, of which ten are free. */
const found = (device: number) => ({ device, freeBytes: 10, totalBytes: device * 1000 })
const space = (device: number) => ({ freeBytes: 10, totalBytes: device * 1000 })

const missing = Object.assign(new Error('gone'), { code: 'ENOENT' })
const settings = { archive: '/a', linkedDirectories: ['/old', '/older'], layout: defaultLayout }

/** Each path answers with its disk, fails with its error, or hangs as long as it has none. */
function disksOf(answers: Record<string, number | Error | undefined>) {
  const asked: string[] = []
  const waiting: (() => void)[] = []
  const look = async (path: string) => {
    asked.push(path)
    if (answers[path] === undefined) await new Promise<void>((resolve) => waiting.push(resolve))
    const answer = answers[path]
    if (typeof answer === 'number') return found(answer)
    throw answer ?? new Error('EIO')
  }
  return { answers, asked, disks: new ArchiveDisks(settings, look), waiting }
}

t.test('each file system is there once, with what it holds', async (t) => {
  const all = { '/a': 1, '/a/obs': 2, '/a/nrt': 1, '/old': 2, '/older': 3 }
  t.strictSame(await disksOf(all).disks.read(), [
    { holds: ['archive', 'nrt'], space: space(1) },
    { holds: ['obs', 'linked-1'], space: space(2) },
    { holds: ['linked-2'], space: space(3) },
  ])
  const some = { ...all, '/a/nrt': missing, '/old': missing, '/older': new Error('EIO') }
  t.strictSame(
    await disksOf(some).disks.read(),
    [
      { holds: ['archive'], space: space(1) },
      { holds: ['obs'], space: space(2) },
      { holds: ['linked-2'], space: undefined },
    ],
    'what is missing is on no disk; what cannot be read is on one that is not known',
  )
})

t.test('a linked disk that hangs blocks one thread, and hides nothing of the root', async (t) => {
  const hanging = { '/a': 1, '/a/obs': undefined, '/a/nrt': 1, '/old': 2, '/older': 2 }
  const { answers, asked, disks, waiting } = disksOf(hanging)
  const expected = [
    { holds: ['archive'], space: space(1) },
    ...['obs', 'nrt', 'linked-1', 'linked-2'].map((name) => ({ holds: [name], space: undefined })),
  ]
  const startedMs = performance.now()
  const [first, second] = await Promise.all([disks.read(), disks.read()])
  t.strictSame(first, expected)
  t.equal(second, first, 'two answers look once')
  t.strictSame(asked, ['/a', '/a/obs'], 'no other disk is asked')
  t.strictSame(await disks.read(), expected)
  t.strictSame(asked, ['/a', '/a/obs', '/a'], 'only the root is asked meanwhile')
  t.ok(performance.now() - startedMs < 60_000)
  answers['/a/obs'] = 2
  for (const answer of waiting) answer()
  await new Promise(setImmediate)
  t.strictSame(await disks.read(), [
    { holds: ['archive', 'nrt'], space: space(1) },
    { holds: ['obs', 'linked-1', 'linked-2'], space: space(2) },
  ])
})

t.test('a root that hangs is not asked again', async (t) => {
  const { asked, disks } = disksOf({})
  const nothing = ['archive', 'obs', 'nrt', 'linked-1', 'linked-2'].map((name) => ({
    holds: [name],
    space: undefined,
  }))
  for (let time = 0; time < 3; time++) t.strictSame(await disks.read(), nothing)
  t.strictSame(asked, ['/a'])
})

t.test('real directories, and an area that is a link', async (t) => {
  const archive = testFolder(t, { archive: { obs: {} }, elsewhere: {} })
  symlinkSync(join(archive, 'elsewhere'), join(archive, 'archive/nrt'))
  mkdirSync(join(archive, 'old'))
  const linkedDirectories = [join(archive, 'old'), join(archive, 'none')]
  const [disk, ...others] = await new ArchiveDisks({
    archive: join(archive, 'archive'),
    linkedDirectories,
    layout: defaultLayout,
  }).read()
  t.strictSame(disk?.holds, ['archive', 'obs', 'nrt', 'linked-1'])
  t.ok((disk?.space?.freeBytes ?? 0) > 0)
  t.ok((disk?.space?.totalBytes ?? 0) >= (disk?.space?.freeBytes ?? Infinity))
  t.strictSame(others, [])
})
