import { defaultLayout } from '../../src/parse/layout.ts'
import t, { exact } from '../tap.ts'
import type { OpenedCatalogue } from './catalogue.ts'
import { facts, openCatalogue } from './catalogue.ts'
import { change, newFile } from './change.ts'

const wrong = 'obs/2025/001'

/** Adds files of 2026 to a directory, under names of their own. */
let made = 0
async function add({ writer }: OpenedCatalogue, directory: string, count: number): Promise<void> {
  const added = Array.from({ length: count }, () => {
    const station = (made++).toString(36).padStart(4, '0')
    return newFile(`${station}0010.26d.gz`, facts)
  })
  await writer.apply([change(directory, { added })])
}

const stateOf = async ({ reader }: OpenedCatalogue) => {
  const { misplaced, unclearPaths, head } = await reader.summary()
  const filter = { problems: ['misplaced'] } as const
  const { count } = await reader.page({ limit: 1, offset: 0, filter })
  return { misplaced, listed: count, unclearPaths, details: head.detailsSeq }
}

t.test('no file is misplaced in an area in which more than a fifth would be', async (t) => {
  const catalogue = await openCatalogue(t)
  const { writer } = catalogue
  await add(catalogue, wrong, 99)
  await add(catalogue, 'nrt/2025/001/05', 100)
  await add(catalogue, 'nrt/2026/001/05', 400)
  await writer.judgePaths()
  // 99 of 99, 100 of 500.
  t.match(await stateOf(catalogue), { misplaced: 199, listed: 199, unclearPaths: exact([]) })

  await add(catalogue, wrong, 1)
  const before = await stateOf(catalogue)
  await writer.judgePaths()
  const during = await stateOf(catalogue)
  t.match(during, { misplaced: 100, listed: 100, unclearPaths: exact(['obs']) })
  t.ok(during.details > before.details, 'answers have another tag')
  await writer.judgePaths()
  t.strictSame(await stateOf(catalogue), during, 'the same again changes nothing')

  await add(catalogue, 'obs/2026/001', 400)
  // 100 of 500.
  await writer.judgePaths()
  t.match(await stateOf(catalogue), { misplaced: 200, listed: 200, unclearPaths: exact([]) })
})

t.test('other rules free files that are misplaced no more', async (t) => {
  const catalogue = await openCatalogue(t)
  const { writer, sql } = catalogue
  await add(catalogue, wrong, 2)
  await add(catalogue, 'obs/campaign', 3)
  // As the rules before these judged them.
  await sql('UPDATE file SET misplaced = 1')
  t.match(await stateOf(catalogue), { misplaced: 5 })
  await writer.adoptNameRules(7, defaultLayout)
  t.match(await stateOf(catalogue), { misplaced: 2, listed: 2 })
})
