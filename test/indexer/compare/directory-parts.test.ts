import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitChange } from '../../../src/indexer/compare/directory-parts.ts'
import { tooManyEntries } from '../../../src/indexer/read/directory-snapshot.ts'
import { readDirectory } from '../../../src/indexer/read/read-directory.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { manyNames, stamp } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { engine } from '../../catalogue/engines.ts'
import { testFolder } from '../../folder.ts'
import t, { exact } from '../../tap.ts'
import { openApplyStageOn } from '../apply-stage.ts'
import { emptySnapshotOf, noProblems } from '../parts.ts'

const day = 'obs/2020/001'
const namesOf = (count: number) => manyNames(count, '0010.20d.gz')
const snapshotOf = (names: readonly string[]) => ({ ...emptySnapshotOf(day), names, stamp })
/** Each read is three seconds after the one before. */
const requestedMs = Infinity

t.test('a large change is split into parts', async (t) => {
  const added = namesOf(25_000).map((name) => newFile(name))
  const removed = Array.from({ length: 4_999 }, (_, index) => index + 1)
  const parts = splitChange(change(day, { added, removed, stamp }))
  t.strictSame(
    parts.map(({ more }) => more),
    [true, true, false],
  )
  // Each list is divided evenly, so a part may have one more file of each.
  for (const part of parts) t.ok(part.added.length + part.removed.length <= 10_002)
  t.strictSame(
    parts.flatMap((part) => part.added),
    added,
  )
  t.strictSame(
    parts.flatMap((part) => part.removed),
    removed,
  )
  const small = change(day, { added: added.slice(0, 10_000), stamp })
  t.strictSame(splitChange(small), [small])
})

t.test('a directory that is written in parts gets its stamp with the last part', async (t) => {
  const { applyStage, writer, sql, dirty } = await openApplyStageOn(t)
  const names = namesOf(25_000)
  const add = async () => {
    await applyStage.add({
      snapshot: snapshotOf(names),
      walked: false,
      requestedMs,
    })
    return applyStage.flush()
  }
  await sql(engine.refusing(names.at(-1) ?? ''))
  t.strictSame(await add(), new Set([day]), 'not written as a whole')
  const written = await writer.count('obs')
  t.ok(written > 0 && written < 25_000, `${written} files`)
  const known = await writer.directory(day)
  t.equal(known?.stamp, undefined)
  t.equal(dirty.take(Infinity), day, 'it is read again')
  await sql(engine.repaired('refusing'))
  t.strictSame(await add(), new Set())
  t.equal(await writer.count('obs'), 25_000)
  const complete = await writer.directory(day)
  t.strictSame(complete?.stamp, stamp)
  t.strictSame(complete?.files, known?.files, 'the first files keep their ids')
  // The same directory again is no change.
  await add()
  t.equal((await writer.summary()).head.seq, 25_000)
})

t.test('the end of the process leaves the remaining parts to the next one', async (t) => {
  const { applyStage, writer, close } = await openApplyStageOn(t)
  close()
  const snapshot = snapshotOf(namesOf(25_000))
  await applyStage.add({ snapshot, walked: false, requestedMs })
  t.strictSame(await applyStage.flush(), new Set([day]))
  const written = await writer.count('obs')
  t.ok(written > 0 && written < 25_000, `${written} files`)
  t.equal((await writer.directory(day))?.stamp, undefined)
})

t.test('removals are judged for the whole directory, not for each part', async (t) => {
  const { applyStage, writer, sql, withheld } = await openApplyStageOn(t)
  const names = namesOf(10_400)
  const look = async (kept: readonly string[]) => {
    await applyStage.add({ snapshot: snapshotOf(kept), walked: false, requestedMs })
    await applyStage.flush()
  }
  await look(names)
  // As if the area had other files: each half of the removals is less than a fifth, both are more.
  const ofArea = (files: number) =>
    sql(`UPDATE id_count SET files = ${files} WHERE level = 18 AND kind <> 0`)
  await ofArea(51_999)
  await look([])
  t.equal(await writer.count('obs'), 51_999, 'no part is removed')
  t.strictSame(withheld(), [['obs', 10_400]])
  t.type((await writer.directories()).find(({ path }) => path === day)?.withheldSinceUs, 'number')
  await look(names)
  t.strictSame(withheld(), [])
  await ofArea(52_000)
  await look([])
  t.equal(await writer.count('obs'), 41_600)
  await look(names)
  t.equal(await writer.count('obs'), 52_000, 'they come back')
  t.strictSame(await sql('SELECT max(id) AS id FROM file'), [{ id: 10_400 }], 'with their ids')
})

t.test('a directory with too many entries is not read, and reported', async (t) => {
  const { applyStage, writer, archive, put, health, lines, readAndApply, watched } =
    await openApplyStageOn(t)
  const names = namesOf(3)
  for (const name of names) put(`${day}/${name}`)
  await readAndApply('obs')
  t.equal(await writer.count('obs'), 3)
  const look = async (mostEntries: number) => {
    let steps = 0
    const tree = {
      archive,
      layout: defaultLayout,
      linkedDirectories: [],
      mostEntries,
      onProgress: () => steps++,
    }
    const snapshot = readDirectory(tree, day)
    await applyStage.add({ snapshot, walked: false, requestedMs })
    await applyStage.flush()
    return { snapshot, steps }
  }
  writeFileSync(join(archive, day, 'note'), '')
  for (let round = 0; round < 2; round++) {
    const { snapshot, steps } = await look(2)
    t.match(snapshot, { outcome: 'unreadable', error: tooManyEntries })
    t.equal(steps, 2, 'the remaining entries are not read')
  }
  t.equal(await writer.count('obs'), 3, 'its records stay')
  const reason = /^obs\/2020\/001\/ has more than 500,000 entries .* divide it/
  t.match(health.status(noProblems), { state: 'degraded', problems: exact([{ text: reason }]) })
  t.equal(lines.filter(({ msg }) => msg === 'degraded').length, 1, 'logged once')
  t.equal(watched.get(day), false, 'nor watched')
  t.match((await look(4)).snapshot, { outcome: 'read' })
  t.equal(watched.get(day), true)
  t.strictSame(health.status(noProblems).problems, [])
})

t.test(
  'a directory with 500,001 entries is too large',
  { skip: process.env['SLOW'] === undefined && 'only with SLOW=1' },
  async (t) => {
    const archive = testFolder(t, { obs: { big: {} } })
    for (let index = 0; index < 500_000; index++)
      writeFileSync(join(archive, 'obs/big', String(index)), '')
    const look = () =>
      readDirectory({ archive, layout: defaultLayout, linkedDirectories: [] }, 'obs/big')
    t.match(look(), { outcome: 'read', rejections: exact([{ reason: 'not-gz', count: 500_000 }]) })
    writeFileSync(join(archive, 'obs/big/one-more'), '')
    t.match(look(), { outcome: 'unreadable', error: 'more than 500,000 entries' })
  },
)
