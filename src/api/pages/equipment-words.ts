/** The equipment of a station, and what changed of it, in words. Pure. */
import type { Antenna, Equipment, Position, Receiver } from '../../rinex/facts.ts'
import { readableNumber } from '../../runtime/readable.ts'
import type { EquipmentPart, Stretch } from '../../series/equipment.ts'
import type { StationPlace } from '../../series/station-places.ts'
import { resourceUrl } from '../http/links.ts'
import type { Html } from './html.ts'
import { html } from './html.ts'

const notSaid = 'not said'

/** What leads to the equipment of all stations. @param up the relative path to the API root */
export function typesLinks(up: string): Html {
  const [receivers, antennas] = [
    resourceUrl({ api: up }, 'receiver'),
    resourceUrl({ api: up }, 'antenna'),
  ]
  return html`all <a href="${receivers}">receivers</a> and <a href="${antennas}">antennas</a>`
}

/** `SEPT POLARX5 5.5.0, serial 3047937` */
export function receiverWords(receiver: Receiver | undefined): string {
  const { type, serial, version } = receiver ?? {}
  return listed([type, version].filter(Boolean).join(' '), serial && `serial ${serial}`)
}

/** `LEIAR25.R4 LEIT, serial 726295, 1.9640 m up` */
export function antennaWords(antenna: Antenna | undefined): string {
  const { type, radome, serial, delta } = antenna ?? {}
  return listed(
    [type, radome].filter(Boolean).join(' '),
    serial && `serial ${serial}`,
    delta && deltaWords(delta),
  )
}

/** `47.0671, 15.4935, 540 m` */
export function positionWords(position: Position | undefined): string {
  if (position === undefined) return notSaid
  return [degreesWords(position), `${Math.round(position.height)} m`.replace('-', '−')].join(', ')
}

/** `47.0671, 15.4935`: to about 10 m, as positions are known. */
export function degreesWords({ latitude, longitude }: Omit<StationPlace, 'code'>): string {
  return [latitude, longitude].map((value) => value.toFixed(4).replace('-', '−')).join(', ')
}

/** `GRAZ, 11001M002` */
export function markerWords({ marker }: Equipment): string {
  return listed(marker?.name, marker?.number)
}

/** What changed, a phrase for each part: `firmware 5.5.0 (was 5.4.0)`, `moved 3.2 km`. */
export function changeWords(stretch: Stretch): readonly string[] {
  return stretch.changed.map((part) => wordsOf[part](stretch))
}

const wordsOf: Readonly<Record<EquipmentPart, (stretch: Stretch) => string>> = {
  receiver: ({ equipment: { receiver = {} }, before: { receiver: old = {} } = {} }) =>
    receiver.type === old.type
      ? changesOf([
          ['serial of the receiver', receiver.serial, old.serial],
          ['firmware', receiver.version, old.version],
        ])
      : changed('receiver', receiver.type, old.type),
  antenna: ({ equipment: { antenna = {} }, before: { antenna: old = {} } = {} }) =>
    antenna.type === old.type
      ? changesOf([
          ['radome', antenna.radome, old.radome],
          ['serial of the antenna', antenna.serial, old.serial],
          ['place of the antenna', placeWords(antenna), placeWords(old)],
        ])
      : changed('antenna', antenna.type, old.type),
  marker: ({ equipment, before = {} }) =>
    changed('marker', markerWords(equipment), markerWords(before)),
  position: ({ equipment: { position }, movedMetres }) => {
    if (movedMetres !== undefined) return `moved ${distanceWords(movedMetres)}`
    return position === undefined ? 'no position any more' : 'a position'
  },
}

type Change = readonly [what: string, now: string | undefined, old: string | undefined]

function changesOf(changes: readonly Change[]): string {
  return changes
    .filter(([, now, old]) => now !== old)
    .map((change) => changed(...change))
    .join(', ')
}

function changed(...[what, now = notSaid, old = notSaid]: Change): string {
  return `${what} ${now} (was ${old})`
}

function placeWords({ delta }: Antenna): string | undefined {
  return delta && deltaWords(delta)
}

/** `1.9640 m up`; with `0.0100 m east` if it is not above its marker. */
function deltaWords({ h, e, n }: NonNullable<Antenna['delta']>): string {
  const sides = [[h, 'up'] as const, [e, 'east'] as const, [n, 'north'] as const]
  return sides
    .filter(([metres, side]) => metres !== 0 || side === 'up')
    .map(([metres, side]) => `${metres.toFixed(4)} m ${side}`.replace('-', '−'))
    .join(', ')
}

/** `130 m`, `3.2 km`, `1,250 km`: as well as positions are known. */
function distanceWords(metres: number): string {
  if (metres < 995) return `${Math.round(metres / 10) * 10} m`
  const km = metres / 1000
  return `${km < 100 ? km.toFixed(1) : readableNumber(Math.round(km))} km`
}

function listed(...words: readonly (string | undefined)[]): string {
  return words.filter(Boolean).join(', ') || notSaid
}
