/**
 * Layouts of archives, as their clients know them, and a tree of each: small files of two stations
 * at some times. Patterns have words in braces for the time and the station of a file.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { dayOfYearAt, secondsPerDay, secondsPerHour } from '../../src/parse/calendar.ts'
import { joinPath } from '../../src/parse/layout.ts'

/** Files of one form: their directory, their name, and the times of which there are files. */
export type Kind = readonly [directory: string, name: string, times: readonly number[]]

const midnight = (year: number, month: number, day: number): number =>
  Date.UTC(year, month - 1, day) / 1000
const today = Math.floor(Date.now() / 1000 / secondsPerDay) * secondsPerDay
/** The day of the newest files of a tree: two days ago. */
export const newest = today - 2 * secondsPerDay
const now = [newest]
const then = [midnight(2006, 3, 14), midnight(2016, 7, 1)]
const later = [midnight(2021, 5, 9), ...now]
const until21 = [...then, midnight(2021, 5, 9)]
const ever = [...until21, ...now]
/** In this week, number 2000, the number of a week is also a year. */
const week2000 = [midnight(2018, 5, 9)]

const short = '{s}{n}0.{y}d'
const hourly2 = '{s}{n}{L}.{y}o.gz'
const long = '{S9}_R_{Y}{n}0000_01D_30S_MO.crx.gz'
const hourly = '{S9}_R_{Y}{n}{h}00_01H_30S_MO.crx.gz'
const seconds = '{S9}_R_{Y}{n}{h}00_01H_01S_MO.crx.gz'
const quarters = '{S9}_R_{Y}{n}{h}00_15M_01S_MO.crx.gz'
const navigation = '{S9}_R_{Y}{n}0000_01D_MN.rnx.gz'

/** Daily files of `.Z` until they had long names, all below year and day. */
const dailyIn = (directory: string, newer = directory): Kind[] => [
  [`${directory}/{Y}/{n}`, `${short}.Z`, then],
  [`${newer}/{Y}/{n}`, long, later],
]

/** Archives of the world. */
export const known: Readonly<Record<string, readonly Kind[]>> = {
  Austria: [
    ['obs/{Y}/{n}', `${short}.gz`, then],
    ['obs/{Y}/{n}', long, later],
    ['obs/{Y}/{n}', navigation, later],
    ['nrt/{Y}/{n}/{h}', hourly, now],
  ],
  'Germany, three networks': [
    ...dailyIn('EUREF/obs'),
    ['EUREF/nrt/{n}/{h}', hourly, now],
    ['EUREF/highrate/{Y}/{n}/{L}', quarters, later],
    ['EUREF/BRDC/{Y}/{n}', 'BRDC00IGS_R_{Y}{n}0000_01D_MN.rnx.gz', later],
  ],
  Belgium: [
    ['pub/obs/{Y}/{n}', '{S}{n}0.{y}D.Z', then],
    ['pub/obs/{Y}/{n}', long, later],
    ['pub/obs/BRDC/{Y}', 'BRDC00GOP_R_{Y}{n}0000_01D_MN.rnx.gz', later],
  ],
  'Italy, geodesy': [
    ['GEOD/GPSD/RINEX/{Y}/{n}', `${short}.Z`, until21],
    ['GEOD/GPSD/RINEX_V3/{Y}/{n}', long, later],
  ],
  Netherlands: [
    ['data/daily/{Y}/{n}', long, later],
    ['data/highrate/{Y}/{n}', quarters, now],
  ],
  'France, by rate': [
    ['pub/data/{Y}/{n}/data_30', `${short}.Z`, then],
    ['pub/data_v3/{Y}/{n}/data_30', long, later],
    ['pub/data_v3/{Y}/{n}/data_1', seconds, now],
  ],
  'France, global': dailyIn('pub/igs/data'),
  'Italy, volcanoes': [
    ...dailyIn('rinex/RING'),
    ['01/{Y}/{n}/{h}', '{s}{n}{L}.{y}d.Z', [midnight(2016, 7, 1)]],
    ['01/{Y}/{n}/{h}', seconds, now],
  ],
  'France, a community': [
    ...dailyIn('pub/data', 'pub/rinex3'),
    ['pub/rinex3_1s/{Y}/{n}', seconds, later],
    ['pub/centipede_30s/{Y}/{n}', long, later],
  ],
  Greece: dailyIn('services/GPSData'),
  'An observatory': [
    ['GPS/GPSDATA/{Y}/{n}/rinex', `${short}.Z`, until21],
    ['GPS/GPSDATA/{Y}/{n}/rinex', long, now],
  ],
  'Sea level': [
    ['gps/data/{Y}/{n}', `${short}.Z`, until21],
    ['gps/data/{Y}/{n}', long, later],
  ],
  'Space agency': dailyIn('gnss/data/daily'),
  Potsdam: [
    ['gnss/data/daily/{Y}/{n}', long, [midnight(2016, 7, 1), ...later]],
    ['gnss/data/highrate/{Y}/{n}', quarters, now],
  ],
  China: [['pub/data/igs/{Y}/{n}', long, later]],
  'Japan, types below the day': [
    ['rinex/daily/{Y}/{n}/{y}d', long, later],
    ['rinex/daily/{Y}/{n}/{y}p', navigation, later],
  ],
  'Japan, without Hatanaka': [
    ['data/daily/{Y}/{n}', '{s}{n}0.{y}o.Z', until21],
    ['data/daily/{Y}/{n}', '{s}{n}0.{y}p.Z', until21],
  ],
  'Japan, every station': [
    ['data/GRJE_3.02/{Y}/{n}', '{s}{n}0.{y}o.gz', ever],
    ['data/GRJE_3.02/{Y}/{n}', '{s}{n}0.{y}N.tar.gz', ever],
  ],
  'United States': [
    ['rinex/{Y}/{n}/{s}', `${short}.gz`, ever],
    ['rinex/{Y}/{n}/{s}', '{s}{n}0.{y}o.gz', ever],
    ['rinex/{Y}/{n}/{s}', '{s}{n}0.{y}S', ever],
    ['rinex/{Y}/{n}/{s}', hourly2, now],
    ['rinex/{Y}/{n}', 'brdc{n}0.{y}n.gz', ever],
  ],
  Australia: [
    ['public/daily/{Y}/{n}', `${short}.gz`, then],
    ['public/daily/{Y}/{n}', long, later],
    ['public/hourly/{Y}/{n}/{h}', hourly, now],
    ['public/highrate/{Y}/{n}/{h}', quarters, now],
  ],
  Brazil: [
    ['rbmc/dados/{Y}/{n}', '{s}{n}1.zip', until21],
    ['rbmc/dados_RINEX3/{Y}/{n}', '{S9}_R_{Y}{n}0000_01D_15S_MO.crx.gz', later],
  ],
  Chile: [['data/{Y}/{n}', `${short}.Z`, ever]],
  Mexico: [['home/rgna/{S}/{d}{MON}', '{S}{n}a_{n}.zip', later]],
  Uruguay: [
    ['hatanaka/{Y}/{n}', `${short}.Z`, then],
    ['hatanaka/{Y}/{n}', `${short}.zip`, later],
  ],
  'Hong Kong': [
    ['rinex2/{Y}/{n}/{s}/30s', `${short}.gz`, then],
    ['rinex3/{Y}/{n}/{s}/30s', long, later],
    ['rinex3/{Y}/{n}/{s}/1s', seconds, now],
  ],
  'South Africa': [['RefData.{y}/{n}/L1L2_30sec', '{S}{n}Z.zip', ever]],
  'A network for surveyors': [['RefData.{y}/Month.{Mon}/Day.{d}', '{s}{n}{L}.rnx.zip', ever]],
  'A base at home': [
    ['data', '{Y}-{m}-{d}-{S}_ign.{y}o', later],
    ['data', '{Y}-{m}-{d}_{S}.zip', later],
  ],
}

/** Others that an archive might have. */
export const invented: Readonly<Record<string, readonly Kind[]>> = {
  'months by name': [['rinex/{Y}/{Mon}/{d}', `${short}.gz`, ever]],
  'months by whole name': [['gps/{Y}/{month}', `${short}.Z`, ever]],
  'station first': [['{S9}/{Y}/{n}', long, ever]],
  'days in one segment': [
    ['daily/{Y}{n}', long, ever],
    ['hourly/{Y}{n}/{h}', hourly, now],
  ],
  'years and days with letters': [['y{Y}/d{n}', `${short}.gz`, ever]],
  'days of five digits, and hours by letter': [['{y}{n}/{L}', hourly2, ever]],
  weeks: [['{w}/{weekday}', long, [...ever, ...week2000]]],
  'everything in one directory': [
    ['', long, ever],
    ['', `${short}.Z`, then],
  ],
  'country, station, year': [['{country}/{S}/{Y}', `${short}.gz`, ever]],
  'months and days with words': [['RefData.{y}/Month.{Mon}/Day.{d}', long, ever]],
  'numbers of sites above the years': [['sites/92110/{Y}/{n}', `${short}.gz`, ever]],
  'dates with hyphens': [['{Y}-{m}-{d}/{S}', long, ever]],
  'campaigns and plain files': [
    ['campaigns/alps2019/{Y}_{n}', '{s}{n}0.{y}o', until21],
    ['campaigns/alps2019/{Y}_{n}', long, now],
  ],
  'station, year, month, day': [['net/{S}/{Y}/{m}/{d}', `${short}.gz`, ever]],
  'minutes below hours': [['1s/{Y}/{n}/{h}/00', quarters, ever]],
  'serial numbers of receivers': [['rx/sn-5211K83621/{Y}.{n}', long, ever]],
  'rates and stations below days': [['d/{Y}/{n}/30S/{S9}', long, ever]],
  'months without a year': [['by-month/{Y}{m}/{d}', `${short}.gz`, ever]],
}

const monthNames = 'january february march april may june july august september'
  .concat(' october november december')
  .split(' ')

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0')

/** The words of a time (s since 1970) and a station. */
function wordsOf(seconds: number, station: string): Readonly<Record<string, string>> {
  const { year, dayOfYear } = dayOfYearAt(seconds)
  const date = new Date(seconds * 1000)
  const month = monthNames[date.getUTCMonth()] ?? ''
  const mon = month.slice(0, 3)
  const days = seconds / secondsPerDay - midnight(1980, 1, 6) / secondsPerDay
  const hour = date.getUTCHours()
  return {
    Y: pad(year, 4),
    y: pad(year % 100, 2),
    n: pad(dayOfYear, 3),
    m: pad(date.getUTCMonth() + 1, 2),
    d: pad(date.getUTCDate(), 2),
    h: pad(hour, 2),
    L: String.fromCharCode(97 + hour),
    month,
    Mon: mon.charAt(0).toUpperCase() + mon.slice(1),
    MON: mon.toUpperCase(),
    w: pad(Math.floor(days / 7), 4),
    weekday: String(Math.floor(days) % 7),
    S9: station,
    S: station.slice(0, 4),
    s: station.slice(0, 4).toLowerCase(),
    country: station.slice(6),
  }
}

/** A pattern as a text, at a time (s since 1970). */
export function filled(pattern: string, seconds: number, station: string): string {
  const words = wordsOf(seconds, station)
  return pattern.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '')
}

const stations = ['GRAZ00AUT', 'ZIMM00CHE']

/** The paths of the files of a kind: of an hour, if the pattern has hours, those of two hours. */
export function pathsOf([directory, name, times]: Kind): string[] {
  const hours = /\{[hL]\}/.test(directory + name) ? [0, 13] : [0]
  const paths = times.flatMap((time) =>
    hours.flatMap((hour) =>
      stations.map((station) => {
        const start = time + hour * secondsPerHour
        return joinPath(filled(directory, start, station), filled(name, start, station))
      }),
    ),
  )
  return [...new Set(paths)]
}

/** The path of a file of another station, which may be in the directory of another time. */
export function pathOf(
  [directory, name]: Kind,
  start: number,
  { station = 'WTZR00DEU', placedAt = start } = {},
): string {
  return joinPath(filled(directory, placedAt, station), filled(name, start, station))
}

/** A file whose name and content agree, as old as the archive. */
export function putFile(root: string, path: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, contentOf(path))
  const old = new Date((today - secondsPerDay * 1.5) * 1000)
  utimesSync(file, old, old)
}

const lzw = Buffer.from('1f9d907800', 'hex')

function contentOf(path: string): string | Buffer {
  if (path.endsWith('.gz')) return gzipSync('x')
  return path.endsWith('.Z') ? lzw : 'x\n'
}
