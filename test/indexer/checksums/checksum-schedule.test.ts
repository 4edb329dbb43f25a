import { randomBytes } from 'node:crypto'
import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { toUs } from '../../../src/catalogue/identity.ts'
import type { ChecksumContext } from '../../../src/indexer/checksums/checksum-schedule.ts'
import { HashClient } from '../../../src/indexer/checksums/hash-client.ts'
import { day, manyNames } from '../../catalogue/catalogue.ts'
import { newFile } from '../../catalogue/change.ts'
import { engine } from '../../catalogue/engines.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'
import { noProblems } from '../parts.ts'
import { localHashClient, openHashing, sha256Of } from './hashing.ts'

// The tests wait for polls.
t.jobs = 4

const names = ['graz', 'zimm', 'onsa', 'wtzr'].map((site) => `${site}0010.26d.gz`)
const [graz = '', zimm = '', onsa = ''] = names

/** Hashing of files that are catalogued as by the indexer. */
async function open(t: Test) {
  const opened = await openHashing(t)
  const { apply, reader, pathOf, sumOf, put, start } = opened
  const factsOf = (path: string) => {
    const { size, mtimeMs } = statSync(path)
    return { size, mtimeUs: toUs(mtimeMs) }
  }
  const addAll = (names: readonly string[], content: Buffer) =>
    apply({ added: names.map((name) => newFile(name, factsOf(put(`${day}/${name}`, content)))) })
  const add = (name: string, content: Buffer) => addAll([name], content)
  const modify = async (name: string): Promise<void> => {
    const { id = 0 } = (await reader.file({ directory: day, name })) ?? {}
    await apply({ modified: [{ id, name, ...factsOf(pathOf(name)) }] })
  }
  /** Hashes in a process of its own. */
  const startProcess = (other: Partial<ChecksumContext> = {}) =>
    start({ hashClient: new HashClient(opened), ...other })
  const hashed = (name: string, content: Buffer) =>
    until(`${name} has its checksum`, async () => (await sumOf(name)) === sha256Of(content))
  return { ...opened, start: startProcess, addAll, add, modify, hashed }
}

const content = (): Buffer => gzipSync(randomBytes(100))

t.test('new files are hashed, older files are not', async (t) => {
  const { add, start, sumOf, hashed, reader } = await open(t)
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
  await until('nothing is left', () => hashing.status().behind === 0)
})

t.test('with checksums = "all", older files are hashed when the indexer is idle', async (t) => {
  const { add, start, sumOf, hashed } = await open(t)
  const contents = names.map(content)
  for (const [index, name] of names.entries()) await add(name, contents[index] ?? content())
  let busy = true
  let requested = 0
  await start({
    all: true,
    isBusy: () => {
      requested++
      return busy
    },
  })
  await until('it has asked whether it may', () => requested > 1)
  t.equal(await sumOf(graz), undefined)
  busy = false
  for (const [index, name] of names.entries()) await hashed(name, contents[index] ?? content())
})

t.test('older files are hashed batch after batch, without waiting for the next poll', async (t) => {
  const { archive, addAll, writer, sql, start } = await open(t)
  const many = manyNames(800)
  await addAll(many, content())
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
    hashClient: localHashClient(archive, { digest: () => counts.parts++ }),
  })
  const counted = async () => (await sql('SELECT files FROM hashing'))[0]?.['files']
  await until('all have their checksum', async () => (await counted()) === many.length)
  t.ok(counts.snapshots < counts.parts, `${counts.snapshots} polls, ${counts.parts} batches`)
})

t.test('older files are hashed at most a tenth of the time', async (t) => {
  const { archive, add, start, sql } = await open(t)
  for (const name of names) await add(name, content())
  // A batch of its own for each file.
  await sql('UPDATE file SET size = 20000000 + size')
  const batches: { beginMs: number; endMs: number }[] = []
  const digest = async () => {
    const beginMs = performance.now()
    await pause(20)
    batches.push({ beginMs, endMs: performance.now() })
  }
  const hashing = await start({ all: true, hashClient: localHashClient(archive, { digest }) })
  await until('all are read', () => batches.length >= names.length)
  await hashing.close()
  for (const [index, { beginMs, endMs }] of batches.slice(0, names.length - 1).entries()) {
    const restMs = (batches[index + 1]?.beginMs ?? 0) - endMs
    t.ok(restMs >= 9 * (endMs - beginMs), `${Math.round(restMs)} ms`)
  }
})

t.test('a file that differs from its record gets no checksum until it is catalogued', async (t) => {
  const { add, modify, start, hashed, sumOf, pathOf } = await open(t)
  const [second, third] = [content(), content()]
  await start()
  await add(graz, content())
  writeFileSync(pathOf(graz), second)
  utimesSync(pathOf(graz), 1000, 1000)
  await add(zimm, third)
  rmSync(pathOf(zimm))
  await add(onsa, third)
  await hashed(onsa, third)
  t.equal(await sumOf(graz), undefined)
  t.equal(await sumOf(zimm), undefined, 'nor does a missing file')
  await modify(graz)
  await hashed(graz, second)
})

t.test('incomplete and damaged gzip streams are reported', async (t) => {
  const { add, start, hashed, modify, reader, pathOf, lines } = await open(t)
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
  writeFileSync(pathOf(zimm), damaged)
  await modify(zimm)
  await hashed(zimm, damaged)
  t.match(await reader.summary(), { incomplete: none, checksums: { files: 2, broken: one } })
  const path = `${day}/${zimm}`
  t.match(
    lines.filter(({ msg }) => msg.startsWith('content')),
    exact([
      { msg: 'content of a file has no end', path },
      { msg: 'content of a file is damaged', path },
    ]),
  )
  writeFileSync(pathOf(zimm), whole)
  await modify(zimm)
  t.match(await reader.summary(), { incomplete: none, checksums: { files: 1, broken: none } })
})

t.test('a new process continues where the last process ended', async (t) => {
  const { add, addAll, start, hashed, sql } = await open(t)
  const many = manyNames(150)
  const one = content()
  const first = await start()
  await addAll(many, one)
  const counted = async () => Number((await sql('SELECT files FROM hashing'))[0]?.['files'])
  await until('something is kept', async () => (await counted()) > 0)
  await first.close()
  await add(graz, one)
  await start()
  for (const name of [...many, graz]) await hashed(name, one)
  t.equal(await counted(), many.length + 1)
})

t.test('a failed write of checksums is tried again', async (t) => {
  const { add, start, hashed, sql, lines, health } = await open(t)
  const problems = () => health.status(noProblems).problems.map(({ text }) => text)
  const one = content()
  await start()
  await sql(engine.failing('INSERT ON checksum'))
  await add(graz, one)
  await until('it is reported', () => lines.some(({ msg }) => msg === 'hashing failed; retrying'))
  await until('the status says so', () =>
    problems().includes('checksums and facts cannot be stored'),
  )
  await sql(engine.repaired('failing'))
  await hashed(graz, one)
  await until('its end is reported', () => lines.some(({ msg }) => msg === 'hashing recovered'))
  const failures = lines.filter(({ msg }) => msg === 'hashing failed; retrying')
  t.equal(failures.length, 1, 'repeats are counted')
  t.strictSame(problems(), [])
})
