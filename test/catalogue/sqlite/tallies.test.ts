import t from 'tap'
import type { FileFilter } from '../../../src/catalogue/filter.ts'
import { openMatching } from '../../../src/catalogue/sqlite/questions/matching.ts'
import { openTallies } from '../../../src/catalogue/sqlite/questions/tallies.ts'
import { openVocabulary } from '../../../src/catalogue/sqlite/questions/vocabulary.ts'
import { openWide } from './wide.ts'

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
