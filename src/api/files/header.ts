/** The header of a file as it is in the file now: as JSON, as text, and as a page. */
import type { FastifyInstance } from 'fastify'
import { readHeader } from '../downloads/archived-header.ts'
import type { DownloadsContext } from '../downloads/served-files.ts'
import { HttpError, notFound } from '../http/errors.ts'
import * as schema from '../openapi/schema.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { layOut } from '../pages/layout.ts'
import { fetchCommand, fromHeader, getLine } from '../pages/parts.ts'
import { addAnswer } from '../resources/answer.ts'
import { idOf, recordParams, recordPath } from './record.ts'

const example = [
  '     3.04           OBSERVATION DATA    M                   RINEX VERSION / TYPE',
  'GRAZ                                                        MARKER NAME',
  '                                                            END OF HEADER',
]

const headerSchema = schema.component('Header', 'The header of a file.', {
  filename: schema.text('The name of the file.', 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz'),
  lines: schema.list(
    'Its lines, with the two of Compact RINEX, up to `END OF HEADER`: as UTF-8 if they are that, else as ISO 8859-1.',
    schema.text('A line without its end.'),
    example,
  ),
})

export function addHeader(app: FastifyInstance, context: DownloadsContext): void {
  const { reader, links, servedFiles } = context
  addAnswer(app, context, {
    path: `${recordPath}header/`,
    formats: ['json', 'html', 'txt'],
    operation: {
      id: 'getHeader',
      tag: 'Files',
      name: 'Header',
      summary: 'Get the header of a file',
      about: 'The header of a RINEX file, read from the archive now.',
      description:
        'A file that is being written gets `503`, as a download does; one without a whole header within the first 64 KB of its stream gets `422`.',
      returns: 'The header.',
      params: recordParams,
      errors: ['NoHeader', 'Unavailable'],
      samples: ['rinex-file/{id}/header/', 'rinex-file/{id}/header/?format=txt'],
    },
    bodies: { json: headerSchema, txt: schema.text(undefined, `${example.join('\n')}\n`) },
    // Only the file on disk shows whether the answer is the same.
    state: () => undefined,
    read: async ({ request }) => {
      const id = idOf(request)
      const record = await reader.record({ id })
      const found = record && (await reader.file(record))
      if (found === undefined) throw notFound()
      const { lines, version } = await servedFiles.use(found, request, async (file) => {
        const { ino, size, mtimeMs, ctimeMs } = file.stats
        const known = await readHeader(file, servedFiles.threads)
        if (known === undefined) throw new HttpError(422, 'The file has no whole RINEX header.')
        return { lines: known, version: [ino, size, mtimeMs, ctimeMs].join('-') }
      })
      const { name: filename } = found
      const url = `${links().api}rinex-file/${id}/header/?format=txt`
      return {
        version,
        bodies: {
          json: () => ({ filename, lines }),
          txt: () => lines.map((line) => `${line}\n`).join(''),
          html: () => layOut(renderHeader({ filename, lines, url }), context.site()),
        },
      }
    },
  })
}

interface ShownHeader {
  readonly filename: string
  readonly lines: readonly string[]
  readonly url: string
}

function renderHeader({ filename, lines, url }: ShownHeader): Page {
  const formats = ['txt', 'json'].map((format) => ({
    text: format.toUpperCase(),
    href: `?format=${format}`,
  }))
  return {
    frame: {
      title: `Header of ${filename}`,
      here: 'Header',
      section: 'rinex-file',
      crumbs: [
        { text: 'Files', href: '../../?format=api' },
        { text: filename, href: '../?format=api' },
      ],
      up: '../../../',
      json: '?format=json',
    },
    body: html`${getLine({ command: fetchCommand(url), formats, what: 'it' })}
<pre tabindex="0"><code>${lines.map(lineHtml)}</code></pre>
`,
  }
}

/** A line as text: what would end a document, or cannot be seen, is a sign for it. */
function lineHtml(line: string): Html {
  return html`${fromHeader(line.replaceAll(/\p{Cc}/gu, '\uFFFD'))}\n`
}
