/** Schema of the archive: how large it is, and the space on its disks. */
import { fileTypes } from '../../parse/types.ts'
import { allAreas } from '../openapi/area-words.ts'
import * as schema from '../openapi/schema.ts'

const volume = {
  files: schema.integer('Number of listed files.', 72),
  bytes: schema.integer('Sum of the sizes in bytes.', 3_541_002),
}

const year = schema.text('The year in which the data begin.', '2026', {
  pattern: '^[0-9]{4}$',
})
const area = schema.area('The area of the archive.')
const type = schema.oneOf('The type of the data.', fileTypes, 'o')
const period = schema.textOrNull(
  'The time that a file covers, as long names write it (`01D`, `01H`, `15M`); null for short names that do not say it.',
  '01D',
)

const byYear = schema.object('The files of a year.', { year, ...volume })
const byArea = schema.object('The files of an area.', { area, ...volume })
const byType = schema.object('The files of a type.', { file_type: type, ...volume })
const byPeriod = schema.object('The files of a period.', { period, ...volume })

const counting = 'null until the first scan has ended'

const group = schema.object('The files of a year, an area, a type and a period.', {
  year: schema.orNull(year),
  area,
  file_type: type,
  period,
  ...volume,
})

const day = schema.object('The files whose data begin on a day.', {
  date: schema.day('The UTC day.', '2026-01-22'),
  ...volume,
})

export const diskSchema = schema.object('A file system.', {
  holds: schema.list(
    'What of the archive is on it: `archive` (its root), the areas, and linked directories by their number in the configuration.',
    schema.text(),
    ['archive', ...allAreas],
  ),
  free_bytes: schema.integerOrNull(
    'Free space for normal users; null if the disk does not answer.',
    812_004_311_040,
  ),
  total_bytes: schema.integerOrNull(
    'Size of the file system; null if the disk does not answer.',
    2_000_398_934_016,
  ),
})

export const archiveSchema = schema.component(
  'Archive',
  'How large the archive is, and the space on its disks.',
  {
    ...volume,
    years: schema.orNull(schema.list(`By year, oldest first; ${counting}.`, byYear)),
    areas: schema.list('By area.', byArea),
    types: schema.list('By type.', byType),
    periods: schema.list('By period.', byPeriod),
    groups: schema.list(
      'By year, area, type and period: the rows of the CSV. `year` is null until the first scan has ended.',
      group,
    ),
    days: schema.orNull(
      schema.list(
        `The last 400 days before today and today, by the UTC day on which the data begin, whenever the files arrived; ${counting}.`,
        day,
      ),
    ),
    disks: schema.list(
      'The file systems of the archive, as the API finds them; that of the archive root is the first.',
      diskSchema,
    ),
    half: schema.integerOrNull(
      `Number of slots whose best file holds less than half of its epochs; ${counting}.`,
      0,
    ),
    checksums: schema.object('The files that were read to compute their SHA-256.', {
      files: schema.integer('Number of files with a current checksum.', 70),
      share: schema.shareOrNull('Their share of all files; null without files.', 0.9722),
      stale: schema.integer('Number of files that are to be read again.', 0),
      oldest: schema.momentOrNull(
        '`created` of the oldest record with a checksum; null without checksums. A file is read after that, once; the time is not stored.',
        '2026-01-20T09:15:02.118203Z',
      ),
      newest: schema.momentOrNull(
        '`created` of the newest record with a checksum.',
        '2026-01-22T06:00:11.302118Z',
      ),
    }),
  },
)

export type WireArchive = schema.Static<typeof archiveSchema>
