/**
 * Operations on files with a checksum: which files are hashed again, with real snapshots and real
 * hashing.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, rmSync, statSync, unlinkSync, utimesSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import type { ChecksumContext } from '../../../src/indexer/checksums/checksum-schedule.ts'
import { reconcile } from '../../../src/indexer/compare/reconcile.ts'
import { day } from '../../catalogue/catalogue.ts'
import { harmless, overwrite, replace } from '../../file-changes.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'
import { localHashClient, openHashing } from './hashing.ts'

const oldMs = 1_000_000

/** @param beforeIdentify called before files are identified */
async function open(t: Test, beforeIdentify?: () => void) {
  const opened = await openHashing(t)
  const { archive, pathOf, sumOf, onDisk, start, writer } = opened
  const put = (name: string, content = gzipSync(randomBytes(50), { level: 0 })) => {
    opened.put(`${day}/${name}`, content)
    utimesSync(pathOf(name), oldMs, oldMs)
  }
  /** Reads the directory and applies the differences. */
  const readAndApply = async () => {
    const snapshot = await opened.tree.snapshot(day)
    const change = reconcile(snapshot, await writer.directory(day))
    if (change !== undefined) await writer.apply([change])
    return change
  }
  const requested: string[] = []
  let withheld = Promise.resolve()
  /** Blocks hashing until the returned function is called. */
  const hold = (): (() => void) => {
    let release = (): void => undefined
    withheld = new Promise((resolve) => (release = resolve))
    return release
  }
  const hashClient = localHashClient(archive, {
    digest: async (paths) => {
      await withheld
      requested.push(...paths.map((path) => path.slice(day.length + 1)))
    },
    ...(beforeIdentify && { identify: beforeIdentify }),
  })
  const allRight = (names: readonly string[]) =>
    until('all have the checksum of what is on disk', async () => {
      for (const name of names) if ((await sumOf(name)) !== onDisk(name)) return false
      return true
    })
  return {
    ...opened,
    start: (other: Partial<ChecksumContext> = {}) => start({ hashClient, ...other }),
    put,
    readAndApply,
    requested,
    hold,
    allRight,
  }
}

type Opened = Awaited<ReturnType<typeof open>>

const isRoot = process.getuid?.() === 0

const ways: readonly (readonly [title: string, make: (path: string) => void, isRead: boolean])[] = [
  ['nothing', () => undefined, false],
  ['replaced by rename, with its size and time', replace, true],
  ['overwritten in place, with its time set back', overwrite, true],
  ['touched with its own time', (path) => utimesSync(path, oldMs, oldMs), true],
  ...Object.entries(harmless).map(([title, make]) => [title, make, false] as const),
  ['chown', (path) => isRoot && chownSync(path, 1234, 5678), false],
]
const names = ways.map((_, index) => `s00${index}0010.26d.gz`)
const nameOf = (title: string): string => names[ways.findIndex(([each]) => each === title)] ?? ''

/** Puts files that have a checksum. */
async function addHashed(opened: Opened, all: readonly string[]): Promise<void> {
  for (const name of all) opened.put(name)
  await opened.readAndApply()
  await opened.allRight(all)
  opened.requested.length = 0
}

t.test(
  'only files whose bytes may have changed are hashed again, and no record is modified',
  async (t) => {
    const opened = await open(t)
    const { readAndApply, requested, hold, start, sumOf, onDisk, allRight, pathOf, reader } = opened
    const nothing = { added: [], modified: [], removed: [] }
    const hashing = await start()
    await addHashed(opened, names)
    const head = await reader.head()
    const release = hold()
    for (const [index, [, make]] of ways.entries()) make(pathOf(names[index] ?? ''))
    t.match(await readAndApply(), exact(nothing))
    for (const [index, [title, , isRead]] of ways.entries()) {
      const name = names[index] ?? ''
      t.equal(await sumOf(name), isRead ? undefined : onDisk(name), title)
    }
    const again = (await readAndApply()) ?? { attributes: [], rehash: [] }
    t.match(again, exact({ attributes: [], rehash: [] }), 'nothing is left to be written')
    release()
    await allRight(names)
    const readAgain = names.filter((_, index) => ways[index]?.[2])
    t.same(requested.toSorted(), readAgain)
    const { detailsSeq } = await reader.head()
    t.same(await reader.head(), { ...head, detailsSeq })
    await until('nothing is waited for', () => hashing.status().behind === 0)

    await t.test('a change after new attributes were stored is detected', async (t) => {
      requested.length = 0
      const release = hold()
      const linked = pathOf(nameOf('a hard link made'))
      unlinkSync(`${linked}.link`)
      for (const title of ['chmod', 'chown']) overwrite(pathOf(nameOf(title)))
      await readAndApply()
      t.equal(await sumOf(nameOf('a hard link made')), onDisk(nameOf('a hard link made')))
      for (const title of ['chmod', 'chown']) t.equal(await sumOf(nameOf(title)), undefined, title)
      release()
      await allRight(names)
      t.same(requested.toSorted(), [nameOf('chmod'), nameOf('chown')])
    })
  },
)

t.test('a stale checksum is recomputed after a restart too', async (t) => {
  const opened = await open(t)
  const { readAndApply, requested, start, allRight, pathOf, sumOf } = opened
  const [name = ''] = names
  const first = await start()
  await addHashed(opened, [name])
  await first.close()
  replace(pathOf(name))
  await readAndApply()
  t.equal(await sumOf(name), undefined)
  await start()
  await allRight([name])
  t.same(requested, [name])
})

t.test(
  'an unreadable file does not delay others, and leaves the queue with its record',
  async (t) => {
    const opened = await open(t)
    const { readAndApply, hold, start, sumOf, allRight, pathOf, sql, reader } = opened
    const [away = '', other = ''] = names
    await start()
    await addHashed(opened, [away, other])
    const release = hold()
    for (const name of [away, other]) replace(pathOf(name))
    await readAndApply()
    rmSync(pathOf(away))
    release()
    await allRight([other])
    const staleOf = () => sql('SELECT stale FROM hashing')
    t.same(await staleOf(), [{ stale: 1 }])
    t.equal(await sumOf(away), undefined)
    await readAndApply()
    t.equal(await reader.file({ directory: day, name: away }), undefined)
    t.same(await staleOf(), [{ stale: 0 }])
  },
)

t.test('a file that is replaced before its checksum is stored is hashed again', async (t) => {
  const during: (() => void)[] = []
  const opened = await open(t, () => during.shift()?.())
  const { put, readAndApply, requested, start, allRight, pathOf, sumOf, onDisk } = opened
  const [name = ''] = names
  await start()
  // After it was stored, and without another snapshot.
  during.push(() => replace(pathOf(name)))
  put(name)
  await readAndApply()
  await allRight([name])
  t.same(requested, [name, name])
  const found = (await readAndApply()) ?? { attributes: [], rehash: [] }
  t.match(found, exact({ attributes: [], rehash: [] }), 'a snapshot finds no more differences')
  t.equal(await sumOf(name), onDisk(name))
})

t.test('a file that was changed just before it was hashed is hashed again', async (t) => {
  const opened = await open(t)
  const { put, readAndApply, start, pathOf, sumOf, onDisk, sql, writer } = opened
  const [name = ''] = names
  let nowUs = opened.nowUs
  await start({
    nowUs: () => nowUs(),
    // The catalogue has had this version for a long time.
    writer: {
      ...writer,
      arrivedUnhashed: async (since) => {
        const { files, ...found } = await writer.arrivedUnhashed(since)
        return { ...found, files: files.map((file) => ({ ...file, sinceUs: 0 })) }
      },
    },
  })
  put(name)
  // One second after its last change.
  const changedUs = toIdentity(statSync(pathOf(name))).ctimeUs
  nowUs = () => changedUs + 1e6
  await readAndApply()
  await until('it waits to be read again', async () => {
    const [counted] = await sql('SELECT stale FROM hashing')
    return counted?.['stale'] === 1
  })
  t.equal(await sumOf(name), undefined)
  nowUs = () => opened.nowUs() + 10e6
  await until('it has its checksum', async () => (await sumOf(name)) === onDisk(name))
})

t.test(
  'a restore that cuts mtimes modifies no record, and checksums are right after it',
  async (t) => {
    const opened = await open(t)
    const { put, readAndApply, pathOf, allRight, start, reader } = opened
    const hashing = await start()
    const name = 'graz0010.26d.gz'
    put(name)
    const fraction = oldMs + 0.123_457
    utimesSync(pathOf(name), fraction, fraction)
    await readAndApply()
    await allRight([name])
    const { seq } = await reader.head()
    const restore = (seconds: number): void => {
      replace(pathOf(name))
      utimesSync(pathOf(name), seconds, seconds)
    }
    for (const seconds of [oldMs + 0.123, oldMs, fraction, oldMs]) {
      restore(seconds)
      t.match(await readAndApply(), exact({ modified: [], rehash: [1] }), `${seconds}`)
      await allRight([name])
      await until('nothing is waited for', () => hashing.status().behind === 0)
      t.equal((await reader.head()).seq, seq)
    }
  },
)
