/** The validators of a download. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { validatorsOf } from '../../../src/api/downloads/file-answer.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'

t.test('a file with a time in the future has no date', async (t) => {
  const stats = statSync(join(testFolder(t, { file: 'content' }), 'file'))
  const { mtimeMs } = stats
  const lastModified = Math.floor(mtimeMs / 1000)
  const file = { stats, tail: Buffer.from('content'), hasCheck: true }
  const dateAt = (nowMs: number) => validatorsOf(file, nowMs).lastModified
  t.equal(dateAt(mtimeMs + 1), lastModified)
  t.equal(dateAt(mtimeMs), lastModified)
  t.equal(dateAt(mtimeMs - 1), undefined)
})
