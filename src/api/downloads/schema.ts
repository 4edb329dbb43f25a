/** Downloads: the two places where files lie. */
import { errors } from '../openapi/errors.ts'
import { filePlace } from '../openapi/examples.ts'
import { curl } from '../openapi/openapi.ts'
import type {
  HeaderObject,
  OperationObject,
  ParameterObject,
  Part,
  Responses,
  Surroundings,
} from '../openapi/openapi.ts'
import { hourOf, yearAndDay, inPath } from '../openapi/parameters.ts'

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
        schema: { $ref: '#/components/schemas/Detail' },
        example: { detail: 'Range not satisfiable.' },
      },
    },
  },
  ...errors('Unavailable'),
}

const inHeader = (name: string, description: string, example: string): ParameterObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
  example,
})

const date = 'Thu, 22 Jan 2026 00:00:00 GMT'

const tagKnown = inHeader('If-None-Match', 'Tags of versions that the client has.', '"a"')

const requestHeaders = [
  inHeader('Range', 'One range of bytes; a client that was cut off goes on with it.', 'bytes=0-'),
  inHeader('If-Range', 'The `ETag` of the version that the range is to be of.', '"a"'),
  tagKnown,
  inHeader('If-Modified-Since', 'When the client has its version from.', date),
  inHeader('If-Match', 'The version that is wanted, or none.', '*'),
  inHeader('If-Unmodified-Since', 'The same by its date.', 'Fri, 31 Dec 2100 00:00:00 GMT'),
]

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

export function describeDownloads({ links }: Surroundings): Part {
  const name = inPath('filename', 'The name of the file.', '^[A-Za-z0-9_][A-Za-z0-9._]*$', filename)
  const operation = (operationId: string, summary: string, places: ParameterObject[], at: string) =>
    ({
      operationId,
      tags: ['Downloads'],
      summary,
      description,
      parameters: [...places, ...requestHeaders],
      responses,
      'x-codeSamples': [curl(`${links.data}${at}/${filename}`, '-O -C -')],
    }) satisfies OperationObject
  const sums = (operationId: string, summary: string, places: ParameterObject[], at: string) =>
    ({
      operationId,
      tags: ['Downloads'],
      summary,
      description: checksumsDescription,
      parameters: [...places, tagKnown],
      responses: checksums,
      'x-codeSamples': [curl(`${links.data}${at}/SHA256SUMS`)],
    }) satisfies OperationObject
  return {
    schemas: {},
    paths: {
      '/data/obs/{year}/{day}/{filename}': {
        get: operation(
          'downloadDaily',
          'A file of a day',
          [...yearAndDay, name],
          `obs/${year}/${day}`,
        ),
      },
      '/data/nrt/{year}/{day}/{hour}/{filename}': {
        get: operation(
          'downloadHourly',
          'A file of an hour',
          [...yearAndDay, hourOf, name],
          `nrt/${year}/${day}/${hour}`,
        ),
      },
      '/data/obs/{year}/{day}/SHA256SUMS': {
        get: sums('sumsDaily', 'Checksums of a day', yearAndDay, `obs/${year}/${day}`),
      },
      '/data/nrt/{year}/{day}/{hour}/SHA256SUMS': {
        get: sums(
          'sumsHourly',
          'Checksums of an hour',
          [...yearAndDay, hourOf],
          `nrt/${year}/${day}/${hour}`,
        ),
      },
    },
  }
}
