/** The statements that record deliveries. */
import { dialect } from '../../src/catalogue/sqlite/dialect.ts'
import { DeliveryRows } from '../../src/catalogue/updates/deliveries.ts'
import t from '../tap.ts'

t.test('files that come back take a few steps, however many they are', async (t) => {
  const deliveries = new DeliveryRows(dialect)
  const start = 1_767_225_600
  const files = Array.from({ length: 1000 }, (_, n) => ({
    id: n,
    station: n,
    kind: 1,
    data_date: start + (n % 2) * 86_400,
    arrival_us: null,
  }))
  let steps = 0
  const question = deliveries.gain(files, start * 1e6)
  for (let step = question.next(); step.done !== true; steps++)
    step = question.next(step.value.map(() => [['o', 'd', '']]))
  t.equal(steps, 3, 'the kind, and one for each day')
})
