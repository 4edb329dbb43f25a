/** Makes the answer about the archive from what catalogue and disks say. Pure. */
import type { DayVolume, KindVolume, Volumes } from '../../catalogue/questions/volumes.ts'
import type { Volume } from '../../catalogue/sums.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import { dayToIso, momentOrNull } from '../../parse/calendar.ts'
import { csvText } from '../http/send.ts'
import { shareOrNull } from '../series/series-fields.ts'
import type { ArchiveDisk } from './disks.ts'
import type { WireArchive } from './schema.ts'

/** Number of days before today that are listed one by one. */
export const shownDays = 400

interface ArchiveSources {
  readonly volumes: Volumes
  readonly disks: readonly ArchiveDisk[]
  /** The UTC day since 1970. */
  readonly today: number
  /** Number of slots that are half; `undefined` until the first scan has ended. */
  readonly half: number | undefined
}

export function serialiseArchive(sources: ArchiveSources): WireArchive {
  const { volumes, disks, today, half } = sources
  const { totals, months, days, hashed } = volumes
  const all = sumOfVolumes(totals)
  const groups = groupsOf(totals, months)
  return {
    ...all,
    years: months === undefined ? null : sumsBy(groups, ({ year }) => ({ year: year ?? '' })),
    areas: sumsBy(groups, ({ area }) => ({ area })),
    types: sumsBy(groups, ({ file_type }) => ({ file_type })),
    periods: sumsBy(groups, ({ period }) => ({ period })),
    groups,
    days: days === undefined ? null : everyDay(days, today),
    disks: disks.map(serialiseDisk),
    half: half ?? null,
    checksums: {
      files: hashed.files,
      share: shareOrNull(all.files === 0 ? undefined : Math.min(1, hashed.files / all.files)),
      stale: hashed.stale,
      oldest: momentOrNull(hashed.oldestUs),
      newest: momentOrNull(hashed.newestUs),
    },
  }
}

export function serialiseDisk({ holds, space }: ArchiveDisk) {
  return { holds, free_bytes: space?.freeBytes ?? null, total_bytes: space?.totalBytes ?? null }
}

type WireGroup = WireArchive['groups'][number]

/** The files of each year, or all without years as long as the months are not counted. */
function groupsOf(totals: readonly KindVolume[], months: Volumes['months']): readonly WireGroup[] {
  const known: readonly (KindVolume & { readonly month?: string })[] = months ?? totals
  const named = known.map(({ month, area, fileType, period, ...volume }) => {
    const year = month?.slice(0, 'yyyy'.length) ?? null
    return { year, area, file_type: fileType, period: period ?? null, ...volume }
  })
  return sumsBy(named, ({ year, area, file_type, period }) => ({ year, area, file_type, period }))
}

/** Adds up volumes by a key, sorted by it. */
function sumsBy<Key extends object>(
  groups: readonly WireGroup[],
  keyOf: (group: WireGroup) => Key,
): (Key & Volume)[] {
  const byKey = Map.groupBy(groups, (group) => Object.values(keyOf(group)).join())
  return [...byKey]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) =>
      first === undefined ? [] : [{ ...keyOf(first), ...sumOfVolumes([first, ...others]) }],
    )
}

/** Each of the last days, also those without files. */
function everyDay(days: readonly DayVolume[], today: number) {
  const byDay = Map.groupBy(days, ({ day }) => day)
  return Array.from({ length: shownDays + 1 }, (_, index) => {
    const day = today - shownDays + index
    return { date: dayToIso(day), ...sumOfVolumes(byDay.get(day) ?? []) }
  })
}

/** The groups as CSV. */
export function archiveCsv({ groups }: WireArchive): string {
  const columns = ['year', 'area', 'file_type', 'period', 'files', 'bytes'] as const
  return csvText(
    columns,
    groups.map((group) => columns.map((name) => group[name])),
  )
}
