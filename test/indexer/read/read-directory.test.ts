import { execFileSync } from 'node:child_process'
import { chmodSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import { identityAt } from '../../../src/indexer/read/packed-identities.ts'
import { readDirectory, readStamp, readTimes } from '../../../src/indexer/read/read-directory.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import { asOtherUser } from '../../other-user.ts'
import t, { exact } from '../../tap.ts'
import { listenIn } from '../../unix-socket.ts'

const name = 'graz0010.26d.gz'
const old = new Date('2020-01-01T00:00:00Z')

const read = (archive: string, path: string) =>
  readDirectory({ archive, layout: defaultLayout, linkedDirectories: [] }, path)

t.test('a snapshot has names, facts, subdirectories and rejections of a directory', async (t) => {
  const archive = testFolder(t, {
    obs: {
      '2026': {
        '001': {
          [name]: 'twelve bytes',
          'README.txt': '',
          'CKMG0090.21I.gz': '',
          '.graz0010.26d.gz.Xa81bC': '',
          deeper: {},
          '.hidden': {},
          'sp ace': {},
        },
      },
    },
  })
  const path = join(archive, 'obs/2026/001')
  symlinkSync('/etc/passwd', join(path, 'zimm0010.26d.gz'))
  symlinkSync('/etc', join(path, 'linked'))
  execFileSync('mkfifo', [join(path, 'onsa0010.26d.gz')])
  utimesSync(join(path, name), old, old)
  utimesSync(path, old, old)
  const snapshot = read(archive, 'obs/2026/001')
  t.match(snapshot, {
    outcome: 'read',
    names: exact([name]),
    directories: exact(['deeper']),
  })
  t.same(identityAt(snapshot, 0), toIdentity(statSync(join(path, name))))
  const counts = Object.fromEntries(snapshot.rejections.map(({ reason, count }) => [reason, count]))
  t.same(counts, {
    'bad-type': 1,
    'not-gz': 1,
    'unknown-form': 1,
    'bad-directory-name': 2,
    symlink: 2,
    'not-a-file': 1,
  })
})

t.test('dangerous names are rejected with a reason', async (t) => {
  const archive = testFolder(t, { obs: {} })
  const hostile = Buffer.from([0x67, 0x72, 0x61, 0x7a, 0xff, 0xfe, 0x2e, 0x67, 0x7a])
  writeFileSync(Buffer.concat([Buffer.from(`${archive}/obs/`), hostile]), '')
  const names = [
    '<script>alert(1)<script>.gz',
    'graz0010.26d.gz\n',
    'graz0010\n.26d.gz',
    `${'a'.repeat(252)}.gz`,
    'graz0010.26d.gz;rm -rf .gz',
    '😀0010.26d.gz',
    '%2e%2e.gz',
  ]
  for (const name of names) writeFileSync(join(archive, 'obs', name), '')
  const snapshot = read(archive, 'obs')
  t.same(snapshot.names, [])
  t.equal(
    snapshot.rejections.reduce((sum, { count }) => sum + count, 0),
    names.length + 1,
  )
  t.ok(snapshot.rejections.some(({ reason }) => reason === 'not-utf8'))
})

t.test('a stamp has the times and the names of a directory, whatever their order', async (t) => {
  const archive = testFolder(t, { obs: { '2026': { [name]: '', note: '', '001': {} } } })
  const stamp = () => {
    const tree = { archive, layout: defaultLayout, linkedDirectories: [] }
    const { stamp, device } = read(archive, 'obs/2026')
    t.strictSame({ ...stamp, device }, readStamp(tree, 'obs/2026'), 'a sweep sees the same')
    const { namesSum, ...times } = { ...stamp, device }
    t.strictSame(times, readTimes(tree, 'obs/2026'))
    return { times, namesSum }
  }
  const before = stamp()
  renameSync(join(archive, 'obs/2026/note'), join(archive, 'obs/2026/nota'))
  utimesSync(join(archive, 'obs/2026'), old, old)
  const other = stamp()
  t.not(other.namesSum, before.namesSum, 'another name of an entry that is not catalogued')
  t.notSame(other.times, before.times)
  renameSync(join(archive, 'obs/2026/nota'), join(archive, 'obs/2026/note'))
  t.equal(stamp().namesSum, before.namesSum)
  t.equal(
    readStamp(
      { archive, layout: defaultLayout, linkedDirectories: [], mostEntries: 2 },
      'obs/2026',
    ),
    undefined,
  )
})

t.test('unreadable and missing directories are distinguished', async (t) => {
  const archive = testFolder(t, { obs: { '2026': { '001': {} } }, nrt: {} })
  const outcome = (path: string) => read(archive, path).outcome
  t.equal(outcome('obs/2026/002'), 'missing')
  t.equal(outcome('nrt/2026'), 'lost-area', 'an empty area is a lost disk')
  writeFileSync(join(archive, 'nrt/README'), '')
  t.equal(outcome('nrt/2026'), 'lost-area', 'and so is one with a note')
  writeFileSync(join(archive, 'nrt', name), '')
  t.equal(outcome('nrt/2026'), 'missing', 'one with a RINEX file is there')
  renameSync(join(archive, 'obs'), join(archive, 'aside'))
  t.equal(outcome('obs/2026/001'), 'lost-area')
  t.equal(outcome('obs'), 'lost-area')
})

t.test('a directory without permission is unreadable', async (t) => {
  const archive = commonFolder(t, { obs: { '2026': { [name]: '' } } })
  chmodSync(join(archive, 'obs/2026'), 0)
  t.teardown(() => chmodSync(join(archive, 'obs/2026'), 0o755))
  const snapshot = await asOtherUser(() => read(archive, 'obs/2026'))
  t.match(snapshot, { outcome: 'unreadable', error: 'EACCES' })
  t.match(snapshot.rejections, exact([{ reason: 'unreadable-directory', count: 1 }]))
})

t.test('a socket with a RINEX name is rejected', async (t) => {
  const archive = testFolder(t, { obs: {} })
  await listenIn(t, join(archive, 'obs'), name)
  t.match(read(archive, 'obs'), {
    names: exact([]),
    rejections: exact([{ reason: 'not-a-file', count: 1 }]),
  })
})

t.test('reading many files reports progress', async (t) => {
  const archive = testFolder(t, { obs: { '2026': {} } })
  for (let n = 0; n < 50; n++) writeFileSync(join(archive, `obs/2026/${1000 + n}0010.26d.gz`), '')
  let steps = 0
  const tree = { archive, layout: defaultLayout, linkedDirectories: [], onProgress: () => steps++ }
  readDirectory(tree, 'obs/2026')
  t.ok(steps >= 50, `${steps} times`)
})
