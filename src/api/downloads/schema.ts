/** The OpenAPI description of downloads and checksum lists. */
import type { Suffix } from '../../parse/filename.ts'
import { isSuffix } from '../../parse/filename.ts'
import type { Layout } from '../../parse/layout.ts'
import { hasSeedAreas } from '../../parse/layout.ts'
import type { Responses, RouteSchema } from '../openapi/openapi.ts'
import { dataPaths, filePlace } from '../openapi/parameters.ts'
import { always, detailSchema, errors, negotiable, sometimes } from '../openapi/responses.ts'
import * as schema from '../openapi/schema.ts'
import type { ChecksumList } from './checksum-list.ts'
import { checksumLists } from './checksum-list.ts'

export const unservedReasons = [
  'not-there',
  'no-permission',
  'lies-elsewhere',
  'not-regular',
] as const

/** Schema of the part of the status that reports catalogued files which the API could not send. */
export const unservedFilesSchema = schema.object('Catalogued files that could not be served.', {
  count: schema.integer('Number of 404 responses for these files since the API started.', 0),
  latest: schema.list(
    'The latest of these files.',
    schema.object('A file.', {
      path: schema.text('The path of the file below the archive root.'),
      reason: schema.oneOf('The reason.', unservedReasons),
      at: schema.moment('Time of the last request.'),
    }),
    [],
  ),
})

const validators = {
  ETag: always('Strong tag of this version of the file.', '"24d52f-18bf…"'),
  'Last-Modified': always('Modification time of the file.', 'Fri, 23 Jan 2026 00:12:40 GMT'),
}

const contents = {
  ...validators,
  'Accept-Ranges': always('Range requests are supported.', 'bytes'),
  'Content-Disposition': always('The file name.', 'attachment; filename="…"'),
  'Content-Length': always('Number of bytes in the body.', '2413871'),
}

const digested = sometimes(
  'SHA-256 of the whole file (RFC 9530), for the version that is sent. Missing until the file is hashed (new files within seconds, old files in the background, if the server hashes them), and again after it was replaced, also by a file of the same size and modification time.',
  'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
)

/** The media types of files by their suffix: the compression is part of the file. */
export const mediaTypes: Readonly<Record<Suffix, string>> = {
  '.gz': 'application/gzip',
  '.Z': 'application/x-compress',
  '': 'text/plain; charset=us-ascii',
}

/** The content of a file; the charset is no part of the type. */
function contentOf(suffixes: readonly Suffix[]) {
  const types = suffixes.map((suffix) => mediaTypes[suffix].replace(/;.*/, ''))
  return Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
  )
}

const responsesOf = (content: ReturnType<typeof contentOf>): Responses => ({
  '200': {
    description: 'The whole file.',
    headers: { ...contents, 'Repr-Digest': digested },
    content,
  },
  '206': {
    description: 'The range of `Range`. A request for several ranges gets the whole file.',
    headers: {
      ...contents,
      'Repr-Digest': digested,
      'Content-Range': always('The range, and the size of the file.', 'bytes 0-1023/2413871'),
    },
    content,
  },
  '303': {
    description:
      'The directory has no file of this name, but one whose name differs only in the case of letters. No body.',
    headers: { Location: always('The name of that file, as a relative URL.', 'graz0220.26d.gz') },
  },
  '304': { description: 'The client has this version. No body.', headers: validators },
  ...errors('NotFound', 'PreconditionFailed'),
  '416': {
    description: 'The range is outside of the file.',
    headers: { 'Content-Range': always('The size of the file.', 'bytes */2413871') },
    content: negotiable(detailSchema, { detail: 'Range not satisfiable.' }),
  },
  ...errors('Unavailable'),
})

const date = 'Thu, 22 Jan 2026 00:00:00 GMT'

const tagKnown = {
  'If-None-Match': schema.text('Tags of the versions that the client has.', '"a"'),
}

const requestHeaders = {
  Range: schema.text(
    'One range of bytes; a client resumes an interrupted download with it.',
    'bytes=0-',
  ),
  'If-Range': schema.text('The `ETag` of the version to which the range applies.', '"a"'),
  ...tagKnown,
  'If-Modified-Since': schema.text('`Last-Modified` of the version that the client has.', date),
  'If-Match': schema.text('Tags of the versions that the client accepts.', '*'),
  'If-Unmodified-Since': schema.text(
    'Latest modification time that the client accepts.',
    'Fri, 31 Dec 2100 00:00:00 GMT',
  ),
}

const description = [
  'Sends a catalogued file as it is on disk; `download_path` of a record is its URL. The file is neither decompressed nor compressed: the media type follows the suffix of its name (`.gz`, `.Z`, none), and there is no `Content-Encoding`. A path with a `%` gets `404`.',
  'A file that is being written gets `503`; if a file changes while it is sent, the connection is closed. So no client gets a mixture of two versions. `HEAD` sends only the headers.',
].join('\n\n')

const checksumsExample = {
  SHA256SUMS: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  MD5SUMS: '098f6bcd4621d373cade4e832627b4f6',
}

const checksumsTag = 'W/"5b0e4c1f-4-dfa0k7m9jcb-2-text-Zk3mQx1a"'

const checksums = (name: ChecksumList): Responses => ({
  '200': {
    description: 'One line per file, in the order of names.',
    headers: { ETag: always('Weak tag of the list.', checksumsTag) },
    content: { 'text/plain': { schema: schema.text(), example: exampleOf(name) } },
  },
  '304': {
    description: 'The client has this list. No body.',
    headers: { ETag: always('The tag of the list.', checksumsTag) },
  },
  ...errors('NotFound', 'TooManyRequests', 'Unavailable'),
})

const checksumNotes =
  'Lines that begin with `#` come first: the number of files without a current checksum, and the names of files whose content is damaged (`broken`), has no end (`incomplete`) or is not compressed as the name says (`disguised`). Listings do not contain this file.'

const exampleOf = (name: ChecksumList): string =>
  [
    '# 2 files are not hashed yet',
    `# broken: ${filePlace.filename}`,
    `${checksumsExample[name]}  ${filePlace.filename}`,
    '',
  ].join('\n')

const checksumsDescription = (name: ChecksumList): string =>
  `The ${checksumLists[name].label} of the files of a directory, in the format of \`${checksumLists[name].algorithm}sum -c\`. ${checksumNotes}`

const downloadOf = (suffixes: readonly Suffix[]): ReturnType<typeof dataPaths> =>
  dataPaths({
    name: '{filename}',
    description,
    headers: requestHeaders,
    response: responsesOf(contentOf(suffixes)),
    options: '-O -C -',
  })

const sumsOf = (name: ChecksumList): ReturnType<typeof dataPaths> =>
  dataPaths({
    name,
    description: checksumsDescription(name),
    headers: tagKnown,
    response: checksums(name),
  })

/** One route serves all paths; of the areas of the seed the document has each form of paths. */
export function downloadPaths(layout: Layout): Readonly<Record<string, RouteSchema>> {
  const download = downloadOf(layout.lists.suffixes.filter(isSuffix))
  const [sums, md5Sums] = [sumsOf('SHA256SUMS'), sumsOf('MD5SUMS')]
  const paths = hasSeedAreas(layout)
    ? [
        download('obs/{year}/{day}/', 'downloadDaily', 'Download a daily file'),
        download('nrt/{year}/{day}/{hour}/', 'downloadHourly', 'Download an hourly file'),
        sums('obs/{year}/{day}/', 'sumsDaily', 'Checksums of a day'),
        sums('nrt/{year}/{day}/{hour}/', 'sumsHourly', 'Checksums of an hour'),
        md5Sums('obs/{year}/{day}/', 'md5SumsDaily', 'MD5 of a day'),
        md5Sums('nrt/{year}/{day}/{hour}/', 'md5SumsHourly', 'MD5 of an hour'),
      ]
    : [
        download('{directory}/', 'downloadFile', 'Download a file'),
        sums('{directory}/', 'sumsOfDirectory', 'Checksums of a directory'),
        md5Sums('{directory}/', 'md5SumsOfDirectory', 'MD5 of a directory'),
      ]
  return Object.fromEntries(paths)
}
