/** The types of receivers and antennas that headers name, with the files of each. */
import type { Equipment } from '../../rinex/facts.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'
import { sumOfColumn } from '../tables/count-tables.ts'
import type { QuestionContext } from './context.ts'

/** The equipment that has types; a type of antenna stands with its radome. */
export type TypedEquipment = 'receiver' | 'antenna'

/** The files whose headers name a type, in upper or lower case. */
export interface TypeGroup {
  /** The type and the radome in lower case; the latter is '' if the headers say none. */
  readonly type: string
  readonly radome: string
  /** Both in one text. */
  readonly words: string
  readonly files: number
  /** False if a filter of files by this type finds more: those with a radome too. */
  readonly isFilter: boolean
  /** Ids of the rows of `equipment` that name it, from old to new. */
  readonly equipment: readonly number[]
}

/** A file with the row of `equipment` that it has. */
interface NewestFile {
  readonly id: number
  readonly name: string
  readonly equipment: Equipment
}

/** Number of the newest files that are read for examples. */
const newestFacts = 10_000

/** All types that files have. */
export function* typeGroups(
  of: TypedEquipment,
  { lookups }: QuestionContext,
): Question<TypeGroup[]> {
  const known = yield* lookups.headers.equipment()
  const counts = yield* rows<[equipment: number, files: number]>(
    `SELECT equipment, ${sumOfColumn('files')} FROM fact_count WHERE equipment <> 0
     GROUP BY equipment ORDER BY equipment`,
  )
  const types = new Map<string, Map<string, { files: number; equipment: number[] }>>()
  for (const [id, files] of counts) {
    const { [of]: type = '', radome: ofAntenna = '' } = known.get(id) ?? {}
    if (type === '') continue
    const radome = of === 'antenna' ? ofAntenna : ''
    const radomes = types.get(type) ?? new Map<string, never>()
    const group = radomes.get(radome) ?? { files: 0, equipment: [] }
    group.files += files
    group.equipment.push(id)
    if (group.equipment.length === 1) types.set(type, radomes.set(radome, group))
  }
  return [...types].flatMap(([type, radomes]) =>
    Array.from(radomes, ([radome, group]) => ({
      ...group,
      type,
      radome,
      words: `${type} ${radome}`.trim(),
      isFilter: radome !== '' || radomes.size === 1,
    })),
  )
}

/**
 * The newest file (highest id) of each group. If none of the newest files of the catalogue is in a
 * group, it is the newest one with the equipment that was added last.
 */
export function* newestFiles(
  groups: readonly TypeGroup[],
  { dialect }: QuestionContext,
): Question<ReadonlyMap<TypeGroup, NewestFile>> {
  const groupOf = new Map(groups.flatMap((group) => group.equipment.map((id) => [id, group])))
  const newest = new Map<TypeGroup, number>()
  const keep = (found: readonly [equipment: number, file: number][]): void => {
    for (const [equipment, file] of found) {
      const group = groupOf.get(equipment)
      if (group !== undefined) newest.set(group, Math.max(newest.get(group) ?? 0, file))
    }
  }
  keep(
    yield* rows(
      `SELECT equipment, max(id) FROM (SELECT id, equipment FROM fact ORDER BY id DESC LIMIT ${newestFacts}) AS n
       WHERE equipment IS NOT NULL GROUP BY equipment`,
    ),
  )
  const last = groups.filter((group) => !newest.has(group)).map(({ equipment }) => equipment.at(-1))
  keep(
    yield* rows(
      `SELECT n.equipment, max((
         SELECT x.id FROM fact x ${dialect.using('fact_counted')}
         WHERE coalesce(x.equipment, 0) = +n.equipment AND x.flags = n.flags
           AND coalesce(x.observables, 0) = +n.observables
         ORDER BY x.id DESC LIMIT 1))
       FROM fact_count n WHERE ${dialect.isIn('n.equipment', 'last')} GROUP BY n.equipment`,
      { last: last.flatMap((id) => id ?? []) },
    ),
  )
  const files = yield* rows<[id: number, name: string, json: string]>(
    `SELECT f.id, f.name, e.json FROM fact x JOIN file f ON f.id = x.id
     JOIN equipment e ON e.id = x.equipment WHERE ${dialect.isIn('x.id', 'ids')}`,
    { ids: [...newest.values()] },
  )
  const fileOf = new Map(
    files.map(([id, name, json]) => [id, { id, name, equipment: JSON.parse(json) as Equipment }]),
  )
  return new Map(
    [...newest].flatMap(([group, id]) => {
      const file = fileOf.get(id)
      return file === undefined ? [] : [[group, file] as const]
    }),
  )
}
