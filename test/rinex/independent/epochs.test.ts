/** What is an epoch, what is torn, and where a text ends. */
import { ContentReader } from '../../../src/rinex/content-reader.ts'
import t from '../../tap.ts'
import { compactText } from '../hatanaka.ts'
import { headerLines, labelled, plainText } from '../model.ts'
import { contentOf, factsIn, flagsOf, judged } from '../reading.ts'
import { at, ephemeris, file, hourly, navigation, read, readText, steps } from './cases.ts'

t.test('what cannot be an epoch, or is not later, is torn', async (t) => {
  const hour = steps(120, 30)
  const doubled = read(file(at([...hour.slice(0, 60), ...hour.slice(50)])))
  t.strictSame(flagsOf(doubled), ['torn'])
  t.equal(doubled.epochs, 120, 'epochs that are not later are not counted')
  const spliced = plainText(file(at(hour))).text
  const twice = readText(spliced + spliced)
  t.strictSame(flagsOf(twice), ['torn'], 'a whole file twice')
  t.equal(twice.epochs, 120)
  const lines = spliced.split('\n')
  const at60 = headerLines(file([])).length + 3 * 60
  const extra = [...lines.slice(0, at60), 'G09  20000000.000', ...lines.slice(at60)].join('\n')
  const one = readText(extra)
  t.strictSame(flagsOf(one), ['torn'], 'a line too many')
  t.equal(one.epochs, 120, 'reading goes on at the next epoch')
  const missing = [...lines.slice(0, at60 + 1), ...lines.slice(at60 + 2)].join('\n')
  const less = readText(missing)
  t.strictSame(flagsOf(less), ['torn'], 'a line is missing')
  t.ok((less.epochs ?? 0) >= 118, `${less.epochs} epochs`)
})

t.test('in Compact RINEX reading goes on at the next epoch that is whole', async (t) => {
  for (const version of ['2.11', '3.04'] as const) {
    const types = version === '2.11' ? { all: ['L1', 'C1'] } : { G: ['C1C', 'L1C'] }
    const entries = at(steps(120, 30)).map((entry, n) => ({ ...entry, restarts: n % 30 === 0 }))
    const { text, ends } = compactText(file(entries, { version, types }))
    const name = version === '2.11' ? 'graz001a.24d.gz' : hourly.replace('rnx', 'crx')
    const [from = 0, to = 0] = [ends[39], ends[40]]
    const middle = from + Math.floor((to - from) / 2)
    const facts = readText(text.slice(0, middle) + text.slice(to + 3), name)
    t.ok(flagsOf(facts).includes('torn'), version)
    t.notOk(flagsOf(facts).includes('cut'), version)
    const { epochs = 0 } = facts
    t.ok(epochs >= 100 && epochs <= 120, `${epochs} epochs: 40, and 60 after the next whole one`)
    t.equal(facts.last, '2024-01-01T00:59:30')
  }
})

t.test('in Compact RINEX an epoch with the time of the one before is not later', async (t) => {
  const name = hourly.replace('rnx', 'crx')
  for (const restarts of [false, true]) {
    const entries = at([...steps(60, 30), ...steps(61, 30, 1770)])
    const { text } = compactText(file(entries.map((entry) => ({ ...entry, restarts }))))
    const facts = readText(text, name)
    t.ok(flagsOf(facts).includes('torn'), `restarts: ${restarts}`)
    if (restarts) t.equal(facts.epochs, 120)
  }
})

t.test('lines of events are no observations', async (t) => {
  const comment = labelled('> 2024 01 01 00 00  0.0000000  0  2', 'COMMENT')
  const blank = '>                              4   '
  const text = plainText(file(at(steps(120, 30)))).text
  const lines = text.split('\n')
  const from = headerLines(file([])).length
  const inserted = (...some: string[]) =>
    readText([...lines.slice(0, from + 30), ...some, ...lines.slice(from + 30)].join('\n'))
  t.strictSame(inserted(blank).flags, [], 'no number: no lines')
  t.strictSame(inserted('>                              4  0').flags, [], '0: no lines')
  const two = inserted('>                              4  2', comment, comment)
  t.strictSame(two.flags, [])
  t.equal(two.epochs, 120)
})

t.test('a second of 60 is a time', async (t) => {
  const text = plainText(file(at(steps(120, 30)))).text
  const facts = readText(text.replace('00 59 30.0000000', '00 59 60.0000000'))
  t.notOk(flagsOf(facts).includes('torn'))
  t.equal(facts.epochs, 120)
  const none = readText(text.replace('00 59 30.0000000', '00 59 61.0000000'))
  t.equal(none.epochs, 119)
})

t.test('a line whose columns are none of a time, flag and number is no epoch', async (t) => {
  const text = plainText(file(at(steps(120, 30)))).text
  const last = '> 2024 01 01 00 59 30.0000000  0  2'
  const lines = [
    '> 2024 13 01 00 59 30.0000000  0  2',
    '> 2024 00 01 00 59 30.0000000  0  2',
    '> 2024 02 30 00 59 30.0000000  0  2',
    '> 2024 01 01 24 59 30.0000000  0  2',
    '> 2024 01 01 00 60 30.0000000  0  2',
    '> 2024 01 01 00 59 61.0000000  0  2',
    '> 2024 01 01 00 59 3x.0000000  0  2',
    '> 2024 01 01 00 59 30.0000000  7  2',
    '> 2024 01 01 00 59 30.0000000  0 -2',
    '> 2024 01 01 00 59 30.0000000  0  x',
    '> 2024 01 01 00 59 30.0000000 10  2',
    '  2024 01 01 00 59 30.0000000  0  2',
  ]
  t.equal(readText(text).epochs, 120)
  for (const line of lines) {
    const facts = readText(text.replace(last, line))
    t.equal(facts.epochs, 119, line)
    t.ok(flagsOf(facts).includes('torn'), line)
  }
})

t.test('a text ends at control Z, in whatever pieces it is read', async (t) => {
  const entries = at(steps(120, 30))
  const texts = [
    { name: hourly, text: plainText(file(entries)).text },
    { name: hourly.replace('rnx', 'crx'), text: compactText(file(entries)).text },
    {
      name: 'GRAZ00AUT_R_20240010000_01H_MN.rnx.gz',
      text: navigation('N: GNSS NAV DATA', 'M: MIXED') + ephemeris.repeat(10),
    },
  ]
  for (const { name, text } of texts) {
    t.strictSame(readText(text, name).flags, [], name)
    for (const end of ['\x1a', '\x1a\n', '\x1a\r\n', '\x1a\x1a\x1a\x1a', '\x1awhat follows'])
      for (const size of [1, 2, 3, 7, 50, 65_536]) {
        const bytes = Buffer.from(text + end)
        const facts = factsIn(bytes, name, () => size)
        t.strictSame(facts, readText(text, name), `${name} ${JSON.stringify(end)} by ${size}`)
      }
  }
})

t.test('lines in Compact RINEX 3 that begin with & are passed over', async (t) => {
  const entries = at(steps(120, 30))
  const { text, ends } = compactText(file(entries))
  const [end = 0] = [ends[59]]
  const name = hourly.replace('rnx', 'crx')
  const facts = readText(`${text.slice(0, end)}& a line of somebody\n${text.slice(end)}`, name)
  t.strictSame(facts, readText(text, name))
  t.equal(facts.epochs, 120)
})

t.test('a text that is not whole has the facts of its header only', async (t) => {
  const { text, begin } = plainText(file(at(steps(50, 30))))
  for (const state of ['incomplete', 'broken'] as const) {
    const facts = judged(contentOf(Buffer.from(text.slice(0, -10))), hourly, state)
    t.match(facts, { rinex_version: '3.04', marker: { name: 'GRAZ' } }, state)
    t.strictSame(facts.flags, [], state)
    for (const key of ['epochs', 'expected_epochs', 'share', 'first', 'last'] as const)
      t.equal(facts[key], undefined, `${state}: ${key}`)
    const part = judged(contentOf(Buffer.from(text.slice(0, begin - 10))), hourly, state)
    t.strictSame(part, { flags: [] }, `${state}: a part of the header`)
  }
})

t.test('of more than 4 GB of text the facts are those of the header', async (t) => {
  const begin = navigation('N: GNSS NAV DATA', 'M: MIXED')
  const piece = Buffer.alloc(32 * 1024 ** 2, ephemeris)
  const reader = new ContentReader()
  reader.push(Buffer.from(begin))
  let pieces = 0
  for (; pieces < 200 && !reader.isSatisfied; pieces++) reader.push(piece)
  t.equal(pieces, 128, 'pieces until nothing more is read')
  const facts = judged(reader.end(), 'GRAZ00AUT_R_20240010000_01H_MN.rnx.gz')
  t.strictSame(facts, { rinex_version: '3.04', flags: [] })
})
