/** What the page of the archive says in sentences. Pure. */
import { monthWords } from '../pages/date-words.ts'
import {
  counted,
  readableNumber,
  readableShare,
  readableSize,
  readableTime,
} from '../pages/labels.ts'
import type { WireArchive } from './schema.ts'

export const files = (count: number): string => counted(count, 'file', 'files')

/** `1.4 GB`; an empty text if no size is known. */
export function sizeOf({
  bytes,
  sized,
}: {
  readonly bytes: number
  readonly sized: number
}): string {
  return sized === 0 ? '' : readableSize(bytes)
}

export function sentencesOf(wire: WireArchive): readonly string[] {
  if (wire.files === 0)
    return ['The catalogue has no files yet. They are expected in the areas obs and nrt.']
  const unknown = wire.files - wire.sized
  const size = sizeOf(wire)
  const sizes = unknown === 0 ? '' : ` The size of ${files(unknown)} is not known yet.`
  return [
    `${files(wire.files)}${size === '' ? '' : `, ${size}`}.${sizes}`,
    growthSentence(wire),
    ...fullSentences(wire),
  ]
}

function growthSentence({ years, growth, growth_28d: recent }: WireArchive): string {
  if (years === null) return 'The first scan has not ended: years and days are counted at its end.'
  if (growth === null)
    return 'How fast the archive grows is known when it has data of seven days before today.'
  const ofDays = recent === null ? '' : `, by ${perDay(recent)} in the last 28 days`
  return `By the day of the data, it grew by ${perDay(growth)} a day in the last year${ofDays}.`
}

function perDay(growth: NonNullable<WireArchive['growth']>): string {
  return `${files(Math.round(growth.files))} and ${readableSize(growth.bytes)}`
}

/** When the first disk is full; nothing if no disk is known to become full. */
function fullSentences({ disks }: WireArchive): readonly string[] {
  const [first] = disks
    .flatMap((disk) => {
      const month = [disk.full_month, disk.full_month_28d].filter((each) => each !== null).sort()[0]
      return month === undefined ? [] : [{ month, disk }]
    })
    .sort((a, b) => (a.month < b.month ? -1 : 1))
  if (first === undefined) return []
  const which = disks.length === 1 ? 'The disk' : `The disk of ${first.disk.holds.join(', ')}`
  return [`${which} is full in ${fullMonths(first.disk)}.`]
}

type FullMonths = Pick<WireArchive['disks'][number], 'full_month' | 'full_month_28d'>

/** `March 2029 at the pace of the last year, in May 2028 at the pace of the last 28 days` */
export function fullMonths({ full_month: year, full_month_28d: recent }: FullMonths): string {
  const paces = [
    [year, 'the last year'],
    [recent, 'the last 28 days'],
  ] as const
  const known = paces.flatMap(([month, pace]) =>
    month === null ? [] : [{ month: monthLabel(month), pace }],
  )
  const [first, second] = known
  if (first === undefined) return 'not known, or not within 100 years'
  if (second?.month === first.month) return first.month
  return known.map(({ month, pace }) => `${month} at the pace of ${pace}`).join(', in ')
}

/** `March 2029` */
function monthLabel(text: string): string {
  const [year = 0, month = 0] = text.split('-').map(Number)
  return monthWords({ year, month })
}

export function checksumsSentence({ files: all, checksums }: WireArchive): string {
  const { files: read, stale, oldest, newest } = checksums
  const rest = Math.max(0, all - read)
  if (all === 0) return ''
  if (read === 0) return `No file has a checksum: ${files(all)} were never read for damage.`
  const others =
    rest === 0
      ? ''
      : stale === 0
        ? `; ${files(rest)} were never read for damage`
        : `; of the others, ${files(stale)} changed and will be read again`
  return `${readableNumber(read)} of ${files(all)} have a checksum (${readableShare(read / all)})${others}. Those with a checksum arrived from ${readableTime(oldest)} to ${readableTime(newest)} UTC; each was read once, after it arrived.`
}
