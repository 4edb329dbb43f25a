import { EpochLine, version2, version3 } from '../../src/rinex/epoch-line.ts'
import t from '../tap.ts'

function read(text: string, layout = version3) {
  const line = new EpochLine(layout)
  const bytes = Buffer.from(`..${text}!!`, 'latin1')
  if (!line.read(bytes, 2, bytes.length - 2)) return undefined
  const { timeUs, flag, count } = line
  return { time: timeUs === undefined ? undefined : new Date(timeUs / 1000).toJSON(), flag, count }
}

t.test('an epoch line is read by its columns', async (t) => {
  const time = '2024-01-01T18:00:30.000Z'
  const cases = [
    { text: '> 2024 01 01 18 00 30.0000000  0 47', found: { time, flag: 0, count: 47 } },
    { text: '> 2024  1  1 18  0 30.0000000  1  4', found: { time, flag: 1, count: 4 } },
    { text: '> 2024 01 01 18 00 30.0000000  0120', found: { time, flag: 0, count: 120 } },
    { text: '> 2024 01 01 18 00 30.0000000  0 4 ', found: { time, flag: 0, count: 4 } },
    { text: '> 2024 01 01 18 00 30.0000000    47', found: { time, flag: 0, count: 47 } },
    { text: '> 2024 01 01 18 00 30.0000000  4', found: { time, flag: 4, count: 0 } },
    { text: '> 2024 01 01 18 00 30.0000000  6  3', found: { time, flag: 6, count: 3 } },
    { text: `>${' '.repeat(30)}4  2`, found: { time: undefined, flag: 4, count: 2 } },
    { text: `>${' '.repeat(30)}5`, found: { time: undefined, flag: 5, count: 0 } },
    {
      text: '> 2024 01 01 18 00 29.9999999  0  1       0.000000000001',
      found: { time, flag: 0, count: 1 },
    },
    {
      text: '> 2024 02 29 23 59 60.9990000  0  1',
      found: { time: '2024-03-01T00:00:00.999Z', flag: 0, count: 1 },
    },
  ]
  for (const { text, found } of cases) t.strictSame(read(text), found, text)
})

t.test('version 2 has years of two digits', async (t) => {
  const cases = [
    { text: ' 21  1  1  0  0  0.0000000  0 21R09R02', time: '2021-01-01T00:00:00.000Z' },
    { text: ' 96  1  3  0 23 36.5000000  0  2', time: '1996-01-03T00:23:36.500Z' },
    { text: '  5 12 31 23 59 59.0000000  0  2', time: '2005-12-31T23:59:59.000Z' },
  ]
  for (const { text, time } of cases) t.match(read(text, version2), { time }, text)
  t.strictSame(read(`${' '.repeat(28)}4  2`, version2), { time: undefined, flag: 4, count: 2 })
})

t.test('a line with a wrong column is no epoch line', async (t) => {
  const lines = [
    '',
    '>',
    'G01  20000000.123 7',
    '> 2024 01 01 18 00 30.0000000',
    '> 2024 01 01 18 00 30.0000000  0',
    '> 2024 01 01 18 00 30.0000000  0   ',
    '> 2024 01 01 18 00 30.0000000  7  1',
    '> 2024 01 01 18 00 30.0000000  x  1',
    '> 2024 01 01 18 00 30.0000000 10  1',
    '> 2024 01 01 18 00 30.0000000  0 -1',
    '> 2024 01 01 18 00 30.00x0000  0  1',
    '> 2024 01 01 18 00 61.0000000  0  1',
    '> 2024 01 01 18 60 30.0000000  0  1',
    '> 2024 01 01 24 00 30.0000000  0  1',
    '> 2024 02 30 18 00 30.0000000  0  1',
    '> 2023 02 29 18 00 30.0000000  0  1',
    '> 2024 13 01 18 00 30.0000000  0  1',
    '> 2024 00 01 18 00 30.0000000  0  1',
    '> 2024 01 00 18 00 30.0000000  0  1',
    '> 2024-01-01 18 00 30.0000000  0  1',
    '>  024 1 1 01 18 00 30.000000  0  1',
    `>${' '.repeat(30)}0  2`,
    '  2024 01 01 18 00 30.0000000  0 47',
  ]
  for (const line of lines) t.equal(read(line), undefined, line)
  t.equal(read('&21  1  1  0  0  0.0000000  0 21', version2), undefined)
  t.equal(read('  23476012.123 7  23476012.123 7', version2), undefined)
})
