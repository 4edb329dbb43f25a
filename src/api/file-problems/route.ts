/** Serves the paths of files with problems, in pages. */
import type { UnservedFiles } from '../downloads/unserved-files.ts'
import type { FastifyInstance } from 'fastify'
import { isFresh, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/conditional-requests.ts'
import { HttpError } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import { ignoredHeader } from '../http/headers.ts'
import { commonParameters, readFilters } from '../files/list-request.ts'
import { negotiate } from '../http/negotiate.ts'
import { renderCollection, sendCollection } from '../pages/collection.ts'
import { problemsView } from './page.ts'
import { listProblems, problemNames } from './problem-list.ts'
import * as schemas from './schema.ts'
import type { ProblemName } from './problem-list.ts'
import { catalogueOffset, listedValues, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { throwFaults } from '../parameters/unknown.ts'
import { addResource } from '../http/resource.ts'

interface ProblemsContext extends Pick<
  ApiContext,
  'apiPath' | 'reader' | 'settlingFiles' | 'settings' | 'links' | 'tag' | 'limits'
> {
  readonly unservedFiles: UnservedFiles
}

export function addProblems(app: FastifyInstance, context: ProblemsContext): void {
  const { reader, settlingFiles, settings, links, tag, unservedFiles, limits } = context
  const sources = { reader, settling: settlingFiles, unservable: () => unservedFiles.files() }
  app.addSchema(schemas.problemSchema).addSchema(schemas.problemPageSchema)
  addResource(app, {
    schema: schemas.listProblems(settings.maxLimit),
    config: { faultForm: problemsView },
    path: `${context.apiPath}status/problems/`,
    about: {
      name: 'Problems',
      description: 'The paths of files that are incomplete, damaged, misplaced or not catalogued.',
    },
    get: async (request, reply) => {
      const representation = negotiate(request, reply)
      if (settings.problems !== 'public')
        throw new HttpError(
          403,
          'The paths of files with problems are available only on the command line.',
        )
      const query = request.query as Query
      const { names, kept, ignored } = parseProblems(query)
      reply.headers(ignoredHeader(ignored))
      const requester = await limits.page(request, reply)
      const range = parsePageRange(query, settings.maxLimit)
      const problemsRequest = { names, limit: range.limit, offset: catalogueOffset(range.offset) }
      const { count, results } = await listProblems(sources, problemsRequest, requester)
      await requester.turn()
      // Some problems are not in the catalogue and change without a new seq, so the tag is a digest
      // of the page.
      const state = digest(JSON.stringify({ count, results }))
      if (isFresh(request, reply, tag(state, representation))) return sendNotModified(reply)
      const list = { name: 'status/problems', count, range, kept, ignored, results } as const
      return sendCollection(
        reply,
        links(),
        list,
        representation === 'html' ? (page) => renderCollection(problemsView, page) : undefined,
      )
    },
  })
}

/** @throws HttpError 400 that names all faults */
function parseProblems(query: Query): {
  readonly names: readonly ProblemName[]
  readonly kept: readonly Parameter[]
  readonly ignored: readonly string[]
} {
  const { faults, kept, ignored } = readFilters(query, {
    parameters: new Map(),
    known: [...commonParameters, 'problem'],
  })
  const values = listedValues(query, 'problem')
  const bad = values.find((word) => !problemNames.some((each) => each === word))
  if (bad !== undefined)
    faults.set('problem', [`Select a valid choice. ${bad} is not one of the available choices.`])
  throwFaults(faults)
  const names = problemNames.filter((word) => values.length === 0 || values.includes(word))
  if (values.length > 0) kept.push(['problem', names.join()])
  return { names, kept, ignored }
}
