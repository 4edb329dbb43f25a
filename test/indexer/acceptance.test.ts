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
import t from 'tap'
import type { Test } from 'tap'
import { openAcceptance } from '../../src/indexer/acceptance.ts'
import { openDeletionGuard } from '../../src/indexer/deletion-guard.ts'
import { reconcile } from '../../src/indexer/reconcile.ts'
import { openSettling } from '../../src/indexer/settling.ts'
import type { DirectorySnapshot } from '../../src/indexer/tree/directory-snapshot.ts'
import { change, newFile } from '../catalogue/change.ts'
import { noTroubles, openParts } from './parts.ts'

const day = 'obs/2026/001'
const graz = 'graz0010.26d.gz'
const zimm = 'zimm0010.26d.gz'
const content = gzipSync('observations '.repeat(1000))
const old = new Date('2020-01-01T00:00:00Z')

function openAdmissionOn(t: Test) {
  const parts = openParts(t)
  const settling = openSettling()
  const acceptance = openAcceptance({ ...parts, settling, deletionGuard: openDeletionGuard() })
  /** Looks, and applies what is admitted. */
  const come = async (changed?: (snapshot: DirectorySnapshot) => Partial<DirectorySnapshot>) => {
    const seen = await parts.tree.snapshot({ path: day, depth: 'facts' })
    const snapshot = { ...seen, ...changed?.(seen) }
    const known = await parts.writer.directory(day)
    const difference = reconcile(snapshot, known, true) ?? change(day, {})
    const accepted = await acceptance.accept(snapshot, difference)
    await parts.writer.apply([accepted.change])
    return {
      ...accepted,
      added: accepted.change.added.map(({ name }) => name),
      modified: accepted.change.modified.map(({ name }) => name),
    }
  }
  const status = () => parts.health.status(noTroubles)
  return { ...parts, settling, come, status }
}

t.test('a file is admitted when it is whole', async (t) => {
  const { put, come, settling } = openAdmissionOn(t)
  put(`${day}/${graz}`, content)
  const half = put(`${day}/${zimm}`, content.subarray(0, -10))
  const first = await come()
  t.same(first.added, [graz])
  t.match(first.change.added[0], { size: content.length, incomplete: false })
  t.equal(first.change.stamp, undefined, 'sweeps come back')
  t.equal(first.retryMs, 1000)
  t.equal(settling.size, 1)
  t.same((await come()).added, [], 'it has not changed')
  appendFileSync(half, content.subarray(-10))
  const last = await come()
  t.match(last.change.added, [{ name: zimm, size: content.length, incomplete: false }])
  t.equal(last.retryMs, undefined)
  t.equal(settling.size, 0)
})

t.test(
  'a file that was given an old time when it was finished is not called incomplete',
  async (t) => {
    const { put, come } = openAdmissionOn(t)
    const path = put(`${day}/${graz}`, content.subarray(0, -10))
    await come()
    appendFileSync(path, content.subarray(-10))
    utimesSync(path, old, old)
    t.match((await come()).change.added, [{ name: graz, incomplete: false }])
  },
)

t.test(
  'a young file without a byte is waited for, also where it was renamed into place',
  async (t) => {
    const { put, come, settling } = openAdmissionOn(t)
    const note = put(`${day}/READ.ME`, '')
    t.same((await come()).added, [])
    t.equal(settling.size, 0, 'it has no RINEX name')
    renameSync(note, note.replace('READ.ME', graz))
    const { added, retryMs: againMs, change } = await come()
    t.same({ added, againMs, stamp: change.stamp }, { added: [], againMs: 1000, stamp: undefined })
    t.equal(settling.size, 1)
  },
)

t.test('a file written over in place keeps its record until it is whole', async (t) => {
  const { put, come, settling } = openAdmissionOn(t)
  const path = put(`${day}/${graz}`, content)
  await come()
  const { mtime } = statSync(path)
  truncateSync(path, content.length - 10)
  t.same((await come()).modified, [])
  t.equal(settling.size, 1)
  put(`${day}/${graz}`, content)
  utimesSync(path, mtime, mtime)
  await come()
  t.equal(settling.size, 0, 'one that is as it was is not waited for any more')
  put(`${day}/${graz}`, gzipSync('more of it'))
  t.same((await come()).modified, [graz])
})

t.test('a file that was found quiet has no size until it is whole', async (t) => {
  const { put, come } = openAdmissionOn(t)
  const path = put(`${day}/${graz}`, content)
  const quiet = put(`${day}/${zimm}`, content)
  for (const file of [path, quiet]) utimesSync(file, old, old)
  const namesAlone = () => ({ sizes: undefined, mtimesUs: undefined, identities: undefined })
  t.same((await come(namesAlone)).added, [graz, zimm])
  put(`${day}/${graz}`, content.subarray(0, -10))
  const half = await come()
  t.match(half.change.filled, [{ name: zimm, size: content.length }])
  t.equal(half.change.filled.length, 1, 'not that of half a file')
  t.equal(half.change.stamp, undefined, 'sweeps come back')
  appendFileSync(path, content.subarray(-10))
  t.match((await come()).change.filled, [{ name: graz, size: content.length }])
})

t.test('a file that was finished within one tick of the clock is not waited for', async (t) => {
  const { put, come } = openAdmissionOn(t)
  const tick = new Date()
  const path = put(`${day}/${graz}`, Buffer.alloc(content.length))
  utimesSync(path, tick, tick)
  t.same((await come()).added, [])
  put(`${day}/${graz}`, content)
  utimesSync(path, tick, tick)
  t.same((await come()).added, [graz], 'though its size and time are what they were')
})

t.test('a file that cannot be read is not tried without a pause', async (t) => {
  const { put, come } = openAdmissionOn(t)
  const path = put(`${day}/${graz}`, content)
  // To the thread that inflates one that is gone is the same; to root there is no other.
  const read = await come(() => {
    rmSync(path)
    return {}
  })
  t.same(read.added, [])
  t.equal(read.retryMs, 1000)
})

t.test('a large file that grows keeps the others of its directory waiting only once', async (t) => {
  const { put, come } = openAdmissionOn(t)
  const large = put(`${day}/aaaa0010.26d.gz`, '')
  truncateSync(large, 17 * 1024 * 1024)
  put(`${day}/${graz}`, content)
  const first = await come()
  t.same(first.added, [])
  t.equal(first.retryMs, 0)
  appendFileSync(large, 'more')
  const second = await come()
  t.same(second.added, [graz])
  t.equal(second.retryMs, 1000, 'and it is itself looked at without haste')
})

t.test('too many removals at once are held back until the files are there again', async (t) => {
  const { archive, writer, come, status } = openAdmissionOn(t)
  mkdirSync(join(archive, day), { recursive: true })
  const catalogued = Array.from({ length: 1001 }, (_, n) => `${1000 + n}0010.26d.gz`)
  await writer.apply([change(day, { added: catalogued.map((name) => newFile(name)) })])
  const withheld = await come()
  t.same(withheld.change.removed, [])
  t.equal(withheld.change.stamp, undefined, 'sweeps come back')
  t.match(status(), { state: 'degraded', reasons: [/1001 removals in obs\/ withheld/] })
  await come(() => ({ outcome: 'unreadable' }))
  t.match(status(), { state: 'degraded' }, 'a directory that cannot be read may lack anything')
  const gone = await come(() => ({ outcome: 'missing' }))
  t.equal(gone.change.gone, false, 'nor is the directory gone')
  await come(() => ({ names: catalogued }))
  t.match(status(), { state: 'starting', reasons: [] })
})
