/** Listings of the directories in which the files lie. */
import Type from 'typebox'
import { errors } from '../openapi/errors.ts'
import { withHeaders } from '../openapi/headers.ts'
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
  format,
  ifNoneMatch,
  parametersIn,
  yearAndDay,
  yearDayAndHour,
  yearOf,
} from '../openapi/parameters.ts'

export const listingSchemas = {
  ListingEntry: object('A file or a directory of a listing.', {
    name: text('Its name, without a slash.'),
    type: oneOf('What it is.', ['directory', 'file']),
    mtime: orNull(
      text(
        'When the file was written; of a directory, when anything in it or below it last changed. Null where that is not known yet.',
      ),
    ),
    size: Type.Optional(
      orNull(number('Bytes of a file, null where that is not known yet. A directory has none.')),
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
      ...json(list('The entries.', schemaRef('ListingEntry')), example),
    },
  },
  ...errors('NotModified', 'NotFound', 'TooManyRequests', 'Unavailable'),
}

const description = [
  'A page as common web servers write it: a line an entry, `<a href="NAME">NAME</a>`, time and size; directories end with a slash. `format=json` gives the form that nginx has; whatever `Accept` says, it is the page otherwise.',
  'Directories are listed while there are catalogued files in them or below them. `If-Modified-Since` is answered as `If-None-Match` is.',
].join('\n\n')

const { year, day, hour } = filePlace

/** @param at path of the example below the root */
function listing(operationId: string, summary: string, at: string, places: Parameters = {}) {
  const get = {
    ...{ operationId, tags: ['Downloads'] as const, summary, description, responses },
    parameters: [
      ...parametersIn('path', places),
      ...parametersIn('query', { format: format(['json']) }),
      ...parametersIn('header', ifNoneMatch),
    ],
    'x-codeSamples': [curl(`${exampleLinks.data}${at}?format=json`)],
  }
  return { get }
}

/** What is below `data/` has one route; these are the paths of the usual archive. */
export const listingPaths: Paths = {
  '/data/': listing('listAreas', 'The areas', ''),
  '/data/obs/': listing('listYearsOfobs', 'The years', 'obs/'),
  '/data/obs/{year}/': listing('listDaysOfobs', 'The days of a year', `obs/${year}/`, yearOf),
  '/data/nrt/': listing('listYearsOfnrt', 'The years', 'nrt/'),
  '/data/nrt/{year}/': listing('listDaysOfnrt', 'The days of a year', `nrt/${year}/`, yearOf),
  '/data/nrt/{year}/{day}/': listing(
    'listHours',
    'The hours of a day',
    `nrt/${year}/${day}/`,
    yearAndDay,
  ),
  '/data/obs/{year}/{day}/': listing(
    'listDay',
    'The files of a day',
    `obs/${year}/${day}/`,
    yearAndDay,
  ),
  '/data/nrt/{year}/{day}/{hour}/': listing(
    'listHour',
    'The files of an hour',
    `nrt/${year}/${day}/${hour}/`,
    yearDayAndHour,
  ),
}
