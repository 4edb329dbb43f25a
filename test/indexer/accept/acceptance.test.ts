import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { accept } from '../../../src/indexer/accept/acceptance.ts'
import { reconcile } from '../../../src/indexer/compare/reconcile.ts'
import type { PersistedRemovals } from '../../../src/indexer/guard/deletion-guard.ts'
import { DeletionGuard, loadPersistedRemovals } from '../../../src/indexer/guard/deletion-guard.ts'
import type { DirectorySnapshot } from '../../../src/indexer/read/directory-snapshot.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { day, manyNames, stamp } from '../../catalogue/catalogue.ts'
import { change } from '../../catalogue/change.ts'
import t, { exact } from '../../tap.ts'
import { noProblems, nothingSeen, openParts, unreadableSnapshotOf } from '../parts.ts'

const graz = 'graz0010.26d.gz'
const zimm = 'zimm0010.26d.gz'
const content = gzipSync('observations '.repeat(1000))
const old = new Date('2020-01-01T00:00:00Z')
const hourMs = 3_600_000

async function openAcceptanceOn(t: Test, persisted?: PersistedRemovals) {
  const parts = await openParts(t)
  const deletionGuard = new DeletionGuard(persisted)
  /** Reads the directory and applies the accepted changes. */
  const readAndApply = async (
    changed?: (snapshot: DirectorySnapshot) => Partial<DirectorySnapshot>,
  ) => {
    const seen = await parts.tree.snapshot(day)
    const snapshot = { ...seen, ...changed?.(seen) }
    const known = await parts.writer.directory(day)
    const difference = reconcile(snapshot, known) ?? change(day, {})
    const accepted = await accept(
      { ...parts, deletionGuard },
      { snapshot, sight: nothingSeen },
      difference,
    )
    await parts.writer.apply([accepted.change])
    return {
      ...accepted,
      added: accepted.change.added.map(({ name }) => name),
      modified: accepted.change.modified.map(({ name }) => name),
    }
  }
  const status = () => parts.health.status(noProblems)
  return { ...parts, readAndApply, status }
}

t.test('a file is accepted when it is complete', async (t) => {
  const { put, readAndApply, settling } = await openAcceptanceOn(t)
  put(`${day}/${graz}`, content)
  const half = put(`${day}/${zimm}`, content.subarray(0, -10))
  const first = await readAndApply(() => ({ stamp }))
  t.same(first.added, [graz])
  t.match(first.change.added[0], { size: content.length, incomplete: false })
  t.equal(first.change.stamp, undefined, 'sweeps read the directory again')
  t.equal(first.retryMs, 1000)
  t.equal(settling.size, 1)
  t.same((await readAndApply()).added, [], 'it has not changed')
  appendFileSync(half, content.subarray(-10))
  const last = await readAndApply(() => ({ stamp }))
  t.match(last.change.added, exact([{ name: zimm, size: content.length, incomplete: false }]))
  t.strictSame(last.change.stamp, stamp)
  t.equal(last.retryMs, undefined)
  t.equal(settling.size, 0)
})

t.test('a file that got an old mtime at its end is not accepted as incomplete', async (t) => {
  const { put, readAndApply } = await openAcceptanceOn(t)
  const path = put(`${day}/${graz}`, content.subarray(0, -10))
  await readAndApply()
  appendFileSync(path, content.subarray(-10))
  utimesSync(path, old, old)
  t.match((await readAndApply()).change.added, exact([{ name: graz, incomplete: false }]))
})

t.test('a young empty file is not accepted at once, even if it was renamed', async (t) => {
  const { put, readAndApply, settling } = await openAcceptanceOn(t)
  const note = put(`${day}/READ.ME`, '')
  t.same((await readAndApply()).added, [])
  t.equal(settling.size, 0, 'a name that is not RINEX does not settle')
  renameSync(note, note.replace('READ.ME', graz))
  const { added, retryMs: againMs, change } = await readAndApply()
  t.same({ added, againMs, stamp: change.stamp }, { added: [], againMs: 1000, stamp: undefined })
  t.equal(settling.size, 1)
})

t.test('a file overwritten in place keeps its record until it is complete', async (t) => {
  const { put, readAndApply, settling } = await openAcceptanceOn(t)
  const path = put(`${day}/${graz}`, content)
  await readAndApply()
  const { mtime } = statSync(path)
  truncateSync(path, content.length - 10)
  t.same((await readAndApply()).modified, [])
  t.equal(settling.size, 1)
  put(`${day}/${graz}`, content)
  utimesSync(path, mtime, mtime)
  await readAndApply()
  t.equal(settling.size, 0, 'an unchanged file does not settle any more')
  put(`${day}/${graz}`, gzipSync('more of it'))
  t.same((await readAndApply()).modified, [graz])
})

t.test('a file that was finished within one tick of the clock is accepted', async (t) => {
  const { put, readAndApply } = await openAcceptanceOn(t)
  const tick = new Date()
  const path = put(`${day}/${graz}`, Buffer.alloc(content.length))
  utimesSync(path, tick, tick)
  t.same((await readAndApply()).added, [])
  put(`${day}/${graz}`, content)
  utimesSync(path, tick, tick)
  t.same((await readAndApply()).added, [graz], 'though its size and time are what they were')
})

t.test('a file that cannot be read is retried after a delay', async (t) => {
  const { put, readAndApply } = await openAcceptanceOn(t)
  const path = put(`${day}/${graz}`, content)
  // A missing file has the same effect; root can read all other files.
  const read = await readAndApply(() => {
    rmSync(path)
    return {}
  })
  t.same(read.added, [])
  t.equal(read.retryMs, 1000)
})

t.test('a large file that grows delays the other files of its directory only once', async (t) => {
  const { put, readAndApply, unreadFiles } = await openAcceptanceOn(t)
  const large = put(`${day}/aaaa0010.26d.gz`, '')
  truncateSync(large, 17 * 1024 * 1024)
  put(`${day}/${graz}`, content)
  const first = await readAndApply()
  t.same(first.added, [])
  t.equal(unreadFiles.size, 1, 'they are read in the background')
  t.equal(first.change.stamp, undefined)
  appendFileSync(large, 'more')
  const second = await readAndApply()
  t.same(second.added, [graz])
  t.equal(second.retryMs, 1000, 'and the large file is read after a delay')
})

t.test('too many removals at once are withheld until the files are back', async (t) => {
  const { archive, add, readAndApply, status } = await openAcceptanceOn(t)
  mkdirSync(join(archive, day), { recursive: true })
  const catalogued = manyNames(1001)
  await add(...catalogued)
  const withheld = await readAndApply(() => ({ stamp }))
  t.same(withheld.change.removed, [])
  t.equal(withheld.change.stamp, undefined, 'sweeps read the directory again')
  t.match(status(), { state: 'degraded' })
  t.strictSame(
    status().problems.map(({ text }) => text),
    [
      '1001 removals in obs/ withheld by the deletion guard, beyond those that it permitted: these files stay listed until they are back, are still missing after 6 hours, or a rescan with --accept-removals confirms that they are gone (purged_after_days declares regular purges)',
    ],
  )
  await readAndApply(() => ({ outcome: 'unreadable' }))
  t.match(status(), { state: 'degraded' }, 'a directory that cannot be read may lack anything')
  const gone = await readAndApply(() => ({ outcome: 'missing' }))
  t.equal(gone.change.gone, false, 'nor is the directory gone')
  const back = await readAndApply(() => ({ names: catalogued, stamp }))
  t.strictSame(back.change.stamp, stamp, 'the next sweep does not')
  t.match(status(), { state: 'starting', problems: exact([]) })
})

t.test('a directory that cannot be read loses no file', async (t) => {
  const { put, readAndApply, writer } = await openAcceptanceOn(t)
  put(`${day}/${graz}`, content)
  await readAndApply()
  const { change } = await readAndApply(() => unreadableSnapshotOf(day))
  t.match(change, exact({ removed: [], gone: false }))
  t.equal(await writer.count('obs'), 1)
})

t.test('the time since which removals are withheld is stored, and counts on', async (t) => {
  for (const hours of [0, 5, 7]) {
    const sinceMs = performance.now() - hours * hourMs
    const withheld = hours === 0 ? [] : [{ directory: day, area: 'obs' as const, sinceMs }]
    const opened = await openAcceptanceOn(t, { withheld, removed: [], seq: 0 })
    const { archive, writer, add, nowUs, readAndApply } = opened
    mkdirSync(join(archive, day), { recursive: true })
    await add(...manyNames(1001))
    await readAndApply()
    t.equal(await writer.count('obs'), hours < 6 ? 1001 : 0, `${hours} hours`)
    const directories = await writer.directories()
    const sinceUs = directories.find(({ path }) => path === day)?.withheldSinceUs
    const loaded = await loadPersistedRemovals({
      layout: defaultLayout,
      writer,
      withheld: directories,
      purgedAfterDays: {},
      nowUs,
    })
    t.same(
      {
        stored: sinceUs && Math.round((nowUs() - sinceUs) / 1000 / hourMs),
        loaded: loaded.withheld.map(({ directory, area, sinceMs }) => [
          ...[directory, area],
          Math.round((performance.now() - sinceMs) / hourMs),
        ]),
      },
      hours < 6
        ? { stored: hours, loaded: [[day, 'obs', hours]] }
        : { stored: undefined, loaded: [] },
    )
  }
})
