/** The flagged files of the newest days are read once for all who ask, and not without a change. */
import { RecentFlagsReader } from '../../../src/api/archive/recent-flags.ts'
import { NotBuilt } from '../../../src/catalogue/errors.ts'
import type { DayRange } from '../../../src/series/series.ts'
import t, { exact } from '../../tap.ts'

const dayUs = 86_400e6

/** A catalogue that notes what it is asked. */
function open() {
  const asked: DayRange[] = []
  const state = { seq: 1, detailsSeq: 0, nowUs: 20_475 * dayUs, isBuilt: true }
  const flags = new RecentFlagsReader({
    nowUs: () => state.nowUs,
    reader: {
      head: () => {
        const { seq, detailsSeq } = state
        return Promise.resolve({ epoch: 'e', seq, detailsSeq, asOf: undefined })
      },
      flaggedFiles: (days) => {
        if (!state.isBuilt) return Promise.reject(new NotBuilt('not yet'))
        asked.push(days)
        const day = days.toDay - 1
        const flagged = [{ day, flags: ['cut' as const], files: asked.length }]
        return Promise.resolve([{ station: 'GRAZ', fileType: 'o' as const, read: 99, flagged }])
      },
    },
  })
  return { asked, state, flags, read: async () => (await flags.read())?.files }
}

t.test('they are read again after a change, or when a day begins', async (t) => {
  const { asked, state, read } = open()
  t.strictSame(await Promise.all([read(), read(), read()]), [1, 1, 1], 'one reading for all')
  t.equal(await read(), 1, 'nothing has changed')
  t.match(asked, exact([{ fromDay: 20_469, toDay: 20_475 }]))
  state.detailsSeq++
  t.equal(await read(), 2)
  state.seq++
  t.equal(await read(), 3)
  state.nowUs += dayUs
  t.equal(await read(), 4)
  t.match(asked.at(-1), { fromDay: 20_470, toDay: 20_476 })
})

t.test('while they cannot be read, they are not known, or stay as they were', async (t) => {
  const { state, read } = open()
  state.isBuilt = false
  t.equal(await read(), undefined)
  state.isBuilt = true
  t.equal(await read(), 1)
  state.isBuilt = false
  state.seq++
  t.equal(await read(), 1)
})
