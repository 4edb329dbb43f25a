/** Only regular files with valid names are listed; all other entries are counted. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { listenIn } from '../unix-socket.ts'
import { longestMs, slow, startService, until } from './service.ts'
import { dayDirectory, filesBelow, pathIn, paths, put } from './tree.ts'

const invalidNames = slow ? 10_000 : 1000

/** Parts of names, as bytes; the last is an emoji. */
const invalidParts = [
  '\xff\xfe',
  '\n',
  '<script>alert(1)<script>',
  '%2e%2e',
  ' ',
  "'",
  '"',
  '\x1b[31m',
  '\\',
  '\u00f0\u009f\u0098\u0080',
]

t.setTimeout(longestMs)

t.test(`${invalidNames} invalid names are not listed, but counted`, async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const day = dayDirectory()
  const good = paths(day, 20)
  for (const path of good) put(archive, path)
  // The same name in two directories means two files.
  put(archive, pathIn(day, 0).replace(`${day}/`, `${day}/copies/`))
  const name = pathIn(day, 0).slice(day.length + 1)
  const written = new Set(Array.from({ length: invalidNames }, (_, n) => invalidName(n, name)))
  const directory = Buffer.from(`${archive}/${day}/`)
  for (const invalid of written)
    writeFileSync(Buffer.concat([directory, Buffer.from(invalid, 'latin1')]), '')

  const special = join(archive, day, 'special')
  mkdirSync(special)
  symlinkSync('..', join(special, 'loop'))
  symlinkSync('/etc/passwd', join(special, name))
  const fifo = pathIn(day, 1).slice(day.length + 1)
  execFileSync('mkfifo', [join(special, fifo)])
  await listenIn(t, special, 'x.gz')

  const service = await startService(t, folder)
  await until('the first scan ends', service.ready)
  t.same([...(await service.list()).keys()].sort(), expected(archive, good.length + 1))
  const watching = async () => (await service.status()).watching?.directories ?? 0
  await until('all directories are watched', async () => (await watching()) >= 5)
  await until('no problem is reported', async () => (await service.status()).reasons.length === 0)
  const { rejected } = await service.status()
  const counts = new Map(rejected.map(({ reason, count }) => [reason, count]))
  t.equal(counts.get('symlink'), 2, 'both links')
  t.equal(counts.get('not-a-file'), 2, 'the FIFO and the socket')
  const counted = rejected.reduce((sum, { count }) => sum + count, 0)
  t.equal(counted, written.size + 4, 'all entries are counted')
  put(archive, pathIn(day, 5000))
  const more = async () => (await service.count()) === good.length + 2
  await until('a new file beside them is listed', more)
})

/** All regular files; the FIFO and the link have valid names too. */
function expected(archive: string, count: number): string[] {
  const found = filesBelow(archive).filter((path) => !path.includes('/special/'))
  t.equal(found.length, count)
  return found
}

/** An invalid name as bytes: a valid one with another part, or random bytes; at most 255 bytes. */
function invalidName(n: number, name: string): string {
  const part = invalidParts[n % invalidParts.length] ?? ''
  if (n % 3 === 0) return `${n}${part}${name}`
  if (n % 3 === 1) return `${part}${n}`.padEnd(n % invalidParts.length === 0 ? 60 : 255, 'x')
  return `${n}${randomBytes(20).toString('latin1').replace(/[/\0]/g, '_')}.gz`
}
