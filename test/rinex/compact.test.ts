import t from '../tap.ts'
import type { CompactEpoch } from './texts.ts'
import {
  changes,
  compactEpochs,
  compactHeader,
  facts,
  flags,
  header2,
  header3,
  line3,
  record,
  time3,
} from './texts.ts'

const hour = 'TLSE00FRA_R_20240011800_01H_30S_MO.crx.gz'
const header = compactHeader(3) + header3()

function epoch(seconds: number, satellites = 2, flag = 0): CompactEpoch {
  const line = line3(time3(seconds), satellites, flag).trimEnd()
  return { line: `${line}      ${'G01'.repeat(satellites)}`, satellites }
}

function text(...seconds: number[]): string {
  return compactEpochs(
    3,
    seconds.map((at) => epoch(at)),
  )
}

function counted(body: string, begin = header, name = hour) {
  const { epochs, last } = facts(begin + body, name)
  const wrong = flags(begin + body, name).filter((flag) => ['cut', 'torn', 'empty'].includes(flag))
  return { epochs, last: last?.slice(11), wrong }
}

t.test('an epoch line is what changes in the line before', async (t) => {
  const steps = [0, 0.5, 1, 9.5, 10, 59, 60, 3599, 3600, 21_600, 86_400, 31 * 86_400]
  t.strictSame(counted(text(...steps)), { epochs: steps.length, last: '18:00:00', wrong: [] })
  t.equal(facts(header + text(...steps)).last, '2024-02-01T18:00:00')
})

t.test('the number of satellites changes with the line', async (t) => {
  const counts = [2, 12, 9, 120, 1, 0, 3]
  const epochs = counts.map((count, at) => epoch(30 * at, count))
  const found = { epochs: counts.length, last: '18:03:00', wrong: [] }
  t.strictSame(counted(compactEpochs(3, epochs)), found)
})

t.test('epochs may be initialised anew, and follow a power failure', async (t) => {
  t.match(counted(text(0, 30) + text(60, 90)), { epochs: 4, wrong: { length: 0 } })
  const failure = compactEpochs(3, [epoch(0), epoch(30, 2, 1), epoch(60)])
  t.match(counted(failure), { epochs: 3, wrong: { length: 0 } })
})

t.test('after events lines follow as they are, and an initialised epoch', async (t) => {
  const comment = record('&', 'COMMENT')
  const slips = `${line3(time3(60), 2, 6)}G01\nG02\n`
  for (const event of [
    `> ${' '.repeat(29)}4  2\n${comment}${comment}`,
    line3(time3(45), 0, 2),
    line3(time3(45), '', 5),
    slips,
    slips + slips,
  ]) {
    const found = { epochs: 4, last: '18:02:30', wrong: [] }
    t.strictSame(counted(text(0, 30) + event + text(120, 150)), found, event)
    const { wrong } = counted(text(0, 30) + event + text(120, 150).replace('>', ' '))
    t.strictSame(wrong, ['torn'], 'not initialised')
  }
  t.strictSame(counted(`${text(0)}${line3('', 3, 4)}${comment}`).wrong, ['cut'])
})

t.test('lines that begin with & mean nothing in Compact RINEX 3', async (t) => {
  const [first = '', clock = '', ...satellites] = text(0).split('\n')
  const body = ['& x', first, '& y', clock, '&', ...satellites].join('\n')
  t.strictSame(counted(`${body}& z\n`), { epochs: 1, last: '18:00:00', wrong: [] })
})

t.test('Compact RINEX 1 has all satellites in one line', async (t) => {
  const line = (minute: number, satellites: readonly string[]) => ({
    line: ` 21  1  1  0 ${String(minute).padStart(2)}  0.0000000  0 ${satellites.length}${satellites.join('')}`,
    satellites: satellites.length,
  })
  const many = Array.from({ length: 40 }, (_, at) => `G${10 + at}`)
  const body = compactEpochs(1, [line(0, many), line(1, [...many, 'R01']), line(2, many)])
  const event = `&${' '.repeat(27)}4  1\n${record('x', 'COMMENT')}`
  const begin = compactHeader(1) + header2()
  const found = { epochs: 3, last: '00:02:00', wrong: [] }
  t.strictSame(counted(event + body, begin, 'wsra0010.21d.gz'), found)
  t.strictSame(facts(begin + body, 'wsra0010.21d.gz').systems, ['G', 'R'])
})

t.test('reading goes on after a tear at the next initialised epoch', async (t) => {
  const lines = (body: string) => body.split('\n')
  const whole = lines(text(0, 30, 60, 90))
  const [line = ''] = lines(text(30))
  const cases = [
    { title: 'a line too few', body: whole.toSpliced(3, 1).join('\n'), epochs: 1 },
    { title: 'an epoch line too few', body: whole.toSpliced(4, 1).join('\n'), epochs: 1 },
    { title: 'not initialised at first', body: whole.toSpliced(0, 1).join('\n'), epochs: 0 },
    { title: 'a line too much', body: whole.toSpliced(4, 0, '12 34 56').join('\n'), epochs: 1 },
    { title: 'a blank line too much', body: whole.toSpliced(4, 0, '').join('\n'), epochs: 1 },
    {
      title: 'an event that is not initialised',
      body: `${text(0)}${changes(line, line3(time3(60), 2, 4).trimEnd())}\n`,
      epochs: 1,
    },
  ]
  for (const { title, body, epochs } of cases) {
    const wrong = epochs === 0 ? ['empty'] : ['torn']
    const more = `${body}${text(600, 630)}`
    t.match(counted(more), { epochs: epochs + 2, last: '18:10:30' }, title)
    t.ok(counted(more).wrong.includes('torn'), title)
    t.match(counted(body).wrong, wrong, title)
  }
  const doubled = { epochs: 3, last: '18:01:00', wrong: ['torn'] }
  t.strictSame(counted(text(0, 30) + text(0, 30, 60)), doubled, 'what is doubled is followed')
})

t.test('blank lines at the end are no epochs', async (t) => {
  t.strictSame(counted(`${text(0, 30)}\n\n`), { epochs: 2, last: '18:00:30', wrong: [] })
})
