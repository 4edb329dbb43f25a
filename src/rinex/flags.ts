/** Judges what was read of a file by the name of the file. */
import type { ParsedName } from '../parse/types.ts'
import type { Body, Content } from './content-reader.ts'
import type { EpochCount } from './epochs.ts'
import { epochsIn, expectedSpan, namedInterval, namedSpan } from './expected.ts'
import type { Facts, Flag, FlagName, HeaderFacts } from './facts.ts'
import { isNavigation, systemOfNavigation, versionOf } from './header.ts'
import { shortTime, spanWords } from './times.ts'

/** The least share of the expected epochs of a file that is not `short`. */
const leastShare = 0.95

/** Times may differ by half an interval, at most by this (µs). */
const mostToleranceUs = 1e6
/**
 * GLONASS and BeiDou count time without or with fewer leap seconds than the names (RINEX 3.05,
 * section 4.1): 18 s and 14 s.
 */
const otherSystemsUs = 20e6
/** Intervals may differ by this share, or these seconds. */
const intervalShare = 0.01
const intervalSeconds = 0.002

/** What a name, a header and the epochs say together of the epochs that there should be. */
export interface Judgement extends Pick<Facts, 'expected_epochs' | 'share'> {
  readonly flags: readonly Flag[]
}

const noHeader = {
  none: 'the text does not begin with the header of a RINEX file',
  endless: 'the header has no END OF HEADER within its first 256 KB',
} as const

type Read = Extract<Content, { kind: 'read' }>

export function judge(content: Content, name: ParsedName): Judgement {
  if (content.kind === 'no-header') {
    if (content.header !== 'cut') return only('no-header', noHeader[content.header])
    return only('cut', 'the text ends within the header, before END OF HEADER')
  }
  const { body } = content
  if (body === undefined) return { flags: headerFlags(content, name) }
  // Of other data than observations there are no epochs, whichever of name and header says so.
  const count = name.type === 'o' ? body.count : undefined
  const isEmpty = count === undefined ? !body.hasLines && !body.isCutInLine : isWithoutEpochs(body)
  if (isEmpty) return only('empty', emptyWords(name, count !== undefined))
  const cut = cutWords(body)
  const cuts: Flag[] = cut === undefined ? [] : [{ flag: 'cut', says: cut }]
  if (count === undefined) return { flags: [...cuts, ...headerFlags(content, name)] }
  const { flags, ...expected } = judgeEpochs(content, count, name)
  return { ...expected, flags: [...cuts, ...flags, ...headerFlags(content, name)] }
}

function only(flag: FlagName, says: string): Judgement {
  return { flags: [{ flag, says }] }
}

/** A text that ends within its first epoch line is cut. */
function isWithoutEpochs({ count, isCutInLine, missingLines }: Body): boolean {
  if (count === undefined || count.epochs > 0) return false
  return count.tears > 0 || (!isCutInLine && missingLines === 0)
}

function emptyWords(name: ParsedName, hasEpochs: boolean): string {
  const span = namedSpan(name)
  const named = span === undefined ? '' : `, the name says data ${spanWords(span)}`
  return `no ${hasEpochs ? 'epoch' : 'line'} follows the header${named}`
}

function cutWords({ count, isCutInLine, missingLines }: Body): string | undefined {
  if (!isCutInLine && missingLines === 0) return undefined
  const place = isCutInLine ? 'within a line' : 'within an epoch'
  const last = count?.lastUs === undefined ? '' : `, the last epoch is ${shortTime(count.lastUs)}`
  // The line that has no end is there.
  const missing = isCutInLine ? missingLines - 1 : missingLines
  if (missing <= 0) return `the text ends ${place}${last}`
  const lines = missing === 1 ? 'a line of it is' : `${missing} lines of it are`
  return `the text ends ${place}${last}: ${lines} missing`
}

/** The flags of an observation file that has epochs. */
function judgeEpochs(content: Read, count: EpochCount, name: ParsedName): Judgement {
  const { header } = content
  const named = namedInterval(name)
  const interval = named ?? header.interval_s ?? count.step_s
  const halfUs = Math.min(mostToleranceUs, ((interval ?? Infinity) * 1e6) / 2)
  const toleranceUs = halfUs + (hasOtherTime(content) ? otherSystemsUs : 0)
  const flags: Flag[] = []
  const add = (flag: FlagName, says: string | undefined): void => {
    if (says !== undefined) flags.push({ flag, says })
  }
  add('torn', tornWords(count))
  const { firstUs, lastUs } = count
  const hasTimes = firstUs !== undefined && lastUs !== undefined
  const expected = hasTimes ? expectedSpan(name, lastUs, toleranceUs) : undefined
  const expected_epochs =
    expected === undefined || interval === undefined ? undefined : epochsIn(expected, interval)
  const share =
    expected_epochs === undefined ? undefined : Math.min(1, count.epochs / expected_epochs)
  if (expected_epochs !== undefined && share !== undefined && share < leastShare) {
    const percent = (Math.floor(share * 1000) / 10).toFixed(1)
    add('short', `${count.epochs} of ${expected_epochs} epochs, ${percent} %`)
  }
  const span = namedSpan(name)
  if (hasTimes && span !== undefined) {
    if (lastUs > span.toUs + toleranceUs)
      add('long', `the last epoch is ${shortTime(lastUs)}, the name ends ${shortTime(span.toUs)}`)
    if (firstUs < span.fromUs - toleranceUs || firstUs >= span.toUs - halfUs)
      add('date', `the first epoch is ${shortTime(firstUs)}, the name says ${spanWords(span)}`)
  }
  add('interval', intervalWords(named, header.interval_s, count.step_s))
  const said =
    expected_epochs === undefined || share === undefined ? {} : { expected_epochs, share }
  return { ...said, flags }
}

function hasOtherTime({ header, data }: Read): boolean {
  if (header.time_system !== undefined) return ['GLO', 'BDT'].includes(header.time_system)
  return data.system === 'R' || data.system === 'C'
}

function tornWords({ tears, firstTear }: EpochCount): string | undefined {
  if (firstTear === undefined) return undefined
  const { afterUs, foundUs } = firstTear
  const after = afterUs === undefined ? 'the header' : `the epoch of ${shortTime(afterUs)}`
  const more = tears > 1 ? `, and so at ${tears - 1} more ${tears === 2 ? 'place' : 'places'}` : ''
  if (foundUs === undefined) return `after ${after} a line is no epoch where one must begin${more}`
  return `after ${after} comes that of ${shortTime(foundUs)}${more}`
}

function intervalWords(
  named: number | undefined,
  header: number | undefined,
  step: number | undefined,
): string | undefined {
  const said = [
    { seconds: named, who: 'the name says' },
    { seconds: header, who: 'the header says' },
    { seconds: step, who: 'most epochs follow after' },
  ].flatMap(({ seconds, who }) => (seconds === undefined ? [] : [{ seconds, who }]))
  const isSame = said.every(({ seconds: a }) =>
    said.every(({ seconds: b }) => isSameInterval(a, b)),
  )
  return isSame
    ? undefined
    : said.map(({ seconds, who }) => `${who} ${Number(seconds.toFixed(6))} s`).join(', ')
}

function isSameInterval(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(intervalSeconds, intervalShare * Math.max(a, b)) + 1e-9
}

/** The flags of what the header says of every file. */
function headerFlags(content: Read, name: ParsedName): Flag[] {
  const { header } = content
  const says: readonly (readonly [FlagName, string | undefined])[] = [
    ['version', name.type === 'o' ? versionWords(header, name) : undefined],
    ['type', typeWords(content, name)],
    ['marker', markerWords(header, name)],
  ]
  return says.flatMap(([flag, words]) => (words === undefined ? [] : [{ flag, says: words }]))
}

function versionWords(header: HeaderFacts, name: ParsedName): string | undefined {
  const version = versionOf(header)
  if (version === undefined)
    return `the version in the header is no number: ${quoted(header.rinex_version)}`
  if (version < 2 || version >= 5) return `the header says version ${version}, not 2, 3 or 4`
  if (version < 3 && name.version === 'r3')
    return `the name is one of version 3, the header says version ${version}`
  return undefined
}

const typeNames = { o: 'observation', n: 'navigation', m: 'meteorological' } as const

function typeWords({ header, data }: Read, name: ParsedName): string | undefined {
  const { type } = data
  const found = type === 'M' ? 'm' : type === 'O' ? 'o' : isNavigation(data) ? 'n' : undefined
  const named = `the name says ${typeNames[name.type]} data`
  if (found === undefined) return `${named}, the header says the type ${quoted(type)}`
  if (found !== name.type) return `${named}, the header ${typeNames[found]} data`
  const system = systemOfNavigation(header, data)
  if (found !== 'n' || system === '' || ['', system].includes(name.navigation)) return undefined
  return `the name says navigation data of system ${name.navigation}, the header of ${system}`
}

/** Number of letters of a code of four, with which each code begins. */
const siteLetters = 4

function markerWords({ marker }: HeaderFacts, { station }: ParsedName): string | undefined {
  const said = marker?.name
  if (said === undefined) return undefined
  const letters = said
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .slice(0, siteLetters)
    .toUpperCase()
  const code = station.slice(0, siteLetters)
  return letters === code ? undefined : `the name says ${code}, the marker is ${said}`
}

function quoted(text = ''): string {
  return text === '' ? 'none' : `“${text}”`
}
