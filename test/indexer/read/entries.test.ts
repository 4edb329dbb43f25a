/** The sums by which a sweep sees that the names in a directory have changed. */
import { mostEntries } from '../../../src/indexer/read/directory-snapshot.ts'
import { sumOfName } from '../../../src/indexer/read/entries.ts'
import { manyNames } from '../../catalogue/catalogue.ts'
import t from '../../tap.ts'

t.test('names have other sums, whatever the character that differs', async (t) => {
  const name = 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'
  const names = new Set([...manyNames(5000), '', 'a', 'b', 'ab', 'ba', name.slice(0, -1)])
  for (let at = 0; at < name.length; at++)
    for (const other of '0aZ\u00e9\ufffd') names.add(name.slice(0, at) + other + name.slice(at + 1))
  t.equal(new Set(Array.from(names, sumOfName)).size, names.size)
})

t.test('the sum of the largest directory is exact', async (t) => {
  t.ok(mostEntries * 2 ** 32 < Number.MAX_SAFE_INTEGER)
  for (const name of manyNames(100)) {
    const sum = sumOfName(name)
    t.ok(Number.isInteger(sum) && sum >= 0 && sum < 2 ** 32, name)
  }
})
