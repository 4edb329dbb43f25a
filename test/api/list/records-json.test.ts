import t from 'tap'
import { linksBelow } from '../../../src/api/links.ts'
import { recordJson } from '../../../src/api/list/record-text.ts'
import { recordsJson } from '../../../src/api/list/records-json.ts'
import { serialiseRecord } from '../../../src/api/serialise.ts'
import type { ListedFile } from '../../../src/catalogue/catalogue.ts'
import { fc } from '../../random.ts'

/** What the texts of records are looked through for may stand in front of all of them. */
const links = linksBelow('https://archive.example/a%22b/7/10000001/graz0010.26d.gz', 'rinex')

/** Endings with the stations that they may follow. */
const short = fc.tuple(
  fc.constantFrom('graz', 'ZIMM', '0000', 'faa1'),
  fc.constantFrom('0010.26d.gz', '001b.26n.gz', '001f15.26o.gz', '3990.26d.gz'),
)
const long = fc.tuple(
  fc.constantFrom('GRAZ00AUT', 'zimm10che', '000099IGS'),
  fc.constantFrom(
    '_R_20260010000_01D_30S_MO.crx.gz',
    '_R_20260010000_01D_MN.rnx.gz',
    '_S_20260010100_01H_01S_MO.crx.gz',
  ),
)
const name = fc.oneof(
  { weight: 20, arbitrary: fc.oneof(short, long).map((parts) => parts.join('')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'no longer a "name"\n.gz',
      'gr"z0010.26d.gz',
      'gr\u00e9z0010.26d.gz',
      'grz\ud83d\ude000010.26d.gz',
      '',
      `${'x'.repeat(9000)}.gz`,
    ),
  },
)
/** One of them is of another length: of the year 10000. */
const time = fc.oneof(
  fc.constant(253_402_300_800_000_000),
  fc.constant(1_769_040_000_000_000),
  fc.integer({ min: 0, max: 3e15 }),
)
const record: fc.Arbitrary<ListedFile> = fc.record({
  id: fc.oneof(
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 9_999_995, max: 10_000_005 }),
    fc.constant(Number.MAX_SAFE_INTEGER),
  ),
  directory: fc.constantFrom(
    'obs/2026/001',
    'nrt/2026/001/05',
    'obs/2026/001/graz0010.26d.gz',
    'obs/10000001/ZIMM001b.26n.gz.d',
  ),
  name,
  createdUs: time,
  modifiedUs: time,
})

t.test('each record is what JSON has for it, whatever stands beside it', async (t) => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 40 }), (records) => {
      const text = recordsJson(records, links)
      t.match(text, /^[\0-\x7f]*$/)
      t.strictSame(
        JSON.parse(`[${text}]`),
        records.map((each) => serialiseRecord(each, links)),
      )
      const lines = recordsJson(records, links, '\n')
      const readable = records.every((each) => /^[\0-\x7f]*$/.test(each.name))
      if (readable) t.equal(lines, records.map((each) => recordJson(each, links)).join('\n'))
      return t.passing()
    }),
    { numRuns: 500 },
  )
})

t.test('so are more of them than are set in one go', async (t) => {
  const records = Array.from({ length: 2000 }, (_, index) => ({
    id: 9000 + index,
    directory: 'obs/2026/001',
    name: `${index % 7 === 0 ? 'graz' : 'zimm'}0010.26d.gz`,
    createdUs: 1_769_040_000_000_000 + Math.floor(index / 3),
    modifiedUs: 1_769_040_000_000_000 + Math.floor(index / 3) + (index % 2),
  }))
  const wire = records.map((each) => serialiseRecord(each, links))
  t.equal(`[${recordsJson(records, links)}]`, JSON.stringify(wire))
})
