import t from 'tap'
import { openPageIndex } from '../../../src/catalogue/sqlite/page-index.ts'
import { change, newFile } from '../change.ts'
import { openWide } from './wide.ts'
import type { Wide } from './wide.ts'

const day = 'obs/2026/001'
const namesOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) =>
    newFile(`${prefix}${String(i).padStart(3, '0')}0010.26d.gz`),
  )

function follow({ db }: Wide, index: ReturnType<typeof openPageIndex>): number[] {
  index.follow(db.prepare('SELECT seq FROM catalogue').pluck().get() as number)
  return Array.from({ length: index.total }, (_, place) => index.idAt(place))
}

t.test('every place has the id of its record, whatever lies between', async (t) => {
  const wide = openWide(t)
  const { writer, db, setNextId } = wide
  const [always, later] = [openPageIndex(db), openPageIndex(db)]
  t.same(follow(wide, always), [], 'nothing yet')
  const ids = () => db.prepare('SELECT id FROM file ORDER BY id').pluck().all()
  // Far up to begin with, then on both sides of a block's and of a segment's border, and far beyond 32 bits.
  for (const [index, from] of [70_000, 70_136, 131_070, 2 ** 33].entries()) {
    setNextId(from)
    await writer.apply([change(day, { added: namesOf('abcd'.charAt(index), 20) })])
    t.same(follow(wide, always), ids(), String(from))
  }
  t.same(follow(wide, later), ids(), 'all at once')
  await writer.apply([change(day, { removed: [70_000, 70_019, 70_144, ...wholeBlock()] })])
  t.same(follow(wide, later), ids(), 'with holes, and a block of which nothing is left')
  await writer.apply([change(day, { added: namesOf('d', 20) })])
  t.same(follow(wide, later), ids(), 'what comes back takes its place again')
  t.same(follow(wide, always), ids(), 'also for who did not look meanwhile')
})

const wholeBlock = (): number[] => Array.from({ length: 20 }, (_, i) => 2 ** 33 + i)
