/** The OpenAPI description of directory listings. */
import Type from 'typebox'
import { errors, withHeaders } from '../openapi/responses.ts'
import {
  curl,
  exampleLinks,
  json,
  list,
  number,
  object,
  oneOf,
  orNull,
  schemaRef,
  text,
} from '../openapi/openapi.ts'
import type { Parameters, Paths, Responses } from '../openapi/openapi.ts'
import {
  filePlace,
  ifNoneMatch,
  parametersIn,
  yearAndDay,
  yearDayAndHour,
  yearOf,
} from '../openapi/parameters.ts'

export const listingSchemas = {
  ListingEntry: object('A file or directory in a listing.', {
    name: text('The name, without a slash.'),
    type: oneOf('The kind of entry.', ['directory', 'file']),
    mtime: orNull(
      text(
        'File: modification time. Directory: time of the last change in it or below it. Null while unknown.',
      ),
    ),
    size: Type.Optional(
      orNull(number('Size of a file in bytes, null while unknown. Directories have no `size`.')),
    ),
  }),
}

const example = [
  {
    name: filePlace.filename,
    type: 'file',
    mtime: 'Fri, 23 Jan 2026 00:12:40 GMT',
    size: 2_413_871,
  },
]

const responses: Responses = {
  '200': {
    description: 'The entries: first directories, then files, each sorted by name.',
    headers: {
      ...withHeaders('Allow', 'ETag'),
      'Last-Modified': {
        description: 'Time of the last change in the listing.',
        schema: { type: 'string', examples: ['Fri, 23 Jan 2026 00:12:40 GMT'] },
      },
    },
    content: {
      'text/html': { schema: { type: 'string' } },
      ...json(list('The entries.', schemaRef('ListingEntry')), example),
    },
  },
  ...errors('NotModified', 'NotFound', 'TooManyRequests', 'Unavailable'),
}

const description = [
  'An HTML page in the style of common web servers: one line per entry with `<a href="NAME">NAME</a>`, time and size; names of directories end with a slash. `format=json` gives the JSON form of nginx; otherwise the response is the page, whatever `Accept` says.',
  'A listing contains a directory while this directory, or one below it, has catalogued files. A directory of the archive without catalogued files has an empty listing. `If-Modified-Since` works like `If-None-Match`.',
].join('\n\n')

const format = oneOf(
  '`json` gives JSON; `api` gives the page, as no format does.',
  ['api', 'json'],
  { examples: ['json'] },
)

const { year, day, hour } = filePlace

/** @param at path of the example's directory below `data/` */
function listing(operationId: string, summary: string, at: string, places: Parameters = {}) {
  const get = {
    operationId,
    tags: ['Downloads'] as const,
    summary,
    description,
    responses,
    parameters: [
      ...parametersIn('path', places),
      ...parametersIn('query', { format }),
      ...parametersIn('header', ifNoneMatch),
    ],
    'x-codeSamples': [curl(`${exampleLinks.data}${at}?format=json`)],
  }
  return { get }
}

/** One route serves all paths below `data/`; these are the paths of a usual archive. */
export const listingPaths: Paths = {
  '/data/': listing('listAreas', 'List the areas', ''),
  '/data/obs/': listing('listYearsOfobs', 'List the years', 'obs/'),
  '/data/obs/{year}/': listing('listDaysOfobs', 'List the days of a year', `obs/${year}/`, yearOf),
  '/data/nrt/': listing('listYearsOfnrt', 'List the years', 'nrt/'),
  '/data/nrt/{year}/': listing('listDaysOfnrt', 'List the days of a year', `nrt/${year}/`, yearOf),
  '/data/nrt/{year}/{day}/': listing(
    'listHours',
    'List the hours of a day',
    `nrt/${year}/${day}/`,
    yearAndDay,
  ),
  '/data/obs/{year}/{day}/': listing(
    'listDay',
    'List the files of a day',
    `obs/${year}/${day}/`,
    yearAndDay,
  ),
  '/data/nrt/{year}/{day}/{hour}/': listing(
    'listHour',
    'List the files of an hour',
    `nrt/${year}/${day}/${hour}/`,
    yearDayAndHour,
  ),
}
