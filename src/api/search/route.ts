/** Leads from a word to its page: a station, a country, a file, a directory or a day. */
import type { FastifyInstance } from 'fastify'
import { digest } from '../http/context.ts'
import { relativeUrl } from '../http/http-server.ts'
import { queryText } from '../http/links.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import { layOut } from '../pages/layout.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { addAnswer } from '../resources/answer.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { renderSearch } from './page.ts'
import type { Result } from './search.ts'
import { kinds, search } from './search.ts'

/** Longest text that is searched (characters); a path of an archive has a thousand at most. */
const longest = 1000

const q: Parameter<string> = {
  schema: schema.text(
    'A station code or its beginning, a country by name or code, a file name or its beginning, a path or URL of a file or directory, a date, month, year, GPS week or time. Nothing has the empty text.',
    'GRAZ',
    { maxLength: longest },
  ),
  takes: 'last',
  // Pasted texts have tabs and line ends.
  read: ([text = '']) =>
    text.length > longest
      ? { fault: `Enter at most ${longest} characters.` }
      : { value: text.replaceAll(/\p{Cc}+/gu, ' ').trim() },
  field: { label: 'Station, country, file, path or date', hint: 'GRAZ' },
}

const resultSchema = schema.component('SearchResult', 'What a text may mean.', {
  kind: schema.oneOf('What it is.', kinds, 'station'),
  title: schema.text('Its name.', 'GRAZ00AUT'),
  url: schema.orNull(
    schema.url(
      'Its page; null if there is none.',
      `${exampleLinks.api}station/GRAZ00AUT/?format=api`,
    ),
  ),
  why: schema.textOrNull(
    'Why there is no page, or why this is not quite what was asked for; null for an exact result.',
    null,
  ),
})

const searchSchema = schema.component('Search', 'All that a text may mean.', {
  results: schema.list(
    'At most ten of a kind. If the first one has no page, those after it are similar.',
    resultSchema,
  ),
})

export function addSearch(app: FastifyInstance, context: NetworkContext): void {
  const { reader, settings, settlingFiles, asOfReader, apiPath, dataPath } = context
  const { layout, problems, keepRemovalsDays } = settings
  const isPublic = problems === 'public'
  const notCurrent = async () => (await asOfReader.of(await reader.head())).notCurrent
  addAnswer(app, context, {
    path: 'search/',
    formats: ['json', 'html'],
    accepts: { parameters: { q } },
    operation: {
      id: 'search',
      tag: 'Service',
      name: 'Search',
      summary: 'Find the page of a name',
      about: 'The pages that a text may mean; for a file that is not listed, the reason.',
      description: [
        'A file that is not listed may still be being written, or it was rejected, removed or never seen, or it is in another directory: `why` says so.',
        'Paths of files that are not catalogued are only shown if they are public (`problems = "public"`). A browser is redirected to the page of a single exact result (`303`).',
      ].join('\n\n'),
      returns: 'The results. Its `ETag` is a digest of its content.',
      samples: ['search/?q=GRAZ'],
    },
    bodies: { json: searchSchema },
    // Files that are being written are not in the catalogue. The head is read so that no text is
    // answered without a catalogue.
    state: async () => {
      await reader.head()
      return undefined
    },
    read: async ({ values, format, request }, _state, requester) => {
      const links = context.links()
      const known = { reader, layout, links, settlingFiles, isPublic, keepRemovalsDays, notCurrent }
      const sources = { ...known, network: () => context.network.ifLoaded() }
      const results = await search(sources, values.q, requester)
      const only = format === 'html' ? onlyPage(results) : undefined
      const path = only?.replace(links.api, apiPath).replace(links.data, dataPath)
      const json = `?${queryText([
        ['format', 'json'],
        ['q', values.q],
      ])}`
      return {
        version: digest(JSON.stringify(results)),
        location: path && relativeUrl(request.originalUrl, path),
        bodies: {
          json: () => ({
            results: results.map(({ kind, title, url, why }) => ({ kind, title, url, why })),
          }),
          html: () => layOut(renderSearch(values.q, results, { json, layout }), context.site()),
        },
      }
    },
  })
}

/** The page of a single result that is exactly what was asked for. */
function onlyPage(results: readonly Result[]): string | undefined {
  const [only, ...others] = results
  return others.length === 0 && only?.why === null ? (only.url ?? undefined) : undefined
}
