import t from 'tap'
import { recordJson } from '../../../src/api/list/record-json.ts'
import { linksBelow } from '../../../src/api/links.ts'
import { changeJson, serialiseChange } from '../../../src/api/changes/serialise.ts'
import { serialiseRecord } from '../../../src/api/serialise.ts'
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
