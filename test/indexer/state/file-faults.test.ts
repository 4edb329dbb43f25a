import { accept } from '../../../src/indexer/accept/acceptance.ts'
import { FileFaults } from '../../../src/indexer/state/file-faults.ts'
import { change, newFile } from '../../catalogue/change.ts'
import t, { exact } from '../../tap.ts'
import { nothingSeen, openParts } from '../parts.ts'

const day = 'obs/2020/001'
const graz = 'graz0010.20d.gz'

t.test('each fault of a file is logged once, with its path', async (t) => {
  const { lines, logger } = await openParts(t)
  const faults = new FileFaults(logger)
  for (let times = 0; times < 2; times++) {
    faults.log(`${day}/a`, 'incomplete')
    faults.log(`${day}/b`, 'broken')
  }
  faults.log(`${day}/a`, 'broken')
  t.strictSame(
    lines.map(({ level, msg, ...other }) => [level, msg, (other as { path?: string }).path]),
    [
      [40, 'content of a file has no end', `${day}/a`],
      [40, 'content of a file is damaged', `${day}/b`],
      [40, 'content of a file is damaged', `${day}/a`],
    ],
  )
})

t.test('the number of files whose faults are remembered is limited', async (t) => {
  const { lines, logger } = await openParts(t)
  const faults = new FileFaults(logger)
  for (let number = 0; number <= 10_000; number++) faults.log(`${day}/${number}`, 'broken')
  faults.log(`${day}/10000`, 'broken')
  t.equal(lines.length, 10_001)
  faults.log(`${day}/0`, 'broken')
  t.equal(lines.length, 10_002, 'the oldest is forgotten')
})

t.test('a file that is listed without the end of its gzip stream is logged', async (t) => {
  const parts = await openParts(t)
  parts.settling.decide = () => 'take-incomplete'
  parts.put(`${day}/${graz}`)
  const snapshot = await parts.tree.snapshot(day)
  const added = [newFile(graz, { size: 1, mtimeUs: 1 })]
  for (let times = 0; times < 2; times++)
    await accept(parts, { snapshot, sight: nothingSeen }, change(day, { added }))
  t.match(parts.lines, exact([{ msg: 'content of a file has no end', path: `${day}/${graz}` }]))
  t.equal(parts.lines.length, 1)
})
