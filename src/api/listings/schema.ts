/** Listings of the directories in which the files lie. */
import { listingFormats } from './formats.ts'
import { hourOf, yearAndDay, yearOf, format, ifNoneMatch } from '../openapi/parameters.ts'
import { errors } from '../openapi/errors.ts'
import { file } from '../openapi/examples.ts'
import { withHeaders } from '../openapi/headers.ts'
import { curl, list, number, object, orNull, schemaRef, text } from '../openapi/openapi.ts'
import type {
  OperationObject,
  ParameterObject,
  Part,
  Responses,
  Surroundings,
} from '../openapi/openapi.ts'

interface ListingEntry {
  readonly name: string
  readonly type: 'directory' | 'file'
  readonly mtime: string | null
  readonly size?: number | null
}

const { properties, ...entry } = object<ListingEntry>('A file or a directory of a listing.', {
  name: text('Its name, without a slash.'),
  type: text('What it is.', { enum: ['directory', 'file'] }),
  mtime: orNull(
    text(
      'When the file was written; of a directory, when anything in it or below it last changed. Null where that is not known yet.',
    ),
  ),
  size: orNull(number('Bytes of a file, null where that is not known yet. A directory has none.')),
})

const example = JSON.parse(`[${listingFormats.json.file(file)}]`) as ListingEntry[]

const responses: Responses = {
  '200': {
    description: 'What it holds: directories first, each kind by name.',
    headers: {
      ...withHeaders('Allow', 'ETag'),
      'Last-Modified': {
        description: 'When anything that is listed last changed.',
        schema: { type: 'string', examples: ['Fri, 23 Jan 2026 00:12:40 GMT'] },
      },
    },
    content: {
      'text/html': { schema: { type: 'string' } },
      'application/json': {
        schema: list('The entries.', schemaRef('ListingEntry')),
        example,
      },
    },
  },
  ...errors('NotModified', 'NotFound', 'TooManyRequests', 'Unavailable'),
}

const description = [
  'A page as common web servers write it: a line an entry, `<a href="NAME">NAME</a>`, time and size; directories end with a slash. `format=json` gives the form that nginx has; whatever `Accept` says, it is the page otherwise.',
  'Directories are listed while there are catalogued files in them or below them. `If-Modified-Since` is answered as `If-None-Match` is.',
].join('\n\n')

export function describeListings({ links }: Surroundings): Part {
  const { year, day, hour } = Object.fromEntries(
    [...yearAndDay, hourOf].map(({ name, example: value }) => [name, String(value)]),
  )
  const operation = (
    operationId: string,
    summary: string,
    { places, at }: { readonly places: readonly ParameterObject[]; readonly at: string },
  ): OperationObject => ({
    operationId,
    tags: ['Downloads'],
    summary,
    description,
    parameters: [...places, format(['json']), ifNoneMatch],
    responses,
    'x-codeSamples': [curl(`${links.data}${at}?format=json`)],
  })
  return {
    schemas: {
      ListingEntry: { ...entry, required: ['name', 'type', 'mtime'], properties },
    },
    paths: {
      '/data/': { get: operation('listAreas', 'The areas', { places: [], at: '' }) },
      ...Object.fromEntries(
        ['obs', 'nrt'].flatMap((area) => [
          [
            `/data/${area}/`,
            { get: operation(`listYearsOf${area}`, 'The years', { places: [], at: `${area}/` }) },
          ],
          [
            `/data/${area}/{year}/`,
            {
              get: operation(`listDaysOf${area}`, 'The days of a year', {
                places: yearOf,
                at: `${area}/${year}/`,
              }),
            },
          ],
        ]),
      ),
      '/data/nrt/{year}/{day}/': {
        get: operation('listHours', 'The hours of a day', {
          places: yearAndDay,
          at: `nrt/${year}/${day}/`,
        }),
      },
      '/data/obs/{year}/{day}/': {
        get: operation('listDay', 'The files of a day', {
          places: yearAndDay,
          at: `obs/${year}/${day}/`,
        }),
      },
      '/data/nrt/{year}/{day}/{hour}/': {
        get: operation('listHour', 'The files of an hour', {
          places: [...yearAndDay, hourOf],
          at: `nrt/${year}/${day}/${hour}/`,
        }),
      },
    },
  }
}
