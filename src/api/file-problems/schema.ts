/** Schemas of the files with problems. */
import type Type from 'typebox'
import { errors, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  list,
  moment,
  negotiable,
  oneOf,
  orNull,
  pageOf,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, paging, parameters, strict } from '../openapi/parameters.ts'
import { problemNames } from './problem-list.ts'
import { reasonMeanings } from './reasons.ts'

const description = [
  '`settling`: the file is young and not complete yet, so it is not in the list of files. `unservable`: the file is in the list, but could not be opened at the last download. `incomplete`: the gzip stream has no end. `broken`: the gzip stream is damaged before its end. `misplaced`: the file is in the directory of another date. `rejected`: the file is not catalogued; the status counts these files by `reason`, and this resource lists the first 100 names of each directory and reason. Dot files are never listed.',
  'If the paths are not public (`problems = "command-line"`), the response is `403`.',
].join('\n\n')

export const problemSchema = component('Problem', 'A problem of one file.', {
  problem: oneOf('The kind of problem.', problemNames),
  path: text('The path of the file below the archive root.'),
  reason: text('The reason, as one word; releases may add reasons.', {
    'x-meanings': reasonMeanings,
  }),
  since: orNull(
    moment(
      'Time of the latest change of the file; for `unservable`, time of the last request; for `rejected`, time when the directory first had a name with this reason. Null if unknown.',
    ),
  ),
})

export const problemPageSchema = pageOf('ProblemPage', 'A page of problems.', ref(problemSchema))

const example: Type.Static<typeof problemPageSchema> = {
  count: 1,
  next: null,
  previous: null,
  results: [
    {
      problem: 'rejected',
      path: 'obs/2026/022/README.txt',
      reason: 'not-gz',
      since: '2026-01-23T00:12:40.518203Z',
    },
  ],
}

const problem = list(
  'The kinds of problems; by default all.',
  { type: 'string', enum: problemNames },
  {
    examples: [['rejected']],
  },
)

/** @param maxLimit maximum number of problems on a page */
export const listProblems = (maxLimit: number): RouteSchema => ({
  operationId: 'listProblems',
  tags: ['Service'],
  summary: 'List files with problems',
  description,
  querystring: parameters({ problem, ...paging(maxLimit), strict, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of problems. Its `ETag` is a digest of its content.',
      negotiable(ref(problemPageSchema), example),
      'Link',
      'Ignored-Parameters',
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable'),
    ...errors('Forbidden', 'TooManyRequests', 'Unavailable'),
  },
  'x-codeSamples': [curl(`${exampleLinks.api}status/problems/?problem=rejected&format=json`)],
})
