import type { UnhashedFile } from '../../../src/catalogue/updates/checksum-queue.ts'
import { batchesOf, readDelayMs } from '../../../src/indexer/checksums/checksum-files.ts'
import t from '../../tap.ts'

const file = (parts: Partial<UnhashedFile>): UnhashedFile => ({
  id: 1,
  path: 'obs/a',
  size: 1,
  mtimeUs: 1,
  sinceUs: 0,
  seq: 1,
  ...parts,
})

t.test('a file is read after a delay, so that its times distinguish its versions', async (t) => {
  const rests = [
    { ageMs: 0, restMs: 2000 },
    { ageMs: 500, restMs: 1500 },
    { ageMs: 2000, restMs: 0 },
    { ageMs: 86_400_000, restMs: 0 },
    // The clock was set back: no delay until a time that may be years away.
    { ageMs: -1, restMs: 0 },
  ]
  for (const { ageMs, restMs } of rests)
    t.equal(readDelayMs(file({ sinceUs: 5e9 }), 5e9 + ageMs * 1000), restMs, `${ageMs} ms old`)
})

t.test('the size of a batch is limited in files and in bytes', async (t) => {
  const lengths = (sizes: number[]): number[] =>
    batchesOf(sizes.map((size) => file({ size }))).map((part) => part.length)
  const megabytes = (count: number): number => count * 1024 * 1024
  t.same(lengths([]), [])
  t.same(lengths([1]), [1])
  t.same(lengths(Array<number>(40).fill(1)), [16, 16, 8])
  t.same(lengths([1, megabytes(10), megabytes(5), megabytes(5), megabytes(20), 1]), [3, 1, 1, 1])
})
