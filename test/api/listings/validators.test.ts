import t from 'tap'
import { dateOf } from '../../../src/api/listings/validators.ts'

const second = 1_769_058_367
const at = (seconds: number): number => Math.round((second + seconds) * 1_000_000)
const http = (seconds: number): string => new Date((second + seconds) * 1000).toUTCString()
const state = (changedUs?: number) => ({ epoch: 'e', version: 'v', changedUs })

t.test('a change of a second that is long over dates the listing', async (t) => {
  const { headers, isKnown } = dateOf(state(at(0.7)), at(60))
  t.same(headers, { 'last-modified': http(0) })
  t.ok(isKnown(http(0)))
  t.notOk(isKnown(http(1)), 'a listing that broke off is younger')
  t.notOk(isKnown(http(-1)))
  t.notOk(isKnown(undefined))
})

t.test('while more may come of that second, no date is good enough', async (t) => {
  for (const now of [at(0.7), at(1.5), at(10)]) {
    const { headers, isKnown } = dateOf(state(at(0.7)), now)
    t.same(headers, { 'last-modified': http(-1) })
    for (const seconds of [-1, 0, 1, 100]) t.notOk(isKnown(http(seconds)))
  }
  t.notOk(
    dateOf(state(at(0.9)), at(60)).isKnown(http(-1)),
    'and what was said then matches nothing',
  )
})

t.test('a date never lies ahead, whatever a clock has written', async (t) => {
  const { headers, isKnown } = dateOf(state(at(5000)), at(0.5))
  t.same(headers, { 'last-modified': http(-1) })
  t.notOk(isKnown(http(5000)))
})

t.test('where nothing was ever listed there is no date', async (t) => {
  const { headers, isKnown } = dateOf(state(), at(0))
  t.same(headers, {})
  t.notOk(isKnown(http(0)))
})
