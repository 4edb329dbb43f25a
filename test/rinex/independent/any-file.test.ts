/**
 * Observation files of all shapes: any numbers of observations and satellites, events and clocks.
 * Of each its facts are known from what was written, and of each beginning of it how it ends.
 */
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { compactText } from '../hatanaka.ts'
import type { Entry, ObservationFile } from '../model.ts'
import { isVersion2, labelled, plainText, typeLines } from '../model.ts'
import { contentOf, flagsOf, judged } from '../reading.ts'

const runs = process.env['SLOW'] === '1' ? 10_000 : 150
const begin = Date.UTC(2024, 0, 1) / 1000

const typesOf = (systems: string, most: number) =>
  fc
    .dictionary(fc.constantFrom(...systems.split(' ')), fc.integer({ min: 1, max: most }), {
      minKeys: 1,
    })
    .map((numbers) =>
      Object.fromEntries(
        Object.entries(numbers).map(([system, number]) => [
          system,
          Array.from({ length: number }, (_, at) => `${'CLDS'[at % 4] ?? ''}${(at % 9) + 1}X`),
        ]),
      ),
    )
const oldTypes = (most: number) =>
  fc
    .integer({ min: 1, max: most })
    .map((number) => Array.from({ length: number }, (_, at) => `${'CLDS'[at % 4] ?? ''}${at % 10}`))

/** Without events; the systems are put in later. */
const epoch = fc.record({
  step: fc.integer({ min: 1, max: 5000 }),
  satellites: fc.oneof(fc.nat({ max: 25 }), fc.constantFrom(0, 12, 24, 36, 37, 99, 120)),
  from: fc.nat({ max: 40 }),
  flag: fc.constantFrom(0, 0, 0, 1),
  clock: fc.option(fc.integer({ min: -1e6, max: 1e6 }), { nil: undefined }),
  restarts: fc.boolean(),
})
const event = fc.record({
  flag: fc.integer({ min: 2, max: 6 }),
  hasTime: fc.boolean(),
  comments: fc.nat({ max: 4 }),
  slips: fc.nat({ max: 12 }),
  newTypes: oldTypes(30),
  changes: fc.boolean(),
})
const items = fc.array(fc.oneof({ weight: 5, arbitrary: epoch }, event), {
  minLength: 1,
  maxLength: 20,
})

interface Shape {
  readonly file: ObservationFile
  readonly isCompact: boolean
}

const shape: fc.Arbitrary<Shape> = fc
  .record({
    version: fc.constantFrom('2.11', '3.04', '4.00'),
    types: typesOf('G R E C', 45),
    oldTypes: oldTypes(40),
    items,
    newline: fc.constantFrom('\n', '\r\n'),
    isCompact: fc.boolean(),
    style: fc.constantFrom('G01', 'G 1', '  1'),
  })
  .map(({ version, types, oldTypes: all, items: some, newline, isCompact, style }) => {
    const isOld = version === '2.11'
    const systems = Object.keys(types)
    let now = begin
    let number = all.length
    const entries = some.map((item): Entry => {
      if ('step' in item) {
        now += item.step
        const { flag, clock, restarts } = item
        const satellites = Array.from({ length: item.satellites }, (_, at) =>
          satellite(systems[at % systems.length] ?? 'G', item.from + at, isOld ? style : 'G01'),
        )
        const offset = clock === undefined ? {} : { clock: clock * 1e-9 }
        return { seconds: now, flag, satellites, restarts, ...offset }
      }
      const time = item.hasTime ? { seconds: now } : {}
      if (item.flag === 6) {
        // In Compact RINEX 1 a satellite has one line; it is not known how more are written.
        const most = isOld && isCompact && number > 5 ? 0 : item.slips
        const slips = Array.from({ length: most }, (_, at) => satellite('G', at, 'G01'))
        return { seconds: now, flag: 6, satellites: slips }
      }
      const comments = Array.from({ length: item.comments }, () => labelled('x', 'COMMENT'))
      const changes = isOld && item.flag === 4 && item.changes
      if (changes) number = item.newTypes.length
      const changed = changes ? typeLines({ version, types: { all: item.newTypes } }) : []
      return { ...time, flag: item.flag, satellites: [], lines: [...comments, ...changed] }
    })
    const file: ObservationFile = { version, types: isOld ? { all } : types, entries, newline }
    return { file, isCompact }
  })

function satellite(system: string, number: number, style: string): string {
  const text = String((number % 99) + 1)
  if (style === 'G01') return system + text.padStart(2, '0')
  return (style === '  1' && system === 'G' ? ' ' : system) + text.padStart(2)
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}

/** Names without a period and an interval. */
function nameOf({ file, isCompact }: Shape): string {
  if (isVersion2(file)) return `graz0011.24${isCompact ? 'd' : 'o'}.gz`
  return `GRAZ00AUT_R_20240010000_00U_MO.${isCompact ? 'crx' : 'rnx'}.gz`
}

function expectedOf({ file }: Shape): object {
  const epochs = file.entries.filter(({ flag }) => flag < 2)
  const seen = epochs.flatMap(({ satellites }) => satellites.map((each) => each.charAt(0)))
  const systems = isVersion2(file)
    ? new Set(seen.map((letter) => letter.replace(' ', 'G')))
    : new Set(Object.keys(file.types))
  const times = epochs.map(({ seconds = 0 }) => isoTime(seconds))
  return {
    systems: [...systems].sort(),
    signals: Object.fromEntries(
      [...systems].sort().map((each) => [each, file.types['all'] ?? file.types[each]]),
    ),
    epochs: times.length,
    first: times[0],
    last: times.at(-1),
    flags: times.length === 0 ? 'empty' : '',
  }
}

t.test('the facts of a file are those of what was written', async (t) => {
  const check = (made: Shape, size: number) => {
    const { text } = (made.isCompact ? compactText : plainText)(made.file)
    const content = contentOf(Buffer.from(text), () => size)
    const {
      systems = [],
      signals = {},
      epochs,
      first,
      last,
      ...facts
    } = judged(content, nameOf(made))
    const found = {
      systems: systems.toSorted(),
      signals: Object.fromEntries(Object.entries(signals).sort()),
      epochs,
      first,
      last,
      flags: facts.flags.map(({ flag }) => flag).join(' '),
    }
    const expected = expectedOf(made)
    if (JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`${JSON.stringify(found)} for ${JSON.stringify(expected)} in\n${text}`)
  }
  const size = fc.oneof(fc.constant(65_536), fc.integer({ min: 1, max: 200 }))
  fc.assert(fc.property(shape, size, check), { numRuns: runs })
  t.pass()
})

t.test('the beginning of a file is cut, but where an epoch ends', async (t) => {
  const check = (made: Shape, part: number) => {
    const { text, begin: from, ends } = (made.isCompact ? compactText : plainText)(made.file)
    const near = ends[Math.floor(part * 1000) % ends.length] ?? from
    for (const place of [from + Math.floor(part * (text.length - from)), near - 1, near]) {
      const facts = judged(contentOf(Buffer.from(text.slice(0, place))), nameOf(made))
      const flags = flagsOf(facts).join(' ')
      const whole = ends.filter((end) => end <= place).length
      const epochs = made.file.entries.slice(0, whole).filter(({ flag }) => flag < 2).length
      const isEnd = place === from || ends.includes(place)
      // Within the first epoch either flag says that it is damaged.
      const isRight = isEnd
        ? flags === (epochs === 0 ? 'empty' : '')
        : flags === 'cut' || (epochs === 0 && flags === 'empty')
      if (!isRight) throw new Error(`${flags} after ${epochs} epochs in\n${text.slice(0, place)}`)
    }
  }
  const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  fc.assert(fc.property(shape, part, check), { numRuns: runs })
  t.pass()
})
