import t from '../tap.ts'
import { DeliveryWindow } from '../../src/series/delivery-window.ts'
import type { Period } from '../../src/series/series.ts'

const daySeconds = 86_400
const day = Date.UTC(2026, 0, 22) / 1000 / daySeconds

/** Ids of series: two of hourly files, and one each of daily files and quarter hours. */
const periods: ReadonlyMap<number, Period> = new Map([
  [1, '01H'],
  [2, '01H'],
  [3, '01D'],
  [4, '15M'],
])

type Row = readonly [minutes: number, id: number, latency: number]

/** The deliveries of a day, by the start of their slots; -1 for files that were not seen arriving. */
function dayOf(at: number, ...rows: readonly Row[]) {
  const minutes = [...new Set(rows.map(([minute]) => minute))].sort((a, b) => a - b)
  const starts = minutes.map((minute) => {
    const same = rows.filter(([each]) => each === minute)
    return {
      start: at * daySeconds + minute * 60,
      ids: Int32Array.from(same, ([, id]) => id),
      latencies: Int32Array.from(same, ([, , latency]) => latency),
    }
  })
  return { day: at, starts }
}

function deliveriesOf(window: DeliveryWindow, ids: readonly number[]) {
  const { slots, latencies } = window.deliveriesOf(ids)
  return { slots, latencies }
}

const hourSlot = (at: number, hour: number): number => at * 24 + hour

t.test('a series has its slots and latencies in the order of time', async (t) => {
  const window = new DeliveryWindow()
  window.replace(dayOf(day + 1, [0, 1, 30]), periods)
  window.replace(dayOf(day, [60, 1, 20], [0, 1, 10], [0, 3, 5], [15, 4, 7], [30, 9, 1]), periods)
  t.strictSame(deliveriesOf(window, [1]), {
    slots: [hourSlot(day, 0), hourSlot(day, 1), hourSlot(day + 1, 0)],
    latencies: [10, 20, 30],
  })
  t.strictSame(deliveriesOf(window, [3]), { slots: [day], latencies: [5] })
  t.strictSame(deliveriesOf(window, [4]), { slots: [day * 96 + 1], latencies: [7] })
  for (const ids of [[], [2], [9]])
    t.strictSame(deliveriesOf(window, ids), { slots: [], latencies: [] }, 'of no known series')
})

t.test('of two deliveries of a slot, the earliest that was seen counts', async (t) => {
  const window = new DeliveryWindow()
  const rows: readonly Row[] = [
    ...([
      [0, 1, 100],
      [0, 2, 50],
    ] as const),
    ...([
      [60, 1, 50],
      [60, 2, 100],
    ] as const),
    ...([
      [120, 1, -1],
      [120, 2, 70],
    ] as const),
    ...([
      [180, 1, 70],
      [180, 2, -1],
    ] as const),
    ...([
      [240, 1, -1],
      [240, 2, -1],
    ] as const),
    ...([
      [300, 1, 0],
      [300, 2, 9],
    ] as const),
    [360, 2, 8],
    [420, 1, 9],
  ]
  window.replace(dayOf(day, ...rows), periods)
  for (const ids of [
    [1, 2],
    [2, 1],
  ])
    t.strictSame(deliveriesOf(window, ids), {
      slots: Array.from({ length: 8 }, (_, hour) => hourSlot(day, hour)),
      latencies: [50, 50, 70, 70, -1, 0, 8, 9],
    })
  t.strictSame(deliveriesOf(window, [1, 9]), deliveriesOf(window, [1]), 'an id without deliveries')
})

t.test('slots of two series are in the order of time', async (t) => {
  const window = new DeliveryWindow()
  window.replace(dayOf(day, [60, 1, 1], [0, 2, 2]), periods)
  t.strictSame(deliveriesOf(window, [1, 2]).slots, [hourSlot(day, 0), hourSlot(day, 1)])
})

t.test('a day replaces the same day of its series, and no other day', async (t) => {
  const window = new DeliveryWindow()
  for (const at of [day - 1, day, day + 1])
    window.replace(dayOf(at, [0, 1, 1], [23 * 60, 1, 2]), periods)
  window.replace(dayOf(day, [0, 1, 1], [60, 1, 5], [23 * 60, 1, 2]), periods)
  t.strictSame(deliveriesOf(window, [1]), {
    slots: [
      ...[hourSlot(day - 1, 0), hourSlot(day - 1, 23)],
      ...[hourSlot(day, 0), hourSlot(day, 1), hourSlot(day, 23)],
      ...[hourSlot(day + 1, 0), hourSlot(day + 1, 23)],
    ],
    latencies: [1, 2, 1, 5, 2, 1, 2],
  })
})

t.test('the deliveries before a day can be dropped', async (t) => {
  const window = new DeliveryWindow()
  for (const at of [day - 1, day])
    window.replace(
      dayOf(at, [0, 1, at], [23 * 60, 1, at], [0, 3, at], [23 * 60 + 45, 4, at]),
      periods,
    )
  window.dropBefore(day - 1)
  t.equal(deliveriesOf(window, [1]).slots.length, 4, 'nothing is before the first day')
  window.dropBefore(day)
  t.strictSame(deliveriesOf(window, [1]), {
    slots: [hourSlot(day, 0), hourSlot(day, 23)],
    latencies: [day, day],
  })
  t.strictSame(deliveriesOf(window, [3]), { slots: [day], latencies: [day] })
  t.strictSame(deliveriesOf(window, [4]), { slots: [day * 96 + 95], latencies: [day] })
  window.dropBefore(day + 1)
  for (const id of [1, 3, 4]) t.strictSame(deliveriesOf(window, [id]), { slots: [], latencies: [] })
})
