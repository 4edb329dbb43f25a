import t from 'tap'
import { recordCsv, recordJson } from '../../../src/api/list/record-text.ts'
import { recordsJson } from '../../../src/api/list/records-json.ts'
import { linksBelow } from '../../../src/api/links.ts'
import { changeJson, serialiseChange } from '../../../src/api/changes/serialise.ts'
import { serialiseRecord, wireFields } from '../../../src/api/serialise.ts'
import { fc } from '../../random.ts'

const names = [
  'graz0010.26d.gz',
  'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
  'wtzr001f15.26o.gz',
  'no longer a "name"\n.gz',
]

t.test(
  'a record, and a change, made from its parts is the text that JSON has for it',
  async (t) => {
    const links = linksBelow('https://archive.example/a%22b', 'rinex')
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.nat(),
        fc.integer({ min: 0, max: 3e15 }),
        fc.nat(1e9),
        (name, id, createdUs, laterUs) => {
          const modifiedUs = createdUs + laterUs
          const record = { id, directory: 'obs/2026/001', name, createdUs, modifiedUs }
          const change = { seq: id + 1, change: 'modified', atUs: modifiedUs, record } as const
          return (
            recordJson(record, links) === JSON.stringify(serialiseRecord(record, links)) &&
            changeJson(change, links) === JSON.stringify(serialiseChange(change, links))
          )
        },
      ),
    )
    t.pass()
  },
)

t.test('neighbours that share one of their times keep the other', async (t) => {
  const links = linksBelow('https://archive.example', 'rinex')
  const times = [
    { createdUs: 1e15, modifiedUs: 1e15 },
    { createdUs: 1e15, modifiedUs: 1e15 + 1 },
    { createdUs: 2e15, modifiedUs: 1e15 + 1 },
  ]
  const records = times.map((each, id) => ({
    ...{ id, name: 'graz0010.26d.gz', directory: 'obs/2026/001' },
    ...each,
  }))
  const wire = records.map((record) => serialiseRecord(record, links))
  t.equal(`[${recordsJson(records, links)}]`, JSON.stringify(wire))
  t.strictSame(
    records.map((record) => recordCsv(record, links).split(',').slice(-2)),
    wire.map(({ created, modified }) => [created, modified]),
  )
})

/** The values of one record (RFC 4180), which may hold line ends where they are quoted. */
function valuesOf(csv: string): string[] {
  const values = csv.matchAll(/("(?:[^"]|"")*"|[^",]*)(?:,|$)/gs)
  const texts = Array.from(values, ([, value = '']) =>
    value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value,
  )
  // The pattern also meets the nothing behind the last one.
  return texts.slice(0, -1)
}

t.test('and the values that CSV has for it', async (t) => {
  for (const base of ['https://archive.example', 'https://archive.example/a,b'])
    for (const name of names) {
      const links = linksBelow(base, 'rinex')
      const directory = 'obs/2026/001'
      const record = { id: 7, directory, name, createdUs: 1e15, modifiedUs: 1e15 + 1 }
      const wire = serialiseRecord(record, links)
      const wanted = wireFields.map((field) => String(wire[field] ?? ''))
      t.strictSame(valuesOf(recordCsv(record, links)), wanted)
    }
})
