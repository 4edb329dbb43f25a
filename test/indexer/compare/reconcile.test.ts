import type { FileIdentity } from '../../../src/catalogue/records.ts'
import type { KnownDirectory, KnownFile } from '../../../src/catalogue/updates/known.ts'
import { reconcile } from '../../../src/indexer/compare/reconcile.ts'
import type { DirectorySnapshot } from '../../../src/indexer/read/directory-snapshot.ts'
import { createIdentities } from '../../../src/indexer/read/packed-identities.ts'
import { day, identity as bound, stamp } from '../../catalogue/catalogue.ts'
import t, { exact } from '../../tap.ts'
import { emptySnapshotOf, unreadableSnapshotOf } from '../parts.ts'

const name = 'graz0010.26d.gz'
const other = 'zimm0010.26d.gz'

const snapshot = (parts: Partial<DirectorySnapshot>): DirectorySnapshot => ({
  ...emptySnapshotOf(day),
  stamp,
  ...parts,
})

function known(files: Record<string, Partial<KnownFile>>, sure = true): KnownDirectory {
  const complete = Object.entries(files).map(
    ([file, facts], index) =>
      [file, { id: index + 1, size: 10, mtimeUs: 1000, hashed: undefined, ...facts }] as const,
  )
  return {
    stamp: sure ? stamp : undefined,
    unreadable: false,
    files: new Map(complete),
    next: undefined,
  }
}

const { rejections } = unreadableSnapshotOf(day)

/** A snapshot with files of this identity. */
const seen = (names: string[], own: Partial<FileIdentity> = {}): Partial<DirectorySnapshot> => {
  const identities = createIdentities(names.length)
  const { size, mtimeUs, inode, ctimeUs, links, mode, uid, gid } = { ...bound, ...own }
  const packed = [size, mtimeUs, inode, ctimeUs, links, mode, uid, gid]
  names.forEach((_, index) => {
    identities.set(packed, index * packed.length)
  })
  return { names, identities }
}
const hashed = (identity: KnownFile['hashed'] = bound): KnownDirectory =>
  known({ [name]: { hashed: identity } })

/** The lists of a change that a case does not name are empty. */
const nothing = { added: [], modified: [], attributes: [], rehash: [], removed: [] }

const cases: {
  title: string
  snapshot: Partial<DirectorySnapshot>
  known: KnownDirectory | undefined
  change: object | undefined
}[] = [
  {
    title: 'a new name is added',
    snapshot: seen([name]),
    known: undefined,
    change: { added: [{ name, size: 10, mtimeUs: 1000 }], stamp },
  },
  {
    title: 'a new empty directory is added',
    snapshot: {},
    known: undefined,
    change: { added: [], stamp },
  },
  {
    title: 'nothing differs',
    snapshot: seen([name]),
    known: known({ [name]: {} }),
    change: undefined,
  },
  {
    title: 'only the stamp is unknown: it is stored',
    snapshot: seen([name]),
    known: known({ [name]: {} }, false),
    change: { stamp, added: [], modified: [], removed: [] },
  },
  {
    title: 'the size changed',
    snapshot: seen([name]),
    known: known({ [name]: { size: 9, mtimeUs: 1000 } }),
    change: { modified: [{ id: 1, name, size: 10, mtimeUs: 1000 }] },
  },
  {
    title: 'the mtime changed, backwards too',
    snapshot: seen([name]),
    known: known({ [name]: { size: 10, mtimeUs: 2001 } }),
    change: { modified: [{ id: 1, name, size: 10, mtimeUs: 1000 }] },
  },
  {
    title: 'a restored copy has the mtime cut to a second',
    snapshot: seen([name], { mtimeUs: 5_000_000 }),
    known: known({ [name]: { size: 10, mtimeUs: 5_123_457 } }),
    change: undefined,
  },
  {
    title: 'a missing name is removed',
    snapshot: seen([other]),
    known: known({ [name]: {}, [other]: {} }),
    change: { removed: [1], added: [] },
  },
  {
    title: 'a name whose disk is away is neither removed nor added',
    snapshot: { names: [], away: [name, 'onsa0010.26d.gz'], stamp: undefined },
    known: known({ [name]: {}, [other]: {} }),
    change: { removed: [2], added: [], stamp: undefined },
  },
  {
    title: 'a missing directory removes its files',
    snapshot: { outcome: 'missing', stamp: undefined },
    known: known({ [name]: {}, [other]: {} }),
    change: { gone: true, removed: [1, 2] },
  },
  {
    title: 'a missing unknown directory gives no change',
    snapshot: { outcome: 'missing' },
    known: undefined,
    change: undefined,
  },
  {
    title: 'an unreadable directory removes nothing',
    snapshot: { outcome: 'unreadable', stamp: undefined },
    known: known({ [name]: {} }),
    change: { gone: false, removed: [], stamp: undefined },
  },
  {
    title: 'an unreadable directory that was stored by its parent is reported',
    snapshot: { outcome: 'unreadable', stamp: undefined, rejections },
    known: known({}, false),
    change: { rejections },
  },
  {
    title: 'a reported one is not written again',
    snapshot: { outcome: 'unreadable', stamp: undefined, rejections },
    known: { ...known({}, false), unreadable: true },
    change: undefined,
  },
  {
    title: 'one that became readable is written, even without a stamp',
    snapshot: { stamp: undefined },
    known: { ...known({}, false), unreadable: true },
    change: { rejections: [] },
  },
  {
    title: 'a lost area gives no change',
    snapshot: { outcome: 'lost-area' },
    known: known({ [name]: {} }),
    change: undefined,
  },
  {
    title: 'a hashed file is unchanged',
    snapshot: seen([name]),
    known: hashed(),
    change: undefined,
  },
  {
    title: 'its attributes changed: the checksum stays and is bound to them',
    snapshot: seen([name], { ctimeUs: 3000, links: 2 }),
    known: hashed(),
    change: {
      attributes: [{ id: 1, identity: { ...bound, ctimeUs: 3000, links: 2 }, boundCtimeUs: 2000 }],
      rehash: [],
      modified: [],
      stamp,
    },
  },
  {
    title: 'its ctime alone changed: it is hashed again, and not modified',
    snapshot: seen([name], { ctimeUs: 3000 }),
    known: hashed(),
    change: { rehash: [1], attributes: [], modified: [], stamp },
  },
  {
    title: 'another file has the same size and mtime: it is hashed again, and not modified',
    snapshot: seen([name], { inode: 8, ctimeUs: 3000, mode: 0o100600 }),
    known: hashed(),
    change: { rehash: [1], attributes: [], modified: [] },
  },
  {
    title: 'the snapshot is older than the checksum: its attributes are ignored',
    snapshot: seen([name], { ctimeUs: 1000, links: 2 }),
    known: hashed(),
    change: { rehash: [1], attributes: [] },
  },
  {
    title: 'a modified file is only modified',
    snapshot: seen([name], { size: 11, ctimeUs: 3000, links: 2 }),
    known: hashed(),
    change: { modified: [{ id: 1, name, size: 11 }], rehash: [], attributes: [] },
  },
]

t.test('reconcile returns the differences between a snapshot and the known files', async (t) => {
  for (const { title, snapshot: parts, known: before, change } of cases) {
    const outcome = reconcile(snapshot(parts), before)
    if (change === undefined) t.equal(outcome, undefined, title)
    else t.match(outcome, exact({ ...nothing, ...change }), title)
  }
})
