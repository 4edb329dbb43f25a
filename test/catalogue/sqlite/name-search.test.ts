/** Names that are found in the excerpts are those that SQL finds among the records. */
import t from 'tap'
import type { NameCondition } from '../../../src/catalogue/filter.ts'
import { prepareNameSearch } from '../../../src/catalogue/sqlite/questions/name-search.ts'
import { change, newFile } from '../change.ts'
import { fc } from '../../random.ts'
import { openWide } from './wide.ts'

const stations = ['graz', 'GRAZ', 'WTZR', 'Zim2', '0126', 'GRAZ00AUT', 'wtzr01DEU', '012600IGS']
const endings = ['0010.26d.gz', '001b.26n.gz', '001f15.26O.gz']
const longEndings = ['_R_20260010000_01D_30S_MO.crx.gz', '_s_20260010100_01H_MN.rnx.gz']
const names = stations.flatMap((station) =>
  (station.length === 4 ? endings : longEndings).map((ending) => station + ending),
)

/** Parts of names, in any case, and what is near them. */
const text = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record({ name: fc.constantFrom(...names), from: fc.nat(20), length: fc.nat(25) })
      .map(({ name, from, length }) => name.slice(from, from + length)),
  },
  fc.constantFrom(...names),
  fc.constantFrom('', '%', '_', '00\u212a', '\u00e9', '26001', 'Z00', '0 0', '\n', '17', '.gz'),
)
const condition = fc
  .record({
    how: fc.constantFrom('is' as const, 'starts' as const, 'contains' as const),
    text,
    upper: fc.boolean(),
  })
  .map(({ how, text, upper }) => ({ how, text: upper ? text.toUpperCase() : text }))

const patterns = {
  is: (literal: string) => literal,
  starts: (literal: string) => `${literal}%`,
  contains: (literal: string) => `%${literal}%`,
}

function toPattern({ how, text }: NameCondition): string {
  return patterns[how](text.replace(/[\\%_]/g, '\\$&'))
}

t.test('whatever is looked for, and in whichever ids', async (t) => {
  const { writer, db, setNextId } = openWide(t)
  for (const [index, directory] of ['obs/2026/001', 'nrt/2026/001/05', 'obs/odd'].entries()) {
    setNextId(1 + index * 1000)
    for (let part = 0; part < 3; part++) {
      const some = names.filter((_, at) => at % 3 === part)
      await writer.apply([change(directory, { added: some.map((name) => newFile(name)) })])
    }
  }
  await writer.apply([change('obs/2026/001', { removed: [2, 3, 5, 1004] })])
  const search = prepareNameSearch(db)
  let found = 0
  fc.assert(
    fc.property(
      fc.array(condition, { minLength: 1, maxLength: 2 }),
      fc.record({ fromId: fc.nat(2040), length: fc.nat(2040), most: fc.nat(30) }),
      (names, { fromId, length, most }) => {
        const toId = fromId + length
        const like = names.map(() => `AND name LIKE ? ESCAPE '\\'`).join(' ')
        const sql = `SELECT id FROM file WHERE id BETWEEN ? AND ? ${like} ORDER BY id`
        const ids = db.prepare(sql).pluck()
        const right = ids.all(fromId, toId, ...names.map(toPattern)) as number[]
        const { length: count } = right
        found += count
        const wanted = { count, ids: count > most ? undefined : right }
        t.strictSame(search({ names, fromId, toId, most }), wanted, JSON.stringify(names))
        return t.passing()
      },
    ),
    { numRuns: 3000 },
  )
  t.ok(found > 1000, `${found} found`)
})
