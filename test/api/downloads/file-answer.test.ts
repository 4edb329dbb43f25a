/** The validators of a download: which date it has, and when this date identifies one version. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { validatorsOf } from '../../../src/api/downloads/file-answer.ts'
import { toUs } from '../../../src/catalogue/identity.ts'
import type { FileRecord } from '../../../src/catalogue/records.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'

t.test('only a date in the past identifies a version', async (t) => {
  const file = join(testFolder(t, { file: 'content' }), 'file')
  const stats = statSync(file)
  const { mtimeMs, size } = stats
  const record: FileRecord = {
    id: 1,
    seq: 1,
    directory: 'obs/2026/001',
    name: 'file',
    size,
    mtimeUs: toUs(mtimeMs),
    createdUs: 1,
    modifiedUs: 1,
  }
  const lastModified = Math.floor(mtimeMs / 1000)
  const validators = (known: FileRecord, nowMs: number) => {
    const found = validatorsOf(
      known,
      { stats, tail: Buffer.from('content'), hasCheck: true },
      nowMs,
    )
    return [found.lastModified, found.lastModifiedIsStrong]
  }
  t.strictSame(validators(record, mtimeMs + 1), [lastModified, true], 'a millisecond ago')
  t.strictSame(validators(record, mtimeMs), [lastModified, false], 'this very moment')
  t.strictSame(validators(record, mtimeMs - 1), [undefined, false], 'in the future')
  for (const [what, other] of [
    ['it was replaced since', { modifiedUs: 2 }],
    ['it has another size than its record', { size: size + 1 }],
    ['it has another time than its record', { mtimeUs: toUs(mtimeMs) - 1 }],
  ] as const)
    t.strictSame(validators({ ...record, ...other }, mtimeMs + 1), [lastModified, false], what)
})
