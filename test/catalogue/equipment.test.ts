/** The equipment and the positions of stations, read from a catalogue. */
import type { Test } from 'tap'
import { parseFilename } from '../../src/parse/filename.ts'
import type { Equipment, Position } from '../../src/rinex/facts.ts'
import { positionOf } from '../../src/rinex/position.ts'
import type { EquippedFile } from '../../src/series/equipment.ts'
import { fc } from '../random.ts'
import { oracleStretches } from '../series/equipment-oracle.ts'
import t from '../tap.ts'
import { checksumOf, openCatalogue } from './catalogue.ts'
import { change, newFile } from './change.ts'
import { engine, sqlite } from './engines.ts'
import { allFacts } from './some-facts.ts'

/** A file in a directory; without equipment, its header was not read. */
interface TestFile {
  readonly directory: string
  readonly name: string
  readonly equipment?: Equipment | undefined
  readonly isDamaged?: boolean
}

/** Adds files with what their headers say, in this order. */
async function catalogued(t: Test, files: readonly TestFile[]) {
  const opened = await openCatalogue(t, { stepUs: 1 })
  for (const [index, { directory, name, equipment, isDamaged = false }] of files.entries()) {
    const id = index + 1
    await opened.writer.apply([change(directory, { added: [newFile(name)] })])
    if (equipment === undefined) continue
    const facts = { ...equipment, flags: [] }
    const problem = isDamaged ? ('broken' as const) : undefined
    await opened.writer.keepChecksums([checksumOf(id, { facts, problem })], id)
  }
  return opened
}

const { position } = allFacts

function placeAt(x: number, y: number, z: number): Position {
  const found = positionOf(x, y, z)
  if (found === undefined) throw new Error('this is not on the Earth')
  return found
}

const at = (metres: number): Position => placeAt(position.x + metres, position.y, position.z)

const { receiver, antenna } = allFacts
const equipments: readonly (Equipment | undefined)[] = [
  { receiver, antenna, position },
  { receiver, antenna, position },
  { receiver, antenna, position, program: 'another one' },
  { receiver: { type: 'TRIMBLE NETR9' }, antenna, position: at(60) },
  { receiver, position: at(120) },
  { agency: 'nothing else' },
  undefined,
]

const two = (number: number): string => String(number).padStart(2, '0')

const anyFile: fc.Arbitrary<TestFile> = fc
  .record({
    day: fc.integer({ min: 1, max: 9 }),
    hour: fc.constantFrom(0, 0, 1, 23),
    form: fc.constantFrom('day', 'day', 'hour', 'quarter', 'short', 'short hour', 'file 1', 'n'),
    source: fc.constantFrom('R', 'S', 'U'),
    interval: fc.constantFrom('30S', '01S'),
    area: fc.constantFrom('obs', 'nrt'),
    equipment: fc.constantFrom(...equipments),
    isDamaged: fc.boolean(),
  })
  .map(({ day, hour, form, source, interval, area, ...file }) => {
    const start = `202600${day}${two(hour)}00`
    const letter = String.fromCharCode(97 + hour)
    const long = (period: string, content: string) =>
      `GRAZ00AUT_${source}_${start}_${period}_${interval}_${content}.crx.gz`
    const names: Readonly<Record<string, string>> = {
      day: long('01D', 'MO'),
      hour: long('01H', 'MO'),
      quarter: long('15M', 'MO'),
      short: `graz00${day}0.26d.gz`,
      'short hour': `graz00${day}${letter}.26o.gz`,
      'file 1': `graz00${day}1.26o.gz`,
      n: `GRAZ00AUT_${source}_${start}_01D_MN.rnx.gz`,
    }
    return { directory: `${area}/2026/00${day}`, name: names[form] ?? '', ...file }
  })

/** What the pure function and its slow reference take. */
const equipped = ({ name, equipment, isDamaged = false }: TestFile): EquippedFile[] => {
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') throw new Error(name)
  return equipment === undefined ? [] : [{ ...parsed, name, isDamaged, equipment }]
}

t.test('stretches are those of all files, in any order of arrival', async (t) => {
  const sets = fc.uniqueArray(anyFile, {
    minLength: 1,
    maxLength: 40,
    selector: ({ directory, name }) => `${directory}/${name}`,
  })
  const property = fc.asyncProperty(sets, async (files) => {
    const other = { directory: 'obs/2026/001', name: 'GRAS00FRA_R_20260010000_01D_30S_MO.crx.gz' }
    const { reader, close } = await catalogued(t, [
      { ...other, equipment: equipments[3] },
      ...files,
    ])
    const wanted = oracleStretches(files.flatMap(equipped)).map((each) => ({
      ...each,
      files: each.files.length,
    }))
    const found = await reader.equipment('GRAZ')
    const rows = found?.stretches.map(({ fromDay, toDay, movedMetres, ...each }) => ({
      from: fromDay,
      to: toDay,
      files: each.files,
      odd: each.isOdd,
      changed: [...each.changed],
      moved: movedMetres ?? null,
    }))
    t.strictSame(rows, wanted)
    await close()
    return t.passing()
  })
  await fc.assert(property, { numRuns: engine === sqlite ? 60 : 15 })
})

t.test('a short code belongs to the only long one', async (t) => {
  const [first, , , second] = equipments
  const directory = 'obs/2026/001'
  const { reader, add, writer } = await catalogued(t, [
    { directory, name: 'graz0010.26d.gz', equipment: first },
    { directory, name: 'GRAZ00AUT_R_20260020000_01D_30S_MO.crx.gz', equipment: second },
    { directory, name: 'GRAS00FRA_R_20260020000_01D_30S_MO.crx.gz' },
  ])
  const asked = async (code: string) => {
    const found = await reader.equipment(code)
    return found && [found.codes, found.ambiguous, found.stretches.length]
  }
  t.strictSame(await asked('GRAZ'), [['GRAZ', 'GRAZ00AUT'], [], 2])
  t.strictSame(await asked('GRAZ00AUT'), [['GRAZ', 'GRAZ00AUT'], [], 2])
  t.strictSame(await asked('GRAS'), [['GRAS00FRA'], [], 0])
  t.equal(await asked('ZIMM'), undefined)
  await add('GRAZ01AUT_R_20260030000_01D_30S_MO.crx.gz')
  t.strictSame(await asked('GRAZ'), [['GRAZ'], ['GRAZ00AUT', 'GRAZ01AUT'], 1])
  // Facts are no change of a record, but of the answer.
  const { seq, detailsSeq } = await reader.head()
  await writer.keepChecksums([checksumOf(4, { facts: { ...first, flags: [] } })], 4)
  const { head, stretches } = (await reader.equipment('GRAZ01AUT')) ?? {}
  t.match(head, { seq, detailsSeq: detailsSeq + 1 })
  t.strictSame(
    stretches?.map(({ equipment: { receiver: own } }) => own),
    [first?.receiver],
  )
})

/** Places far from each other, by letters; `n` is a header without a position. */
const places: Readonly<Record<string, Equipment>> = {
  a: { position },
  b: { position: at(-3000) },
  c: { position: at(-60_000) },
  n: { agency: 'no position' },
}

/** A daily file by the letter of its equipment, as `places` has it. */
function placed(letter: string, day: number, form = 'GRAZ00AUT_R_DATE0000_01D_30S_MO.crx.gz') {
  const ddd = String(day).padStart(3, '0')
  const name = form.replace('DATE', `2026${ddd}`)
  return { directory: `obs/2026/${ddd}`, name, equipment: places[letter] }
}

/** The files of a history by letters, a day each from the first one on; `.` is a day without. */
const history = (letters: string, first = 1): TestFile[] =>
  Array.from(letters).flatMap((letter, index) =>
    letter === '.' ? [] : [placed(letter, first + index)],
  )

/** The letter of the place where a station is; `undefined` if it has none. */
async function letterOf({ reader }: Awaited<ReturnType<typeof catalogued>>) {
  const found = (await reader.stationPositions()).find(({ code }) => code === 'GRAZ00AUT')
  return Object.keys(places).find((letter) => {
    const place = places[letter]?.position
    return place && found?.latitude === place.latitude && found.longitude === place.longitude
  })
}

t.test('a station is where its last stretch is that is not odd', async (t) => {
  for (const [letters, wanted] of [
    // One header that is wrong moves nothing, wherever it stands.
    ['aaaaaba', 'a'],
    ['aaaaaab', 'a'],
    ['baaaaaa', 'a'],
    ['aaaaabb', 'a'],
    // Three days do, also with one of them that is wrong.
    ['aaaabbb', 'b'],
    ['aaaabbcb', 'b'],
    ['aaabbbac', 'b'],
    // The newest days leave it in doubt, so older ones are read.
    ['aaaaaabcab', 'a'],
    ['aaannnnnn', 'a'],
    ['aaa........b', 'a'],
    ['aaab.c.b.c', 'a'],
    // Where nothing else is known, the last one.
    ['ab', 'b'],
    ['abc', 'c'],
    ['n', undefined],
  ] as const)
    t.equal(await letterOf(await catalogued(t, history(letters))), wanted, letters)
})

t.test('a station is in the same place in any order of arrival', async (t) => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'a', 'a', 'b', 'b', 'c', 'n', '.'),
    minLength: 1,
    maxLength: 20,
    size: 'max',
  })
  const sets = letters.chain((all) => {
    const files = history(all)
    return fc.shuffledSubarray(files, { minLength: files.length })
  })
  const property = fc.asyncProperty(sets, async (files) => {
    const opened = await catalogued(t, files)
    const told = files.filter(({ equipment: { position: where } = {} }) => where !== undefined)
    const stretches = oracleStretches(told.flatMap(equipped)).filter(({ odd }) => !odd)
    const last = stretches.findLast((each) => each.files.length > 2) ?? stretches.at(-1)
    const file = files.find(({ name }) => name === last?.files[0])
    t.equal(places[(await letterOf(opened)) ?? ''], file?.equipment)
    await opened.close()
    return t.passing()
  })
  await fc.assert(property, { numRuns: engine === sqlite ? 60 : 10 })
})

t.test('one file a day says where a station is, whatever else the day has', async (t) => {
  const hourly = (hour: number) => `GRAZ00AUT_R_DATE${two(hour)}00_01H_30S_MO.crx.gz`
  const opened = await catalogued(t, [
    ...history('aaaa'),
    ...[1, 2, 3, 4].flatMap((day) => [0, 1].map((hour) => placed('b', day, hourly(hour)))),
    ...[1, 2, 3, 4].map((day) => placed('b', day, 'GRAZ00AUT_S_DATE0000_01D_30S_MO.crx.gz')),
    placed('b', 5, 'GRAZ00AUT_R_DATE0000_01D_MN.rnx.gz'),
  ])
  t.equal(await letterOf(opened), 'a')
})

t.test('a station that ended months ago stays in its place', async (t) => {
  const other = 'GRAS00FRA_R_DATE0000_01D_30S_MO.crx.gz'
  const opened = await catalogued(t, [...history('aaab'), placed('b', 300, other)])
  t.equal(await letterOf(opened), 'a')
  // Its last files are purged; those that say where it was are not.
  await opened.writer.apply([change('obs/2026/004', { removed: [4] })])
  t.equal(await letterOf(opened), 'a')
})

t.test('many stations in doubt are where their newest files say', async (t) => {
  const files = Array.from({ length: 120 }, (_, n) =>
    Array.from('aaaab.cb').flatMap((letter, index) => {
      const form = `S${String(n).padStart(3, '0')}00AUT_R_DATE0000_01D_30S_MO.crx.gz`
      return letter === '.' ? [] : [placed(letter, index + 1, form)]
    }),
  )
  const { reader } = await catalogued(t, files.flat())
  const found = await reader.stationPositions()
  t.equal(found.length, 120)
  const isIn = (letter: string) =>
    found.filter((each) => each.latitude === places[letter]?.position?.latitude)
  // Of so many, a hundred are looked at again.
  t.equal(isIn('a').length, 100)
})

t.test(
  'without three days in one place, the newest observation file says where it is',
  async (t) => {
    const place = (x: number, y: number, z: number): Equipment => ({ position: placeAt(x, y, z) })
    const file = (code: string, day: number, equipment?: Equipment, type = '01D_30S_MO.crx') => ({
      directory: `obs/2026/00${day}`,
      name: `${code}_R_2026${String(day).padStart(3, '0')}0000_${type}.gz`,
      equipment,
    })
    const { reader } = await catalogued(t, [
      file('GRAZ00AUT', 1, place(6_371_000, 0, 0)),
      file('GRAZ00AUT', 3, { position }),
      file('GRAZ00AUT', 2, place(0, 6_371_000, 0)),
      // Neither navigation files nor those without a position say anything.
      file('GRAZ00AUT', 4, place(0, 0, 6_371_000), '01D_MN.rnx'),
      file('GRAZ00AUT', 4, { agency: 'none' }),
      file('FAA100PYF', 3, place(-5_245_200, -3_080_480, -1_912_830)),
      file('ZIMM00CHE', 1, place(4_331_300, 567_540, 4_633_130)),
      file('ZIMM00CHE', 3),
      file('WTZR00DEU', 1),
      {
        directory: 'obs/2026/005',
        name: 'faa10050.26d.gz',
        equipment: place(-5_246_000, -3_080_480, -1_912_830),
      },
    ])
    const found = await reader.stationPositions()
    const wanted = {
      FAA100PYF: placeAt(-5_246_000, -3_080_480, -1_912_830),
      GRAZ00AUT: position,
      ZIMM00CHE: placeAt(4_331_300, 567_540, 4_633_130),
    }
    t.strictSame(
      Object.fromEntries(found.map(({ code, ...place }) => [code, place])),
      Object.fromEntries(
        Object.entries(wanted).map(([code, { latitude, longitude }]) => [
          code,
          { latitude, longitude },
        ]),
      ),
    )
    const { reader: empty } = await catalogued(t, [file('GRAZ00AUT', 1)])
    t.strictSame(await empty.stationPositions(), [])
  },
)
