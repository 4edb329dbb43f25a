/** Downloads: the two places where files lie. */
import { errors } from '../openapi/errors.ts'
import {
  curl,
  exampleLinks,
  list,
  moment,
  number,
  object,
  oneOf,
  schemaRef,
  text,
} from '../openapi/openapi.ts'
import type { HeaderObject, Parameters, PathItem, Paths, Responses } from '../openapi/openapi.ts'
import { filePlace, parametersIn, yearAndDay, yearDayAndHour } from '../openapi/parameters.ts'

/** Why a file of the catalogue is not served, in a word for everybody. */
export const missingReasons = [
  'not-there',
  'no-permission',
  'lies-elsewhere',
  'not-regular',
] as const

/** A part of the status. */
export const missingFilesSchema = object('Files of the catalogue that could not be served.', {
  count: number('Answers 404 about such files since the API started.'),
  latest: list(
    'The latest of these files.',
    object('One of them.', {
      path: text('Where the catalogue has it, below the archive root.'),
      reason: oneOf('Why not.', missingReasons),
      at: moment('When it was last asked for.'),
    }),
  ),
})

const header = (description: string, example: string): HeaderObject => ({
  description,
  required: true,
  schema: { type: 'string', examples: [example] },
})

const validators = {
  ETag: header('Strong tag of this version of the file.', '"24d52f-18bf…"'),
  'Last-Modified': header('When the file was written.', 'Fri, 23 Jan 2026 00:12:40 GMT'),
}

const contents = {
  ...validators,
  'Accept-Ranges': header('Parts of the file can be asked for.', 'bytes'),
  'Content-Disposition': header('The name to save it under.', 'attachment; filename="…"'),
  'Content-Length': header('Bytes that follow.', '2413871'),
}

const digested: HeaderObject = {
  description:
    'SHA-256 of the whole file (RFC 9530), of the version that is sent. Missing while it is not known: before the file was hashed, and after it was replaced, also by a file of the same size and modification time.',
  schema: {
    type: 'string',
    examples: ['sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'],
  },
}

const gzip = { 'application/gzip': { schema: { type: 'string', format: 'binary' } } }

const responses: Responses = {
  '200': {
    description: 'The whole file.',
    headers: { ...contents, 'Repr-Digest': digested },
    content: gzip,
  },
  '206': {
    description: 'The part that `Range` asks for. Several parts at once are answered as the whole.',
    headers: {
      ...contents,
      'Repr-Digest': digested,
      'Content-Range': header('Which bytes these are, and of how many.', 'bytes 0-1023/2413871'),
    },
    content: gzip,
  },
  '303': {
    description:
      'The directory has no file of this name, but one whose name differs by the case of its letters alone. No body.',
    headers: { Location: header('Its name, relative to what was asked for.', 'graz0220.26d.gz') },
  },
  '304': { description: 'The client has this version already. No body.', headers: validators },
  ...errors('NotFound', 'PreconditionFailed'),
  '416': {
    description: 'The range lies outside of the file.',
    headers: { 'Content-Range': header('How long the file is.', 'bytes */2413871') },
    content: {
      'application/json': {
        schema: schemaRef('Detail'),
        example: { detail: 'Range not satisfiable.' },
      },
    },
  },
  ...errors('Unavailable'),
}

const date = 'Thu, 22 Jan 2026 00:00:00 GMT'

const example = (value: string) => ({ examples: [value] })

const tagKnown = {
  'If-None-Match': text('Tags of versions that the client has.', example('"a"')),
}

const requestHeaders = {
  Range: text(
    'One range of bytes; a client that was cut off goes on with it.',
    example('bytes=0-'),
  ),
  'If-Range': text('The `ETag` of the version that the range is to be of.', example('"a"')),
  ...tagKnown,
  'If-Modified-Since': text('When the client has its version from.', example(date)),
  'If-Match': text('The version that is wanted, or none.', example('*')),
  'If-Unmodified-Since': text('The same by its date.', example('Fri, 31 Dec 2100 00:00:00 GMT')),
}

const description = [
  'What is in the catalogue, as it lies in the archive; `download_path` of a record is its URL. Nothing is decoded or compressed on the way; a path with a `%` is `404`.',
  'A file that is being written is answered `503`; one that changes while it is sent ends the connection. So nobody gets a mixture of two versions. `HEAD` answers the headers alone.',
].join('\n\n')

const checksumsExample = [
  '# 2 files are not hashed yet',
  '# broken: GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz',
  '',
].join('\n')

const checksumsTag = 'W/"5b0e4c1f-4-dfa0k7m9jcb-2-text-Zk3mQx1a"'

const checksums: Responses = {
  '200': {
    description: 'A line for each file, in the order of their names.',
    headers: { ETag: header('Weak tag of these lines.', checksumsTag) },
    content: { 'text/plain': { schema: { type: 'string' }, example: checksumsExample } },
  },
  '304': {
    description: 'The client has these lines already. No body.',
    headers: { ETag: header('Their tag.', checksumsTag) },
  },
  ...errors('NotFound', 'TooManyRequests', 'Unavailable'),
}

const checksumsDescription =
  'The SHA-256 of the files of a directory, as `sha256sum -c` reads them. Lines that begin with `#` come first: the number of files without a current checksum, and the names of files whose gzip stream is damaged (`broken`) or has no end (`incomplete`). It is in no listing.'

const { year, day, hour, filename } = filePlace

const name = {
  filename: text('The name of the file.', {
    pattern: '^[A-Za-z0-9_][A-Za-z0-9._]*$',
    examples: [filename],
  }),
}

interface Place {
  readonly parameters: Parameters
  /** Path of the example below the root. */
  readonly at: string
}

const daily: Place = { parameters: yearAndDay, at: `obs/${year}/${day}` }
const hourly: Place = { parameters: yearDayAndHour, at: `nrt/${year}/${day}/${hour}` }

function download(operationId: string, summary: string, { parameters, at }: Place): PathItem {
  const get = {
    ...{ operationId, tags: ['Downloads'] as const, summary, description, responses },
    parameters: [
      ...parametersIn('path', { ...parameters, ...name }),
      ...parametersIn('header', requestHeaders),
    ],
    'x-codeSamples': [curl(`${exampleLinks.data}${at}/${filename}`, '-O -C -')],
  }
  return { get }
}

function sums(operationId: string, summary: string, { parameters, at }: Place): PathItem {
  const get = {
    ...{ operationId, tags: ['Downloads'] as const, summary, description: checksumsDescription },
    parameters: [...parametersIn('path', parameters), ...parametersIn('header', tagKnown)],
    responses: checksums,
    'x-codeSamples': [curl(`${exampleLinks.data}${at}/SHA256SUMS`)],
  }
  return { get }
}

/** What is below `data/` has one route; these are the paths of the usual archive. */
export const downloadPaths: Paths = {
  '/data/obs/{year}/{day}/{filename}': download('downloadDaily', 'A file of a day', daily),
  '/data/nrt/{year}/{day}/{hour}/{filename}': download(
    'downloadHourly',
    'A file of an hour',
    hourly,
  ),
  '/data/obs/{year}/{day}/SHA256SUMS': sums('sumsDaily', 'Checksums of a day', daily),
  '/data/nrt/{year}/{day}/{hour}/SHA256SUMS': sums('sumsHourly', 'Checksums of an hour', hourly),
}
