/** The OpenAPI description of downloads and checksum lists. */
import { errors } from '../openapi/responses.ts'
import {
  curl,
  exampleLinks,
  list,
  moment,
  number,
  object,
  negotiable,
  oneOf,
  schemaRef,
  text,
} from '../openapi/openapi.ts'
import type { HeaderObject, Parameters, PathItem, Paths, Responses } from '../openapi/openapi.ts'
import { filePlace, parametersIn, yearAndDay, yearDayAndHour } from '../openapi/parameters.ts'

/** Reasons why a catalogued file is not served. */
export const unservedReasons = [
  'not-there',
  'no-permission',
  'lies-elsewhere',
  'not-regular',
] as const

/** Schema of the part of the status that reports catalogued files which the API could not send. */
export const unservedFilesSchema = object('Catalogued files that could not be served.', {
  count: number('Number of 404 responses for these files since the API started.'),
  latest: list(
    'The latest of these files.',
    object('A file.', {
      path: text('The path of the file below the archive root.'),
      reason: oneOf('The reason.', unservedReasons),
      at: moment('Time of the last request.'),
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
  'Last-Modified': header('Modification time of the file.', 'Fri, 23 Jan 2026 00:12:40 GMT'),
}

const contents = {
  ...validators,
  'Accept-Ranges': header('Range requests are supported.', 'bytes'),
  'Content-Disposition': header('The file name.', 'attachment; filename="…"'),
  'Content-Length': header('Number of bytes in the body.', '2413871'),
}

const digested: HeaderObject = {
  description:
    'SHA-256 of the whole file (RFC 9530), for the version that is sent. Missing until the file is hashed (new files within seconds, old files in the background, if the server hashes them), and again after it was replaced, also by a file of the same size and modification time.',
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
    description: 'The range of `Range`. A request for several ranges gets the whole file.',
    headers: {
      ...contents,
      'Repr-Digest': digested,
      'Content-Range': header('The range, and the size of the file.', 'bytes 0-1023/2413871'),
    },
    content: gzip,
  },
  '303': {
    description:
      'The directory has no file of this name, but one whose name differs only in the case of letters. No body.',
    headers: { Location: header('The name of that file, as a relative URL.', 'graz0220.26d.gz') },
  },
  '304': { description: 'The client has this version. No body.', headers: validators },
  ...errors('NotFound', 'PreconditionFailed'),
  '416': {
    description: 'The range is outside of the file.',
    headers: { 'Content-Range': header('The size of the file.', 'bytes */2413871') },
    content: negotiable(schemaRef('Detail'), { detail: 'Range not satisfiable.' }),
  },
  ...errors('Unavailable'),
}

const date = 'Thu, 22 Jan 2026 00:00:00 GMT'

const example = (value: string) => ({ examples: [value] })

const tagKnown = {
  'If-None-Match': text('Tags of the versions that the client has.', example('"a"')),
}

const requestHeaders = {
  Range: text(
    'One range of bytes; a client resumes an interrupted download with it.',
    example('bytes=0-'),
  ),
  'If-Range': text('The `ETag` of the version to which the range applies.', example('"a"')),
  ...tagKnown,
  'If-Modified-Since': text('`Last-Modified` of the version that the client has.', example(date)),
  'If-Match': text('Tags of the versions that the client accepts.', example('*')),
  'If-Unmodified-Since': text(
    'Latest modification time that the client accepts.',
    example('Fri, 31 Dec 2100 00:00:00 GMT'),
  ),
}

const description = [
  'Sends a catalogued file as it is on disk; `download_path` of a record is its URL. The file is neither decompressed nor compressed. A path with a `%` gets `404`.',
  'A file that is being written gets `503`; if a file changes while it is sent, the connection is closed. So no client gets a mixture of two versions. `HEAD` sends only the headers.',
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
    description: 'One line per file, in the order of names.',
    headers: { ETag: header('Weak tag of the list.', checksumsTag) },
    content: { 'text/plain': { schema: { type: 'string' }, example: checksumsExample } },
  },
  '304': {
    description: 'The client has this list. No body.',
    headers: { ETag: header('The tag of the list.', checksumsTag) },
  },
  ...errors('NotFound', 'TooManyRequests', 'Unavailable'),
}

const checksumsDescription =
  'The SHA-256 of the files of a directory, in the format of `sha256sum -c`. Lines that begin with `#` come first: the number of files without a current checksum, and the names of files whose gzip stream is damaged (`broken`) or has no end (`incomplete`). Listings do not contain this file.'

const { year, day, hour, filename } = filePlace

const name = {
  filename: text('File name.', {
    pattern: '^[A-Za-z0-9_][A-Za-z0-9._]*$',
    examples: [filename],
  }),
}

interface Place {
  readonly parameters: Parameters
  /** Path of the example's directory below `data/`. */
  readonly at: string
}

const daily: Place = { parameters: yearAndDay, at: `obs/${year}/${day}` }
const hourly: Place = { parameters: yearDayAndHour, at: `nrt/${year}/${day}/${hour}` }

function download(operationId: string, summary: string, { parameters, at }: Place): PathItem {
  const get = {
    operationId,
    tags: ['Downloads'] as const,
    summary,
    description,
    responses,
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
    operationId,
    tags: ['Downloads'] as const,
    summary,
    description: checksumsDescription,
    parameters: [...parametersIn('path', parameters), ...parametersIn('header', tagKnown)],
    responses: checksums,
    'x-codeSamples': [curl(`${exampleLinks.data}${at}/SHA256SUMS`)],
  }
  return { get }
}

/** One route serves all paths below `data/`; these are the paths of a usual archive. */
export const downloadPaths: Paths = {
  '/data/obs/{year}/{day}/{filename}': download('downloadDaily', 'Download a daily file', daily),
  '/data/nrt/{year}/{day}/{hour}/{filename}': download(
    'downloadHourly',
    'Download an hourly file',
    hourly,
  ),
  '/data/obs/{year}/{day}/SHA256SUMS': sums('sumsDaily', 'Checksums of a day', daily),
  '/data/nrt/{year}/{day}/{hour}/SHA256SUMS': sums('sumsHourly', 'Checksums of an hour', hourly),
}
