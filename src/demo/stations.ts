/** The stations of the demo: where they are, and what happens to them. Pure. */
import { secondsPerDay, secondsPerHour, secondsPerMinute } from '../parse/calendar.ts'

export type DemoPeriod = '01D' | '01H' | '15M'

export interface DemoStation {
  readonly code: string
  readonly name: string
  readonly latitude: number
  readonly longitude: number
  readonly periods: readonly DemoPeriod[]
  /** Days before the start of the demo since which it delivers; by default since ever. */
  readonly since?: number
  /** Whether it delivers a slot, by the days and seconds from the slot to the start of the demo. */
  readonly delivers?: (slot: { readonly ago: number; readonly chance: number }) => boolean
  /** Days before the start of the demo until which its names were short; `always`. */
  readonly shortUntil?: number
  /** Its files lie in a directory of its own in the area `stations`, those of a year together. */
  readonly hasOwnDirectory?: true
  /** Its hourly files come together, so many hours at once. */
  readonly batchHours?: number
}

/** For `shortUntil`. */
const always = -Infinity

const all: readonly DemoPeriod[] = ['01D', '01H', '15M']
const slow: readonly DemoPeriod[] = ['01D', '01H']

const ofOtherNetwork = { periods: ['01D'], hasOwnDirectory: true } as const

/** Time since a station got another code (seconds): so long that the old one ended. */
const renamedAgo = 120 * secondsPerDay

/** All of Norway stopped 5 hours and 40 minutes before the start. */
const norway = ({ ago }: { ago: number }) => ago > 5 * secondsPerHour + 40 * secondsPerMinute

const at = (code: string, name: string, latitude: number, longitude: number) => ({
  code,
  name,
  latitude,
  longitude,
})

/** The stations exist, about where they are; what is told of them does not. */
export const demoStations: readonly DemoStation[] = [
  { ...at('GRAZ00AUT', 'Graz', 47.067, 15.493), periods: all },
  { ...at('WTZR00DEU', 'Bad Kötzting, Wettzell', 49.144, 12.879), since: 500, periods: all },
  { ...at('POTS00DEU', 'Potsdam', 52.379, 13.066), since: 300, periods: all },
  { ...at('ZIMM00CHE', 'Zimmerwald', 46.877, 7.465), periods: all, shortUntil: 400 },
  { ...at('ONSA00SWE', 'Onsala', 57.395, 11.926), since: 400, periods: all },
  { ...at('GOPE00CZE', 'Ondřejov', 49.914, 14.786), since: 250, periods: all },
  // It lost twenty days.
  {
    ...at('PASA00ESP', 'Pasaia', 43.322, -1.931),
    since: 400,
    periods: all,
    delivers: ({ ago }) => ago < 120 * secondsPerDay || ago > 140 * secondsPerDay,
  },
  {
    ...at('BRUX00BEL', 'Brussels', 50.798, 4.359),
    since: 200,
    periods: all,
    delivers: ({ chance }) => chance < 0.8,
  },
  {
    ...at('MATE00ITA', 'Matera', 40.649, 16.704),
    since: 300,
    periods: slow,
    delivers: ({ ago }) => ago > 9 * secondsPerDay,
  },
  { ...at('TRDS00NOR', 'Trondheim', 63.371, 10.319), since: 180, periods: slow, delivers: norway },
  { ...at('TROM00NOR', 'Tromsø', 69.663, 18.94), since: 350, periods: slow, delivers: norway },
  { ...at('NYA100NOR', 'Ny-Ålesund', 78.93, 11.865), since: 220, periods: slow, delivers: norway },
  { ...at('HKBL', 'Bad Homburg', 50.228, 8.611), periods: ['01D'], shortUntil: always },
  // Its line is slow.
  { ...at('HOFN00ISL', 'Höfn', 64.267, -15.198), since: 200, periods: slow, batchHours: 6 },
  // A new receiver, and a new code with it.
  {
    ...at('HERS00GBR', 'Herstmonceux', 50.867, 0.336),
    periods: slow,
    delivers: ({ ago }) => ago > renamedAgo,
  },
  {
    ...at('HERT00GBR', 'Herstmonceux', 50.867, 0.334),
    periods: slow,
    delivers: ({ ago }) => ago <= renamedAgo,
  },
  // Two of another network, which got long names, and two which did not.
  { ...at('PENC00HUN', 'Penc', 47.79, 19.282), since: 450, ...ofOtherNetwork, shortUntil: 300 },
  {
    ...at('JOZE00POL', 'Józefosław', 52.097, 21.032),
    since: 400,
    ...ofOtherNetwork,
    shortUntil: 300,
  },
  { ...at('BUCU', 'Bucharest', 44.464, 26.126), since: 300, ...ofOtherNetwork, shortUntil: always },
  { ...at('SOFI', 'Sofia', 42.556, 23.395), ...ofOtherNetwork, shortUntil: always },
]

/** The station whose last files come after the start. */
export const returning = 'BRUX00BEL'

/** The lines of `stations_file`. */
export function stationsCsv(): string {
  return ['code,latitude,longitude,name', ...demoStations.map(lineOf)].join('\n') + '\n'
}

function lineOf({ code, latitude, longitude, name }: DemoStation): string {
  return `${code},${latitude},${longitude},"${name}"`
}
