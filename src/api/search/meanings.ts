/** What a text may mean, by its form alone. Pure. */
import type { FileFilter } from '../../catalogue/filter.ts'
import type { Days } from '../../parse/calendar.ts'
import {
  dateOf,
  dayOfYearAt,
  dayPath,
  dayToIso,
  parseDays,
  parseTimeUs,
  secondsPerDay,
  twoDigits,
} from '../../parse/calendar.ts'
import type { Layout } from '../../parse/layout.ts'
import { joinPath, parentOf, pathFault, wholeArchive } from '../../parse/layout.ts'
import type { ParsedName, RejectionReason } from '../../parse/types.ts'
import type { QueryPair } from '../http/links.ts'
import { dateWords, dayWords, monthWords } from '../pages/date-words.ts'
import { readWhen, startsOn } from '../parameters/when.ts'

/** A time of the data: the files of it, and the parameters of their list. */
export interface AskedTime {
  readonly title: string
  /** The title as pages write dates. */
  readonly words: string
  readonly filter: FileFilter
  readonly parameters: readonly QueryPair[]
}

/** A file by its name or by the beginning of its name. */
export interface AskedFile {
  /** The directory of the path; `undefined` for a name alone. */
  readonly directory: string | undefined
  readonly name: string
  /** The beginning of its name in lower case, without the suffix of a compression. */
  readonly start: string
  /** The names in lower case that it may be short for. */
  readonly names: readonly string[]
  /** What the name says, if one of the names is a RINEX file name. */
  readonly parsed: ParsedName | undefined
  /** Why the name is none; `undefined` if it is one, or only the beginning of a name. */
  readonly fault: RejectionReason | undefined
  /** The directories where such a file may be. */
  readonly directories: readonly string[]
}

interface Meanings {
  /** What station codes may begin with, in upper case. */
  readonly codes: readonly string[]
  readonly time: AskedTime | undefined
  /** A path below the archive root, without slashes at its ends. */
  readonly path: string | undefined
  readonly file: AskedFile | undefined
}

/** Names and codes are ASCII; countries are searched by any text. */
export function meaningsOf(text: string, layout: Layout): Meanings {
  const time = timeOf(text)
  const mayBePath = /^[\x21-\x7e]+$/.test(text)
  const path = mayBePath ? pathOf(text, layout, time !== undefined) : undefined
  const last = path ?? text
  const name = text.endsWith('/') ? '' : last.slice(last.lastIndexOf('/') + 1)
  const isFile = time === undefined && isFileName(name, path !== undefined)
  return {
    codes: codesOf(text),
    time,
    path,
    file: isFile ? fileOf(name, path, layout) : undefined,
  }
}

/** A code or its beginning, or several as the field of stations takes them: `GRAZ,MA*`. */
function codesOf(text: string): readonly string[] {
  const codes = text.toUpperCase().split(/ ?, ?/)
  const areCodes = codes.every((each) => /^[A-Z0-9]{1,9}\*?$/.test(each))
  return areCodes ? codes.map((each) => each.replace('*', '')) : []
}

/**
 * The part of a path or URL that begins with an area, or leads to one; nothing is decoded. If there
 * is none, or all of the archive is an area, it is what comes after `data/` in a URL, or any text
 * with a slash.
 */
function pathOf(text: string, layout: Layout, isTime: boolean): string | undefined {
  const [whole = ''] = text.split(/[?#]/, 1)
  const segments = whole.split('/').filter((segment) => segment !== '')
  const paths = segments.map((_segment, index) => segments.slice(index).join('/'))
  const start = whole.includes('://') ? segments.indexOf('data') + 1 : 0
  const isPath = whole.includes('://') ? start > 0 : whole.includes('/') && !isTime
  const written = isPath ? (paths[start] ?? '') : undefined
  if (layout.areas.includes(wholeArchive)) return written
  const isIn = (path: string) => layout.rootOf(path) !== undefined || layout.leadsToArea(path)
  return paths.find(isIn) ?? (written && pathFault(written) === undefined ? written : undefined)
}

/** A name with parts, or a short name up to its session or its year. */
function isFileName(name: string, isInPath: boolean): boolean {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/.test(name)) return false
  const hasParts = /[._]/.test(name)
  return (
    (hasParts && (isInPath || name.length >= 8 || compression.test(name))) ||
    /^[A-Za-z0-9]{4}\d{3}[0-9a-xA-X](?:\d\d)?$/.test(name)
  )
}

const compression = /\.(?:gz|z|bz2|xz|zip|zst)$/i

function fileOf(name: string, path: string | undefined, layout: Layout): AskedFile {
  const lower = name.toLowerCase()
  const start = lower.replace(compression, '')
  const ends = layout.lists.suffixes.flatMap((end) =>
    ['', '.crx', '.rnx'].map((form) => form + end),
  )
  const written = [lower, ...ends.map((end) => start + end)]
  const names = [...new Set(written.map((each) => each.toLowerCase()))]
  const results = written.map(layout.parseFilename)
  const parsed = results.find((result) => result.kind === 'parsed')
  const directory = path === undefined || layout.rootOf(path) === path ? undefined : parentOf(path)
  const dated = parsed === undefined ? [] : directoriesAt(parsed.startSeconds, layout)
  return {
    directory,
    name,
    start,
    names,
    parsed,
    fault: faultOf(name, parsed, layout),
    directories: [...new Set([...(directory === undefined ? [] : [directory]), ...dated])],
  }
}

/** A wrong part says more than a wrong suffix. */
function faultOf(
  name: string,
  parsed: ParsedName | undefined,
  { lists: { suffixes }, parseFilename }: Layout,
): RejectionReason | undefined {
  if (parsed !== undefined && !isCompressedOtherwise(name, suffixes)) return undefined
  const start = name.replace(compression, '')
  const [suffix = ''] = suffixes
  const faults = [name, `${start}${suffix}`, `${start}.crx${suffix}`].flatMap((each) => {
    const result = parseFilename(each)
    return result.kind === 'rejected' ? [result.reason] : []
  })
  const part = faults.find((reason) => reason !== 'not-gz' && reason !== 'unknown-form')
  return part ?? (/\.[A-Za-z0-9]+$/.test(name) ? faults[0] : undefined)
}

function isCompressedOtherwise(name: string, suffixes: readonly string[]): boolean {
  const lower = name.toLowerCase()
  const isOurs = suffixes.some((each) => each !== '' && lower.endsWith(each.toLowerCase()))
  return compression.test(name) && !isOurs
}

/** The directories of a day and an hour, as far as the areas are like those of the seed. */
function directoriesAt(startSeconds: number, { roots }: Layout): readonly string[] {
  const day = dayPath(startSeconds)
  const hour = Math.floor((startSeconds % secondsPerDay) / 3600)
  const days = roots.map((root) => joinPath(root, day))
  const hourly = roots.filter((root) => root !== 'obs')
  return [...days, ...hourly.map((root) => joinPath(root, `${day}/${twoDigits(hour)}`))]
}

/** A time, or the time of a station: `GRAZ 2026-022`. */
function timeOf(text: string): AskedTime | undefined {
  const time = timeAlone(text)
  if (time !== undefined) return time
  const [, code = '', rest = ''] = /^([A-Za-z0-9]{4}|[A-Za-z0-9]{9}),? (.+)$/.exec(text) ?? []
  const own = timeAlone(rest)
  if (own === undefined) return undefined
  const station = code.toUpperCase()
  return {
    title: `${station}, ${own.title}`,
    words: `${station}, ${own.words}`,
    filter: { ...own.filter, stations: [station] },
    parameters: [...own.parameters, ['station', station]],
  }
}

/** A GPS week; a day, month or year, with `-`, `/` or a space between its parts; or a time. */
function timeAlone(text: string): AskedTime | undefined {
  const week = weekOf(text)
  if (week !== undefined) return week
  const days = parseDays(text.replaceAll(/(?<=\d)[ /](?=\d)/g, '-'))
  if (days !== undefined) return timeOfDays(days)
  const us = parseTimeUs(text)
  if (us === undefined) return asWritten(text)
  return {
    title: `the time ${text}`,
    words: `the time ${dateWords(text)}`,
    filter: { overlaps: { fromUs: us, toUs: us } },
    parameters: [['covers', text]],
  }
}

/** All else that `when` understands, such as `22 Jan 2026 (022)`; a number alone may be a code. */
function asWritten(text: string): AskedTime | undefined {
  const when = /^\d*$/.test(text) ? undefined : readWhen(text)
  if (when === undefined || 'fault' in when) return undefined
  const { words, range } = when
  return { title: words, words, filter: { overlaps: range }, parameters: [['when', text]] }
}

/** Four digits may be a code: a week has a first digit of 1 or 2. */
function weekOf(text: string): AskedTime | undefined {
  if (/^\d+$/.test(text) && !/^[12]\d{3}$/.test(text)) return undefined
  const when = readWhen(text)
  if (when === undefined || 'fault' in when || !when.words.startsWith('GPS week')) return undefined
  const { words, range } = when
  return { title: words, words, filter: { start: range }, parameters: [['when', text]] }
}

function timeOfDays(days: Days): AskedTime | undefined {
  const { from, to } = days
  const [iso, { year, month }] = [dayToIso(from), dateOf(from)]
  if (from === to) {
    const { dayOfYear } = dayOfYearAt(from * secondsPerDay)
    const title = `${iso} (day ${String(dayOfYear).padStart(3, '0')})`
    const words = dayWords(from)
    return { title, words, filter: { days: [from] }, parameters: [['date', iso]] }
  }
  // Four digits may be a code.
  if (year < 1000 || year > 2999) return undefined
  const filter = { start: startsOn(days) }
  const isYear = to - from > 31
  const words = isYear ? String(year) : monthWords({ year, month })
  const parameters = isYear ? (['year', words] as const) : (['date', iso.slice(0, 7)] as const)
  return { title: words, words, filter, parameters: [parameters] }
}
