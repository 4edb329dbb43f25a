/** What the demo's stations measure with, when that changed, and where they stand. Pure. */
import { secondsPerDay } from '../parse/calendar.ts'
import { chanceOf } from './chance.ts'
import type { DemoStation } from './stations.ts'

/** What a station measures with. Types are named as in the table `rcvr_ant.tab` of the IGS. */
export interface DemoEquipment {
  readonly receiver: string
  readonly firmware: string
  readonly antenna: string
  readonly radome: string
  readonly serial: string
}

const receivers = [
  ['SEPT POLARX5', '5.4.0', '5.5.0'],
  ['TRIMBLE ALLOY', '6.15', '6.21'],
  ['LEICA GR50', '4.51', '4.80'],
  ['JAVAD TRE_3', '4.1.05', '4.2.00'],
] as const

const antennas = [
  ['LEIAR25.R4', 'LEIT'],
  ['TRM59800.00', 'SCIS'],
  ['JAVRINGANT_DM', 'NONE'],
] as const

/** Days before the start of the demo: new firmware everywhere, new receivers at every third. */
const firmwareDays = 210
const receiverDays = 430

/** @param ago seconds from the data to the start of the demo */
export function equipmentAt({ code }: DemoStation, ago: number): DemoEquipment {
  const number = Math.floor(chanceOf(code) * 1e6)
  const isOld = number % 3 === 0 && ago > receiverDays * secondsPerDay
  const [receiver, before, after] = receivers[(number + (isOld ? 1 : 0)) % 4] ?? receivers[0]
  const [antenna, radome] = antennas[number % 3] ?? antennas[0]
  const firmware = isOld || ago > firmwareDays * secondsPerDay ? before : after
  return { receiver, firmware, antenna, radome, serial: `DEMO${number % 1000}${isOld ? 'A' : ''}` }
}

/** The ellipsoid of WGS 84: its longer half-axis in metres, and the square of its eccentricity. */
const [halfAxis, squaredEccentricity] = [6_378_137, 0.00669437999]

/** The Earth-fixed position of a station, on the ellipsoid, in metres. */
export function positionOf({
  latitude,
  longitude,
}: DemoStation): readonly [number, number, number] {
  const [phi, lambda] = [latitude, longitude].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
  ]
  const radius = halfAxis / Math.sqrt(1 - squaredEccentricity * Math.sin(phi) ** 2)
  const across = radius * Math.cos(phi)
  return [
    across * Math.cos(lambda),
    across * Math.sin(lambda),
    radius * (1 - squaredEccentricity) * Math.sin(phi),
  ]
}
