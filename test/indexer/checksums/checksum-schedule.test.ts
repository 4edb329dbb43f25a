import { createHash, randomBytes } from 'node:crypto'
import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { exact } from '../../tap.ts'
import type { Test } from 'tap'
import { toUs } from '../../../src/catalogue/identity.ts'
import type { CatalogueWriter } from '../../../src/catalogue/writer.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { identifyFile } from '../../../src/indexer/checksums/digest.ts'
import { HashClient } from '../../../src/indexer/checksums/hash-client.ts'
import { ChecksumSchedule } from '../../../src/indexer/checksums/checksum-schedule.ts'
import type { ChecksumContext } from '../../../src/indexer/checksums/checksum-schedule.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { failing, openParts } from '../parts.ts'
import { until } from '../until.ts'

const day = 'obs/2026/001'
const names = ['graz', 'zimm', 'onsa', 'wtzr'].map((site) => `${site}0010.26d.gz`)
const [graz = '', zimm = '', onsa = ''] = names

interface Other {
  readonly all?: boolean
  readonly isBusy?: () => boolean
  readonly hashClient?: ChecksumContext['hashClient']
  readonly writer?: CatalogueWriter
}

/** Hashing on an archive of its own; files put there are catalogued as by the indexer. */
function open(t: Test) {
  const parts = openParts(t)
  const reader = openReader({ database: parts.database })
  t.teardown(() => reader.close())
  const factsOf = (path: string) => {
    const { size, mtimeMs } = statSync(path)
    return { size, mtimeUs: toUs(mtimeMs) }
  }
  const add = async (name: string, content: Buffer): Promise<void> => {
    const added = [newFile(name, factsOf(parts.put(`${day}/${name}`, content)))]
    await parts.writer.apply([change(day, { added })])
  }
  const modify = async (name: string): Promise<void> => {
    const { id = 0 } = (await reader.file({ directory: day, name })) ?? {}
    const facts = { id, name, ...factsOf(`${parts.archive}/${day}/${name}`) }
    await parts.writer.apply([change(day, { modified: [facts] })])
  }
  /** Starts hashing and waits until files added from now on count as new. */
  const start = async (other: Other = {}) => {
    const { hashClient = new HashClient({ archive: parts.archive }) } = other
    // With a clock that is ahead, every file is old enough to be read.
    const nowUs = () => parts.nowUs() + 10e6
    const deps = { ...parts, nowUs, all: false, isBusy: () => false, ...other, hashClient }
    const hashing = new ChecksumSchedule(deps)
    t.teardown(() => hashing.close())
    hashing.start()
    const position = () => parts.sql('SELECT seq FROM hashing') as { seq: number | null }[]
    await until(t, 'it has begun', () => position()[0]?.seq !== null)
    return hashing
  }
  const sumOf = async (name: string): Promise<string | undefined> => {
    const sha256 = (await reader.file({ directory: day, name }))?.sha256
    return sha256 && Buffer.from(sha256).toString('hex')
  }
  const hashed = (name: string, content: Buffer) =>
    until(t, `${name} has its checksum`, async () => (await sumOf(name)) === sha256(content))
  return { ...parts, reader, factsOf, add, modify, start, sumOf, hashed }
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
const content = (): Buffer => gzipSync(randomBytes(100))

t.test('new files are hashed, older files are not', async (t) => {
  const { add, start, sumOf, hashed, reader } = open(t)
  const [first, second] = [content(), content()]
  await add(zimm, content())
  const hashing = await start()
  await add(graz, first)
  await hashed(graz, first)
  await add(onsa, second)
  await hashed(onsa, second)
  t.equal(await sumOf(zimm), undefined)
  t.equal((await reader.head()).seq, 3, 'a checksum does not change the seq')
  t.match(await reader.summary(), { checksums: { files: 2, broken: { count: 0 } } })
  await until(t, 'nothing is left', () => hashing.status().behind === 0)
})

t.test('with checksums = "all", older files are hashed when the indexer is idle', async (t) => {
  const { add, start, sumOf, hashed, writer, put } = open(t)
  const contents = names.map(content)
  for (const [index, name] of names.entries()) {
    // For the last one only the name is known.
    if (index < names.length - 1) await add(name, contents[index] ?? content())
    else {
      put(`${day}/${name}`, contents[index])
      await writer.apply([change(day, { added: [newFile(name)] })])
    }
  }
  let busy = true
  let requested = 0
  await start({
    all: true,
    isBusy: () => {
      requested++
      return busy
    },
  })
  await until(t, 'it has asked whether it may', () => requested > 1)
  t.equal(await sumOf(graz), undefined)
  busy = false
  for (const [index, name] of names.entries()) await hashed(name, contents[index] ?? content())
})

/**
 * Hashes in this process without reading the files, because the hash process is slow on a busy
 * machine.
 */
function quickHashClient(
  archive: string,
  onDigest: () => void | Promise<void>,
): ChecksumContext['hashClient'] {
  const identify = (path: string) => identifyFile(join(archive, path))
  return {
    digest: async (files) => {
      await onDigest()
      return files.map(({ path }) => {
        const identity = identify(path)
        return identity && { ...identity, sha256: '0'.repeat(64), problem: undefined }
      })
    },
    identify: (paths) => Promise.resolve(paths.map(identify)),
    close: () => undefined,
  }
}

t.test('older files are hashed batch after batch, without waiting for the next poll', async (t) => {
  const { archive, put, factsOf, writer, sql, start } = open(t)
  const many = Array.from({ length: 800 }, (_, n) => `${String(n).padStart(4, '0')}0010.26d.gz`)
  const one = content()
  const added = many.map((name) => newFile(name, factsOf(put(`${day}/${name}`, one))))
  await writer.apply([change(day, { added })])
  const counts = { snapshots: 0, parts: 0 }
  await start({
    all: true,
    writer: {
      ...writer,
      arrivedUnhashed: (since) => {
        counts.snapshots++
        return writer.arrivedUnhashed(since)
      },
    },
    hashClient: quickHashClient(archive, () => {
      counts.parts++
    }),
  })
  const counted = () => (sql('SELECT files FROM hashing') as { files: number }[])[0]?.files
  await until(t, 'all have their checksum', () => counted() === many.length)
  t.ok(counts.snapshots < counts.parts, `${counts.snapshots} polls, ${counts.parts} batches`)
})

t.test('older files are hashed at most a tenth of the time', async (t) => {
  const { archive, add, start, sql } = open(t)
  for (const name of names) await add(name, content())
  // A batch of its own for each file.
  sql('UPDATE file SET size = 20000000 + size RETURNING 1')
  const batches: { beginMs: number; endMs: number }[] = []
  const hashClient = quickHashClient(archive, async () => {
    const beginMs = performance.now()
    await pause(20)
    batches.push({ beginMs, endMs: performance.now() })
  })
  const hashing = await start({ all: true, hashClient })
  await until(t, 'all are read', () => batches.length >= names.length)
  await hashing.close()
  for (const [index, { beginMs, endMs }] of batches.slice(0, names.length - 1).entries()) {
    const restMs = (batches[index + 1]?.beginMs ?? 0) - endMs
    t.ok(restMs >= 9 * (endMs - beginMs), `${Math.round(restMs)} ms`)
  }
})

t.test('a file that differs from its record gets no checksum until it is catalogued', async (t) => {
  const { add, modify, start, hashed, sumOf, archive } = open(t)
  const [second, third] = [content(), content()]
  await start()
  await add(graz, content())
  writeFileSync(`${archive}/${day}/${graz}`, second)
  utimesSync(`${archive}/${day}/${graz}`, 1000, 1000)
  await add(zimm, third)
  rmSync(`${archive}/${day}/${zimm}`)
  await add(onsa, third)
  await hashed(onsa, third)
  t.equal(await sumOf(graz), undefined)
  t.equal(await sumOf(zimm), undefined, 'nor does a missing file')
  await modify(graz)
  await hashed(graz, second)
})

t.test('incomplete and damaged gzip streams are reported', async (t) => {
  const { add, start, hashed, modify, reader, archive, lines } = open(t)
  const [whole, torn, damaged] = [content(), content().subarray(0, -1), Buffer.from('no gzip')]
  await start()
  await add(graz, whole)
  await add(zimm, torn)
  await hashed(zimm, torn)
  const [one, none] = [
    { count: 1, examples: exact([`${day}/${zimm}`]) },
    { count: 0, examples: exact([]) },
  ]
  t.match(await reader.summary(), { incomplete: one, checksums: { files: 2, broken: none } })
  writeFileSync(`${archive}/${day}/${zimm}`, damaged)
  await modify(zimm)
  await hashed(zimm, damaged)
  t.match(await reader.summary(), { incomplete: none, checksums: { files: 2, broken: one } })
  const path = `${day}/${zimm}`
  t.match(
    lines.filter(({ msg }) => msg.startsWith('gzip')),
    exact([
      { msg: 'gzip stream of a file has no end', path },
      { msg: 'gzip stream of a file is damaged', path },
    ]),
  )
  writeFileSync(`${archive}/${day}/${zimm}`, whole)
  await modify(zimm)
  t.match(await reader.summary(), { incomplete: none, checksums: { files: 1, broken: none } })
})

t.test('a new process continues where the last process ended', async (t) => {
  const { add, start, hashed, sql, put, factsOf, writer } = open(t)
  const many = Array.from({ length: 150 }, (_, n) => `s${String(n).padStart(3, '0')}0010.26d.gz`)
  const one = content()
  const added = many.map((name) => newFile(name, factsOf(put(`${day}/${name}`, one))))
  const first = await start()
  await writer.apply([change(day, { added })])
  const counted = () => (sql('SELECT files FROM hashing') as { files: number }[])[0]?.files ?? 0
  await until(t, 'something is kept', () => counted() > 0)
  await first.close()
  await add(graz, one)
  await start()
  for (const name of [...many, graz]) await hashed(name, one)
  t.equal(counted(), many.length + 1)
})

t.test('a failed write of checksums is tried again', async (t) => {
  const { add, start, hashed, sql, lines } = open(t)
  const one = content()
  await start()
  sql(failing('INSERT ON checksum'))
  await add(graz, one)
  await until(t, 'it is reported', () =>
    lines.some(({ msg }) => msg === 'hashing failed; retrying'),
  )
  sql('DROP TRIGGER failing')
  await hashed(graz, one)
  await until(t, 'its end is reported', () => lines.some(({ msg }) => msg === 'hashing recovered'))
  const failures = lines.filter(({ msg }) => msg === 'hashing failed; retrying')
  t.equal(failures.length, 1, 'repeats are counted')
})
