import { isListedLately, SecondLooks } from '../../../src/indexer/state/second-looks.ts'
import t from '../../tap.ts'

const minute = 60_000

t.test('a directory is read again ten minutes after files in it were listed', async (t) => {
  const looks = new SecondLooks()
  looks.listed('obs/2026/001', 0)
  looks.listed('obs/2026/002', minute)
  t.strictSame(looks.take(10 * minute - 1), [])
  t.strictSame(looks.take(10 * minute), ['obs/2026/001'])
  t.strictSame(looks.take(11 * minute), ['obs/2026/002'])
  t.strictSame(looks.take(100 * minute), [])
})

t.test('in which directories an earlier process listed files a short time ago', async (t) => {
  const nowUs = 1e15
  const isLately = (minutesAgo: number) =>
    isListedLately({ changedUs: nowUs - minutesAgo * minute * 1000 }, nowUs)
  t.strictSame([2, 11, -2, -11].map(isLately), [true, false, true, false])
  t.notOk(isListedLately({ changedUs: undefined }, nowUs))
})

t.test('where files come all the time, it is read every ten minutes, and once more', async (t) => {
  const looks = new SecondLooks()
  const taken: number[] = []
  for (let now = 0; now <= 60; now++) {
    if (now <= 25) looks.listed('obs', now * minute)
    if (looks.take(now * minute).length > 0) taken.push(now)
  }
  t.strictSame(taken, [10, 20, 30, 35])
})
