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
  { title: 'a new hard link', seen: { ctimeUs: 3000, links: 2 }, outcome: 'attributes' },
  { title: 'unlinked while it is open', seen: { ctimeUs: 3000, links: 0 }, outcome: 'attributes' },
  { title: 'another mode', seen: { ctimeUs: 3000, mode: 0o100600 }, outcome: 'attributes' },
  { title: 'another owner', seen: { ctimeUs: 3000, uid: 0 }, outcome: 'attributes' },
  { title: 'another group', seen: { ctimeUs: 3000, gid: 0 }, outcome: 'attributes' },
  { title: 'attributes within one tick', seen: { mode: 0o100600 }, outcome: 'attributes' },
]

t.test('the comparison of a file with the file that was hashed', async (t) => {
  for (const { title, seen, outcome } of cases)
    t.equal(compareIdentity(stored, { ...stored, ...seen }), outcome, title)
})

t.test('every combination of differences has the defined result, in both directions', async () => {
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

t.test('operations on real files', async (t) => {
  const path = join(testFolder(t), 'file')
  const setTime = (file = path): void => utimesSync(file, 1000, 1000)
  const operations: { title: string; run: () => void; outcome: IdentityComparison }[] = [
    { title: 'nothing', run: () => undefined, outcome: 'same' },
    {
      title: 'a hard link is created',
      run: () => linkSync(path, `${path}.link`),
      outcome: 'attributes',
    },
    {
      title: 'the link is removed',
      run: () => unlinkSync(`${path}.link`),
      outcome: 'attributes',
    },
    {
      title: 'chmod',
      run: () => chmodSync(path, 0o600),
      outcome: 'attributes',
    },
    {
      title: 'overwritten in place, and mtime set back',
      run: () => {
        writeFileSync(path, 'BYTES')
        setTime()
      },
      outcome: 'changed',
    },
    {
      title: 'replaced by rename, with the same size and mtime',
      run: () => {
        writeFileSync(`${path}.new`, 'Bytes', { mode: 0o600 })
        setTime(`${path}.new`)
        renameSync(`${path}.new`, path)
      },
      outcome: 'changed',
    },
  ]
  if (process.getuid?.() === 0)
    operations.push({
      title: 'chown',
      run: () => chownSync(path, 1234, 5678),
      outcome: 'attributes',
    })
  writeFileSync(path, 'bytes')
  setTime()
  for (const { title, run, outcome } of operations) {
    await laterThan(path)
    const before = toIdentity(statSync(path))
    run()
    t.equal(compareIdentity(before, toIdentity(statSync(path))), outcome, title)
  }
})
