/** Judges what was read of a file by its name: the whole of it, and what its header says. */
import type { ParsedName } from '../parse/types.ts'
import type { Body, Content, Read } from './content-reader.ts'
import type { Judgement } from './epoch-flags.ts'
import { judgeEpochs, saidFlags } from './epoch-flags.ts'
import { namedSpan } from './expected.ts'
import type { Flag, FlagName, HeaderFacts } from './facts.ts'
import { isNavigation, systemOfNavigation, versionOf } from './header.ts'
import { shortTime, spanWords } from './times.ts'

const noHeader = {
  none: 'the text does not begin with the header of a RINEX file',
  endless: 'the header has no END OF HEADER within its first 256 KB',
} as const

/** The flags of a file that was read to its end, and the share of its epochs. */
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
  const cut = saidFlags([['cut', cutWords(body)]])
  const { flags, ...expected } =
    count === undefined ? { flags: [] } : judgeEpochs(content, count, name)
  return { ...expected, flags: [...cut, ...flags, ...headerFlags(content, name)] }
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

/** The flags of what the header says of every file. */
function headerFlags(content: Read, name: ParsedName): Flag[] {
  const { header } = content
  return saidFlags([
    ['version', name.type === 'o' ? versionWords(header, name) : undefined],
    ['type', typeWords(content, name)],
    ['marker', markerWords(header, name)],
  ])
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
