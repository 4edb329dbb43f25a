import { wireFields, wireFileFields } from '../../../src/api/files/schema.ts'
import { csvHeader, recordCsv, serialiseRecord } from '../../../src/api/files/serialise.ts'
import { linksBelow } from '../../../src/api/http/links.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import t from '../../tap.ts'

/** Parses the values of one record (RFC 4180); quoted values may contain line ends. */
function valuesOf(csv: string): string[] {
  const values = csv.matchAll(/("(?:[^"]|"")*"|[^",]*)(?:,|$)/gs)
  const texts = Array.from(values, ([, value = '']) =>
    value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value,
  )
  // The pattern also matches the empty text after the last value.
  return texts.slice(0, -1)
}

t.test('a CSV record has ten values in a fixed order, quoted if necessary', async (t) => {
  const names = [
    'graz0010.26d.gz',
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'no longer a "name"\n.gz',
  ]
  t.strictSame(csvHeader({ details: false, facts: false }).split(','), wireFields)
  for (const base of ['https://archive.example', 'https://archive.example/a,b'])
    for (const name of names) {
      const links = linksBelow(base, 'rinex')
      const times = { createdUs: 1e15, modifiedUs: 1e15 + 1 }
      const wire = serialiseRecord(
        { id: 7, directory: 'obs/2026/001', name, ...times },
        links,
        defaultLayout,
      )
      const expected = wireFields.map((field) => String(wire[field] ?? ''))
      t.strictSame(valuesOf(recordCsv(wire)), expected)
    }
})

t.test('a CSV record with details has the fields of the file at its end', async (t) => {
  t.strictSame(csvHeader({ details: true, facts: false }).split(','), [
    ...wireFields,
    ...wireFileFields,
  ])
  const links = linksBelow('https://archive.example', 'rinex')
  const record = {
    id: 7,
    directory: 'obs/2026/001',
    name: 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    createdUs: 1e15,
    modifiedUs: 1e15,
    details: {
      size: 12,
      mtimeUs: 1e15,
      sha256: Buffer.alloc(32, 0xab),
      md5: Buffer.alloc(16, 0xcd),
      problem: 'broken' as const,
      arrivalUs: undefined,
    },
  }
  const wire = serialiseRecord(record, links, defaultLayout)
  const values = valuesOf(recordCsv(wire)).slice(wireFields.length)
  const name = ['GRAZ00AUT', 'obs', 'AUT', '30S', 'MO', 'R']
  const sums = ['ab'.repeat(32), 'cd'.repeat(16)]
  t.strictSame(values, ['12', '2001-09-09T01:46:40.000000Z', ...sums, ...name, 'broken'])
})
