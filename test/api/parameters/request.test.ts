import t from '../../tap.ts'
import { catalogueOffset, parsePageRange } from '../../../src/api/parameters/request.ts'

t.test('limit and offset are parsed like in DRF, and invalid values are ignored', async (t) => {
  const huge = 2n ** 63n
  const cases: [string, Record<string, string | string[]>, number, bigint][] = [
    ['nothing', {}, 20, 0n],
    ['both', { limit: '5', offset: '40' }, 5, 40n],
    ['the cap', { limit: '1000' }, 1000, 0n],
    ['above the cap', { limit: '1001' }, 1000, 0n],
    ['2^63', { limit: String(huge), offset: String(huge) }, 1000, huge],
    ['zeros in front', { limit: '007', offset: '010' }, 7, 10n],
    ['a plus sign, sent as a blank', { limit: ' 7', offset: '+3 ' }, 7, 3n],
    ['zero', { limit: '0', offset: '0' }, 20, 0n],
    ['negative', { limit: '-1', offset: '-20' }, 20, 0n],
    ['negative zero', { limit: '-0', offset: '-0' }, 20, 0n],
    ['empty', { limit: '', offset: '' }, 20, 0n],
    ['a fraction', { limit: '5.0', offset: '1.5' }, 20, 0n],
    ['an exponent', { limit: '1e2', offset: '1e300' }, 20, 0n],
    ['hexadecimal', { limit: '0x10', offset: '0x10' }, 20, 0n],
    ['words', { limit: 'all', offset: 'NaN' }, 20, 0n],
    ['other digits', { limit: '\u0665', offset: '\uff11' }, 20, 0n],
    ['repeated: the last counts', { limit: ['5', '6'], offset: ['x', '8'] }, 6, 8n],
    ['repeated, the last is none', { limit: ['5', ''], offset: ['8', 'x'] }, 20, 0n],
  ]
  for (const [name, query, limit, offset] of cases) {
    t.same(parsePageRange(query, 1000), { limit, offset }, name)
  }
  t.same(parsePageRange({}, 10), { limit: 10, offset: 0n }, 'a maximum below the default')
})

t.test('a huge offset is clamped to the largest safe integer', async (t) => {
  t.equal(catalogueOffset(7n), 7)
  t.equal(catalogueOffset(2n ** 80n), Number.MAX_SAFE_INTEGER)
})
