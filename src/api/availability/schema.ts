/** What the OpenAPI document says of the availability of many series, and its parameter. */
import type { RouteSchema } from '../openapi/openapi.ts'
import { curl, exampleLinks } from '../openapi/openapi.ts'
import * as common from '../openapi/parameters.ts'
import { errors, json, withHeaders } from '../openapi/responses.ts'
import * as schema from '../openapi/schema.ts'
import { parseInteger } from '../parameters/paging.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { asOfMembers } from '../series/network-context.ts'
import { seriesFields } from '../series/series-fields.ts'
import { most } from './asked-series.ts'

/** The formats of answers, by their values of `format`. */
export const formats = ['json', 'csv', 'urls'] as const

const mergeGaps: Parameter<number> = {
  schema: schema.integer(
    'Seconds: stretches that are at most so far apart are one. Also as a line of the body, before the questions: `merge_gaps=3600`.',
    0,
    { default: 0 },
  ),
  takes: 'last',
  read: ([text = '0']) => {
    const value = parseInteger(text)
    return value === undefined ? { fault: 'Enter a whole number of seconds.' } : { value }
  },
}

export const parameters = { merge_gaps: mergeGaps }

const spansOfSeries = schema.component(
  'SeriesSpans',
  'The stretches of a series that are in the archive, on the days of a question.',
  {
    station: schema.text(
      'The code of the question, in upper case, or one that its `*` found.',
      'GRAZ00AUT',
    ),
    file_type: seriesFields.file_type.schema,
    period: schema.withExample(seriesFields.period.schema, '01D'),
    from: schema.moment('Start of the first slot.', '2026-01-01T00:00:00Z'),
    to: schema.moment('End of the last slot.', '2026-01-23T00:00:00Z'),
    delivered: schema.integer(
      'Number of slots that have ended, with a file that is not damaged, or that had one which was removed, as in the availability of a station.',
      21,
    ),
    spans: schema.list(
      'Stretches of slots with a file that is not damaged, as in the availability of a station.',
      schema.tuple(
        'A stretch.',
        schema.moment('Its start.', '2026-01-01T00:00:00Z'),
        schema.moment('Its end.', '2026-01-22T00:00:00Z'),
      ),
    ),
  },
)

const manySpans = schema.component('ManySpans', 'The series of all questions, in their order.', {
  ...asOfMembers.fields,
  unknown: schema.list('Codes that no station has.', schema.text(), []),
  series: schema.list('The series.', spansOfSeries),
})

/** A series as clients get it. */
export type WireSpans = schema.Static<typeof spansOfSeries>

export const csvColumns = ['station', 'file_type', 'period', 'start', 'end'] as const
const exampleRow = 'GRAZ00AUT,o,01D,2026-01-01T00:00:00Z,2026-01-22T00:00:00Z'

const { api, data } = exampleLinks
const question = 'GRAZ00AUT,WTZR o 01D 2026-01-01 2026-01-22'

const description = [
  `The body is text with a question a line, five words: \`station file_type period from to\`. A station is a code of 4 or 9 characters, a list of codes separated by commas, the beginning of codes such as \`GR*\`, or \`*\`; the days \`from\` and \`to\` are both included. Blank lines, and lines that begin with \`#\`, do not count. Options may stand before the first question as \`merge_gaps=3600\` and \`format=urls\`, or in the query.`,
  `A request has at most ${most.series} series and ${most.slots} slots, and a question the limits of the availability of a station. A fault gets \`400\` with the number of its line. Codes that no station has are named in \`unknown\` and give nothing.`,
  `With \`csv\` there is a row for each stretch, with \`urls\` the download URL of each file, by series, for \`wget -i -\`. All answers are streams.`,
].join('\n\n')

export const askAvailability: RouteSchema = {
  operationId: 'askAvailability',
  tags: ['Stations'],
  summary: 'Availability of many series',
  about: {
    name: 'Availability of Many Series',
    description: 'Which files of many series are in the archive, in one request.',
  },
  description,
  querystring: {
    merge_gaps: mergeGaps.schema,
    format: common.format(['api', ...formats]),
  },
  body: schema.text('Questions.', question, { minLength: 1 }),
  bodyType: 'text/plain',
  response: {
    '200': {
      description: 'The stretches, or the URLs of the files.',
      headers: withHeaders('Vary', 'Allow', ...asOfMembers.headers),
      content: {
        ...json(manySpans),
        ...json(schema.text(), `${csvColumns.join()}\n${exampleRow}`, 'text/csv'),
        ...json(
          schema.text(),
          `${data}${common.filePlace.directory}/${common.filePlace.filename}\n`,
          'text/plain',
        ),
      },
    },
    ...errors('BadParameters', 'NotFound', 'NotAcceptable', 'TooLarge', 'UnsupportedMediaType'),
    ...errors('TooManyRequests', 'Unavailable'),
  },
  'x-codeSamples': [
    curl(`${api}availability/`, `-H 'Content-Type: text/plain' -d '${question}'`),
    curl(
      `${api}availability/?format=urls`,
      "-H 'Content-Type: text/plain' -d 'GR* o 01D 2026-01-20 2026-01-22'",
    ),
  ],
}
