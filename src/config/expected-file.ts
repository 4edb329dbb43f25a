/** Reads the series that must arrive (`expected_file`). */
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { parseDay } from '../parse/calendar.ts'
import { fileTypes } from '../parse/types.ts'
import type { ExpectedRule, ExpectedSeries } from '../series/expectation.ts'
import { periodOf, periods } from '../series/series.ts'
import type { Fault } from './checks.ts'
import { ConfigError } from './checks.ts'

const known = ['station', 'file_type', 'period', 'hours', 'from', 'to']

/**
 * Reads the tables `[[series]]` of the file; returns none if no file is configured.
 * @throws ConfigError with all faults
 */
export function readExpectedFile(path: string | undefined): readonly ExpectedSeries[] {
  if (path === undefined) return []
  const faults: Fault[] = []
  const addFault = (message: string): void => {
    faults.push({ source: path, key: 'expected_file', message: `expected_file ${message}` })
  }
  const series = tablesOf(path, addFault).flatMap((table, index) =>
    seriesOfTable(table, (problem) => {
      addFault(`[[series]] ${index + 1}: ${problem}`)
    }),
  )
  if (faults.length > 0) throw new ConfigError(faults)
  return series
}

type Table = Readonly<Record<string, unknown>>
type AddFault = (problem: string) => void

function tablesOf(path: string, addFault: AddFault): readonly Table[] {
  try {
    const { series, ...others } = parse(readFileSync(path, 'utf8')) as Table
    for (const key of Object.keys(others)) addFault(`has the unknown key ${key}`)
    if (Array.isArray(series) && series.every((each) => typeof each === 'object'))
      return series as Table[]
    addFault('must have tables [[series]]')
  } catch (error) {
    addFault(`cannot be read: ${(error as Error).message.split('\n', 1)[0] ?? ''}`)
  }
  return []
}

function seriesOfTable(table: Table, addFault: AddFault): readonly ExpectedSeries[] {
  for (const key of Object.keys(table)) if (!known.includes(key)) addFault(`unknown key ${key}`)
  const stations = stationsOf(table['station'], addFault)
  const fileType = fileTypes.find((type) => type === table['file_type'])
  if (fileType === undefined) addFault(`file_type must be one of ${fileTypes.join(', ')}`)
  const period = periodOf(String(table['period']))
  if (period === undefined) addFault(`period must be one of ${periods.join(', ')}`)
  const rule: ExpectedRule = {
    hours: hoursOf(table['hours'], addFault),
    fromDay: dayOf(table['from'], 'from', addFault),
    toDay: dayOf(table['to'], 'to', addFault),
  }
  if (rule.fromDay !== undefined && rule.toDay !== undefined && rule.fromDay > rule.toDay)
    addFault('from must not be after to')
  // The slot of a day begins at its first hour.
  if (period === '01D' && rule.hours !== undefined && !rule.hours.has(0))
    addFault('hours of daily files must include 0, because they begin then')
  if (fileType === undefined || period === undefined) return []
  return stations.map((station) => ({ station, fileType, period, rule }))
}

function stationsOf(value: unknown, addFault: AddFault): readonly string[] {
  const codes = [value].flat().map((code) => (typeof code === 'string' ? code.toUpperCase() : ''))
  const areCodes = codes.every((code) => /^(?:[A-Z0-9]{4}|[A-Z0-9]{9})$/.test(code))
  if (!areCodes || codes.length === 0) addFault('station must be codes of 4 or 9 characters')
  return codes
}

function hoursOf(value: unknown, addFault: AddFault): ReadonlySet<number> | undefined {
  if (value === undefined) return undefined
  const isHour = (hour: unknown): hour is number =>
    Number.isInteger(hour) && Number(hour) >= 0 && Number(hour) <= 23
  if (Array.isArray(value) && value.length > 0 && value.every(isHour)) return new Set(value)
  addFault('hours must be a list of whole numbers from 0 to 23')
  return undefined
}

/** Reads a TOML date, or a string with a date. @returns the number of days since 1970 */
function dayOf(value: unknown, key: string, addFault: AddFault): number | undefined {
  if (value === undefined) return undefined
  const text = value instanceof Date ? value.toISOString().slice(0, 10) : value
  const day = typeof text === 'string' ? parseDay(text) : undefined
  if (day === undefined) addFault(`${key} must be a date such as 2026-01-31`)
  return day
}
