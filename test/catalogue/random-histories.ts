/** Random histories of a catalogue: all that an indexer writes. */
import type { DirectoryChange, NewFile } from '../../src/catalogue/updates/change.ts'
import type { Checksum } from '../../src/catalogue/updates/checksum-rows.ts'
import type { KnownFile } from '../../src/catalogue/updates/known.ts'
import type { CatalogueWriter } from '../../src/catalogue/updates/writer.ts'
import { fc } from '../random.ts'
import type { OpenedCatalogue } from './catalogue.ts'
import { checksumOf, facts, identity, stamp } from './catalogue.ts'
import { change, newFile } from './change.ts'
import { someFacts } from './some-facts.ts'

/** The time of the clock at the beginning. */
export const startUs = Date.UTC(2026, 0, 3) * 1000

export const directories = ['obs/2026/001', 'nrt/2026/001/05', 'obs/odd', 'obs/2026/002'] as const
/** One site with two long codes, one with a short code only, one with both. */
export const codes = ['GRAZ', 'GRAZ00AUT', 'GRAZ01DEU', 'ZIMM', 'WTZR', 'WTZR00DEU']
export const countries = ['AUT', 'DEU']
/** Days since 1970 on which data begin: 1960, 2026 and 2300. */
export const days = [-3652, 20_454, 20_455, 120_529]
const dates = ['1960001', '2026001', '2026002', '2300001']

export const names = codes.flatMap((code) =>
  code.length === 4
    ? ['0', 'f', 'f15'].flatMap((session) => [
        `${code.toLowerCase()}001${session}.26d.gz`,
        `${code}002${session}.26n.gz`,
      ])
    : dates.flatMap((date) => [
        `${code}_R_${date}0000_01D_30S_MO.crx.gz`,
        `${code}_S_${date}0500_01H_30S_MO.crx.gz`,
        `${code}_U_${date}0515_15M_01S_MO.crx.gz`,
        `${code}_R_${date}0000_01D_MN.rnx.gz`,
      ]),
)

const acts = {
  arrive: 6,
  scan: 3,
  remove: 3,
  modify: 3,
  hash: 4,
  rehash: 1,
  attributes: 1,
  hashAgain: 1,
  reject: 2,
  refuse: 1,
  gone: 1,
  withhold: 1,
  purge: 1,
  jump: 1,
  pass: 1,
  beat: 1,
  repair: 1,
} as const

const act = fc.oneof(
  ...Object.entries(acts).map(([does, weight]) => ({
    weight,
    arbitrary: fc.constant(does as keyof typeof acts),
  })),
)

export interface Step {
  readonly does: keyof typeof acts
  /** The place of a directory. */
  readonly directory: number
  /** Places of names. */
  readonly files: readonly number[]
  readonly size: number
}

export const history: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    does: act,
    directory: fc.nat(directories.length - 1),
    files: fc.uniqueArray(fc.nat(names.length - 1), { minLength: 1, maxLength: 30 }),
    size: fc.integer({ min: 1, max: 9 }),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Does a step. @returns what the writer says */
export async function take(
  { writer, clock, setNextId }: Pick<OpenedCatalogue, 'writer' | 'clock' | 'setNextId'>,
  step: Step,
): Promise<unknown> {
  const { does, size } = step
  const [path, files] = [directories[step.directory] ?? '', await filesOf(writer, step)]
  if (does === 'jump') return setNextId(262_144 + size)
  if (does === 'pass') return void (clock.us += size * 3_600_000_000)
  if (does === 'beat') return writer.setAsOf({ atUs: clock.us, limitSeconds: size })
  if (does === 'purge') return writer.purgeRemovals(clock.us - size * 10)
  if (does === 'repair') return writer.repairCounts()
  if (does === 'hash') return writer.keepChecksums(checksumsOf(files.known, size), size * 10)
  if (does === 'hashAgain') {
    const ids = files.known.map(({ id }) => id)
    return writer.hashAgain(ids, clock.us - size)
  }
  const { refused, ...applied } = await writer.apply(changesOf(does, path, files, size))
  return { ...applied, refused: refused.map(({ path }) => path) }
}

interface Files {
  readonly known: readonly { id: number; name: string; size: number; mtimeUs: number }[]
  readonly added: readonly NewFile[]
  /** All files of the directory. */
  readonly all: readonly number[]
}

async function filesOf(writer: CatalogueWriter, step: Step): Promise<Files> {
  const known =
    (await writer.directory(directories[step.directory] ?? ''))?.files ??
    new Map<string, KnownFile>()
  const wanted = step.files.map((file) => names[file] ?? '')
  return {
    known: wanted.flatMap((name) => {
      const found = known.get(name)
      return found === undefined ? [] : [{ name, ...found }]
    }),
    added: wanted
      .filter((name) => !known.has(name))
      .map((name, index) => ({
        ...newFile(name, { size: step.size + (index % 3), mtimeUs: step.size }),
        ...(index % 5 === 1 && { incomplete: true }),
      })),
    all: [...known.values()].map(({ id }) => id),
  }
}

function checksumsOf(known: Files['known'], size: number): Checksum[] {
  return known.map((file, index) =>
    checksumOf(file.id, {
      size: file.size,
      mtimeUs: index % 7 === 6 ? size + 1 : file.mtimeUs,
      sha256: Buffer.alloc(32, file.id % 251),
      facts: (index + size) % 5 === 4 ? undefined : someFacts(file.id + size),
      rested: index % 6 !== 5,
      problem: ([undefined, 'broken', 'incomplete', undefined] as const)[(index + size) % 4],
    }),
  )
}

/** Every third file was not seen arriving; the others came at different times. */
function arrivingAt(file: NewFile, index: number, size: number): NewFile {
  return index % 3 === 2 ? file : { ...file, arrivalUs: startUs + index * size * 1_000_000 }
}

function changesOf(does: Step['does'], path: string, files: Files, size: number) {
  const ids = files.known.map(({ id }) => id)
  const changed = files.known.map(({ id, name }) => ({ id, name, size, mtimeUs: size }))
  const [first] = files.added
  const parts: Partial<Record<Step['does'], Partial<DirectoryChange>>> = {
    arrive: { added: files.added.map((file, index) => arrivingAt(file, index, size)), stamp },
    scan: { added: files.added, directories: [`${path}/new${size}`] },
    remove: { removed: ids },
    modify: { modified: changed },
    rehash: { rehash: ids },
    attributes: {
      attributes: ids.map((id) => ({
        id,
        identity: { ...identity, ...facts, ctimeUs: size, links: 2 },
        boundCtimeUs: identity.ctimeUs,
      })),
    },
    reject: {
      rejections: [
        { reason: size % 2 === 0 ? 'not-gz' : 'symlink', count: size, names: names.slice(0, size) },
        { reason: 'empty', count: 1, names: ['\u00e4\ufffd "\\%'] },
      ],
    },
    // A name twice: the change of this directory is refused, the other one is applied.
    refuse: { added: first === undefined ? [] : [...files.added, first] },
    gone: { removed: files.all, gone: true },
    withhold: { withheldSinceUs: startUs + size },
  }
  const other = change('obs/2026/003', { added: [] })
  return [change(path, { ...parts[does] }), ...(does === 'refuse' ? [other] : [])]
}
