import t from 'tap'
import { integer, list, oneOf, optional, text } from '../../src/config/checks.ts'
import type { Check } from '../../src/config/checks.ts'

const cases: readonly [string, Check<unknown>, readonly unknown[], readonly unknown[]][] = [
  ['any text', text(), ['', 'a', 'ä\0'], [undefined, null, 1, ['a'], {}]],
  ['a text with a pattern', text(/^a+$/), ['a', 'aa'], ['', 'b', 'ab', 1]],
  ['a text that is asked', text((value) => value.length > 1), ['ab'], ['', 'a', ['a', 'b']]],
  ['a whole number', integer(1, 3), [1, 2, 3], [0, 4, 1.5, NaN, Infinity, '2', 2n, undefined]],
  ['one of some words', oneOf(['a', 'b']), ['a', 'b'], ['', 'c', 'A', ['a'], 0, undefined]],
  ['a list', list(text(/^a$/)), [[], ['a'], ['a', 'a']], ['a', ['b'], ['a', 1], { length: 0 }]],
  ['what need not be', optional(integer(1, 3)), [undefined, 1], [null, 0, '']],
]

for (const [what, check, taken, refused] of cases)
  t.test(what, (t) => {
    for (const value of taken) t.equal(check(value), true, String(value))
    for (const value of refused) t.equal(check(value), false, String(value))
    t.end()
  })
