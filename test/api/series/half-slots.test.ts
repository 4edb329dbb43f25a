/** When the slots that are half are read again. */
import { halfCount, halfOf, HalfSlots } from '../../../src/api/series/half-slots.ts'
import type { HalfSlotsPart } from '../../../src/catalogue/questions/slot-files.ts'
import t from '../../tap.ts'

const headAt = (detailsSeq: number) => ({ epoch: 'a', seq: 1, detailsSeq, asOf: undefined })
const series = { station: 'GRAZ00AUT', fileType: 'o', period: '01H' } as const

/** A reader whose parts a test gives out; each is the last one unless it has a next. */
function openHalf() {
  const asked: {
    readonly after: HalfSlotsPart['next']
    readonly answer: (part: Partial<HalfSlotsPart>) => void
    readonly fail: () => void
  }[] = []
  const clock = { ms: 0 }
  const halfSlots = ({ after }: { readonly after?: HalfSlotsPart['next'] }) =>
    new Promise<HalfSlotsPart>((resolve, reject) => {
      const answer = (part: Partial<HalfSlotsPart>) =>
        resolve({ head: headAt(0), files: 1, series: [], next: undefined, ...part })
      asked.push({ after, answer, fail: () => reject(new Error('no database')) })
    })
  const half = new HalfSlots({ halfSlots }, () => clock.ms)
  const slots = (...numbers: readonly number[]) => [{ ...series, slots: numbers }]
  return { half, clock, asked, slots, last: () => asked[asked.length - 1] }
}

const text = (known: Parameters<typeof halfOf>[0], asOf = Infinity) =>
  [...(halfOf(known, series, asOf) ?? [])].join()

t.test('all parts together are the slots of one state, and slots that ended count', async (t) => {
  const { half, asked, slots, last } = openHalf()
  const found = half.at(headAt(1))
  last()?.answer({ head: headAt(1), series: slots(500_003, 500_001), next: [4, 7] })
  await new Promise(setImmediate)
  t.strictSame(last()?.after, [4, 7])
  last()?.answer({ head: headAt(2), series: slots(500_003, 500_050) })
  const known = await found
  t.equal(text(known), '500001,500003,500050')
  t.equal(text(known, 500_004 * 3600), '500001,500003')
  t.equal(text(known, 500_004 * 3600 - 1), '500001', 'it has not ended')
  t.equal(halfCount(known, 500_004 * 3600), 2)
  t.equal(await half.at(headAt(1)), known, 'nothing is read for the same state')
  t.equal(asked.length, 2)
})

t.test('few are read for each state; the version tells whether they are others', async (t) => {
  const { half, slots, last } = openHalf()
  const readAt = async (detailsSeq: number, ...numbers: readonly number[]) => {
    const found = half.at(headAt(detailsSeq))
    last()?.answer({ head: headAt(detailsSeq), series: slots(...numbers) })
    return (await found).version
  }
  const first = await readAt(1, 500_001)
  t.equal(await readAt(2, 500_001), first)
  t.not(await readAt(3, 500_001, 500_002), first)
  t.not(await readAt(4), first)
  const failed = half.at(headAt(5))
  last()?.fail()
  await t.rejects(failed, { message: 'no database' })
})

t.test('many are answered while they are read again, also if that fails', async (t) => {
  const { half, clock, asked, slots, last } = openHalf()
  const found = half.at(headAt(1))
  last()?.answer({ head: headAt(1), files: 2000, series: slots(500_001) })
  const known = await found
  clock.ms = 1000
  t.equal(await half.at(headAt(2)), known)
  t.equal(asked.length, 1, 'they were read a moment ago')
  clock.ms++
  t.equal(await half.at(headAt(1)), known)
  t.equal(asked.length, 1, 'nothing has changed')
  t.equal(await half.at(headAt(2)), known)
  t.equal(asked.length, 2)
  last()?.fail()
  await new Promise(setImmediate)
  t.equal(await half.at(headAt(2)), known)
  t.equal(asked.length, 3)
  last()?.answer({ head: headAt(2), files: 2000, series: slots(500_002) })
  await new Promise(setImmediate)
  t.equal(text(await half.at(headAt(2))), '500002')
})
