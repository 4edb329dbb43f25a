/**
 * Reads the body of a request for many series: options as `key=value` lines, then a question a
 * line, as the availability service of the FDSN takes them. Pure.
 */
import type { DayRange, SeriesKey } from '../../series/series.ts'
import { slotsPerDay } from '../../series/series.ts'
import { BadFields } from '../http/errors.ts'
import type { InvalidValue } from '../parameters/parameter.ts'
import { latencyParameters as parameters, rangeFault } from '../stations/series-reader.ts'

/** The words of a line, in their order. */
const words = ['station', 'file_type', 'period', 'from', 'to'] as const
type Word = (typeof words)[number]

/** A question: stations, and the days of one of their series. */
export interface SeriesQuestion extends SeriesKey, DayRange {
  /** Codes in upper case; one with `*` at its end is the beginning of codes. */
  readonly stations: readonly string[]
  /** The number of its line, from 1. */
  readonly line: number
}

export interface Questions {
  /** The options of the body, by their names. */
  readonly options: ReadonlyMap<string, string>
  readonly questions: readonly SeriesQuestion[]
}

/** Maximum number of faults that an answer names, and of the characters of a word in it. */
const most = { faults: 20, characters: 40 }

const stationPattern = /^(?:[A-Z0-9]{4}(?:[A-Z0-9]{5})?|[A-Z0-9]{0,8}\*)$/i
const optionPattern = /^([a-z_]+)\s*=\s*(.*)$/

/** @throws BadFields by field, with the number of each line */
export function parseQuestions(body: string): Questions {
  const options = new Map<string, string>()
  const questions: SeriesQuestion[] = []
  const faults = new LineFaults()
  for (const [index, line] of body.split(/\r?\n/).entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const [, name, value = ''] = optionPattern.exec(text) ?? []
    const isLate = questions.length + faults.count > 0
    if (name === undefined) questions.push(...parseLine(text, index + 1, faults))
    else if (isLate) faults.add(name, index + 1, 'An option stands before the first question.')
    else options.set(name, value)
  }
  if (questions.length === 0 && faults.count === 0)
    faults.add('station', 1, `Enter a line for each question: ${words.join(' ')}.`)
  faults.throwIfAny()
  return { options, questions }
}

/** The faults of lines, by the word that is wrong. */
export class LineFaults {
  readonly #byField = new Map<string, string[]>()
  count = 0

  add(field: string, line: number, fault: InvalidValue['fault']): void {
    if (++this.count > most.faults) return
    const messages = this.#byField.get(field) ?? []
    this.#byField.set(field, messages)
    messages.push(...[fault].flat().map((each) => `Line ${line}: ${each}`))
  }

  throwIfAny(): void {
    if (this.count > 0) throw new BadFields(Object.fromEntries(this.#byField))
  }
}

function parseLine(text: string, line: number, faults: LineFaults): SeriesQuestion[] {
  const given = text.split(/\s+/)
  if (given.length !== words.length) {
    faults.add('station', line, `Enter ${words.length} words: ${words.join(' ')}.`)
    return []
  }
  const before = faults.count
  const read = <Value>(word: Exclude<Word, 'station'>, parse: ReadWords<Value>) => {
    const value = parse([(given[words.indexOf(word)] ?? '').slice(0, most.characters)])
    if ('value' in value) return value.value
    faults.add(word, line, value.fault)
    return undefined
  }
  const stations = (given[0] ?? '').split(',')
  if (!stations.every((each) => stationPattern.test(each)))
    faults.add(
      'station',
      line,
      'Enter station codes of 4 or 9 characters, beginnings such as GR*, or *.',
    )
  const fileType = read('file_type', parameters.file_type.read)
  const period = read('period', parameters.period.read)
  const [fromDay, toDay] = [read('from', parameters.from.read), read('to', parameters.to.read)]
  if (faults.count > before || !fileType || !period) return []
  if (fromDay === undefined || toDay === undefined) return []
  const fault = rangeFault({ fromDay, toDay, period })
  if (fault !== undefined) {
    faults.add('from', line, fault)
    return []
  }
  const codes = [...new Set(stations.map((each) => each.toUpperCase()))]
  return [{ stations: codes, fileType, period, fromDay, toDay, line }]
}

type ReadWords<Value> = (words: readonly string[]) => { readonly value: Value } | InvalidValue

/** The number of slots of a question for one station. */
export function slotsOfQuestion({ period, fromDay, toDay }: SeriesQuestion): number {
  return (toDay - fromDay + 1) * slotsPerDay(period)
}
