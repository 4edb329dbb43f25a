/** Which slots are half, and how they are drawn: tables of cases. */
import { apartHalf, halfSlotsOf } from '../../src/series/half.ts'
import { SlotSet } from '../../src/series/slot-set.ts'
import type { SlotState } from '../../src/series/slot-states.ts'
import t from '../tap.ts'

/** The shares of the files of a slot, and the place of the best one if the slot is half. */
const slots: readonly (readonly [
  shares: readonly (number | undefined)[],
  best: number | undefined,
])[] = [
  [[0.45], 0],
  [[0.499_999], 0],
  [[0.5], undefined],
  [[0.95], undefined],
  [[1], undefined],
  [[0], 0],
  [[undefined], undefined],
  [[0.2, 0.4, 0.3], 1],
  [[0.2, 0.2], 0],
  [[0.2, 0.5], undefined],
  [[0.2, undefined], undefined],
  [[undefined, 0.2], undefined],
  [[], undefined],
]

t.test('a slot is half by the best of its files, of which each share is known', (t) => {
  const files = slots.flatMap(([shares], slot) =>
    shares.map((share, file) => ({ slot, share, file })),
  )
  for (const order of [files, files.toReversed()]) {
    const found = halfSlotsOf(order)
    for (const [slot, [shares, best]] of slots.entries()) {
      const file = found.get(slot)
      t.equal(file?.share, best === undefined ? undefined : shares[best], shares.join())
    }
  }
  t.equal(halfSlotsOf(files).get(7)?.file, 1, 'with its best file')
  t.end()
})

type Runs = readonly (readonly [state: string, firstSlot: number, slots: number])[]

const pictures: readonly (readonly [half: readonly number[], runs: Runs, drawn: Runs])[] = [
  [[], [['present', 0, 9]], [['present', 0, 9]]],
  [[0], [['present', 0, 1]], [['half', 0, 1]]],
  [
    [3, 4, 8],
    [['present', 0, 9]],
    [
      ['present', 0, 3],
      ['half', 3, 2],
      ['present', 5, 3],
      ['half', 8, 1],
    ],
  ],
  [
    [0, 1, 2, 3, 4, 5],
    [
      ['present', 1, 2],
      ['missing', 3, 1],
      ['present', 4, 1],
    ],
    [
      ['half', 1, 2],
      ['missing', 3, 1],
      ['half', 4, 1],
    ],
  ],
  [[40], [['present', 0, 9]], [['present', 0, 9]]],
]

t.test('half slots are apart from those beside them, and nothing else is', (t) => {
  for (const [half, runs, drawn] of pictures) {
    const set = SlotSet.of('01H', half, { firstDay: 0, lastDay: 2 })
    const given = runs.map(([state, firstSlot, count]) => ({
      state: state as SlotState,
      firstSlot,
      slots: count,
    }))
    const found = apartHalf(given, set).map(({ state, firstSlot, slots: n }) => [
      state,
      firstSlot,
      n,
    ])
    t.strictSame(found, drawn, half.join())
  }
  t.end()
})
