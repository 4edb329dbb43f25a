/** The sentences of the page of a file. */
import { arrivalSentence, stateSentence } from '../../../src/api/files/record-words.ts'
import type { problems } from '../../../src/catalogue/filter.ts'
import t from '../../tap.ts'

t.test('the state of a file in one sentence', async (t) => {
  const of = (problem: (typeof problems)[number] | null, isHashed: boolean, isWaiting = false) =>
    stateSentence({ problem, isHashed, isWaiting })
  t.match(of(null, true), /^Complete: /)
  t.match(of(null, false), /not known whether it is complete\.$/)
  t.match(of(null, false, true), /not known whether it is complete; it is in the queue\.$/)
  t.match(of('incomplete', true), /^It is incomplete: the gzip stream has no end\. /)
  t.match(of('broken', true), /^It is damaged: the gzip stream is damaged before its end\. /)
  t.match(
    of('misplaced', true),
    /^It is misplaced: the file is in the directory of another date\..* Complete: /,
  )
  t.match(
    of('misplaced', false),
    /^It is misplaced: the file is in the directory of another date\..* Not read /,
  )
})

t.test('the arrival of a file after its period', async (t) => {
  const startSeconds = 1_769_040_000
  const of = (seconds: number, spanSeconds: number | undefined, hasArrived = true) =>
    arrivalSentence({
      arrivalUs: hasArrived ? (startSeconds + seconds) * 1e6 + 518_203 : undefined,
      spanSeconds,
      startSeconds,
    })
  t.equal(of(3642, 3600), 'It arrived 42 s after the end of its hour.')
  t.equal(of(3600 + 4380, 3600), 'It arrived 73 min after the end of its hour.')
  t.equal(of(86_400 + 20_400, 86_400), 'It arrived 5 h 40 after the end of its day.')
  t.equal(of(900 + 5, 900), 'It arrived 5 s after the end of its 15 minutes.')
  t.equal(of(0, 3600), 'It arrived 60 min before the end of its hour.')
  t.equal(of(4000, 7200), 'It arrived 53 min before the end of its period.')
  t.equal(of(10, undefined), '')
  t.equal(of(10, 0), '')
  t.match(of(10, 3600, false), /^It was not seen arriving/)
})
