/**
 * The reference of `parseFilename`: the same result for every name, by one anchored regular expression with a group for each
 * part. Both use the same calendar.
 */
import { dayStartSeconds, fullYear, isDayOfYear, sessionHour } from '../../dist/parse/calendar.js'

const shortForm = '([a-z0-9]{4})(\\d{3})(?:([a-z])(\\d\\d)|([a-z0-9]))\\.(\\d\\d)([a-z])'
const longForm =
  '([a-z0-9]{4}\\d\\d([a-z]{3}))_([rsu])_(\\d{4})(\\d{3})(\\d\\d)(\\d\\d)' +
  '_((?!00[mhdy])(\\d\\d)([mhdyu]))(?:_(\\d\\d[czsmhdu]))?_([grejcism][on]|mm)\\.(rnx|crx)'
const eitherForm = new RegExp(`^(?:${longForm}|${shortForm})\\.gz$`, 'i')

const longLike = /^([^.]*)\.(?:rnx|crx)\.gz$/i
const shortShape = new RegExp(`^${shortForm}\\.gz$`, 'i')
const longParts = /^([^_]*)_([^_]*)_([^_]*)_([^_]*)_(?:([^_]*)_)?([^_]*)$/
const longColumns = /^(.{9})_(.)_(.{11})_(.{3})_(?:(.{3})_)?(..)$/s
const partRules = [
  ['bad-station', /^[a-z0-9]{4}\d\d[a-z]{3}$/i],
  ['bad-source', /^[rsu]$/i],
  ['bad-period', /^(?!00[mhdy])\d\d[mhdyu]$/i],
  ['bad-frequency', /^\d\d[czsmhdu]$/i],
  ['bad-type', /^(?:[grejcism][on]|mm)$/i],
]

const typeOfLetter = { o: 'o', d: 'o', m: 'm', n: 'n', g: 'n', l: 'n', p: 'n', h: 'n' }
Object.assign(typeOfLetter, { q: 'n', f: 'n', e: 'n' })
const unitSeconds = { m: 60, h: 3600, d: 86_400 }
const shortSpans = { d: 86_400, h: 3600, m: 900 }

export function matchFilename(name) {
  const match = name.endsWith('.gz') ? eitherForm.exec(name) : null
  const parsed = match === null ? undefined : match[1] === undefined ? short(match) : long(match)
  return parsed ?? { kind: 'rejected', reason: reasonOf(name) }
}

function long(match) {
  const [, station, country, source, yyyy, ddd, hh, mm, period, count, unit] = match
  const [interval, content, format] = match.slice(11, 14)
  const year = Number(yyyy)
  if (!isDayOfYear(year, Number(ddd)) || Number(hh) > 23 || Number(mm) > 59) return undefined
  const duration = unit.toLowerCase()
  return {
    kind: 'parsed',
    version: 'r3',
    station: station.toUpperCase(),
    startSeconds: dayStartSeconds(year, Number(ddd)) + Number(hh) * 3600 + Number(mm) * 60,
    duration,
    type: content.charAt(1).toLowerCase(),
    spanSeconds: spanOf(Number(count), duration, year),
    country: country.toUpperCase(),
    source: source.toUpperCase(),
    period: period.toUpperCase(),
    interval: interval?.toUpperCase(),
    content: content.toUpperCase(),
    hatanaka: format.charAt(0).toLowerCase() === 'c',
  }
}

function spanOf(count, duration, year) {
  if (duration === 'y') return dayStartSeconds(year + count, 1) - dayStartSeconds(year, 1)
  return duration === 'u' ? undefined : count * unitSeconds[duration]
}

function short(match) {
  const [station, ddd, hourLetter, mm, session, yy, letter] = match.slice(14)
  const year = fullYear(Number(yy))
  const type = typeOfLetter[letter.toLowerCase()]
  const hour = /\d/.test(session) ? 0 : sessionHour(hourLetter ?? session)
  if (!isDayOfYear(year, Number(ddd)) || hour === undefined || Number(mm ?? 0) > 59 || !type) {
    return undefined
  }
  const plainDuration = session === '0' ? 'd' : session >= '1' && session <= '9' ? 'u' : 'h'
  const duration = mm === undefined ? plainDuration : 'm'
  return {
    kind: 'parsed',
    version: 'r2',
    station: station.toUpperCase(),
    startSeconds: dayStartSeconds(year, Number(ddd)) + hour * 3600 + Number(mm ?? 0) * 60,
    duration,
    type,
    spanSeconds: shortSpans[duration],
    country: undefined,
    source: undefined,
    period: undefined,
    interval: undefined,
    content: undefined,
    hatanaka: letter.toLowerCase() === 'd',
  }
}

function reasonOf(name) {
  const bytes = Buffer.byteLength(name.replaceAll('\uFFFD', '?'))
  if (bytes > 255) return 'unknown-form'
  if (name.includes('\uFFFD')) return 'not-utf8'
  if (!name.endsWith('.gz'))
    return name.startsWith('.') || name.includes('.gz') ? 'unknown-form' : 'not-gz'
  return soleFault(shortFaults(name) ?? longFaults(name) ?? [])
}

function soleFault(faults) {
  return faults.length === 1 ? faults[0] : 'unknown-form'
}

function shortFaults(name) {
  const match = shortShape.exec(name)
  if (match === null) return undefined
  const [, , ddd, hourLetter, mm, session, yy, letter] = match
  const faults = []
  if (!isDayOfYear(fullYear(Number(yy)), Number(ddd))) faults.push('bad-day')
  if (/[yz]/i.test(hourLetter ?? session)) faults.push('bad-session')
  if (Number(mm ?? 0) > 59) faults.push('bad-minute')
  if (typeOfLetter[letter.toLowerCase()] === undefined) faults.push('bad-type')
  return faults
}

function longFaults(name) {
  const stem = longLike.exec(name)?.[1]
  if (stem === undefined) return undefined
  const parts = longColumns.exec(stem)?.slice(1) ?? longParts.exec(stem)?.slice(1)
  const start = /^(\d{4})(\d{3})(\d\d)(\d\d)$/.exec(parts?.[2] ?? '')?.map(Number)
  if (parts === undefined || start === undefined) return undefined
  const [station, source, , period, interval, content] = parts
  const written = [station, source, period, interval, content]
  const faults = partRules.filter(([, rule], i) => !rule.test(written[i] ?? '01S'))
  const [, year, dayOfYear, hour, minute] = start
  return [
    ...faults.map(([reason]) => reason),
    ...(isDayOfYear(year, dayOfYear) ? [] : ['bad-day']),
    ...(hour > 23 ? ['bad-hour'] : []),
    ...(minute > 59 ? ['bad-minute'] : []),
  ]
}
