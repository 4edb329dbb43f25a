/** Schemas of the availability and the latency of a station's series. */
import { gapStates } from '../../series/availability.ts'
import { slotWords } from '../../series/slot-states.ts'
import * as schema from '../openapi/schema.ts'
import type { Bodies } from '../resources/answer.ts'
import { asOfMembers } from '../series/network-context.ts'
import { classOf, endedHasNoClass, halfMeaning, seriesFields } from '../series/series-fields.ts'

const letters = Object.entries(slotWords)
  .map(([state, { letter, what }]) => `${letter} ${state}${what === undefined ? '' : ` (${what})`}`)
  .join(', ')

const series = {
  station: schema.text('The code of the request, in upper case.', 'GRAZ'),
  file_type: seriesFields.file_type.schema,
  period: seriesFields.period.schema,
}

const ambiguous = schema.list(
  'Long codes that begin with the same short code, if there are several: files with short names are then a series of their own. Otherwise empty.',
  schema.text('A code.'),
  [],
)

export const availabilitySchema = schema.component(
  'Availability',
  'Which slots of a series are there. A slot is the period of one file; names of both forms, any source, interval and content fill it.',
  {
    ...series,
    period: schema.withExample(series.period, '01D'),
    from: schema.moment('Start of the first slot.', '2026-01-01T00:00:00Z'),
    to: schema.moment('End of the last slot.', '2026-01-23T00:00:00Z'),
    ...asOfMembers.fields,
    first: schema.momentOrNull(
      'Start of the first delivered slot, wherever the range is; null if there is none.',
      '2025-11-02T00:00:00Z',
    ),
    last: schema.momentOrNull(
      'Start of the last delivered slot, wherever the range is.',
      '2026-01-21T00:00:00Z',
    ),
    ended: schema.boolean(
      'True if the series was expected, and has delivered nothing for so long (at most 90 days) that it is not any more. Its figures go to its last file.',
      false,
    ),
    slots: schema.integer('Number of slots in the range.', 22),
    possible: schema.integer(
      'Number of slots since `first` that have ended and whose limit of lateness has passed, expected or not.',
      21,
    ),
    delivered: schema.integer(
      'Number of the possible slots with a file that is not damaged, or that had one which was removed.',
      20,
    ),
    half: schema.integer(halfMeaning('of the range'), 0),
    completeness: schema.shareOrNull(
      'Share of the possible slots that were delivered; null if no slot is possible.',
      0.9524,
    ),
    class: classOf('completeness', endedHasNoClass),
    states: schema.text(
      `States of the slots as run-length text (\`P365M2\`): ${letters}.`,
      'P10M1P10F1',
      { pattern: '^(?:[PRXDLMSF-][0-9]+)+$' },
    ),
    spans: schema.list(
      'Runs of present slots.',
      schema.tuple('A run.', schema.moment('Its start.'), schema.moment('Its end.')),
      [
        ['2026-01-01T00:00:00Z', '2026-01-11T00:00:00Z'],
        ['2026-01-12T00:00:00Z', '2026-01-22T00:00:00Z'],
      ],
    ),
    gaps: schema.list(
      'Runs of slots from `first` on that are not delivered and neither due nor future; those of a series that has ended go to its last file.',
      schema.tuple<readonly [string, string, number, string]>(
        'A run.',
        schema.moment('Its start.', '2026-01-11T00:00:00Z'),
        schema.moment('Its end.', '2026-01-12T00:00:00Z'),
        schema.integer('Number of its slots.', 1),
        schema.oneOf('The state of its slots.', gapStates, 'missing'),
      ),
    ),
    ambiguous,
    known_from: schema.momentOrNull(
      'Time from which deliveries are recorded, at most 400 days ago. For earlier slots without a file, it is unknown if a file was ever delivered.',
      '2025-11-02T09:30:00Z',
    ),
    usual_s: schema.withExample(seriesFields.usual_s.schema, 3900),
    late_after_s: schema.integer(
      'The limit of lateness in seconds: 95 of 100 arrivals of the last 28 days were within it. At least 300 (15M), 600 (01H) or 7200 (01D), at most 86400; 3600 (01D: 86400) with few arrivals.',
      7200,
    ),
  },
)

export const latencySchema = schema.component(
  'Latency',
  'How long after the end of their slots the files of a series arrived, as far as they were seen arriving.',
  {
    ...series,
    from: schema.day('The first day.', '2026-01-22'),
    to: schema.day('The last day.', '2026-01-22'),
    ...asOfMembers.fields,
    arrivals: schema.integer('Number of recorded arrivals.', 2),
    within: schema.object('Number of arrivals within 300, 600, 3600 and 7200 seconds.', {
      '300': schema.integer('Within 5 minutes.', 1),
      '600': schema.integer('Within 10 minutes.', 2),
      '3600': schema.integer('Within an hour.', 2),
      '7200': schema.integer('Within two hours.', 2),
    }),
    median_s: schema.integerOrNull('Median latency in seconds; null without arrivals.', 140),
    p95_s: schema.integerOrNull(
      '95th percentile of the latency in seconds; null without arrivals.',
      420,
    ),
    usual_s: schema.withExample(seriesFields.usual_s.schema, 120),
    late_after_s: schema.integer('The limit of lateness in seconds.', 600),
    histogram: schema.list(
      'Classes of latencies.',
      schema.tuple(
        'A class.',
        schema.integer('Latency in seconds above which the class begins.'),
        schema.integerOrNull(
          'Latency in seconds at which the class ends; null for the last class.',
        ),
        schema.integer('Number of arrivals.'),
      ),
      [
        [0, 300, 1],
        [300, 600, 1],
        [600, null, 0],
      ],
    ),
    days: schema.list(
      'Days with arrivals, by the start of the slots.',
      schema.object('A day.', {
        date: schema.day('The day.', '2026-01-22'),
        n: schema.integer('Number of arrivals.', 2),
        within_600: schema.integer('Number of these arrivals within 10 minutes.', 2),
        median_s: schema.integerOrNull('Median latency of these arrivals in seconds.', 140),
      }),
    ),
    ambiguous,
  },
)

const exampleRuns = [
  'start,end,slots,state',
  '2026-01-01T00:00:00Z,2026-01-11T00:00:00Z,10,present',
  '2026-01-11T00:00:00Z,2026-01-12T00:00:00Z,1,missing',
].join('\n')
const exampleDays = ['date,n,within_600,median_s', '2026-01-22,2,2,140'].join('\n')

export const availabilityBodies = {
  json: availabilitySchema,
  csv: schema.text(undefined, exampleRuns),
} satisfies Bodies

export const latencyBodies = {
  json: latencySchema,
  csv: schema.text(undefined, exampleDays),
} satisfies Bodies
