import t from '../tap.ts'
import type { FileIdentity } from '../../src/catalogue/records.ts'
import { compareIdentity } from '../../src/catalogue/identity.ts'
import type { IdentityComparison } from '../../src/catalogue/identity.ts'
import { fc } from '../random.ts'
import { identity as stored } from './catalogue.ts'

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

t.test('a file is compared with the file that was hashed', async (t) => {
  for (const { title, seen, outcome } of cases)
    t.equal(compareIdentity(stored, { ...stored, ...seen }), outcome, title)
})

t.test('a comparison of any two identities has the specified result, in either order', async () => {
  const number = fc.nat(2)
  const identity = fc.record({
    inode: number,
    size: number,
    mtimeUs: number,
    ctimeUs: number,
    links: number,
    mode: number,
    uid: number,
    gid: number,
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
