/** What the headers of the files say, in memory between questions: which rows a filter means. */
import type { Observables, Position } from '../../rinex/facts.ts'
import { isInBox } from '../../series/station-places.ts'
import { toDegrees } from '../facts/values.ts'
import type { FileFilter, HeaderText } from '../filter.ts'
import { inLowerCase } from '../filter.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'

/** True for a row that meets a condition. */
type Test<Row> = (row: Row) => boolean

/** Texts in lower case, '' if the header does not say them; angles in degrees. */
export interface EquipmentRow extends Readonly<
  Record<Exclude<HeaderText, 'rinex_version'>, string>
> {
  readonly place: Pick<Position, 'latitude' | 'longitude'> | undefined
}

interface ObservablesRow {
  readonly rinex_version: string
  readonly systems: readonly string[]
  readonly signals: readonly string[]
}

/** The ids of the rows that a filter means; without a condition on them `undefined`. */
export interface HeaderIds {
  readonly equipment: readonly number[] | undefined
  readonly observables: readonly number[] | undefined
}

/** The tables `equipment` and `observables`, whose rows are only added. */
export class Headers {
  readonly #equipment = new Map<number, EquipmentRow>()
  readonly #observables = new Map<number, ObservablesRow>();

  /** Reads what was added to the tables that the filter has conditions on. */
  *select(filter: FileFilter): Question<HeaderIds> {
    const [ofEquipment, ofObservables] = [equipmentTests(filter), observablesTests(filter)]
    if (ofEquipment.length > 0) yield* added(equipmentSql, this.#equipment, toEquipment)
    if (ofObservables.length > 0) yield* added(observablesSql, this.#observables, toObservables)
    return {
      equipment: idsOf(this.#equipment, ofEquipment),
      observables: idsOf(this.#observables, ofObservables),
    }
  }

  /** All rows of `equipment` by their ids. */
  *equipment(): Question<ReadonlyMap<number, EquipmentRow>> {
    yield* added(equipmentSql, this.#equipment, toEquipment)
    return this.#equipment
  }
}

function idsOf<Row>(
  table: ReadonlyMap<number, Row>,
  tests: readonly Test<Row>[],
): readonly number[] | undefined {
  if (tests.length === 0) return undefined
  const ids: number[] = []
  for (const [id, row] of table) if (tests.every((test) => test(row))) ids.push(id)
  return ids
}

/** What these have read stays known if the question is ended because it takes too long. */
const rowsPerStatement = 2000

/** Reads the new rows of a table by SQL for those above an id; `toRow` gets their other columns. */
function* added<Row>(
  sql: string,
  known: Map<number, Row>,
  toRow: (...columns: never[]) => Row,
): Question<void> {
  let last = 0
  for (const id of known.keys()) last = id
  for (let count = rowsPerStatement; count === rowsPerStatement;) {
    const found = yield* rows<[id: number, ...columns: never[]]>(sql, { last })
    for (const [id, ...columns] of found) known.set((last = id), toRow(...columns))
    count = found.length
  }
}

// Parsing the JSON of tens of thousands of rows would take tenths of a second.
const equipmentSql = `SELECT id, receiver, firmware, antenna, radome, latitude, longitude
  FROM equipment WHERE id > @last ORDER BY id LIMIT ${rowsPerStatement}`

function toEquipment(
  receiver: string | null,
  firmware: string | null,
  antenna: string | null,
  radome: string | null,
  latitude: number | null,
  longitude: number | null,
): EquipmentRow {
  const hasPlace = latitude !== null && longitude !== null
  return {
    receiver: inLowerCase(receiver ?? ''),
    firmware: inLowerCase(firmware ?? ''),
    antenna: inLowerCase(antenna ?? ''),
    radome: inLowerCase(radome ?? ''),
    place: hasPlace
      ? { latitude: toDegrees(latitude), longitude: toDegrees(longitude) }
      : undefined,
  }
}

const observablesSql = `SELECT id, json FROM observables WHERE id > @last
  ORDER BY id LIMIT ${rowsPerStatement}`

function toObservables(json: string): ObservablesRow {
  const { rinex_version = '', systems = [], signals = {} } = JSON.parse(json) as Observables
  const all = new Set(Object.values(signals).flat())
  return { rinex_version: inLowerCase(rinex_version), systems, signals: [...all] }
}

function equipmentTests(filter: FileFilter): Test<EquipmentRow>[] {
  const { box } = filter
  const texts = (['receiver', 'firmware', 'antenna', 'radome'] as const).flatMap((text) =>
    textTests(filter, text).map((test) => (row: EquipmentRow) => test(row[text])),
  )
  if (box === undefined) return texts
  return [...texts, ({ place }) => place !== undefined && isInBox(place, box)]
}

function observablesTests(filter: FileFilter): Test<ObservablesRow>[] {
  const { systems, signals } = filter
  const tests: Test<ObservablesRow>[] = textTests(filter, 'rinex_version').map(
    (test) => (row) => test(row.rinex_version),
  )
  if (systems !== undefined) tests.push((row) => row.systems.some((each) => systems.includes(each)))
  if (signals !== undefined) tests.push((row) => row.signals.some((each) => signals.includes(each)))
  return tests
}

/** A file whose header does not say a text has '', which no condition is met by. */
function textTests(filter: FileFilter, text: HeaderText): Test<string>[] {
  const { [text]: whole, [`${text}Begins` as const]: begins } = filter
  const tests: Test<string>[] = []
  if (whole !== undefined) tests.push((value) => value !== '' && whole.includes(value))
  if (begins !== undefined)
    tests.push((value) => value !== '' && begins.some((begin) => value.startsWith(begin)))
  return tests
}
