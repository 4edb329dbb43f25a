/** The paths of what is wrong in the archive. */
import type Type from 'typebox'
import { errors } from '../openapi/errors.ts'
import { negotiated } from '../openapi/headers.ts'
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
import { problemWords } from './problem-list.ts'

const description = [
  '`settling`: the file is young and not complete yet, so it is not listed. `unservable`: it is listed, and could not be opened when it was last asked for. `incomplete`: its gzip stream has no end. `broken`: the stream is damaged before its end. `misplaced`: it is in the directory of another date. `rejected`: it is not catalogued, for the `reason` that the status counts; of each directory and reason the first 100 names are listed. Dot files are never named.',
  'Where the paths are not public (`problems = "command-line"`) the answer is `403`.',
].join('\n\n')

export const problemSchema = component('Problem', 'Something that is wrong with one file.', {
  problem: oneOf('What.', problemWords),
  path: text('Below the archive root.'),
  reason: text('Why, in a word.'),
  since: orNull(moment('Since when, as far as it is known.')),
})

export const problemPageSchema = pageOf(
  'ProblemPage',
  'A page of the problems.',
  ref(problemSchema),
)

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
  'Which problems; all without it.',
  { type: 'string', enum: problemWords },
  {
    examples: [['rejected']],
  },
)

/** @param maxLimit most problems on a page */
export const listProblems = (maxLimit: number): RouteSchema => ({
  operationId: 'listProblems',
  tags: ['Service'],
  summary: 'Files with problems',
  description,
  querystring: parameters({ problem, ...paging(maxLimit), strict, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of the problems. Its tag changes with all that it says.',
      negotiable(ref(problemPageSchema), example),
      'Link',
      'Ignored-Parameters',
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable'),
    ...errors('Forbidden', 'TooManyRequests', 'Unavailable'),
  },
  'x-codeSamples': [curl(`${exampleLinks.api}status/problems/?problem=rejected&format=json`)],
})
