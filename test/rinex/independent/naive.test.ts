/** The tests' own writer and reader agree with each other. */
import t from '../../tap.ts'
import { compactText } from '../hatanaka.ts'
import { madeUp, madeUpFiles } from '../made-up.ts'
import { plainText } from '../model.ts'
import { readNaively } from '../naive.ts'

t.test('the slow reader finds the ends and times of all that was written', async (t) => {
  for (const { title, text, begin, ends, entries } of madeUpFiles()) {
    const read = readNaively(text)
    t.equal(read.state, 'whole', title)
    t.equal(read.begin, begin, title)
    t.strictSame(
      read.found.map(({ end, flag }) => ({ end, flag })),
      entries.map(({ flag }, index) => ({ end: ends[index], flag })),
      title,
    )
    const times = entries.map(({ seconds }) =>
      seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().slice(0, 23),
    )
    t.strictSame(
      read.found.map(({ time }) => time?.slice(0, 23)),
      times,
      title,
    )
    t.equal(read.epochs.length, 120, title)
  }
})

t.test('what was compressed is the plain text after decoding', async (t) => {
  for (const version of ['2.11', '3.04', '4.00'] as const) {
    const file = madeUp(version)
    const { plain } = readNaively(compactText(file).text, true)
    t.strictSame(plain.split('\n'), plainText(file).text.split('\n'), version)
  }
})
