/**
 * Whatever the bytes: the reader never throws, its answer is plain data, and is the same in
 * whatever pieces the bytes come. `SLOW=1` reads a million texts, and checks the time of each.
 */
import type { Facts } from '../../../src/rinex/facts.ts'
import { flagNames } from '../../../src/rinex/facts.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { compactText } from '../hatanaka.ts'
import { entriesOf, madeUp } from '../made-up.ts'
import { labelled, plainText } from '../model.ts'
import { contentOf, factsIn, judged } from '../reading.ts'
import { lacksRealFiles, realPaths, realText } from '../real-archive.ts'

const isSlow = process.env['SLOW'] === '1'
const runs = isSlow ? 250_000 : 1000
/** Of a text, all its pieces, and its facts. */
const longestMs = 50

const names = [
  'GRAZ00AUT_R_20240010000_01H_30S_MO.crx.gz',
  'GRAZ00AUT_R_20240010000_01D_MO.rnx.gz',
  'GRAZ00AUT_R_20240010000_00U_05Z_EN.rnx.gz',
  'graz001a.24o.gz',
  'graz0010.24d.gz',
  'graz0010.96m.gz',
]

/** Beginnings of files, short so that many can be read. */
const texts: Buffer[] = [
  ...(['2.11', '3.04', '4.00'] as const).flatMap((version) =>
    [plainText, compactText].flatMap((write) =>
      (['\n', '\r\n'] as const).map((newline) => {
        const file = madeUp(version, newline, entriesOf(30, 30, version === '2.11'))
        return Buffer.from(write(file).text.slice(0, 12_000))
      }),
    ),
  ),
  ...(lacksRealFiles() === false ? realPaths() : [])
    .filter((path) => path.endsWith('.gz'))
    .map((path) => realText(path).subarray(0, 16_000)),
]

/** Parts of headers and epochs, which random bytes never are. */
const words = [
  labelled('     3.04           OBSERVATION DATA    M', 'RINEX VERSION / TYPE') + '\n',
  labelled('     2.11           OBSERVATION DATA    M', 'RINEX VERSION / TYPE') + '\n',
  labelled('3.0                 COMPACT RINEX FORMAT', 'CRINEX VERS   / TYPE') + '\n',
  labelled('1.0                 COMPACT RINEX FORMAT', 'CRINEX VERS   / TYPE') + '\n',
  labelled('program', 'CRINEX PROG / DATE') + '\n',
  labelled('G  999 C1C L1C', 'SYS / # / OBS TYPES') + '\n',
  labelled('999999', '# / TYPES OF OBSERV') + '\n',
  labelled('    -1', '# / TYPES OF OBSERV') + '\n',
  labelled('      1e-9', 'INTERVAL') + '\n',
  labelled('      1e99', 'INTERVAL') + '\n',
  labelled('', 'END OF HEADER') + '\n',
  '> 2024 01 01 00 00  0.0000000  0  1',
  '> 2024 01 01 00 00  0.0000000  0999',
  '> 9999 99 99 99 99 99.9999999  0  1',
  '> 2024 01 01 00 00  0.0000000  4999',
  '> 2024 01 01 00 00  0.0000000  6 -1',
  ' 24  1  1  0  0  0.0000000  0 13G01G02G03G04G05G06G07G08G09G10G11G12',
  '&24  1  1  0  0  0.0000000  0  1G01',
  '                            4  1',
  '\n',
  '\r\n',
  '\x1a',
  '&',
  '\t',
  '\0\0\0\0',
  '\xff\xfe',
].map((text) => Buffer.from(text, 'latin1'))

const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const word = fc.constantFrom(...words)
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  /** Bytes that are left out. */
  length: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 4000 })),
  /** What is put there instead. */
  text: fc.oneof(noise, word, fc.constant(Buffer.alloc(0))),
})
const changed = fc
  .tuple(fc.constantFrom(...texts), fc.array(change, { maxLength: 6 }))
  .map(([text, changes]) =>
    changes.reduce((now, { at, length, text: put }) => {
      const place = Math.floor(at * now.length)
      return Buffer.concat([now.subarray(0, place), put, now.subarray(place + length)])
    }, text),
  )
const putTogether = fc
  .array(fc.oneof(word, word, noise), { maxLength: 40 })
  .map((parts) => Buffer.concat(parts))
const spliced = fc
  .tuple(changed, changed)
  .map(([one, other]) => Buffer.concat([one.subarray(0, one.length >> 1), other]))

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,6}[1-9])?$/.test(text) && !isNaN(Date.parse(text))
}

/** What is wrong with facts by themselves. */
function faultOf(facts: Facts, bytes: Uint8Array): string | undefined {
  const flags = facts.flags.map(({ flag }) => flag)
  const ordered = flagNames.filter((name) => flags.includes(name))
  if (ordered.join() !== flags.join()) return `the order of ${flags.join()}`
  if (flags.length > 1 && /no-header|empty/.test(flags.join())) return `not alone: ${flags.join()}`
  if (facts.flags.some(({ says }) => says.trim() === '')) return 'a flag without a sentence'
  if (facts.flags.some(({ says }) => says.length > 500)) return 'a sentence without an end'
  if (JSON.stringify(facts).length > 400_000) return 'facts without an end'
  const { epochs = 0, share = 0, expected_epochs: expected = 1, first, last } = facts
  if (
    first !== undefined &&
    last !== undefined &&
    !(isTime(first) && isTime(last) && first <= last)
  )
    return `from ${first} to ${last}`
  if ((first === undefined) !== (epochs === 0)) return `${epochs} epochs from ${first ?? 'nothing'}`
  if (epochs * 20 > bytes.length) return `${epochs} epochs`
  if (!(share >= 0 && share <= 1)) return `a share of ${share}`
  if (!(Number.isInteger(expected) && expected > 0)) return `${expected} epochs expected`
  return undefined
}

/** A text whose message of a failure is short; seed and path of the failure make it again. */
class Text {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  [fc.toStringMethod](): string {
    return `${this.bytes.length} bytes: ${JSON.stringify(this.bytes.toString('latin1', 0, 500))}`
  }
}

function check({ bytes }: Text, name: string, sizes: readonly number[]): void {
  const read = () => factsIn(bytes, name, () => bytes.length)
  const whole = read()
  if (isSlow && timeOf(read) > longestMs) throw new Error(`${longestMs} ms for one text`)
  let index = 0
  const inPieces = factsIn(bytes, name, () => sizes[index++ % sizes.length] ?? 1)
  if (JSON.stringify(inPieces) !== JSON.stringify(whole))
    throw new Error(`${JSON.stringify(inPieces)} in pieces, ${JSON.stringify(whole)} in one`)
  const fault = faultOf(whole, bytes)
  if (fault !== undefined) throw new Error(`${fault}: ${JSON.stringify(whole)}`)
}

/** The time of a call in milliseconds; the least of several, because other processes run too. */
function timeOf(read: () => unknown): number {
  let leastMs = Infinity
  for (let again = 0; again < 5 && leastMs > longestMs; again++) {
    const startedMs = performance.now()
    read()
    leastMs = Math.min(leastMs, performance.now() - startedMs)
  }
  return leastMs
}

const name = fc.constantFrom(...names)
const sizes = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5000 })),
  {
    minLength: 1,
    maxLength: 8,
  },
)

for (const [title, bytes] of [
  ['random bytes', noise],
  ['changed files', changed],
  ['lines in any order', putTogether],
  ['two files in one', spliced],
] as const)
  t.test(`${title} give the same facts in whatever pieces`, async (t) => {
    const text = bytes.map((each) => new Text(each))
    fc.assert(fc.property(text, name, sizes, check), { numRuns: runs })
    t.pass()
  })

t.test('the content is plain data', async (t) => {
  for (const text of texts)
    for (const each of names) {
      const content = contentOf(text)
      t.strictSame(judged(structuredClone(content), each), judged(content, each), each)
    }
})
