/**
 * Files that end too early, and files whose middle is missing. The place of each epoch is known
 * from the writer, or from a slow reader that decodes Compact RINEX.
 */
import type { Test } from 'tap'
import { parseFilename } from '../../../src/parse/filename.ts'
import t from '../../tap.ts'
import { madeUpFiles } from '../made-up.ts'
import { readNaively } from '../naive.ts'
import { factsIn, flagsOf } from '../reading.ts'
import { lacksRealFiles, realPaths, realText } from '../real-archive.ts'

const isSlow = process.env['SLOW'] === '1'
/** Cuts of each file. */
const cuts = isSlow ? 500 : 12
/** Holes in each file. */
const holes = isSlow ? 100 : 4
const holeBytes = 4096

interface Subject {
  readonly title: string
  readonly name: string
  readonly bytes: Buffer
  readonly begin: number
  /** Each end of an epoch or event, with the number of epochs up to there. */
  readonly ends: ReadonlyMap<number, number>
  readonly expected: number
  /** The fewest epochs from which the interval is known. */
  readonly least: number
}

function madeUpSubjects(): Subject[] {
  return madeUpFiles().map(({ title, name, text, begin, ends, entries, expected }) => {
    let epochs = 0
    const counts = ends.map((end, index): [number, number] => {
      if ((entries[index]?.flag ?? 2) < 2) epochs++
      return [end, epochs]
    })
    return {
      title,
      name,
      bytes: Buffer.from(text),
      begin,
      ends: new Map(counts),
      expected,
      least: 1,
    }
  })
}

function realSubjects(): Subject[] {
  return realPaths().flatMap((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (parseFilename(name).kind !== 'parsed') return []
    const bytes = realText(path)
    if (!bytes.subarray(0, 400).includes('OBSERVATION DATA')) return []
    const { begin, found } = readNaively(bytes.toString('latin1'))
    let epochs = 0
    const counts = found.map(({ end, flag }): [number, number] => [
      end,
      flag < 2 ? ++epochs : epochs,
    ])
    const { expected_epochs: expected = 0, interval_s: interval } = factsIn(bytes, name)
    const least = interval === undefined ? 11 : 1
    return [{ title: name, name, bytes, begin, ends: new Map(counts), expected, least }]
  })
}

/** What is wrong with the flags of a text that ends at a place; nothing if all is well. */
function faultOfCut(subject: Subject, place: number): string | undefined {
  const { bytes, begin, ends, expected, least, name } = subject
  const facts = factsIn(bytes.subarray(0, place), name)
  const flags = flagsOf(facts)
  const before = [...ends].filter(([end]) => end <= place).at(-1)?.[1] ?? 0
  const says = `${subject.title}, cut at ${place}: ${flags.join(' ')}`
  if (place === begin || (ends.has(place) && before === 0))
    return flags.join() === 'empty' ? undefined : `${says}, not empty`
  // Where not even the first epoch is whole, both are true, and either says that it is damaged.
  if (before === 0) return /^(cut|empty)/.test(flags.join(' ')) ? undefined : `${says}, not cut`
  if (flags.includes('torn')) return says
  if (!ends.has(place)) return flags.includes('cut') ? undefined : `${says}, not cut`
  if (facts.epochs !== before) return `${says}, ${facts.epochs ?? 'no'} epochs for ${before}`
  const isShort = before >= least && before / expected < 0.95
  if (flags.includes('short') !== isShort) return `${says}, ${before} of ${expected} epochs`
  return flags.includes('cut') ? `${says}, but an epoch ends there` : undefined
}

/**
 * Places behind the header, the same in every run: a part of each spread evenly, ends of epochs,
 * and the byte before and behind these.
 */
function placesIn({ begin, bytes, ends }: Subject): number[] {
  const even = Array.from(
    { length: cuts },
    (_, n) => begin + Math.floor(((n + 0.5) * (bytes.length - begin)) / cuts),
  )
  const some = [...ends.keys()].filter(
    (_, index) => index % Math.ceil((4 * ends.size) / cuts) === 1,
  )
  const around = some.flatMap((end) => [end - 2, end - 1, end, end + 1])
  const places = [begin, begin + 1, ...even, ...around, bytes.length - 2, bytes.length - 1]
  return places.filter((place) => place < bytes.length)
}

function checkCuts(t: Test, subject: Subject): void {
  const faults = placesIn(subject).map((place) => faultOfCut(subject, place))
  t.strictSame(faults.filter((fault) => fault !== undefined).slice(0, 3), [], subject.title)
}

/** The flags of a file without some bytes are those that the slow reader would give. */
function checkHoles(t: Test, { title, name, bytes, begin }: Subject): void {
  let torn = 0
  const last = bytes.length - holeBytes
  if (last <= begin) return
  const middle = Math.floor((begin + last) / 2)
  // Spread evenly, but in no step with the epochs: by the golden ratio.
  const spread = Array.from({ length: holes }, (_, n) => ((n + 1) * 0.6180339887) % 1)
  for (const place of [middle, ...spread.map((at) => begin + Math.floor(at * (last - begin)))]) {
    const rest = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + holeBytes)])
    const { state, epochs } = readNaively(rest.toString('latin1'))
    const flags = flagsOf(factsIn(rest, name))
    const message = `${title} without ${holeBytes} bytes at ${place} (${state}): ${flags.join(' ')}`
    if (state === 'torn') torn++
    // Where nothing is left that is whole, there may be no epoch at all, which is damage too.
    if (epochs.length === 0 && flags.join() === 'empty') continue
    if (state !== 'cut') t.equal(flags.includes('torn'), state === 'torn', message)
    else t.ok(flags.includes('torn') || flags.includes('cut'), message)
  }
  t.ok(torn > 0, `${title}: ${torn} of ${holes + 1} torn`)
}

function checkWhole(t: Test, { title, name, bytes }: Subject): void {
  const flags = flagsOf(factsIn(bytes, name))
  t.notOk(flags.includes('cut') || flags.includes('torn'), `${title}: ${flags.join(' ')}`)
}

t.test('a made-up file without faults has no flag and all of its epochs', async (t) => {
  for (const { title, name, text, expected } of madeUpFiles()) {
    const facts = factsIn(Buffer.from(text), name)
    t.strictSame(facts.flags, [], title)
    t.match(
      facts,
      { epochs: 120, expected_epochs: expected, first: '2024-01-01T00:00:00', share: 1 },
      title,
    )
    t.equal(facts.last, '2024-01-01T00:59:30', title)
  }
})

t.test('a made-up file that ends too early is cut or short', async (t) => {
  for (const subject of madeUpSubjects()) checkCuts(t, subject)
})

t.test('a made-up file whose middle is missing is torn', async (t) => {
  for (const subject of madeUpSubjects()) checkHoles(t, subject)
})

const skip = lacksRealFiles()

t.test('a real file that ends too early is cut or short', { skip }, async (t) => {
  const subjects = realSubjects()
  t.ok(subjects.length >= 8)
  for (const subject of subjects) {
    checkWhole(t, subject)
    checkCuts(t, subject)
  }
})

t.test('a real file whose middle is missing is torn', { skip }, async (t) => {
  for (const subject of realSubjects()) checkHoles(t, subject)
})
