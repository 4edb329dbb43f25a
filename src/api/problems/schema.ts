/** The paths of what is wrong in the archive. */
import { problemNames } from './problem-list.ts'
import type { WireProblem } from './problem-list.ts'
import { errors } from '../openapi/errors.ts'
import { examples } from '../openapi/examples.ts'
import { pageOf } from '../files/schema.ts'
import { negotiated, withHeaders } from '../openapi/headers.ts'
import { curl, moment, negotiable, object, orNull, schemaRef, text } from '../openapi/openapi.ts'
import type { Part, Surroundings } from '../openapi/openapi.ts'
import { format, ifNoneMatch, paging, problem, strict } from '../openapi/parameters.ts'

const description = [
  '`settling`: the file is young and not complete yet, so it is not listed. `unservable`: it is listed, and could not be opened when it was last asked for. `incomplete`: its gzip stream has no end. `broken`: the stream is damaged before its end. `misplaced`: it is in the directory of another date. `rejected`: it is not catalogued, for the `reason` that the status counts; of each directory and reason the first 100 names are listed. Dot files are never named.',
  'Where the paths are not public (`problems = "command-line"`) the answer is `403`.',
].join('\n\n')

const entry = object<WireProblem>('Something that is wrong with one file.', {
  problem: text('What.', { enum: [...problemNames] }),
  path: text('Below the archive root.'),
  reason: text('Why, in a word.'),
  since: orNull(moment('Since when, as far as it is known.')),
})

export function describeProblems({ links, maxLimit }: Surroundings): Part {
  return {
    schemas: {
      Problem: entry,
      ProblemPage: pageOf('A page of the problems.', schemaRef('Problem')),
    },
    paths: {
      '/api/status/problems/': {
        get: {
          operationId: 'listProblems',
          tags: ['Service'],
          summary: 'Files with problems',
          description,
          parameters: [problem, ...paging(maxLimit), strict, format(), ifNoneMatch],
          responses: {
            '200': {
              description: 'A page of the problems. Its tag changes with all that it says.',
              headers: withHeaders(...negotiated, 'Link', 'Ignored-Parameters'),
              content: negotiable(schemaRef('ProblemPage'), examples(links).problems),
            },
            ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable'),
            ...errors('Forbidden', 'TooManyRequests', 'Unavailable'),
          },
          'x-codeSamples': [curl(`${links.api}status/problems/?problem=rejected&format=json`)],
        },
      },
    },
  }
}
