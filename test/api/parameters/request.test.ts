import { paging } from '../../../src/api/parameters/paging.ts'
import { readRequest } from '../../../src/api/parameters/request.ts'
import t from '../../tap.ts'

t.test('limit and offset are parsed like in DRF, and invalid values are ignored', async (t) => {
  const huge = String(2n ** 63n)
  const largest = Number.MAX_SAFE_INTEGER
  const cases: [string, Record<string, string | string[]>, number, number][] = [
    ['nothing', {}, 20, 0],
    ['both', { limit: '5', offset: '40' }, 5, 40],
    ['the cap', { limit: '1000' }, 1000, 0],
    ['above the cap', { limit: '1001' }, 1000, 0],
    ['the largest exact integer', { offset: String(largest) }, 20, largest],
    ['2^63', { limit: huge, offset: huge }, 1000, largest],
    ['endless', { limit: '9'.repeat(400), offset: '9'.repeat(400) }, 1000, largest],
    ['zeros in front', { limit: '007', offset: '010' }, 7, 10],
    ['a plus sign, sent as a blank', { limit: ' 7', offset: '+3 ' }, 7, 3],
    ['zero', { limit: '0', offset: '0' }, 20, 0],
    ['negative', { limit: '-1', offset: '-20' }, 20, 0],
    ['negative zero', { limit: '-0', offset: '-0' }, 20, 0],
    ['empty', { limit: '', offset: '' }, 20, 0],
    ['a fraction', { limit: '5.0', offset: '1.5' }, 20, 0],
    ['an exponent', { limit: '1e2', offset: '1e300' }, 20, 0],
    ['hexadecimal', { limit: '0x10', offset: '0x10' }, 20, 0],
    ['words', { limit: 'all', offset: 'NaN' }, 20, 0],
    ['other digits', { limit: '\u0665', offset: '\uff11' }, 20, 0],
    ['repeated: the last counts', { limit: ['5', '6'], offset: ['x', '8'] }, 6, 8],
    ['repeated, the last is none', { limit: ['5', ''], offset: ['8', 'x'] }, 20, 0],
  ]
  for (const [name, query, limit, offset] of cases) {
    const { range, kept, ignored } = readRequest(query, { parameters: paging(1000) })
    t.strictSame(
      { range, kept, ignored },
      { range: { limit, offset }, kept: [], ignored: [] },
      name,
    )
  }
  const rangeOf = (format: 'json' | 'html', most = 1000) =>
    readRequest({}, { parameters: paging(most, 100) }, format).range
  t.strictSame(rangeOf('json', 10), { limit: 10, offset: 0 }, 'a maximum below the default')
  t.strictSame(rangeOf('json'), { limit: 20, offset: 0 })
  t.strictSame(rangeOf('html'), { limit: 100, offset: 0 }, 'rows of a page')
})
