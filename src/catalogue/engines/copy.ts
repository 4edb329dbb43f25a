/**
 * Copies a catalogue to another database, of any engine: all rows as they are, in the order of
 * their keys, so that the highest key of the target says where an interrupted copy continues.
 */
import { createHash } from 'node:crypto'
import { UnusableDatabase } from '../errors.ts'
import type { Ask, Row } from '../question.ts'
import { execute } from '../question.ts'
import type { CopiedTable } from '../updates/copy.ts'
import {
  begin,
  catalogue,
  copied,
  countRows,
  epochOf,
  finish,
  highestKey,
  identityOfCatalogue,
  identityOfTarget,
  insertion,
  others,
  rowsAfter,
  tables,
} from '../updates/copy.ts'
import type { CatalogueWriter, CopyTarget } from '../updates/writer.ts'

/** A table in source and target: the number of its rows, and SHA-256 of all of them. */
interface ComparedTable {
  readonly name: string
  readonly count: number
  readonly sha256: string
  readonly isEqual: boolean
}

interface Copying {
  readonly source: CatalogueWriter
  readonly target: CopyTarget
  /** Called before each step with words for it. */
  readonly onStep: (step: string) => void
  /** Called with the number of rows copied or compared, and of all of them. */
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Makes the target equal to the source, or continues that; a complete copy is only compared.
 * @returns the tables; if one of them differs, the target is not finished
 * @throws UnusableDatabase if the target has another catalogue
 */
export async function copyCatalogue(copying: Copying): Promise<ComparedTable[]> {
  const { source, target, onStep, onProgress } = copying
  const { dialect, read, write } = target.engine
  // The target is complete, so the source must be: a first scan may have been interrupted.
  await buildAll(source)
  const isFrom = await source.engine.read(identityOfCatalogue)
  const found = await read(() => identityOfTarget(dialect))
  const isOfSource = epochOf(found.identity) === epochOf(isFrom)
  if (!isOfSource && !found.isEmpty)
    throw new UnusableDatabase('the target has another catalogue: remove it, or name another one')
  const total = 3 * (await source.engine.read(countRows))
  let done = total / 3
  const advance = (rows: number): void => {
    onProgress((done += rows), total)
  }
  const compare = async (compared: readonly CopiedTable[]): Promise<ComparedTable[]> => {
    const found: ComparedTable[] = []
    for (const table of compared) {
      onStep(`comparing ${table.name}`)
      const sides = [source, target].map(({ engine }) => digest(parts(engine.read, table, advance)))
      const [{ count, sha256 }, other] = (await Promise.all(sides)) as [TableDigest, TableDigest]
      found.push({ name: table.name, count, sha256, isEqual: sha256 === other.sha256 })
    }
    return found
  }
  if (isOfSource && !found.isUnfinished) return compare(tables)
  // A copy of a source that was written meanwhile cannot be continued.
  if (found.identity !== isFrom) await write(() => begin(dialect, isFrom))
  done = await read(countRows)
  for (const table of copied) {
    onStep(`copying ${table.name}`)
    const highest = await read(() => highestKey(table))
    for await (const part of parts(source.engine.read, table, advance, highest))
      await write(() => execute(insertion(dialect, table, part)))
  }
  onStep('building the indexes')
  await buildAll(target)
  const compared = await compare(others)
  if (!compared.every(({ isEqual }) => isEqual)) return compared
  await write(() => finish(dialect, isFrom))
  return [...compared, ...(await compare([catalogue]))]
}

async function buildAll(side: CopyTarget): Promise<void> {
  while ((await side.buildIndexes()).left > 0);
}

type TableDigest = Awaited<ReturnType<typeof digest>>

async function digest(parts: AsyncIterable<readonly Row[]>) {
  const hash = createHash('sha256')
  let count = 0
  for await (const part of parts) {
    hash.update(JSON.stringify(part))
    count += part.length
  }
  return { count, sha256: hash.digest('hex') }
}

/** All rows after a key in parts, which are the same in equal tables. */
async function* parts(
  read: Ask,
  table: CopiedTable,
  onRows: (rows: number) => void,
  after?: Row,
): AsyncGenerator<readonly Row[]> {
  const names = Object.keys(table.columns)
  for (let key = after; ;) {
    const past = key
    const part = await read(() => rowsAfter(table, past))
    const end = part.at(-1)
    if (end === undefined) return
    yield part
    onRows(part.length)
    key = table.key.map((column) => end[names.indexOf(column)])
  }
}
