import type { IdentityComparison } from '../../src/catalogue/identity.ts'
import { compareIdentity, isSameVersion, toUs } from '../../src/catalogue/identity.ts'
import type { FileIdentity } from '../../src/catalogue/records.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'
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
    // None of them is another one cut to a unit.
    mtimeUs: number.map((count) => 10 * count + 5),
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

const second = 1_000_000

t.test('an mtime may be the stored one cut to a unit', async (t) => {
  const storedUs = 1_706_745_601 * second + 123_457
  const cases: [title: string, seenUs: number, same: boolean][] = [
    ['the same', storedUs, true],
    ['cut to microseconds, and stored rounded', storedUs - 1, true],
    ['cut to milliseconds', storedUs - 457, true],
    ['cut to ten milliseconds', storedUs - 3_457, true],
    ['cut to a second', storedUs - 123_457, true],
    ['cut to two seconds', storedUs - 123_457 - second, true],
    ['two microseconds earlier', storedUs - 2, false],
    ['an earlier second', storedUs - 123_457 - 2 * second, false],
    ['two seconds earlier', storedUs - 2 * second, false],
    ['an earlier one with a fraction', storedUs - second, false],
    ['rounded up to a second', storedUs - 123_457 + second, false],
    ['one microsecond later', storedUs + 1, false],
  ]
  for (const [title, mtimeUs, same] of cases)
    t.equal(isSameVersion({ size: 1, mtimeUs: storedUs }, { size: 1, mtimeUs }), same, title)
  t.equal(isSameVersion({ size: 1, mtimeUs: storedUs }, { size: 2, mtimeUs: storedUs }), false)
  const whole = { size: 1, mtimeUs: storedUs - 123_457 }
  t.equal(isSameVersion(whole, { size: 1, mtimeUs: storedUs }), false, 'it got a fraction')
})

t.test('any mtime of a stat is equal to each of its copies, and only to those', async () => {
  // A stat has seconds and nanoseconds; Node makes a double of milliseconds of them.
  const toMs = (ns: bigint): number =>
    Number(ns / 1_000_000_000n) * 1000 + Number(ns % 1_000_000_000n) / 1e6
  const ns = fc.bigInt({ min: 0n, max: 4_102_444_800_000_000_000n })
  const unit = fc.constantFrom(1n, 100n, 1_000n, 1_000_000n, 10_000_000n, 10n ** 9n, 2n * 10n ** 9n)
  const version = (time: bigint) => ({ size: 1, mtimeUs: toUs(toMs(time)) })
  fc.assert(
    fc.property(ns, unit, fc.bigInt({ min: 2_000n, max: 10n ** 12n }), (time, cut, later) => {
      const copy = time - (time % cut)
      return (
        isSameVersion(version(time), version(copy)) &&
        isSameVersion(version(time), version(copy - (copy % 1_000n))) &&
        !isSameVersion(version(copy), version(copy + later))
      )
    }),
    { numRuns: 5000 },
  )
})
