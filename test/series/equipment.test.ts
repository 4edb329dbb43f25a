/** The stretches of equipment of a station: tables of cases, and random histories. */
import type { Antenna, Equipment, Position, Receiver } from '../../src/rinex/facts.ts'
import type { EquippedFile } from '../../src/series/equipment.ts'
import { equipmentStretches, newestPlace } from '../../src/series/equipment.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'
import { oracleStretches } from './equipment-oracle.ts'

const day = 86_400

/** A position so many metres away from another one. */
const at = (metres: number): Position => ({
  x: 4_194_424 + metres,
  y: 1_162_703,
  z: 4_647_245,
  latitude: 47.067,
  longitude: 15.493,
  height: 538,
})

const receiver = (version: string): Receiver => ({ type: 'SEPT POLARX5', serial: '1', version })
const antenna: Antenna = { type: 'TRM57971.00', radome: 'NONE', delta: { h: 1.964, e: 0, n: 0 } }
const first: Equipment = {
  marker: { name: 'GRAZ', number: '11001M002', type: 'GEODETIC' },
  receiver: receiver('5.4.0'),
  antenna,
  position: at(0),
}
const second: Equipment = { ...first, receiver: receiver('5.5.0') }
const third: Equipment = { ...first, antenna: { ...antenna, radome: 'TZGD' } }

const named: Readonly<Record<string, Equipment>> = { a: first, b: second, c: third }

/** A daily file of the receiver. */
const daily = (number: number, equipment: Equipment, more: Partial<EquippedFile> = {}) => ({
  type: 'o' as const,
  startSeconds: number * day,
  spanSeconds: day,
  source: 'R' as const,
  name: `R_${number}_01D`,
  isDamaged: false,
  equipment,
  ...more,
})

/** A file a day by letters of equipment; `.` is a day without a file. */
const daysOf = (letters: string): EquippedFile[] =>
  Array.from(letters).flatMap((letter, number) => {
    const equipment = named[letter]
    return equipment === undefined ? [] : [daily(number, equipment)]
  })

/** `a 0-9 10` is a stretch of the days 0 to 9 with 10 files; `(b 3-3 1)` an odd one. */
const wordsOf = (files: readonly EquippedFile[]): string =>
  equipmentStretches(files)
    .map(({ fromDay, toDay, files: count, equipment, isOdd }) => {
      const letter = Object.keys(named).find((each) => named[each] === equipment) ?? '?'
      const words = `${letter} ${fromDay}-${toDay} ${count}`
      return isOdd ? `(${words})` : words
    })
    .join(' ')

t.test('stretches, and those that are odd', async (t) => {
  for (const [letters, words] of [
    ['', ''],
    ['a', 'a 0-0 1'],
    ['aaaa', 'a 0-3 4'],
    ['aa....aa', 'a 0-7 4'],
    ['aaaabbbb', 'a 0-3 4 b 4-7 4'],
    ['aaabaaa', 'a 0-6 6 (b 3-3 1)'],
    ['aaabb.aaa', 'a 0-8 6 (b 3-4 2)'],
    // Three files are no error of one header.
    ['aaabbbaaa', 'a 0-2 3 b 3-5 3 a 6-8 3'],
    // Nothing comes after the last one, and nothing was before the first.
    ['aaab', 'a 0-2 3 b 3-3 1'],
    ['baaa', 'b 0-0 1 a 1-3 3'],
    // Neither of two that differ stands between equal ones.
    ['aaabcaaa', 'a 0-2 3 b 3-3 1 c 4-4 1 a 5-7 3'],
    // Odd ones are passed over: the second one stands between the stretch that goes on.
    ['aaabacaaa', 'a 0-8 7 (b 3-3 1) (c 5-5 1)'],
    ['aaababababa', 'a 0-10 7 (b 3-3 1) (b 5-5 1) (b 7-7 1) (b 9-9 1)'],
    ['abab', 'a 0-2 2 (b 1-1 1) b 3-3 1'],
    ['aaacbbb', 'a 0-2 3 c 3-3 1 b 4-6 3'],
    // Short, but what was before is not what comes after.
    ['aaabbbabbb', 'a 0-2 3 b 3-9 6 (a 6-6 1)'],
  ] as const) {
    t.equal(wordsOf(daysOf(letters)), words, letters)
    t.equal(wordsOf(daysOf(letters).toReversed()), words, `${letters}, in another order`)
  }
})

t.test('where a station is by its newest files, and whether older ones may say more', (t) => {
  const placeOf = (...metres: readonly (number | undefined)[]) => {
    const files = metres.flatMap((each, number) =>
      each === undefined ? [] : [daily(number, { ...second, position: at(each) })],
    )
    const { position, isSure } = newestPlace(files)
    return [position && position.x - at(0).x, isSure]
  }
  t.strictSame(placeOf(), [undefined, false])
  t.strictSame(placeOf(0), [0, false])
  t.strictSame(placeOf(0, 10, -10), [0, true])
  t.strictSame(placeOf(0, 0, 0, 500), [0, true])
  t.strictSame(placeOf(0, 0, 0, 500, 500), [0, true])
  t.strictSame(placeOf(0, 0, 0, 500, 500, 500), [500, true])
  t.strictSame(placeOf(500, 0, undefined, 0, 0), [0, true])
  // The second day may be that of another stretch, or of an odd one.
  t.strictSame(placeOf(0, 500, 0, 0), [0, false])
  t.strictSame(placeOf(0, 500), [500, false])
  // A day with other equipment in the same place counts, one without a position does not.
  const nowhere = { receiver: receiver('5.4.0'), antenna }
  const files = [first, third, nowhere, first].map((each, number) => daily(number, each))
  t.match(newestPlace(files), { position: at(0), isSure: true })
  t.match(newestPlace(files.toReversed()), { position: at(0), isSure: true })
  const better = daily(3, nowhere, { name: 'a longer name', spanSeconds: 2 * day })
  t.match(newestPlace([...files, better]), { position: at(0), isSure: false })
  t.end()
})

t.test('what changed is compared with the stretch before that is not odd', async (t) => {
  const changesTo = (after: Equipment, before = first) => {
    const days = [0, 1, 2].map((number) => daily(number, before))
    const [, change] = equipmentStretches([...days, daily(3, after)])
    return change && [change.changed, change.movedMetres]
  }
  const { marker, position, ...others } = first
  t.strictSame(changesTo(second), [['receiver'], undefined])
  t.strictSame(changesTo({ ...first, receiver: { type: 'SEPT POLARX5' } }), [
    ['receiver'],
    undefined,
  ])
  t.strictSame(changesTo(third), [['antenna'], undefined])
  const higher = { ...antenna, delta: { h: 1.965, e: 0, n: 0 } }
  t.strictSame(changesTo({ ...first, antenna: higher }), [['antenna'], undefined])
  t.strictSame(changesTo({ ...first, marker: { ...marker, number: '11001M003' } }), [
    ['marker'],
    undefined,
  ])
  t.equal(changesTo({ ...first, marker: { name: 'GRAZ', number: '11001M002' } }), undefined)
  t.equal(changesTo({ ...first, agency: 'OLG/AAS', program: 'sbf2rin', run_by: 'me' }), undefined)
  t.equal(changesTo({ ...first, position: at(100) }), undefined)
  t.strictSame(changesTo({ ...first, position: at(101) }), [['position'], 101])
  t.strictSame(changesTo({ ...others, ...(marker && { marker }) }), [['position'], undefined])
  t.strictSame(changesTo({ ...others, ...(position && { position }) }), [['marker'], undefined])
  t.strictSame(changesTo({ ...second, antenna: higher, position: at(-3200) }), [
    ['receiver', 'antenna', 'position'],
    3200,
  ])
  const files = [...daysOf('aaabaa'), daily(6, second), daily(7, second)]
  const compared = equipmentStretches(files).map(({ isOdd, changed }) => [isOdd, changed])
  t.strictSame(compared, [
    [false, []],
    [true, ['receiver']],
    [false, ['receiver']],
  ])
})

t.test('a position that creeps is another one 100 m from where its stretch began', async (t) => {
  const creeping = Array.from({ length: 11 }, (_, number) =>
    daily(number, { ...first, position: at(number * 30) }),
  )
  const days = equipmentStretches(creeping).map(({ fromDay, toDay }) => [fromDay, toDay])
  t.strictSame(days, [
    [0, 3],
    [4, 7],
    [8, 10],
  ])
  // Also after an odd one: the file of day 5 is near that of day 4, not that of day 0.
  const back = [0, 0, 0, 900, 60, 120].map((metres, number) =>
    daily(number, { ...first, position: at(metres) }),
  )
  const joined = equipmentStretches(back).map(({ fromDay, toDay, isOdd }) => [
    ...[fromDay, toDay],
    isOdd,
  ])
  t.strictSame(joined, [
    [0, 4, false],
    [3, 3, true],
    [5, 5, false],
  ])
})

t.test('one file speaks for a day', async (t) => {
  const hour = 3600
  for (const [taken, left, why] of [
    [{ isDamaged: true }, { spanSeconds: hour }, 'the longest period'],
    [{}, { spanSeconds: undefined }, 'one without a period is the shortest'],
    [{ source: 'U' }, { isDamaged: true }, 'undamaged'],
    [{ source: 'R', startSeconds: hour }, { source: 'S' }, 'R before S'],
    [{ source: 'S', startSeconds: hour }, { source: 'U' }, 'S before U'],
    [{ source: 'U', startSeconds: hour }, { source: '' }, 'long before short name'],
    [{ name: 'z' }, { name: 'a', startSeconds: hour }, 'earliest start'],
    [{ name: 'a' }, { name: 'b' }, 'name'],
  ] as const) {
    const files = [daily(0, first, taken), daily(0, second, left)]
    t.equal(wordsOf(files), 'a 0-0 1', why)
    t.equal(wordsOf(files.toReversed()), 'a 0-0 1', `${why}, in another order`)
  }
  const others = (['n', 'm'] as const).map((type) => daily(0, first, { type }))
  t.equal(wordsOf(others), '', 'no other files do')
  // Two files of a name in different directories: always the same one of them.
  const twins = [daily(0, first), daily(0, second)]
  t.equal(wordsOf(twins), wordsOf(twins.toReversed()))
})

/** Equipment that differs in something from that with any other number. */
const equipmentOf = (number: number): Equipment => ({
  ...first,
  receiver: receiver(`5.${number % 7}`),
  antenna: { ...antenna, serial: String(Math.floor(number / 7) % 3) },
  position: at(1000 * Math.floor(number / 21)),
})

/** Three years whose stretches are known: at what day each begins, and odd days in it. */
const histories = fc
  .record({
    lengths: fc.array(fc.integer({ min: 6, max: 45 }), { minLength: 41, maxLength: 41 }),
    steps: fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 41, maxLength: 41 }),
    /** Places in the stretches where the headers of one or two files are wrong. */
    odd: fc.array(fc.record({ stretch: fc.nat(40), files: fc.integer({ min: 1, max: 2 }) })),
    /** Days without files, and what else is there of a day. */
    gaps: fc.array(fc.nat(1100), { maxLength: 60 }),
    extras: fc.infiniteStream(fc.constantFrom('none', 'hour', 'short', 'stream', 'cut', 'other')),
  })
  .map(({ lengths, steps, odd, gaps, extras }) => {
    const scale = 1096 / lengths.reduce((sum, each) => sum + each, 0)
    const missing = new Set(gaps)
    const files: EquippedFile[] = []
    const wanted: { from: number; to: number; files: number; isOdd: boolean }[] = []
    let [number, kind] = [0, 0]
    for (const [index, length] of lengths.entries()) {
      kind = (kind + (steps[index] ?? 1)) % 81
      const long = Math.max(6, Math.round(length * scale))
      const wrong = odd.find(({ stretch }) => stretch === index)?.files ?? 0
      const own: number[] = []
      const oddDays: number[] = []
      for (let each = 0; each < long; each++, number++) {
        const isOdd = each >= 3 && each < 3 + wrong
        // What makes a stretch known is never missing: its ends, and what is odd.
        if (each > 5 && each < long - 1 && missing.has(number)) continue
        ;(isOdd ? oddDays : own).push(number)
        const equipment = equipmentOf(isOdd ? 90 : kind)
        files.push(daily(number, equipment), ...beside(number, extras.next().value as string))
      }
      const rowOf = (days: readonly number[], isOdd: boolean) =>
        days.length === 0
          ? []
          : [{ from: days[0] ?? 0, to: days.at(-1) ?? 0, files: days.length, isOdd }]
      wanted.push(...rowOf(own, false), ...rowOf(oddDays, true))
    }
    return { files, wanted }
  })

/** Files of a day that do not speak for it, with other headers. */
function beside(number: number, kind: string): EquippedFile[] {
  const equipment = equipmentOf(95)
  const hours = { spanSeconds: 3600, name: `R_${number}_01H` }
  if (kind === 'hour') return [daily(number, equipment, hours)]
  if (kind === 'short') return [daily(number, equipment, { source: '', name: 'graz.24o' })]
  if (kind === 'stream') return [daily(number, equipment, { source: 'S', name: 'A' })]
  if (kind === 'cut') return [daily(number, equipment, { isDamaged: true, name: 'A' })]
  if (kind === 'other') return [daily(number, equipment, { type: 'n', name: 'A' })]
  return []
}

t.test('three years with 40 changes, gaps and files beside, in any order', async (t) => {
  const arrivals = histories.chain(({ files, wanted }) =>
    fc.record({
      wanted: fc.constant(wanted),
      files: fc.constant(files),
      arrived: fc.shuffledSubarray(files, { minLength: files.length, maxLength: files.length }),
    }),
  )
  let odd = 0
  fc.assert(
    fc.property(arrivals, ({ files, wanted, arrived }) => {
      const found = equipmentStretches(arrived)
      odd += wanted.filter(({ isOdd }) => isOdd).length
      const rows = found.map(({ fromDay, toDay, files: count, isOdd }) => ({
        from: fromDay,
        to: toDay,
        files: count,
        isOdd,
      }))
      t.strictSame(rows, wanted)
      t.equal(found.filter(({ isOdd }) => !isOdd).length, 41)
      t.strictSame(found, equipmentStretches(files))
      return t.passing()
    }),
    { numRuns: 40 },
  )
  t.ok(odd > 40, 'some stretches are odd')
})

/** Few days, much on each of them. */
const anyFile: fc.Arbitrary<EquippedFile> = fc
  .record({
    type: fc.constantFrom('o', 'o', 'o', 'n'),
    number: fc.nat(12),
    hour: fc.constantFrom(0, 0, 0, 1, 13),
    spanSeconds: fc.constantFrom(day, day, 3600, 900, undefined),
    source: fc.constantFrom('R', 'R', 'S', 'U', ''),
    name: fc.constantFrom('a', 'b'),
    isDamaged: fc.boolean(),
    kind: fc.constantFrom(first, first, second, third, { receiver: receiver('5.4.0') }),
    metres: fc.constantFrom(0, 0, 0, 60, 120, undefined),
  })
  .map(({ number, hour, kind, metres, ...file }) => ({
    ...file,
    startSeconds: number * day + hour * 3600,
    equipment:
      metres === undefined || kind.position === undefined
        ? kind
        : { ...kind, position: at(metres) },
  }))

t.test('any files give what the slow reference finds, in any order', async (t) => {
  const sets = fc.array(anyFile, { maxLength: 40 })
  const words = new Set<string>()
  const property = fc.property(sets, fc.compareFunc(), (files, order) => {
    const wanted = oracleStretches(files).map((each) => ({ ...each, files: each.files.length }))
    const found = equipmentStretches(files.toSorted(order)).map((each) => ({
      from: each.fromDay,
      to: each.toDay,
      files: each.files,
      odd: each.isOdd,
      changed: [...each.changed],
      moved: each.movedMetres ?? null,
    }))
    for (const { odd, changed } of wanted) for (const part of changed) words.add(`${part} ${odd}`)
    t.strictSame(found, wanted)
    return t.passing()
  })
  fc.assert(property, { numRuns: 2000 })
  // The marker changes only together with the rest here.
  const parts = ['receiver', 'antenna', 'marker', 'position']
  const all = parts.flatMap((part) => [`${part} true`, `${part} false`])
  t.strictSame([...words].sort(), all.sort(), 'all parts change, in odd stretches too')
})
