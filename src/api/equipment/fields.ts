/** The equipment of a station as clients get it. */
import { dayToIso } from '../../parse/calendar.ts'
import type { Stretch } from '../../series/equipment.ts'
import { equipmentParts } from '../../series/equipment.ts'
import type { Links } from '../http/links.ts'
import { csvText } from '../http/send.ts'
import * as parts from '../openapi/equipment.ts'
import * as schema from '../openapi/schema.ts'
import type { Bodies } from '../resources/answer.ts'
import { fieldOf, serialise } from '../resources/fields.ts'

/** The stretches of a station, by their first days. */
export interface StationEquipment {
  /** The code of the request, in upper case. */
  readonly station: string
  readonly codes: readonly string[]
  readonly ambiguous: readonly string[]
  readonly stretches: readonly Stretch[]
}

const field = fieldOf<Stretch>()

const stretchFields = {
  from: field(schema.day('Day of its first file.', '2026-01-01'), ({ fromDay }) =>
    dayToIso(fromDay),
  ),
  to: field(schema.day('Day of its last file.', '2026-01-22'), ({ toDay }) => dayToIso(toDay)),
  files: field(
    schema.integer(
      'Number of its days with a file; those of an odd stretch within it do not count.',
      22,
    ),
    ({ files }) => files,
  ),
  receiver: field(schema.orNull(parts.receiver), ({ equipment }) => equipment.receiver ?? null),
  antenna: field(schema.orNull(parts.antenna), ({ equipment }) => equipment.antenna ?? null),
  position: field(schema.orNull(parts.position), ({ equipment }) => equipment.position ?? null),
  marker: field(schema.orNull(parts.marker), ({ equipment }) => equipment.marker ?? null),
  changed: field(
    schema.list(
      'What is not as in the stretch before, of an odd one as in the one that it interrupts: the type, serial number or firmware of the `receiver`; the type, radome, serial number or place above the marker of the `antenna`; the name or number of the `marker`; the `position`, by more than 100 m. Empty for the first one.',
      schema.oneOf(undefined, equipmentParts),
      ['receiver'],
    ),
    ({ changed }) => changed,
  ),
  moved_m: field(
    schema.integerOrNull(
      'Metres to the position before, to 10 m, if the position changed and both are known.',
      null,
    ),
    ({ movedMetres }) => (movedMetres === undefined ? null : Math.round(movedMetres / 10) * 10),
  ),
  odd: field(
    schema.boolean(
      'True for a stretch of one or two files between files that agree with each other: most likely these headers are wrong. It lies within the stretch before it.',
      false,
    ),
    ({ isOdd }) => isOdd,
  ),
}

const stretchSchema = schema.component(
  'EquipmentStretch',
  'Days whose headers name the same equipment, as its first file says it.',
  Object.fromEntries(Object.entries(stretchFields).map(([name, each]) => [name, each.schema])),
)

const equipmentSchema = schema.component('StationEquipment', 'The equipment of a station.', {
  station: schema.text('The code of the request, in upper case.', 'GRAZ'),
  ambiguous: schema.list(
    'Long codes that begin with the same short code, if there are several: files with short names then stand alone. Otherwise empty.',
    schema.text('A code.'),
    [],
  ),
  stretches: schema.list('The stretches, by their first days.', stretchSchema),
})

export function serialiseEquipment(
  { station, ambiguous, stretches }: StationEquipment,
  links: Links,
) {
  const serialised = stretches.map((each) => serialise(stretchFields, each, links))
  return { station, ambiguous, stretches: serialised }
}

type WireStretch = ReturnType<typeof serialiseEquipment>['stretches'][number]

/** The columns of the CSV, each with its value. */
const columns: readonly (readonly [
  name: string,
  value: (stretch: WireStretch) => string | number | null | undefined,
])[] = [
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['files', ({ files }) => files],
  ['odd', ({ odd }) => String(odd)],
  ['receiver', ({ receiver }) => receiver?.type],
  ['receiver_serial', ({ receiver }) => receiver?.serial],
  ['firmware', ({ receiver }) => receiver?.version],
  ['antenna', ({ antenna }) => antenna?.type],
  ['radome', ({ antenna }) => antenna?.radome],
  ['antenna_serial', ({ antenna }) => antenna?.serial],
  ['antenna_h', ({ antenna }) => antenna?.delta?.h],
  ['antenna_e', ({ antenna }) => antenna?.delta?.e],
  ['antenna_n', ({ antenna }) => antenna?.delta?.n],
  ['marker', ({ marker }) => marker?.name],
  ['marker_number', ({ marker }) => marker?.number],
  ['latitude', ({ position }) => position?.latitude],
  ['longitude', ({ position }) => position?.longitude],
  ['height', ({ position }) => position?.height],
  ['changed', ({ changed }) => changed.join(' ')],
  ['moved_m', ({ moved_m }) => moved_m],
]

export function equipmentCsv({ stretches }: ReturnType<typeof serialiseEquipment>): string {
  return csvText(
    columns.map(([name]) => name),
    stretches.map((each) => columns.map(([, value]) => value(each) ?? null)),
  )
}

const exampleRows = [
  columns.map(([name]) => name).join(),
  '2026-01-01,2026-01-22,22,false,SEPT POLARX5,3047937,5.5.0,LEIAR25.R4,LEIT,726295,1.964,0,0,GRAZ,11001M002,47.0671,15.4935,540,receiver,',
].join('\n')

export const equipmentBodies = {
  json: equipmentSchema,
  csv: schema.text(undefined, exampleRows),
} satisfies Bodies
