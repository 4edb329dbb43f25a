/**
 * Every parameter by which the list is filtered: what it may hold, what it adds to the filter, and what it means. The names
 * are those of the records' fields with Django's lookups, some words of the field, and names that two national archives
 * share. Requests are read and the reference is written from this table.
 */
import { problems } from '../../catalogue/filter.ts'
import type { FileFilter, TimeRange } from '../../catalogue/filter.ts'
import { areas } from '../../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'
import { parseDay } from './times.ts'
import {
  code,
  day,
  dayOrTime,
  name,
  oneOfAnyCase,
  oneOfWords,
  range,
  time,
  usPerSecond,
  whole,
  year,
} from './parameter-values.ts'
import type { Values } from './parameter-values.ts'

export interface FilterParameter extends Values {
  /** In a sentence or two; names of parameters and values stand in backticks. */
  readonly meaning: string
  readonly example: string
}

/**
 * The five parameters of a time: itself and Django's four lookups.
 * @param stepUs what times of this kind are multiples of. Of dates of data it is a second: names may tell of years in
 * which a double no longer counts every microsecond.
 */
function times(
  field: string,
  {
    what,
    example,
    stepUs = 1,
  }: { readonly what: string; readonly example: string; readonly stepUs?: number },
  add: (range: TimeRange) => FileFilter,
): Record<string, FilterParameter> {
  const row = (words: string, toRange: (us: number) => TimeRange): FilterParameter => ({
    ...time((us) => add(toRange(us))),
    meaning: `${what} ${words}.`,
    example,
  })
  return {
    [field]: row('is exactly this; a bare date is its midnight', (us) => ({
      fromUs: us,
      toUs: us,
    })),
    [`${field}__gt`]: row('is later than this', (us) => ({
      fromUs: (Math.floor(us / stepUs) + 1) * stepUs,
    })),
    [`${field}__gte`]: row('is this or later', (us) => ({ fromUs: us })),
    [`${field}__lt`]: row('is earlier than this', (us) => ({
      toUs: (Math.ceil(us / stepUs) - 1) * stepUs,
    })),
    [`${field}__lte`]: row('is this or earlier', (us) => ({ toUs: us })),
  }
}

/** Words of two national archives for what our own parameters say in letters. */
const periods = { '01D': 'd', '01H': 'h', '15M': 'm' } as const
const versions = { '2': 'r2', '3': 'r3', '4': 'r3', latest: 'r3', all: undefined } as const
const types = { obs: 'o', nav: 'n', met: 'm' } as const

const dataYear = {
  ...year(),
  meaning: 'The year in which the data start.',
  example: '2026',
}

const station = code(
  /^[A-Za-z0-9]{4}(?:[A-Za-z0-9]{5})?$/,
  'Enter station codes of 4 or 9 characters.',
  (value) => ({ stations: [value] }),
)

export const filterParameters: ReadonlyMap<string, FilterParameter> = new Map(
  Object.entries<FilterParameter>({
    filename: {
      ...name('is'),
      meaning: 'The whole name, in any case.',
      example: 'graz0220.26d.gz',
    },
    filename__startswith: {
      ...name('starts'),
      meaning: 'The name begins like this, in any case.',
      example: 'GRAZ00AUT_R_2026022',
    },
    filename__contains: {
      ...name('contains'),
      meaning: 'The name contains this, in any case. At most eight conditions on names.',
      example: '_30S_',
    },
    ...times(
      'data_date',
      { what: 'The start of the data', example: '2026-01-22T05:00:00Z', stepUs: usPerSecond },
      (dataDate) => ({ dataDate }),
    ),
    year: dataYear,
    data_date__year: { ...dataYear, meaning: 'Another name of `year`.' },
    ...times(
      'created',
      { what: 'The time at which the record came into the catalogue', example: '2026-01-22' },
      (created) => ({ created }),
    ),
    ...times(
      'modified',
      {
        what: 'The time at which the file was last seen to change',
        example: '2026-01-22T05:06:07.000008Z',
      },
      (modified) => ({ modified }),
    ),
    id__gt: {
      ...whole((idAbove) => ({ idAbove })),
      meaning: 'The id is higher: what is new since that record.',
      example: '1',
    },
    id__lt: {
      ...whole((idBelow) => ({ idBelow })),
      meaning: 'The id is lower: a cursor through a list that grows at its head.',
      example: '1000000',
    },
    id__gte: {
      ...whole((id) => ({ idAbove: id - 1 })),
      meaning: 'The id is this or higher.',
      example: '1',
    },
    id__lte: {
      ...whole((id) => ({ idBelow: id + 1 })),
      meaning: 'The id is this or lower.',
      example: '1000000',
    },
    file_duration: {
      ...oneOfAnyCase<FileDuration>(
        { m: 'm', h: 'h', d: 'd', y: 'y', u: 'u', ...periods },
        (value) => ({ durations: [value] }),
      ),
      meaning:
        'The period of the file, in any case: `m` minutes, `h` hours, `d` days, `y` years, `u` unspecified. Also as in `filePeriod`.',
      example: 'd',
    },
    file_version: {
      ...oneOfAnyCase<FileVersion>({ r2: 'r2', r3: 'r3', ...versions }, (value) => ({
        versions: [value],
      })),
      meaning:
        'The form of the name, in any case: `r2` short, `r3` long. Also as in `rinexVersion`.',
      example: 'r3',
    },
    file_type: {
      ...oneOfAnyCase<FileType>({ o: 'o', n: 'n', m: 'm', ...types }, (value) => ({
        types: [value],
      })),
      meaning:
        'The type of the data, in any case: `o` observation, `n` navigation, `m` meteorological. Also as in `fileType`.',
      example: 'o',
    },
    station: {
      ...station,
      meaning:
        'The station, in any case: a code of 4 characters finds names of both forms, one of 9 that code alone.',
      example: 'graz',
    },
    area: {
      ...oneOfWords(areas, (value) => ({ areas: [value] })),
      meaning: 'The area of the archive: `obs` for days, `nrt` for the hours as they come in.',
      example: 'obs',
    },
    country: {
      ...code(/^[A-Za-z]{3}$/, 'Enter country codes of 3 letters.', (value) => ({
        countries: [value],
      })),
      meaning:
        'The country of the station (ISO 3166-1 alpha-3), which long names tell. Short names count with the one long code of the catalogue that begins with theirs; in the change feed long names alone.',
      example: 'AUT',
    },
    date: {
      ...day({ format: 'date' }, parseDay, 'Enter a valid date.'),
      meaning:
        'The UTC day on which the data start; `20260122` and `2026-022` are understood too, here and in every other parameter of a day or time.',
      example: '2026-01-22',
    },
    doy: {
      ...day(
        { pattern: String.raw`^\d{4}-\d{3}$` },
        parseDay,
        'Enter a year and a day of it, such as 2026-022.',
      ),
      meaning: 'The same day as year and day of year.',
      example: '2026-022',
    },
    interval: {
      ...code(/^[0-9]{2}[A-Za-z]$/, 'Enter intervals such as 30S.', (value) => ({
        intervals: [value],
      })),
      meaning: 'The sampling interval of a long name.',
      example: '30S',
    },
    content: {
      ...code(/^[A-Za-z]{2}$/, 'Enter contents such as MO.', (value) => ({ contents: [value] })),
      meaning: 'The content code of a long name: satellite system and type.',
      example: 'MO',
    },
    source: {
      ...oneOfWords(['R', 'S', 'U'], (value) => ({ sources: [value] })),
      meaning: 'The data source of a long name: `R` receiver, `S` stream, `U` unknown.',
      example: 'R',
    },
    problem: {
      ...oneOfWords(problems, (value) => ({ problems: [value] })),
      meaning:
        'What is wrong with the file: `incomplete`, its gzip stream has no end; `broken`, it is damaged before its end; `misplaced`, the file is in the directory of another date.',
      example: 'misplaced',
    },
    overlaps: {
      ...range((overlaps) => ({ overlaps })),
      meaning:
        'The nominal span of the data touches this range: two dates or times with a slash between them. In place of either, `..` leaves that end open.',
      example: '2026-01-22/2026-01-23',
    },
    stationId: { ...station, meaning: 'Another name of `station`.', example: 'GRAZ00AUT' },
    startDate: {
      ...dayOrTime(({ fromUs }) => ({ overlaps: { fromUs } })),
      meaning:
        'The data end after this time: their nominal span touches it or begins later. A bare date is the start of its day.',
      example: '2026-01-22T05:00:00Z',
    },
    endDate: {
      ...dayOrTime(({ toUs }) => ({ overlaps: { toUs } })),
      meaning: 'The data begin at this time or earlier. A bare date is the end of its day.',
      example: '2026-01-23',
    },
    rinexVersion: {
      ...oneOfAnyCase<FileVersion>(versions, (value) => ({ versions: [value] })),
      meaning:
        'As `file_version`, by the version of the format, in any case: `2` short names; `3`, `4` and `latest` long names, which do not tell the two versions apart; `all` both.',
      example: '3',
    },
    filePeriod: {
      ...oneOfAnyCase<FileDuration>(periods, (value) => ({ durations: [value] })),
      meaning:
        'As `file_duration`, by the period of a long name, in any case; `15M` means any period of minutes.',
      example: '01D',
    },
    fileType: {
      ...oneOfAnyCase<FileType>(types, (value) => ({ types: [value] })),
      meaning: 'As `file_type`, in words, in any case.',
      example: 'obs',
    },
  }),
)

/** Those of them that say something about stations. */
export const stationParameters: ReadonlyMap<string, FilterParameter> = new Map(
  [...filterParameters].filter(([name]) => name === 'country' || name === 'area'),
)
