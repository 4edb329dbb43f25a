import { ContentReader } from '../../src/rinex/content-reader.ts'
import { factsOf } from '../../src/rinex/facts-of.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'
import {
  compactEpochs,
  compactHeader,
  contentOf,
  endOfHeader,
  epoch2,
  epochs3,
  facts,
  header2,
  header3,
  hourName,
  line2,
  line3,
  parsedName,
  time3,
  versionRecord,
} from './texts.ts'

const satellites = Array.from({ length: 14 }, (_, at) => `${at < 5 ? 'R' : 'G'}${10 + at}`)
const times2 = ['21  1  1  0  0  0.0000000', '21  1  1  0  0 30.0000000']

const texts = {
  navigation: `${versionRecord('3.04', 'N: GNSS NAV DATA')}${endOfHeader}${'G01 2024\n'.repeat(40)}`,
  'plain, version 3': header3() + epochs3(3, { satellites: 47 }),
  'plain, version 2': header2() + times2.map((time) => epoch2(time, satellites)).join(''),
  'compact, version 3':
    compactHeader(3) +
    header3() +
    compactEpochs(
      3,
      [0, 30, 60].map((seconds) => ({
        line: `${line3(time3(seconds), 2).trimEnd()}      G01G02`,
        satellites: 2,
      })),
    ),
  'compact, version 1':
    compactHeader(1) +
    header2() +
    compactEpochs(
      1,
      times2.map((time) => ({
        line: line2(time, satellites).replaceAll(/\n {32}|\n/g, ''),
        satellites: satellites.length,
      })),
    ),
}

t.test('epochs are counted in plain files and in Compact RINEX', async (t) => {
  const hour = { first: '2024-01-01T18:00:00', last: '2024-01-01T18:01:00', epochs: 3 }
  const day = { first: '2021-01-01T00:00:00', last: '2021-01-01T00:00:30', epochs: 2 }
  const day2 = exact({ ...day, systems: ['G', 'R'] })
  t.match(facts(texts['plain, version 3']), hour)
  t.match(facts(texts['compact, version 3']), hour)
  t.match(facts(texts['plain, version 2'], 'wsra0010.21d.gz'), day2)
  t.match(facts(texts['compact, version 1'], 'wsra0010.21d.gz'), day2)
})

t.test('the same is read whatever the sizes of the pieces', async (t) => {
  for (const [what, text] of Object.entries(texts)) {
    const whole = contentOf(text)
    t.match(whole, { kind: 'read', body: { missingLines: 0, isCutInLine: false } }, what)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(text.length), (size, length) => {
        const part = text.slice(0, length)
        return JSON.stringify(contentOf(part, size)) === JSON.stringify(contentOf(part))
      }),
    )
    t.strictSame(contentOf(text, 1), whole, what)
    const lines = text.split('\n')
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.nat(lines.length),
        fc.string(),
        (size, at, odd) => {
          const other = lines.toSpliced(at, 1, `${odd}\r`, '\u001a', odd).join('\n')
          return JSON.stringify(contentOf(other, size)) === JSON.stringify(contentOf(other))
        },
      ),
    )
  }
})

t.test('a reader is satisfied when nothing that follows matters', async (t) => {
  const cases = [
    { text: '<html>\n', isSatisfied: true },
    { text: '<html>', isSatisfied: false },
    { text: 'x'.repeat(256 * 1024), isSatisfied: true },
    { text: header3(), isSatisfied: false },
    { text: `${texts['plain, version 3']}\u001a`, isSatisfied: true },
    { text: texts['plain, version 3'], isSatisfied: false },
  ]
  for (const { text, isSatisfied } of cases) {
    const reader = new ContentReader()
    reader.push(Buffer.from(text))
    t.equal(reader.isSatisfied, isSatisfied, text.slice(0, 10))
    const content = reader.end()
    if (isSatisfied) {
      reader.push(Buffer.from(header3()))
      t.strictSame(reader.end(), content)
    }
  }
})

t.test('after 4 GB of text the reading ends', async (t) => {
  const reader = new ContentReader()
  const header = Buffer.from(header3() + epochs3(1))
  const zeros = Buffer.alloc(64 * 1024 * 1024)
  reader.push(header)
  const rest = 4 * 1024 ** 3 - header.length
  for (let bytes = 0; bytes < rest; bytes += zeros.length)
    reader.push(zeros.subarray(0, rest - bytes))
  t.equal(reader.isSatisfied, false)
  t.match(reader.end(), { body: { count: { epochs: 1 } } })
  reader.push(Buffer.from('\n'))
  t.equal(reader.isSatisfied, true)
  const content = reader.end()
  t.match(content, { kind: 'read', header: { rinex_version: '3.04' }, body: undefined })
  const found = factsOf(content, parsedName(hourName), 'complete')
  t.strictSame([found.epochs, found.flags], [undefined, []])
})

t.test('pieces may be any views of bytes', async (t) => {
  const bytes = new Uint8Array(Buffer.from(`x${texts['compact, version 3']}x`)).subarray(1, -1)
  t.strictSame(contentOf(bytes, 7), contentOf(texts['compact, version 3']))
})
