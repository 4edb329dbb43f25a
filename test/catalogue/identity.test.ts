import {
  chmodSync,
  chownSync,
  linkSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { FileIdentity } from '../../src/catalogue/records.ts'
import { compareIdentity, toIdentity } from '../../src/catalogue/identity.ts'
import type { IdentityComparison } from '../../src/catalogue/identity.ts'
import { testFolder } from '../folder.ts'
import { laterThan } from '../file-clock.ts'
import { fc } from '../random.ts'

const stored: FileIdentity = {
  ...{ inode: 7, size: 10, mtimeUs: 1000, ctimeUs: 2000 },
  ...{ links: 1, mode: 0o100644, uid: 5, gid: 6 },
}

const cases: { title: string; seen: Partial<FileIdentity>; outcome: IdentityComparison }[] = [
  { title: 'nothing differs', seen: {}, outcome: 'same' },
  { title: 'another file', seen: { inode: 8 }, outcome: 'changed' },
  { title: 'another file, ctime too', seen: { inode: 8, ctimeUs: 3000 }, outcome: 'changed' },
  {
    title: 'another file with other attributes',
    seen: { inode: 8, ctimeUs: 3000, links: 2, mode: 0o100600 },
    outcome: 'changed',
  },
  { title: 'another size', seen: { size: 11, ctimeUs: 3000 }, outcome: 'changed' },
  { title: 'another mtime', seen: { mtimeUs: 1001, ctimeUs: 3000 }, outcome: 'changed' },
  {
    title: 'another mtime and other attributes',
    seen: { mtimeUs: 1001, ctimeUs: 3000, uid: 9 },
    outcome: 'changed',
  },
  { title: 'ctime alone', seen: { ctimeUs: 2001 }, outcome: 'changed' },
  { title: 'ctime alone, backwards', seen: { ctimeUs: 1999 }, outcome: 'changed' },
  { title: 'a link made', seen: { ctimeUs: 3000, links: 2 }, outcome: 'attributes' },
  { title: 'unlinked while it is open', seen: { ctimeUs: 3000, links: 0 }, outcome: 'attributes' },
  { title: 'another mode', seen: { ctimeUs: 3000, mode: 0o100600 }, outcome: 'attributes' },
  { title: 'another owner', seen: { ctimeUs: 3000, uid: 0 }, outcome: 'attributes' },
  { title: 'another group', seen: { ctimeUs: 3000, gid: 0 }, outcome: 'attributes' },
  { title: 'attributes within one tick', seen: { mode: 0o100600 }, outcome: 'attributes' },
]

t.test('a file against the one that its checksum was made of', async (t) => {
  for (const { title, seen, outcome } of cases)
    t.equal(compareIdentity(stored, { ...stored, ...seen }), outcome, title)
})

t.test('whatever else differs, each field decides what it must', async () => {
  const number = fc.nat(2)
  const identity = fc.record({
    ...{ inode: number, size: number, mtimeUs: number, ctimeUs: number },
    ...{ links: number, mode: number, uid: number, gid: number },
  })
  const differs = (a: FileIdentity, b: FileIdentity, ...keys: (keyof FileIdentity)[]): boolean =>
    keys.some((key) => a[key] !== b[key])
  fc.assert(
    fc.property(identity, identity, (a, b) => {
      const outcome = compareIdentity(a, b)
      const attributes = differs(a, b, 'links', 'mode', 'uid', 'gid')
      const expected =
        differs(a, b, 'inode', 'size', 'mtimeUs') || (!attributes && differs(a, b, 'ctimeUs'))
          ? 'changed'
          : attributes
            ? 'attributes'
            : 'same'
      return outcome === expected && compareIdentity(b, a) === outcome
    }),
    { numRuns: 2000 },
  )
})

t.test('what is done to real files', async (t) => {
  const path = join(testFolder(t), 'file')
  const setTime = (file = path): void => {
    utimesSync(file, 1000, 1000)
  }
  const ways: { title: string; make: () => void; outcome: IdentityComparison }[] = [
    { title: 'nothing', make: () => undefined, outcome: 'same' },
    {
      title: 'a hard link is made',
      make: () => {
        linkSync(path, `${path}.link`)
      },
      outcome: 'attributes',
    },
    {
      title: 'the link is removed',
      make: () => {
        unlinkSync(`${path}.link`)
      },
      outcome: 'attributes',
    },
    {
      title: 'chmod',
      make: () => {
        chmodSync(path, 0o600)
      },
      outcome: 'attributes',
    },
    {
      title: 'overwritten in place, with its time set back',
      make: () => {
        writeFileSync(path, 'BYTES')
        setTime()
      },
      outcome: 'changed',
    },
    {
      title: 'replaced by rename, with the same size and time',
      make: () => {
        writeFileSync(`${path}.new`, 'Bytes', { mode: 0o600 })
        setTime(`${path}.new`)
        renameSync(`${path}.new`, path)
      },
      outcome: 'changed',
    },
  ]
  if (process.getuid?.() === 0)
    ways.push({
      title: 'chown',
      make: () => {
        chownSync(path, 1234, 5678)
      },
      outcome: 'attributes',
    })
  writeFileSync(path, 'bytes')
  setTime()
  for (const { title, make, outcome } of ways) {
    await laterThan(path)
    const before = toIdentity(statSync(path))
    make()
    t.equal(compareIdentity(before, toIdentity(statSync(path))), outcome, title)
  }
})
