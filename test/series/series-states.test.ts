/**
 * States, figures and gaps of random histories, compared with the slow reference in every field.
 */
import { fc } from '../random.ts'
import t from '../tap.ts'
import { checkedMissing, checkedNow, checkedRange } from './compared.ts'
import { histories } from './histories.ts'

const options = { numRuns: Number(process.env['HISTORIES'] ?? 300), endOnFailure: true }

t.test('the state now and the figures of 28 days are those of the reference', async () => {
  fc.assert(
    fc.property(histories, ({ history, range }) => void checkedNow(history, range)),
    options,
  )
})

t.test('states, figures and gaps of any range are those of the reference', async () => {
  fc.assert(
    fc.property(histories, ({ history, range }) => void checkedRange(history, range)),
    options,
  )
})

t.test('late, missing and damaged slots are those of the reference', async () => {
  fc.assert(
    fc.property(histories, ({ history, range }) => void checkedMissing(history, range)),
    options,
  )
})
