/**
 * Layouts of archives, as their clients know them, and others that an archive might have. Patterns
 * have words in braces for the time and the station of a file (`wordsOf` in tree-layouts.ts).
 */
import type { Kind } from './tree-layouts.ts'
import { newest } from './tree-layouts.ts'

const midnight = (year: number, month: number, day: number): number =>
  Date.UTC(year, month - 1, day) / 1000
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
  'Space geodesy, by type': [
    ['gnss/data/daily/{Y}/{n}/{y}d', `${short}.Z`, then],
    ['gnss/data/daily/{Y}/{n}/{y}d', long, later],
    ['gnss/data/daily/{Y}/{n}/{y}n', '{s}{n}0.{y}n.gz', ever],
    ['gnss/data/daily/{Y}/{n}/{y}m', '{s}{n}0.{y}m.Z', then],
    ['gnss/data/daily/{Y}/brdc', 'BRDC00IGS_R_{Y}{n}0000_01D_MN.rnx.gz', later],
    ['gnss/data/hourly/{Y}/{n}/{h}', hourly, now],
    ['gnss/data/highrate/{Y}/{n}/{y}d/{h}', '{s}{n}{L}15.{y}d.Z', then],
    ['gnss/data/highrate/{Y}/{n}/{y}d/{h}', quarters, now],
  ],
  'Germany, hours by letters': [
    ['IGS/obs/{Y}/{n}', long, later],
    ['IGS/highrate/{Y}/{n}/{U}', quarters, later],
    ['IGS/nrt/{n}/{h}', hourly2, now],
    ['MGEX/BRDC/{Y}/{n}', navigation, later],
  ],
  Canada: [
    ['gps/data/gpsdata/{y}{n}/{y}d', `${short}.Z`, until21],
    ['gps/data/gpsdata/{y}{n}/{y}d', long, now],
    ['gps/data/hourly/{y}{n}/{y}d/{h}', hourly, now],
  ],
  California: [
    ['pub/rinex/{Y}/{n}', `${short}.Z`, until21],
    ['pub/rinex/{Y}/{n}', `${short}.gz`, now],
    ['pub/hourly/{Y}/{n}/{h}', hourly2, now],
    ['pub/rinex_highrate/{Y}/{n}', '{s}{n}{L}00.{y}d.Z', then],
  ],
  'California, days after years': [
    ['gps/rinex/{Y}/{Y}.{n}', `${short}.Z`, ever],
    ['gps/highrate/1Hz/rinex/{Y}/{Y}.{n}', `${short}.gz`, ever],
  ],
  'United States, plates': [
    ['archive/gnss/rinex/obs/{Y}/{n}', `${short}.Z`, ever],
    ['archive/gnss/rinex/nav/{Y}/{n}', '{s}{n}0.{y}n.Z', ever],
    ['archive/gnss/rinex3/obs/{Y}/{n}', long, later],
    ['archive/gnss/highrate/1-Hz/rinex/{Y}/{n}/{s}', `${short}.Z`, ever],
    ['archive/gnss/highrate/5-Hz/rinex/{Y}/{n}/{s}', seconds, now],
  ],
  Iceland: [
    ['{Y}/{mon}/{S}/15s_24hr/rinex', '{S}{n}0.{y}D.Z', until21],
    ['{Y}/{mon}/{S}/15s_24hr/rinex', '{S}{n}0.{y}D.gz', now],
    ['{Y}/{mon}/{S}/15s_24hr/raw', '{S}{Y}{m}{d}0000a.sbf.gz', ever],
    ['{Y}/{mon}/{S}/1Hz_1hr/rinex', '{S}{n}{L}.{y}O.gz', now],
  ],
  'Spain, dates in one': [
    ['ERGNSS/diario_30s/{Y}{m}{d}', `${short}.Z`, then],
    ['ERGNSS/diario_30s/{Y}{m}{d}', long, later],
    ['ERGNSS/horario_1s/{Y}{m}{d}/{h}', seconds, now],
  ],
  'Spain, a region': [
    ['Redes/RINEX30/{Y}/{m}_{month}/{d}', long, later],
    ['Redes/RINEX1/{Y}/{m}_{month}/{d}/{S}', seconds, now],
  ],
  'New Zealand': [
    ['gnss/rinex/{Y}/{n}', `${short}.Z`, then],
    ['gnss/rinex/{Y}/{n}', `${short}.gz`, later],
    ['gnss/rinex1Hz/{Y}/{n}', quarters, now],
  ],
  'New Zealand, surveyors': [
    ['positionz/{Y}/{n}', `${short}.gz`, ever],
    ['positionz/{Y}/{n}/hourly', seconds, now],
  ],
  Korea: [
    ['gps/data/daily/{Y}/{n}/{y}o', '{s}{n}0.{y}o.Z', until21],
    ['gps/data/daily/{Y}/{n}/{y}d', long, now],
    ['gps/data/daily/{Y}/{n}/{y}n', '{s}{n}0.{y}n.Z', until21],
    ['gps/data/30s/{Y}/{n}/{h}', hourly, now],
  ],
  'Australia, days of five digits below years': [
    ['gnss/data/daily/{Y}/{y}{n}', `${short}.Z`, then],
    ['gnss/data/daily/{Y}/{y}{n}', long, later],
    ['gnss/data/highrate/{Y}/{y}{n}/{h}', quarters, now],
  ],
  'Netherlands, a university': [
    ['dpga/rinex/{Y}/{n}', `${short}.Z`, then],
    ['dpga/rinex/{Y}/{n}', long, later],
    ['dpga/station/rinex/{S}/{Y}', `${short}.gz`, ever],
  ],
  'Finland, stations below rates': [
    ['RINEX3/30s/{S9}/{Y}/{n}', long, later],
    ['RINEX3/1s/{S9}/{Y}/{n}/{h}', seconds, now],
  ],
  'Sweden, weeks': [
    ['wk{w}', `${short}.gz`, [...until21, ...week2000]],
    ['wk{w}', long, now],
  ],
  'Great Britain': [
    ['{Y}/{n}/30s', `${short}.gz`, until21],
    ['{Y}/{n}/30s', long, now],
    ['{Y}/{n}/1s/{h}', seconds, now],
  ],
  'South Africa, long names': [
    ['RefData.{y}/{n}/L1L2_30sec', long, later],
    ['RefData.{y}/{n}/L1L2_1sec/{h}', seconds, now],
  ],
  'Switzerland, months': [
    ['data/{Y}/{m}/{S9}', long, later],
    ['data/{Y}/{m}/{s}', `${short}.Z`, then],
  ],
  'Europe, a campaign of years': [
    ['campaign/{Y}/{S}/rinex', '{s}{n}1.{y}o.gz', ever],
    ['campaign/{Y}/{S}/rinex', '{s}{n}0.{y}m', then],
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
  'months by number and name': [['{Y}/{m}-{Mon}/{d}/{h}', hourly, ever]],
  'months in one segment': [['{Y}-{m}/{d}', long, ever]],
  'days before years': [['{n}/{Y}', `${short}.gz`, ever]],
  'days with a word': [['gnss/{Y}/DOY{n}', long, ever]],
  'dates of six digits': [['{Y}/{y}{m}{d}/rinex', long, ever]],
  'dates without zeros': [['{Y}/{M}/{D}', `${short}.gz`, ever]],
  'weeks below years': [['{Y}/{w}/{n}', long, [...ever, ...week2000]]],
  'weeks with their day': [['{w}{weekday}/{S}', long, [...ever, ...week2000]]],
  'years in a word': [['gnss_{Y}/{n}', long, ever]],
  'years of two digits': [['rinex/{y}/{n}', `${short}.gz`, ever]],
  'station and month': [['{s}/{Y}{m}', long, ever]],
  'stations by their numbers': [['{S9}_11001M002/{Y}/{Mon}', long, ever]],
  'twelve levels': [['a1/b1/c1/d1/e1/rinex/{Y}/{m}/{d}/{h}/{S9}', hourly, ever]],
  'days in months': [['{Y}/{m}/{n}/{y}d', `${short}.gz`, ever]],
  'short names of quarter hours': [['hr/{y}{n}/{h}/{S}', '{s}{n}{L}45.{y}d.gz', now]],
  'letters of types': [
    ['{Y}/{n}/d', long, ever],
    ['{Y}/{n}/n', navigation, ever],
  ],
}
