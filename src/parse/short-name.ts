/**
 * The short form of a file name, `r2`: 8.3 characters, and two more for high-rate files.
 *
 *     hour or day   ssssdddf.yyt     zimm028a.26n     brdc2420.18n
 *     high rate     ssssdddhmm.yyt   faa1170b00.16d
 *
 * | part   | rule                                                              | if wrong      |
 * | ------ | ----------------------------------------------------------------- | ------------- |
 * | `ssss` | station, letters or digits                                        |               |
 * | `ddd`  | day of the year, 001 to 365, in leap years 366                    | `bad-day`     |
 * | `f`    | `0` whole day; `a` to `x` hour 00 to 23; `1` to `9` file of a day | `bad-session` |
 * | `h`    | `a` to `x`, hour of the start                                     | `bad-session` |
 * | `mm`   | 00 to 59, minute of the start                                     | `bad-minute`  |
 * | `yy`   | year, see `fullYear`                                              |               |
 * | `t`    | type, see `typesOfLetters`                                        | `bad-type`    |
 *
 * The parts are those of RINEX 2.11, section 4; `hmm` of IGSMAIL-5501.
 */
import {
  dayStartSeconds,
  fullYear,
  isDayOfYear,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
  sessionHour,
} from './calendar.ts'
import type { FileDuration, FileType, ParsedName, RejectionReason } from './types.ts'
import { soleFault } from './types.ts'

const shortForm = /^([A-Z0-9]{4})([0-9]{3})([A-Z]([0-9]{2})?|[0-9])\.([0-9]{2})([A-Z])$/i

/**
 * The file types of the type letters (RINEX 2.11 and 3.00, section 4): `d` is Hatanaka-compressed
 * observations; navigation is `n` GPS, `g` GLONASS, `l` Galileo, `p` mixed, `h` SBAS payload. `q`
 * (QZSS), `f` (BeiDou) and `e` (Galileo) are in neither document, but archives use them. Files with
 * any other letter are not catalogued, for example `b` SBAS broadcast, `c` clocks, `s` summaries,
 * and `i` IONEX.
 */
const typesOfLetters: readonly (readonly [letters: string, FileType])[] = [
  ['OD', 'o'],
  ['NGLPHQFE', 'n'],
  ['M', 'm'],
]

/** The systems of the type letters of navigation files; `p` holds several. */
const systemsOfLetters: Readonly<Record<string, string>> = {
  N: 'G',
  G: 'R',
  L: 'E',
  H: 'S',
  Q: 'J',
  F: 'C',
  E: 'E',
}

/**
 * Length of the data in seconds by the duration. The name of a high-rate file does not contain it;
 * by IGSMAIL-5501 there is a file every 15 minutes. The file numbers (`u`) do not say it.
 */
export const shortNameSpans: Readonly<Partial<Record<FileDuration, number>>> = {
  d: secondsPerDay,
  h: secondsPerHour,
  m: 15 * secondsPerMinute,
}

/**
 * The parts of a short name without its suffix, or the reason to reject it; `undefined` if the name
 * does not look like one.
 */
export function parseShortName(name: string): ParsedName | RejectionReason | undefined {
  const match = shortForm.exec(name)
  if (match === null) return undefined
  const [, station = '', ddd, session = '', mm, yy, typeLetter = ''] = match
  const [day, minute, year] = [Number(ddd), Number(mm ?? 0), fullYear(Number(yy))]
  const duration = mm !== undefined ? 'm' : session === '0' ? 'd' : session <= '9' ? 'u' : 'h'
  const hour = session <= '9' ? 0 : sessionHour(session)
  const letter = typeLetter.toUpperCase()
  const [, type] = typesOfLetters.find(([letters]) => letters.includes(letter)) ?? []
  const fault = soleFault([
    !isDayOfYear(year, day) && 'bad-day',
    hour === undefined && 'bad-session',
    minute > 59 && 'bad-minute',
    type === undefined && 'bad-type',
  ])
  if (fault !== undefined || hour === undefined || type === undefined) return fault
  return {
    kind: 'parsed',
    version: 'r2',
    station: station.toUpperCase(),
    startSeconds: dayStartSeconds(year, day) + hour * secondsPerHour + minute * secondsPerMinute,
    duration,
    type,
    spanSeconds: shortNameSpans[duration],
    country: undefined,
    source: '',
    period: '',
    interval: '',
    content: '',
    navigation: systemsOfLetters[letter] ?? '',
  }
}
