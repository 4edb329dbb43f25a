import t from 'tap'
import { linksBelow } from '../../../src/api/links.ts'
import { csvHeader, recordCsv } from '../../../src/api/list/csv.ts'
import { serialiseRecord, wireFields } from '../../../src/api/serialise.ts'

/** The values of one record (RFC 4180), which may hold line ends where they are quoted. */
function valuesOf(csv: string): string[] {
  const values = csv.matchAll(/("(?:[^"]|"")*"|[^",]*)(?:,|$)/gs)
  const texts = Array.from(values, ([, value = '']) =>
    value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value,
  )
  // The pattern also meets the nothing behind the last one.
  return texts.slice(0, -1)
}

t.test('a record is its ten values in their order, quoted where they have to be', async (t) => {
  const names = [
    'graz0010.26d.gz',
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'no longer a "name"\n.gz',
  ]
  t.strictSame(csvHeader.split(','), wireFields)
  for (const base of ['https://archive.example', 'https://archive.example/a,b'])
    for (const name of names) {
      const links = linksBelow(base, 'rinex')
      const times = { createdUs: 1e15, modifiedUs: 1e15 + 1 }
      const wire = serialiseRecord({ id: 7, directory: 'obs/2026/001', name, ...times }, links)
      const wanted = wireFields.map((field) => String(wire[field] ?? ''))
      t.strictSame(valuesOf(recordCsv(wire)), wanted)
    }
})
