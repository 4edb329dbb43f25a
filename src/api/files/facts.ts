/** What is inside a file, as clients get it: its schema, and its columns of CSV. Pure. */
import type { Facts, Flag } from '../../rinex/facts.ts'
import { flagNames } from '../../rinex/facts.ts'
import * as parts from '../openapi/equipment.ts'
import * as schema from '../openapi/schema.ts'

const flagSchema: schema.Schema<Flag> = schema.object('Something that is wrong with the file.', {
  flag: schema.oneOf('What it is.', flagNames, 'short'),
  says: schema.text(
    'A sentence with both sides: what name or header say, and what was found.',
    '90 of 120 epochs, 75.0 %',
  ),
})

const signalsSchema: schema.Schema<NonNullable<Facts['signals']>> = {
  type: 'object',
  description:
    'The types of observation by system: those of meteorological files under `M`; in version 2 all systems have the same.',
  additionalProperties: { type: 'array', items: { type: 'string' } },
}

const example: Facts = {
  rinex_version: '3.04',
  systems: ['G', 'E'],
  signals: { G: ['C1C', 'L1C'], E: ['C1X', 'L1X'] },
  interval_s: 30,
  time_system: 'GPS',
  marker: schema.exampleOf(parts.marker),
  agency: 'OLG / AAS',
  receiver: schema.exampleOf(parts.receiver),
  antenna: schema.exampleOf(parts.antenna),
  position: schema.exampleOf(parts.position),
  program: 'sbf2rin-13.4.5',
  run_by: 'OLG',
  run_date: '20260122 060120 UTC',
  licence: 'CC BY 4.0',
  first: '2026-01-22T05:00:00',
  last: '2026-01-22T05:44:30',
  epochs: 90,
  expected_epochs: 120,
  share: 0.75,
  flags: [schema.exampleOf(flagSchema)],
}

const systemSchema = schema.text('`G` GPS, `R` GLONASS, `E` Galileo, `C` BeiDou, `J`, `I`, `S`.')

const optional = {
  rinex_version: schema.text('As in the header: `2.11`, `3.04`.'),
  systems: schema.list(
    'The satellite systems by their letters: in version 2 those of the satellites that were observed.',
    systemSchema,
  ),
  signals: signalsSchema,
  interval_s: schema.number('The interval of the header, in seconds.'),
  time_system: schema.text('The time system of `first` and `last`, as in the header.'),
  marker: parts.marker,
  agency: schema.text('The agency that runs the station.'),
  receiver: parts.receiver,
  antenna: parts.antenna,
  position: parts.position,
  program: schema.text('The program that made the file.'),
  run_by: schema.text('Who ran it.'),
  run_date: schema.text('When it ran, as in the header.'),
  licence: schema.text('The licence of the data.'),
  doi: schema.text('The DOI of the data.'),
  first: schema.text('Time of the first epoch, without zone: in `time_system`.'),
  last: schema.text('Time of the last epoch.'),
  epochs: schema.integer('Number of epochs with observations, of observation files alone.'),
  expected_epochs: schema.integer('Number of epochs in the period of the name, by the interval.'),
  share: schema.share('`epochs` / `expected_epochs`, at most 1.'),
}

export const factsSchema = schema.component(
  'Facts',
  'Only with `expand=facts`: what the header and the epochs of the file say; null until this version of the file is read. What they do not say is absent.',
  {
    flags: schema.list(
      'What is wrong with it by this file alone; empty if nothing is.',
      flagSchema,
    ),
  },
  optional,
  { examples: [example] },
) satisfies schema.Schema<Facts>

/** The columns of CSV, each with its value. */
export const factColumns: readonly (readonly [
  name: string,
  value: (facts: Facts) => string | number | undefined,
])[] = [
  ['rinex_version', (facts) => facts.rinex_version],
  ['systems', ({ systems }) => systems?.join('')],
  ['interval_s', (facts) => facts.interval_s],
  ['first', ({ first }) => first],
  ['last', ({ last }) => last],
  ['epochs', ({ epochs }) => epochs],
  ['expected_epochs', (facts) => facts.expected_epochs],
  ['share', ({ share }) => share],
  ['marker', ({ marker }) => marker?.name],
  ['receiver', ({ receiver }) => receiver?.type],
  ['firmware', ({ receiver }) => receiver?.version],
  ['antenna', ({ antenna }) => antenna?.type],
  ['radome', ({ antenna }) => antenna?.radome],
  ['latitude', ({ position }) => position?.latitude],
  ['longitude', ({ position }) => position?.longitude],
  ['height', ({ position }) => position?.height],
  ['flags', ({ flags }) => flags.map(({ flag }) => flag).join(' ')],
]
