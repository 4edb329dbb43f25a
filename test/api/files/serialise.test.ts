import { serialiseRecord } from '../../../src/api/files/serialise.ts'
import { linksBelow } from '../../../src/api/http/links.ts'
import type { FileRecord } from '../../../src/catalogue/records.ts'
import { microsecondsToIso, secondsToIso } from '../../../src/parse/calendar.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const links = linksBelow('https://archive.example', 'gnss/rinex')

function record(directory: string, name: string): FileRecord {
  const us = 1_769_058_367_000_008
  const facts = { size: 10, mtimeUs: 1000, seq: 1 }
  return { id: 66_000_001, directory, name, createdUs: us, modifiedUs: us + 1, ...facts }
}

t.test('a record has ten fields in order', async (t) => {
  const name = 'GAIA00PRT_S_20261640500_01H_30S_MO.crx.gz'
  const wire = serialiseRecord(record('nrt/2026/164/05', name), links, defaultLayout)
  t.equal(
    JSON.stringify(wire, null, 1),
    `{
 "id": 66000001,
 "url": "https://archive.example/gnss/rinex/api/rinex-file/66000001/?format=api",
 "filename": "GAIA00PRT_S_20261640500_01H_30S_MO.crx.gz",
 "data_date": "2026-06-13T05:00:00Z",
 "file_duration": "h",
 "file_version": "r3",
 "file_type": "o",
 "download_path": "https://archive.example/gnss/rinex/data/nrt/2026/164/05/GAIA00PRT_S_20261640500_01H_30S_MO.crx.gz",
 "created": "2026-01-22T05:06:07.000008Z",
 "modified": "2026-01-22T05:06:07.000009Z"
}`,
  )
})

t.test('four fields of a record are parsed from the name of its file', async (t) => {
  const cases = [
    ['zimm028a.26n.gz', '2026-01-28T00:00:00Z', 'h', 'r2', 'n'],
    ['graz0010.99m.gz', '1999-01-01T00:00:00Z', 'd', 'r2', 'm'],
    ['ALGO00CAN_R_20121601000_01D_05Z_RO.rnx.gz', '2012-06-08T10:00:00Z', 'd', 'r3', 'o'],
    ['PASA00ESP_R_20261290800_01H_10M_MM.rnx.gz', '2026-05-09T08:00:00Z', 'h', 'r3', 'm'],
    ['no-rinex-name.gz', null, null, null, null],
  ]
  for (const [name, ...expected] of cases) {
    const wire = serialiseRecord(record('obs/2026/001', name ?? ''), links, defaultLayout)
    const { data_date, file_duration, file_version, file_type } = wire
    t.same([data_date, file_duration, file_version, file_type], expected, name ?? '')
  }
})

t.test('times in microseconds have six digits after the second, also zeros', async (t) => {
  t.equal(secondsToIso(0), '1970-01-01T00:00:00Z')
  t.equal(microsecondsToIso(0), '1970-01-01T00:00:00.000000Z')
  t.equal(microsecondsToIso(1_769_058_367_000_000), '2026-01-22T05:06:07.000000Z')
  t.equal(microsecondsToIso(1_769_058_367_999_999), '2026-01-22T05:06:07.999999Z')
  t.equal(microsecondsToIso(1_769_058_367_100_000), '2026-01-22T05:06:07.100000Z')
  t.equal(microsecondsToIso(-1), '1969-12-31T23:59:59.999999Z')
})

t.test('times have the format of the times of Date', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1e14, max: 3e15 })), (times) => {
      for (const us of times) {
        const iso = new Date(Math.floor(us / 1000)).toISOString()
        const rest = String(us - Math.floor(us / 1000) * 1000).padStart(3, '0')
        t.equal(microsecondsToIso(us), iso.replace('Z', `${rest}Z`))
        const seconds = Math.floor(us / 1e6)
        t.equal(secondsToIso(seconds), `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`)
      }
      return t.passing()
    }),
  )
})
