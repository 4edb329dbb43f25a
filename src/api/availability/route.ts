/** Answers questions about many series at once: their stretches, or the URLs of their files. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadFields, HttpError } from '../http/errors.ts'
import { contentType, negotiate } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import { Semaphore } from '../http/limits.ts'
import type { Links } from '../http/links.ts'
import { downloadUrl } from '../http/links.ts'
import { addResource } from '../http/resource.ts'
import { sendChunks } from '../http/send.ts'
import { invalidChoice } from '../parameters/parameter.ts'
import type { Query } from '../parameters/request.ts'
import { readRequest } from '../parameters/request.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { networkState, serialiseAsOf } from '../series/network-context.ts'
import type { AskedSeries } from './asked-series.ts'
import { KnownSites, seriesOfQuestions, spansOf } from './asked-series.ts'
import { filesOfSeries } from './files-of-series.ts'
import type { SeriesQuestion } from './questions.ts'
import { parseQuestions } from './questions.ts'
import { askAvailability, formats, parameters } from './schema.ts'
import { spansAsCsv, spansAsJson } from './serialise.ts'

/** Bytes of the longest body: a thousand lines with some stations each. */
const maxBodyBytes = 128 * 1024

/** Maximum number of answers at the same time, of all addresses. */
const maxAnswers = 50

export function addAskedAvailability(app: FastifyInstance, context: NetworkContext): void {
  const answers = new Semaphore({
    permits: maxAnswers,
    full: 'Too many clients are asking for many series.',
  })
  // A scope of its own, because only this resource takes text.
  void app.register((scope, _options, done) => {
    readTextBodies(scope)
    addResource(scope, {
      path: `${context.apiPath}availability/`,
      formats,
      post: {
        schema: askAvailability,
        parses: 'txt',
        handler: async (request, reply) => answer(context, answers, { request, reply }),
      },
    })
    done()
  })
}

/**
 * Text, and what `curl -d` and `wget --post-file` call their bodies unless they are told
 * otherwise. Any other body gets 415.
 */
function readTextBodies(app: FastifyInstance): void {
  const types = ['text/plain', 'application/x-www-form-urlencoded']
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    types,
    { parseAs: 'string', bodyLimit: maxBodyBytes },
    (request, body, done) => {
      const { 'content-encoding': encoding = 'identity' } = request.headers
      if (/^identity$/i.test(encoding.trim())) done(null, body)
      else done(new HttpError(415, `Unsupported content encoding "${encoding}" in request.`))
    },
  )
}

async function answer(
  context: NetworkContext,
  answers: Semaphore,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const body = typeof request.body === 'string' ? request.body : ''
  const { options, questions } = parseQuestions(body)
  const asked = { ...(request.query as Query), ...Object.fromEntries(options) }
  const { values } = readRequest(asked, { parameters, alwaysStrict: true })
  const format = formatOf(options.get('format')) ?? negotiate(formats, request, reply)
  const requester = context.limits.stream(request, reply)
  answers.holdFor(reply)
  const state = await networkState(context)
  await requester.turn()
  const found = await find(context, questions, state, requester)
  const { seconds: asOf } = state.asOf
  const how = { asOf, mergeGaps: values.merge_gaps, countsDelivered: format === 'json' }
  const spans = () => spansOf(context.reader, found.series, how, requester)
  const parts = {
    json: () => spansAsJson(spans(), { ...serialiseAsOf(state.asOf), unknown: found.unknown }),
    csv: () => spansAsCsv(spans()),
    urls: () => asUrls(context, found, { state, requester }),
  }
  const headers = { ...state.headers, 'content-type': contentType(format) }
  return sendChunks(reply, headers, parts[format]())
}

function formatOf(text: string | undefined): (typeof formats)[number] | undefined {
  if (text === undefined) return undefined
  const format = formats.find((each) => each === text.toLowerCase())
  if (format === undefined) throw new BadFields({ format: [invalidChoice(text).fault].flat() })
  return format
}

interface FoundSeries {
  readonly series: readonly AskedSeries[]
  readonly sites: KnownSites
  readonly unknown: readonly string[]
}

async function find(
  { reader }: NetworkContext,
  questions: readonly SeriesQuestion[],
  { states }: NetworkState,
  requester: Requester,
): Promise<FoundSeries> {
  const asked = seriesOfQuestions(questions, states)
  await requester.turn()
  const sites = await KnownSites.read(reader, states, requester)
  const isKnown = ({ station }: AskedSeries): boolean => sites.has(station)
  const unknown = asked.filter((each) => !isKnown(each)).map(({ station }) => station)
  return { series: asked.filter(isKnown), sites, unknown: [...new Set(unknown)] }
}

async function* asUrls(
  { reader, links }: { readonly reader: NetworkContext['reader']; readonly links: () => Links },
  { series, sites }: FoundSeries,
  { state, requester }: { readonly state: NetworkState; readonly requester: Requester },
): AsyncGenerator<Buffer> {
  const { seconds: asOf } = state.asOf
  if (asOf === undefined) return
  const { epoch } = state.head
  const reading = { reader, sites, requester, until: asOf, epoch }
  for await (const files of filesOfSeries(series, reading)) {
    const lines = files.map(({ directory, name }) => `${downloadUrl(links(), directory, name)}\n`)
    if (lines.length > 0) yield Buffer.from(lines.join(''))
  }
}
