/**
 * Random sequences of file operations, snapshots and hashing, in any order: in all states, a
 * download never gets the checksum of other bytes, and at the end every file has its own.
 *
 * One case is excluded, as in the rule of checksums: a file that gets new attributes and, before
 * the next snapshot, other bytes with the same inode, size and mtime.
 */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { compareIdentity, toIdentity } from '../../../src/catalogue/identity.ts'
import type { DirectoryChange } from '../../../src/catalogue/updates/change.ts'
import { ChecksumFiles } from '../../../src/indexer/checksums/checksum-files.ts'
import { reconcile } from '../../../src/indexer/compare/reconcile.ts'
import type { DirectorySnapshot } from '../../../src/indexer/read/directory-snapshot.ts'
import { readDirectory } from '../../../src/indexer/read/read-directory.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { day, openCatalogue } from '../../catalogue/catalogue.ts'
import { overwrite, replace } from '../../file-changes.ts'
import { laterThan } from '../../file-clock.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import type { Parts } from '../parts.ts'
import { openParts } from '../parts.ts'
import { localHashClient, sha256Of } from './hashing.ts'

const names = ['graz0010.26d.gz', 'zimm0010.26d.gz', 'onsa0010.26d.gz']

/** File operations; those of one kind must not follow those of the other before a snapshot. */
const bytesActs = ['replace', 'overwrite', 'swap'] as const
const attributeActs = ['link', 'unlink', 'chmod'] as const
const otherActs = ['rewrite', 'touch', 'remove'] as const
const acts = [...bytesActs, ...attributeActs, ...otherActs]
type Act = (typeof acts)[number]

/** SLOW=1 runs far more sequences. */
const slow = process.env['SLOW'] === '1'

const act = fc.record({ act: fc.constantFrom(...acts), file: fc.nat(names.length - 1) })
const step = fc.oneof(
  { weight: 4, arbitrary: act },
  {
    weight: 3,
    arbitrary: fc.constantFrom('snapshot', 'reconcile', 'apply', 'read', 'keep' as const),
  },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** An archive of one directory, its catalogue, and the pending work between them. */
async function openModel(t: Test, parts: Parts) {
  const { folder, writer, reader, close } = await openCatalogue(t, { nowUs: parts.nowUs })
  const archive = join(folder, 'archive')
  const directory = join(archive, day)
  mkdirSync(directory, { recursive: true })
  // With a clock that is ahead, every file is old enough to be read.
  const nowUs = () => parts.nowUs() + 10e6
  const hashClient = localHashClient(archive)
  const reading = new ChecksumFiles({ ...parts, writer, hashClient, nowUs, isClosing: () => false })
  let through = 0
  /** New files whose catalogued version could not be read. */
  const missed = new Set<number>()
  const snapshots: DirectorySnapshot[] = []
  let changes: DirectoryChange[] = []
  const steps = {
    snapshot: () => {
      snapshots.push(readDirectory({ archive, layout: defaultLayout, linkedDirectories: [] }, day))
    },
    /** Like the batch: pending changes are written before the directory is compared again. */
    reconcile: async () => {
      const snapshot = snapshots.shift()
      if (snapshot === undefined) return
      await steps.apply()
      const change = reconcile(snapshot, await writer.directory(day))
      if (change !== undefined) changes.push(change)
    },
    apply: async () => {
      const [first] = changes
      if (first !== undefined) await writer.apply([first])
      changes = []
    },
    read: async () => {
      const arrived = await writer.arrivedUnhashed(through)
      for (const id of await reading.read(arrived.files)) missed.add(id)
      through = arrived.throughSeq
      const stale = (await writer.staleChecksums(nowUs())).files
      const unread = await reading.read(stale)
      await writer.hashAgain(unread, nowUs())
    },
    keep: () => reading.store(through),
    /** The pass over old files, for those that were another version when they were read. */
    pass: async () => {
      const { files } = await writer.unhashedBelow(Number.MAX_SAFE_INTEGER, true)
      await reading.read(files.filter(({ id }) => missed.has(id)))
    },
  }
  return {
    directory,
    reader,
    writer,
    steps,
    /** Reconciles the directory. */
    comeTo: async () => {
      steps.snapshot()
      while (snapshots.length > 0) await steps.reconcile()
      await steps.apply()
    },
    close,
  }
}

type Model = Awaited<ReturnType<typeof openModel>>

/** Changes files; each change has a later time on the clock of the file system. */
function openActs({ directory }: Model) {
  /** Incremented with each operation, so that bytes, times and names are always new. */
  let number = 0
  /** Operations on a file since the last snapshot. */
  const since = new Map<string, 'bytes' | 'attributes'>()
  const clock = join(directory, '.clock')
  writeFileSync(clock, '')
  const content = (length: number) => Buffer.alloc(length, String(++number))
  const create = (path: string): void => {
    writeFileSync(path, content(20))
    utimesSync(path, 1000, number)
  }
  const doTo: Record<Act, (path: string, other: string) => void> = {
    replace(path) {
      // A file system reuses the inode of a removed file.
      replace(path, content(statSync(path).size))
    },
    overwrite(path) {
      overwrite(path, content(statSync(path).size))
    },
    swap(path, other) {
      renameSync(path, `${path}.aside`)
      if (existsSync(other)) renameSync(other, path)
      renameSync(`${path}.aside`, other)
    },
    link(path) {
      linkSync(path, `${path}.${++number}.link`)
    },
    unlink(path) {
      const prefix = `${path.slice(path.lastIndexOf('/') + 1)}.`
      const link = readdirSync(directory).find(
        (name) => name.startsWith(prefix) && name.endsWith('.link'),
      )
      if (link !== undefined) unlinkSync(join(directory, link))
    },
    chmod(path) {
      chmodSync(path, statSync(path).mode ^ 0o040)
    },
    rewrite(path) {
      create(path)
    },
    touch(path) {
      utimesSync(path, 1000, ++number)
    },
    remove(path) {
      rmSync(path)
    },
  }
  const isOneOf = (some: readonly string[], name: string): boolean => some.includes(name)
  return {
    act: async (name: Act, file: number): Promise<void> => {
      const paths = [file, file + 1].map((n) => join(directory, names[n % names.length] ?? ''))
      const [path = '', other = ''] = paths
      const kind = isOneOf(bytesActs, name)
        ? 'bytes'
        : isOneOf(attributeActs, name)
          ? 'attributes'
          : undefined
      const touched = name === 'swap' ? paths : [path]
      const against = kind === 'bytes' ? 'attributes' : 'bytes'
      if (kind !== undefined && touched.some((each) => since.get(each) === against)) return
      for (const each of touched) if (kind !== undefined) since.set(each, kind)
      await laterThan(clock)
      if (existsSync(path)) doTo[name](path, other)
      else create(path)
      writeFileSync(clock, '')
    },
    read: () => since.clear(),
  }
}

/** Names of files whose downloads would get the checksum of other bytes. */
async function wrongDigests({ directory, reader }: Model): Promise<string[]> {
  const wrong: string[] = []
  for (const name of names) {
    const path = join(directory, name)
    const found = await reader.file({ directory: day, name })
    if (found?.sha256 === undefined || found.identity === undefined || !existsSync(path)) continue
    if (compareIdentity(found.identity, toIdentity(statSync(path))) === 'changed') continue
    if (Buffer.from(found.sha256).toString('hex') !== sha256Of(readFileSync(path))) wrong.push(name)
  }
  return wrong
}

/** Takes one more snapshot, as after an event, then hashes until nothing is left. */
async function settle(model: Model): Promise<void> {
  await model.comeTo()
  for (let round = 0; round < 5; round++) {
    await model.steps.keep()
    await model.steps.read()
    await model.steps.pass()
    await model.steps.keep()
  }
}

/** Names of files whose listed checksum differs from the disk. */
async function unlike({ directory, reader }: Model): Promise<string[]> {
  const entries = (await reader.checksums({ directory: day, after: '' }))?.files ?? []
  const shown = entries.map(
    ({ name, sha256 }) => `${name} ${sha256 && Buffer.from(sha256).toString('hex')}`,
  )
  const there = names.filter((name) => existsSync(join(directory, name)))
  const expected = there.map((name) => `${name} ${sha256Of(readFileSync(join(directory, name)))}`)
  return [
    ...shown.filter((line) => !expected.includes(line)),
    ...expected.filter((line) => !shown.includes(line)),
  ]
}

async function run(model: Model, steps: readonly Step[]): Promise<void> {
  const { act: doAct, read } = openActs(model)
  for (let file = 0; file < names.length; file++) await doAct('rewrite', file)
  await settle(model)
  for (const one of steps) {
    if (typeof one === 'object') await doAct(one.act, one.file)
    else await model.steps[one]()
    const wrong = await wrongDigests(model)
    if (wrong.length > 0) throw new Error(`wrong digest: ${wrong.join()}`)
    // From now on, attributes and bytes may change again.
    if (one === 'apply') {
      await model.comeTo()
      read()
    }
  }
  await settle(model)
  const faults = await unlike(model)
  if (faults.length > 0) throw new Error(`not as on disk: ${faults.join()}`)
}

t.test('a checksum always belongs to the bytes of its file', async (t) => {
  const parts = await openParts(t)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      const model = await openModel(t, parts)
      try {
        await run(model, steps)
      } finally {
        model.close()
      }
    }),
    { numRuns: slow ? 1000 : 40 },
  )
})
