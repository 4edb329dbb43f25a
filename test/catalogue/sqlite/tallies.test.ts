import t from 'tap'
import type { FileFilter } from '../../../src/catalogue/filter.ts'
import { openColumns } from '../../../src/catalogue/sqlite/questions/columns.ts'
import { openMatching } from '../../../src/catalogue/sqlite/questions/matching.ts'
import type { Matching } from '../../../src/catalogue/sqlite/questions/matching.ts'
import { openTallies } from '../../../src/catalogue/sqlite/questions/tallies.ts'
import { openVocabulary } from '../../../src/catalogue/sqlite/questions/vocabulary.ts'
import { change, newFile } from '../change.ts'
import { openWide } from './wide.ts'

t.test('whoever reads on in a segment finds its positions kept, until it changes', async (t) => {
  const { db, writer } = openWide(t)
  const namesOf = (day: number) =>
    Array.from({ length: 600 }, (_, index) =>
      newFile(`s${String(index).padStart(3, '0')}${String(day)}0.24d.gz`),
    )
  await writer.apply([change('obs/2024/101', { added: namesOf(101) })])
  const columns = openColumns(db)
  columns.follow(1)
  const vocabulary = openVocabulary(db)
  vocabulary.follow()
  const matching = openMatching(db)
  let found = 0
  const positions: Matching['positions'] = (segment, wanted) => {
    found++
    return matching.positions(segment, wanted)
  }
  const tallies = openTallies({ matching: { ...matching, positions }, vocabulary })
  const tally = tallies.of({ names: [{ how: 'starts', text: 's' }] })
  const lengths = () => {
    tally.follow(columns.segments, () => false)
    return columns.segments.map((segment) => tally.positions(segment).length)
  }
  t.same([lengths(), lengths(), found], [[600], [600], 1])
  await writer.apply([change('obs/2024/102', { added: namesOf(102) })])
  columns.follow(2)
  t.same([lengths(), lengths(), found], [[1200], [1200], 2])
})

t.test(
  'what was counted is kept, for equal filters and for a question that is not at its end',
  (t) => {
    const { db } = openWide(t)
    const tallies = openTallies({ matching: openMatching(db), vocabulary: openVocabulary(db) })
    const filterOf = (idAbove: number): FileFilter => ({ idAbove })
    const begun = filterOf(0)
    const tally = tallies.of(begun)
    t.equal(tallies.of(filterOf(0)), tally, 'an equal filter')
    for (let other = 1; other <= 1000; other++) tallies.of(filterOf(other))
    t.equal(tallies.of(begun), tally, 'the same question, after many others')
    t.not(tallies.of(filterOf(0)), tally, 'a new one of the same filter begins anew after so long')
    t.end()
  },
)
