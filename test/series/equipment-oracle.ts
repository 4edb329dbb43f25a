/** Slow references: the stretches of a station from its files, a day at a time. */
import type { EquippedFile } from '../../src/series/equipment.ts'

export interface OracleStretch {
  readonly from: number
  readonly to: number
  readonly files: readonly string[]
  readonly odd: boolean
  readonly changed: readonly string[]
  readonly moved: number | null
}

const dayOf = (file: EquippedFile): number => Math.floor(file.startSeconds / 86_400)

/** Text that sorts as the files of a day are preferred. */
function rank(file: EquippedFile): string {
  const length = String(9e9 - (file.spanSeconds ?? 0)).padStart(12, '0')
  const source = file.source === '' ? 'ZZ' : file.source
  const start = String(file.startSeconds + 9e9).padStart(12, '0')
  const content = `${file.name} ${JSON.stringify(file.equipment)}`
  return [length, file.isDamaged ? 'b' : 'a', source, start, content].join()
}

/** The files that speak for their days. */
export function oracleDays(files: readonly EquippedFile[]): EquippedFile[] {
  const observed = files.filter(({ type }) => type === 'o')
  const days = [...new Set(observed.map(dayOf))].sort((a, b) => a - b)
  return days.flatMap((day) => {
    const own = observed.filter((file) => dayOf(file) === day)
    return own.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, 1)
  })
}

function metres(a: EquippedFile, b: EquippedFile): number | null {
  const [one, two] = [a.equipment.position, b.equipment.position]
  if (one === undefined || two === undefined) return null
  return Math.sqrt((one.x - two.x) ** 2 + (one.y - two.y) ** 2 + (one.z - two.z) ** 2)
}

function differences(a: EquippedFile, b: EquippedFile): string[] {
  const text = (value: unknown): string => JSON.stringify(value ?? null)
  const [before, after] = [a.equipment, b.equipment]
  const marker = ({ marker = {} }: typeof before) => [marker.name ?? '', marker.number ?? '']
  const found = []
  if (text(before.receiver) !== text(after.receiver)) found.push('receiver')
  if (text(before.antenna) !== text(after.antenna)) found.push('antenna')
  if (text(marker(before)) !== text(marker(after))) found.push('marker')
  const one = [before.position, after.position].filter(Boolean).length === 1
  if (one || (metres(a, b) ?? 0) > 100) found.push('position')
  return found
}

/** Stretches with their own files; `changed` compares with the one before that is not odd. */
export function oracleStretches(files: readonly EquippedFile[]): OracleStretch[] {
  const groups: { files: [EquippedFile, ...EquippedFile[]]; odd: boolean }[] = []
  const days = oracleDays(files)
  const isLike = (first: EquippedFile, file: EquippedFile): boolean =>
    differences(first, file).length === 0
  for (let index = 0; index < days.length;) {
    const file = days[index] as EquippedFile
    const before = groups.findLast(({ odd }) => !odd)
    if (before !== undefined && isLike(before.files[0], file)) {
      before.files.push(file)
      index++
      continue
    }
    let end = index
    while (end < days.length && isLike(file, days[end] as EquippedFile)) end++
    const after = days[end]
    const isBetween = before !== undefined && after !== undefined && isLike(before.files[0], after)
    const own = days.slice(index, end) as [EquippedFile, ...EquippedFile[]]
    groups.push({ files: own, odd: end - index < 3 && isBetween })
    index = end
  }
  return groups.map(({ files: own, odd }, index) => {
    const before = groups.slice(0, index).findLast((each) => !each.odd)
    const changed = before === undefined ? [] : differences(before.files[0], own[0])
    const moved = before && changed.includes('position') ? metres(before.files[0], own[0]) : null
    const [from, to] = [dayOf(own[0]), dayOf(own.at(-1) as EquippedFile)]
    return { from, to, files: own.map(({ name }) => name), odd, changed, moved }
  })
}
