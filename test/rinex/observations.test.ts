import t from '../tap.ts'
import {
  epoch2,
  epoch3,
  epochs3,
  facts,
  flags,
  header2,
  header3,
  line2,
  line3,
  record,
  time3,
} from './texts.ts'

const hour = 'TLSE00FRA_R_20240011800_01H_30S_MO.rnx.gz'
const day = 'wsra0010.21o.gz'
const time2 = (minute: number) => `21  1  1  0 ${String(minute).padStart(2)}  0.0000000`

/** What was counted, and whether something was wrong with the lines. */
function counted(text: string, name: string) {
  const { epochs, first, last } = facts(text, name)
  const wrong = flags(text, name).filter((flag) => ['cut', 'torn', 'empty'].includes(flag))
  return { epochs, first: first?.slice(11), last: last?.slice(11), wrong }
}

t.test('events are no epochs, and the lines after them no observations', async (t) => {
  const comment = record('> 2024 is no epoch here', 'COMMENT')
  const events = [
    line3('', 2, 4) + comment + comment,
    line3(time3(30), 1, 3) + comment,
    line3(time3(30), '', 2),
    line3(time3(30), 0, 5),
    epoch3(time3(30), 2, 6),
    '\n',
    '   \n',
  ]
  for (const event of events) {
    const text = header3() + epochs3(1) + event + epochs3(2, { from: 60 })
    const found = { epochs: 3, first: '18:00:00', last: '18:01:30', wrong: [] }
    t.strictSame(counted(text, hour), found, event)
  }
})

t.test('an epoch after a power failure is an epoch', async (t) => {
  t.match(counted(header3() + epoch3(time3(0), 2, 1), hour), { epochs: 1 })
})

t.test('in version 2 an event changes how many lines a satellite has', async (t) => {
  const types = (count: number) =>
    record(
      `${String(count).padStart(6)}${'    C1'.repeat(Math.min(9, count))}`,
      '# / TYPES OF OBSERV',
    )
  const satellites = ['G01', 'R02', ' 03']
  const cases = [
    { lines: types(5), types: 5 },
    { lines: types(6), types: 6 },
    { lines: types(16) + record('          C1    C1', '# / TYPES OF OBSERV'), types: 16 },
    { lines: record('x', 'COMMENT'), types: 7 },
  ]
  for (const { lines, types } of cases) {
    const count = lines.split('\n').length - 1
    const event = `${' '.repeat(28)}4${String(count).padStart(3)}\n${lines}`
    const after = [1, 2].map((minute) => epoch2(time2(minute), satellites, types)).join('')
    const text = header2() + epoch2(time2(0), satellites) + event + after
    t.match(counted(text, day), { epochs: 3, last: '00:02:00', wrong: { length: 0 } }, lines)
    t.strictSame(facts(text, day).systems, ['G', 'R'])
  }
})

t.test('in version 2 satellites from the thirteenth on are in further lines', async (t) => {
  for (const count of [0, 1, 12, 13, 24, 25, 36, 37, 64]) {
    const satellites = Array.from({ length: count }, (_, at) => (at === count - 1 ? 'E99' : 'R01'))
    const slips = epoch2(time2(1), satellites, 7, 6)
    const text = [0, 1, 2].map((minute) => epoch2(time2(minute), satellites)).join(slips)
    const found = counted(header2() + text, day)
    t.match(found, { epochs: 3, last: '00:02:00', wrong: { length: 0 } }, `${count}`)
    const systems = count === 0 ? undefined : count === 1 ? ['E'] : ['R', 'E']
    t.strictSame(facts(header2() + text, day).systems, systems)
  }
})

t.test('the clock offset of version 2 is no satellite', async (t) => {
  const satellites = Array.from({ length: 40 }, () => 'R01')
  const [first = '', ...rest] = line2(time2(0), satellites).split('\n')
  const text = `${first} 0.123456789\n${rest.join('\n')}${'x\n'.repeat(80)}`
  t.strictSame(facts(header2() + text, day).systems, ['R'])
})

t.test('the further lines of old files have no blanks in front', async (t) => {
  const satellites = Array.from({ length: 14 }, (_, at) => (at < 12 ? 'G01' : 'R02'))
  const text = epoch2(time2(0), satellites).replace(`${' '.repeat(32)}R02`, 'R02')
  t.strictSame(facts(header2() + text, day).systems, ['G', 'R'])
  t.match(counted(header2() + text, day), { epochs: 1, wrong: { length: 0 } })
})

t.test('reading goes on after a tear at the next epoch line', async (t) => {
  const line = 'G01  20000000.123 7\n'
  const cases = [
    { title: 'a line too much', text: epochs3(1) + line + epochs3(1, { from: 30 }), epochs: 2 },
    {
      title: 'a line too few',
      text: `${line3(time3(0), 3)}${line}${epochs3(2, { from: 30 })}`,
      epochs: 2,
    },
    { title: 'doubled', text: epochs3(2) + epochs3(2), epochs: 2 },
    { title: 'overlapping', text: epochs3(3) + epochs3(3, { from: 30 }), epochs: 4 },
    {
      title: 'with another header',
      text: epochs3(1) + header3() + epochs3(1, { from: 30 }),
      epochs: 2,
    },
    { title: 'a line before the first', text: line + epochs3(2), epochs: 2 },
  ]
  for (const { title, text, epochs } of cases)
    t.strictSame(
      {
        epochs: counted(header3() + text, hour).epochs,
        wrong: counted(header3() + text, hour).wrong,
      },
      { epochs, wrong: ['torn'] },
      title,
    )
})

t.test('lines may end by CR LF, and the text by ^Z', async (t) => {
  const text = header3() + epochs3(2)
  const found = { epochs: 2, first: '18:00:00', last: '18:00:30', wrong: [] }
  t.strictSame(counted(text.replaceAll('\n', '\r\n'), hour), found)
  t.strictSame(counted(`${text}\u001a`, hour), found)
  t.strictSame(counted(`${text}\u001a\u001a and more`, hour), found)
  t.strictSame(counted(`${text}${line3(time3(60), 2)}\u001a`, hour).wrong, ['cut'])
  t.strictSame(counted(`${text}x\u001a`, hour).wrong, ['cut'])
})
