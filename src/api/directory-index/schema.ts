/** The OpenAPI description of directory listings. */
import type { Layout } from '../../parse/layout.ts'
import { hasSeedAreas } from '../../parse/layout.ts'
import type { Responses, RouteSchema } from '../openapi/openapi.ts'
import { dataPaths, filePlace, ifNoneMatch } from '../openapi/parameters.ts'
import { errors, json, sometimes, withHeaders } from '../openapi/responses.ts'
import * as schema from '../openapi/schema.ts'

const entrySchema = schema.component(
  'ListingEntry',
  'A file or directory in a listing.',
  {
    name: schema.text('The name, without a slash.'),
    type: schema.oneOf('The kind of entry.', ['directory', 'file']),
    mtime: schema.textOrNull(
      'File: modification time. Directory: time of the last change in it or below it, null while unknown.',
    ),
  },
  {
    size: schema.integer('Size of a file in bytes. Directories have no `size`.'),
  },
)

const modified = 'Fri, 23 Jan 2026 00:12:40 GMT'

const example = [{ name: filePlace.filename, type: 'file', mtime: modified, size: 2_413_871 }]

const response: Responses = {
  '200': {
    description: 'The entries: first directories, then files, each sorted by name.',
    headers: {
      ...withHeaders('Allow', 'ETag'),
      'Last-Modified': sometimes('Time of the last change in the listing.', modified),
    },
    content: {
      'text/html': { schema: schema.text() },
      ...json(schema.list('The entries.', entrySchema), example),
    },
  },
  ...errors('NotModified', 'NotFound', 'TooManyRequests', 'Unavailable'),
}

const description = [
  'An HTML page in the style of common web servers: one line per entry with `<a href="NAME">NAME</a>`, time and size; names of directories end with a slash. `format=json` gives the JSON form of nginx; otherwise the response is the page, whatever `Accept` says.',
  'A listing contains a directory while this directory, or one below it, has catalogued files. A directory of the archive without catalogued files has an empty listing. `If-Modified-Since` works like `If-None-Match`.',
].join('\n\n')

const format = schema.oneOf(
  '`json` gives JSON; `api` gives the page, as no format does.',
  ['api', 'json'],
  'json',
)

const listing = dataPaths({
  description,
  querystring: { format },
  headers: ifNoneMatch,
  response,
  query: '?format=json',
})

/** One route serves all paths; of the areas of the seed the document has each form of paths. */
export function listingPaths(layout: Layout): Readonly<Record<string, RouteSchema>> {
  const paths = hasSeedAreas(layout)
    ? seedPaths
    : [listing('{directory}/', 'listDirectory', 'List a directory')]
  return Object.fromEntries([listing('', 'listAreas', 'List the areas'), ...paths])
}

const seedPaths = [
  ...['obs', 'nrt'].flatMap((area) => [
    listing(`${area}/`, `listYearsOf${area}`, `List the years of ${area}`),
    listing(`${area}/{year}/`, `listDaysOf${area}`, `List the days of a year of ${area}`),
  ]),
  listing('nrt/{year}/{day}/', 'listHours', 'List the hours of a day'),
  listing('obs/{year}/{day}/', 'listDay', 'List the files of a day'),
  listing('nrt/{year}/{day}/{hour}/', 'listHour', 'List the files of an hour'),
]
