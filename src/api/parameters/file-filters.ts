/**
 * The table of all filter parameters: fields of a record with Django's lookups, terms of the GNSS
 * community, and names that two national archives share. Requests, form and document follow from
 * it.
 */
import type { FileFilter, TimeRange } from '../../catalogue/filter.ts'
import { feedConditions, problems, problemWords } from '../../catalogue/filter.ts'
import { parseDay, parseDays } from '../../parse/calendar.ts'
import { countryName, countryNamed } from '../../parse/countries.ts'
import type { Layout } from '../../parse/layout.ts'
import { hasSeedAreas } from '../../parse/layout.ts'
import { fileDurations, fileTypes, fileVersions } from '../../parse/types.ts'
import type { QueryPair } from '../http/links.ts'
import type { FormField } from '../pages/active-filters.ts'
import { durationLabel, problemMeanings, typeLabel, versionLabel } from '../pages/labels.ts'
import { factFilters } from './fact-filters.ts'
import type { Bound, Described, FilterParameter } from './filter-values.ts'
import {
  beginOf,
  code,
  day,
  dayOrTime,
  endOf,
  integer,
  name,
  oneOf,
  range,
  time,
  when,
  wordsOf,
  year,
} from './filter-values.ts'
import type { Parameter } from './parameter.ts'
import { choices, selection } from './parameter.ts'
import { usPerSecond, whenField } from './when.ts'
import {
  durationWords,
  sharedPeriods,
  sharedTypes,
  sharedVersions,
  typeWords,
  versionWords,
} from './words.ts'

/**
 * The five parameters of a time field: its name alone, and with each of Django's lookups.
 * @param about.stepUs resolution in microseconds. Data dates have whole seconds, because the year
 * in a name can be so late that a double cannot hold its microseconds.
 */
function times(
  field: string,
  about: {
    readonly subject: string
    readonly example: string
    readonly stepUs?: number
    /** The field of its begin, in the form. */
    readonly begin?: FormField
  },
  add: (range: TimeRange) => FileFilter,
): Record<string, FilterParameter> {
  const { subject, example, stepUs = 1, begin } = about
  const row = (predicate: string, toRange: (us: number) => TimeRange): FilterParameter =>
    time((us) => add(toRange(us)), { meaning: `${subject} ${predicate}.`, example })
  const bounded =
    (end: Bound['end']) =>
    (...of: Parameters<typeof row>): FilterParameter => ({
      ...row(...of),
      bound: { of: field, end, numberOf: beginOf },
    })
  const [from, to] = [bounded('from'), bounded('to')]
  return {
    [field]: row('is exactly this time; a bare date means its midnight', (us) => ({
      fromUs: us,
      toUs: us,
    })),
    [`${field}__gt`]: from('is later than this time', (us) => ({
      fromUs: (Math.floor(us / stepUs) + 1) * stepUs,
    })),
    [`${field}__gte`]: {
      ...from('is this time or later', (us) => ({ fromUs: us })),
      field: begin,
    },
    [`${field}__lt`]: to('is earlier than this time', (us) => ({
      toUs: (Math.ceil(us / stepUs) - 1) * stepUs,
    })),
    [`${field}__lte`]: to('is this time or earlier', (us) => ({ toUs: us })),
  }
}

/** An id that is an end of a range. @param predicate completes "The id is". */
function idBound(
  end: Bound['end'],
  predicate: string,
  add: (id: number) => FileFilter,
): FilterParameter {
  const example = end === 'from' ? '1' : '1000000'
  return {
    ...integer(add, { meaning: `The id is ${predicate}.`, example }),
    bound: { of: 'id', end, numberOf: Number },
  }
}

const intervalPattern = /^\d{1,2} ?(?:[A-Za-z]|[Ss]ec|[Mm]in|[Hh][Zz])?$/

/** The codes of names that an interval has: `1 Hz` is one second. */
function intervalsOf(text: string): readonly string[] {
  const [, number = '', unit = ''] = /^(\d+) ?(\w*)$/.exec(text.toUpperCase()) ?? []
  const own = number.padStart(2, '0')
  if (unit === 'HZ') return Number(number) === 1 ? ['01S', '01Z'] : [`${own}Z`]
  return [`${own}${unit.slice(0, 1) || 'S'}`]
}

const sourceWords: Readonly<Record<string, string>> = {
  R: 'from receivers',
  S: 'from streams',
  U: 'from unknown sources',
}

const station = (described: Described) =>
  code('stations', /^(?:[A-Za-z0-9]{4}(?:[A-Za-z0-9]{5})?|[A-Za-z0-9]{1,8}\*)$/, {
    fault: 'Enter station codes of 4 or 9 characters, or their beginning with an asterisk.',
    ...described,
  })

// Those with a field first, in the order of the form.
const beforeArea: Readonly<Record<string, FilterParameter>> = {
  station: station({
    meaning:
      'The station, in upper or lower case: a code of 4 characters matches names of both forms, a code of 9 characters only that code, and `GR*` all codes that begin with `GR`.',
    example: 'graz',
    field: { label: 'Station', hint: 'GRAZ, MATE, GR*' },
  }),
  country: code('countries', /^\D{2,60}$/, {
    fault: 'Enter countries by their codes (ISO 3166-1 alpha-3) or names, such as AUT or Austria.',
    codesOf: (text) => [countryNamed(text) ?? []].flat(),
    meaning:
      'The country of the station, by its code (ISO 3166-1 alpha-3) or its English name, from long names. A short name has the country of the long code that starts with its own, if exactly one such code has files.',
    example: 'AUT',
    field: { label: 'Country', hint: 'AUT' },
    textOf: (value) => countryName(countryNamed(value) ?? value),
  }),
  when: when((overlaps) => ({ overlaps }), {
    meaning:
      'The nominal time span of the data overlaps this time: a day (`2026-01-22`, `2026-022`, `22 Jan 2026`), a month (`2026-01`, `March 2026`), a year, a range of two of these separated by a slash or `to` (either may be `..`), a GPS week (`week 2402`, or its number alone if it is no year from 1980 to 2079), or a moment.',
    example: '2026-01',
    field: whenField,
  }),
  startDate: {
    bound: { of: 'overlaps', end: 'from', numberOf: beginOf },
    ...dayOrTime(({ fromUs }) => ({ overlaps: { fromUs } }), {
      meaning:
        'The nominal time span of the data includes this time or starts later. A bare date, a month or a year means its start.',
      example: '2026-01-22T05:00:00Z',
      field: { label: 'From', hint: '2026-022, 2026-01', isRare: true },
    }),
  },
  endDate: {
    bound: { of: 'overlaps', end: 'to', numberOf: endOf },
    ...dayOrTime(({ toUs }) => ({ overlaps: { toUs } }), {
      meaning:
        'The data start at this time or earlier. A bare date, a month or a year means its end.',
      example: '2026-01-23',
      field: { label: 'To', hint: '2026-01-23, 2026-01', isRare: true },
    }),
  },
  covers: time((us) => ({ overlaps: { fromUs: us, toUs: us } }), {
    meaning:
      'The nominal time span of the data includes this time, or begins at it. A bare date means its midnight.',
    example: '2026-01-22T05:13:00Z',
    field: { label: 'Covers the time', hint: '2026-01-22 05:13', isRare: true },
  }),
  file_type: wordsOf('types', typeWords, {
    meaning:
      'The type of the data, in upper or lower case: `o` observation, `n` navigation, `m` meteorological. The values of `fileType` are accepted too.',
    example: 'o',
    field: selection('Type', fileTypes, typeLabel),
  }),
  file_duration: wordsOf('durations', durationWords, {
    meaning:
      'The period of the file, in upper or lower case: `m` minutes, `h` hours, `d` days, `y` years, `u` unspecified. The values of `filePeriod` are accepted too.',
    example: 'd',
    field: selection('Period', fileDurations, durationLabel),
  }),
  file_version: wordsOf('versions', versionWords, {
    meaning:
      'The form of the name, in upper or lower case: `r2` short, `r3` long. The values of `rinexVersion` are accepted too.',
    example: 'r3',
    field: selection('Name', fileVersions, (value) =>
      value === 'r2' ? 'short (RINEX 2)' : 'long (RINEX 3, 4)',
    ),
    wordOf: versionLabel,
  }),
}

const afterArea: Readonly<Record<string, FilterParameter>> = {
  interval: code('intervals', intervalPattern, {
    fault: 'Enter intervals such as 30S, 1 s or 1 Hz.',
    codesOf: intervalsOf,
    meaning:
      'The sampling interval of a long name, as there (`30S`) or as a number with `s`, `min`, `h`, `d` or `Hz`; a number alone has seconds.',
    example: '30S',
    field: { label: 'Interval', hint: '30 s, 1 Hz' },
  }),
  filename__contains: name('contains', {
    meaning:
      'The file name contains this text, in upper or lower case. A request may have at most eight conditions on names.',
    example: '_30S_',
    field: { label: 'Name contains', hint: '_30S_' },
  }),
  filename: name('is', {
    meaning: 'The complete file name, in upper or lower case.',
    example: 'graz0220.26d.gz',
  }),
  filename__startswith: name('starts', {
    meaning: 'The file name starts with this text, in upper or lower case.',
    example: 'GRAZ00AUT_R_2026022',
  }),
  ...times(
    'data_date',
    { subject: 'The start of the data', example: '2026-01-22T05:00:00Z', stepUs: usPerSecond },
    (start) => ({ start }),
  ),
  year: year({ meaning: 'The year in which the data start.', example: '2026' }),
  data_date__year: year({ meaning: 'The same as `year`.', example: '2026' }),
  ...times(
    'created',
    {
      subject: 'The time at which the record was created',
      example: '2026-01-22',
      begin: { label: 'Listed since', hint: '2026-01-22 05:00' },
    },
    (created) => ({ created }),
  ),
  ...times(
    'modified',
    {
      subject: 'The time at which the latest change of the file was detected',
      example: '2026-01-22T05:06:07.000008Z',
    },
    (modified) => ({ modified }),
  ),
  id: integer((id) => ({ idAbove: id - 1, idBelow: id + 1 }), {
    meaning: 'The id.',
    example: '1',
  }),
  id__gt: idBound('from', 'higher: records that are newer than this one', (idAbove) => ({
    idAbove,
  })),
  id__lt: idBound('to', 'lower: a cursor through a list that grows at its head', (idBelow) => ({
    idBelow,
  })),
  id__gte: idBound('from', 'this or higher', (id) => ({ idAbove: id - 1 })),
  id__lte: idBound('to', 'this or lower', (id) => ({ idBelow: id + 1 })),
  date: day(
    parseDays,
    { format: 'date' },
    {
      fault: 'Enter a valid date.',
      meaning:
        'The UTC day on which the data start. `20260122`, `2026-022` and `22.01.2026` are accepted too, in all parameters of days and times; a month such as `2026-01` means all its days.',
      example: '2026-01-22',
    },
  ),
  doy: day(
    onlyDay,
    { pattern: String.raw`^\d{4}-\d{3}$` },
    {
      fault: 'Enter a year and a day of year, such as 2026-022.',
      meaning: 'The same as `date`, written as year and day of the year.',
      example: '2026-022',
    },
  ),
  content: code('contents', /^[A-Za-z]{2}$/, {
    fault: 'Enter contents such as MO.',
    meaning: 'The content code of a long name: satellite system and type.',
    example: 'MO',
  }),
  source: oneOf('sources', ['R', 'S', 'U'], {
    meaning: 'The data source of a long name: `R` receiver, `S` stream, `U` unknown.',
    example: 'R',
    wordOf: (source) => sourceWords[source] ?? source,
  }),
  problem: oneOf('problems', problems, {
    meaning: `The problem of the file. ${problemMeanings}`,
    example: 'misplaced',
    field: selection('Problem', problems, (problem) => problemWords[problem].word),
  }),
  overlaps: range((overlaps) => ({ overlaps }), {
    meaning:
      'The nominal time span of the data overlaps this range: two dates or times separated by a slash. `..` in place of one leaves that end open.',
    example: '2026-01-22/2026-01-23',
  }),
  stationId: station({ meaning: 'The same as `station`.', example: 'GRAZ00AUT' }),
  rinexVersion: wordsOf('versions', sharedVersions, {
    meaning:
      'Like `file_version`, by the version of the format, in upper or lower case: `2` means short names; `3`, `4` and `latest` mean long names, which do not distinguish 3 and 4; `all` means both.',
    example: '3',
    wordOf: versionLabel,
  }),
  filePeriod: wordsOf('durations', sharedPeriods, {
    meaning:
      'Like `file_duration`, by the period of a long name, in upper or lower case. `15M` means any period of minutes.',
    example: '01D',
    wordOf: durationLabel,
  }),
  fileType: wordsOf('types', sharedTypes, {
    meaning: 'Like `file_type`, with longer names, in upper or lower case.',
    example: 'obs',
    wordOf: typeLabel,
  }),
}

/** The areas of the seed tell how long the files are; others tell nothing. */
const seedAreas: Readonly<Record<string, string>> = {
  obs: 'obs: daily',
  nrt: 'nrt: near real time',
}

function areaFilter({ areas }: Pick<Layout, 'areas'>): FilterParameter {
  return oneOf('areas', areas, {
    meaning: hasSeedAreas({ areas })
      ? 'The area of the archive: `obs` for daily files, `nrt` for hourly files in near real time.'
      : 'The area of the archive: the path of its directory, or `archive` for all of it.',
    example: areas[0] ?? '',
    field: selection('Area', areas, (value) => seedAreas[value] ?? value),
    wordOf: (area) => area,
  })
}

/** Parameters by their names. */
export type FilterParameters = ReadonlyMap<string, FilterParameter>

/** All filters of the files of an archive. */
export function fileFilters(layout: Pick<Layout, 'areas'>): FilterParameters {
  return new Map(
    Object.entries({ ...beforeArea, area: areaFilter(layout), ...afterArea, ...factFilters }),
  )
}

/** A month could be meant as a day of the year: `2026-12`. */
function onlyDay(text: string): ReturnType<typeof parseDays> {
  const day = parseDay(text)
  return day === undefined ? undefined : { from: day, to: day }
}

function filtersNamed(
  filters: Iterable<readonly [string, FilterParameter]>,
  ...names: readonly string[]
): FilterParameters {
  return new Map(Array.from(filters).filter(([name]) => names.includes(name)))
}

/** The filters of files that the list of stations accepts too. */
export function stationFilters(layout: Pick<Layout, 'areas'>): FilterParameters {
  return filtersNamed(fileFilters(layout), 'country', 'area')
}

/** Filters by place that losses share with the files. */
export const placeFilters = filtersNamed(Object.entries(beforeArea), 'station', 'country')

/** Filters that the series of the network share with the files. */
export const seriesFilters = filtersNamed(
  Object.entries(beforeArea),
  'station',
  'country',
  'file_type',
)

const ofNames: ReadonlySet<string> = new Set(feedConditions)

/** The filters of the change feed: all whose conditions it can have. */
export function changesFilters(layout: Pick<Layout, 'areas'>): FilterParameters {
  return new Map(Array.from(fileFilters(layout)).filter(([, filter]) => isOfFeed(filter)))
}

function isOfFeed({ read, example }: FilterParameter): boolean {
  const found = read([example])
  if ('fault' in found) return false
  return found.value.flatMap(Object.keys).every((key) => ofNames.has(key))
}

/** Those of the parameters of a list that the feed has: what a link to the feed repeats. */
export function feedParameters(
  kept: readonly QueryPair[],
  filters: FilterParameters,
): readonly QueryPair[] {
  return kept.filter(([name]) => {
    const filter = filters.get(name)
    return filter === undefined ? name === 'expand' : isOfFeed(filter)
  })
}

const expansions = choices(['file', 'facts'], {
  meaning:
    'Further keys of the records. `file`: size, mtime, checksums, the parts of the name, and the problem of the file. `facts`: what the header and the epochs of the file say, null while it is not known. In CSV they are further columns.',
  example: 'file',
})

/** Which further keys records have: `file` with their details, `facts`. */
export interface Expansion {
  readonly details: boolean
  readonly facts: boolean
}

/** True if an answer has what changes without a change of the records. */
export function isExpanded({ details, facts }: Expansion): boolean {
  return details || facts
}

export const expand: Parameter<Expansion> = {
  ...expansions,
  read: (words) => {
    const chosen = expansions.read(words)
    if ('fault' in chosen) return chosen
    const { value } = chosen
    return { value: { details: value.includes('file'), facts: value.includes('facts') } }
  },
}
