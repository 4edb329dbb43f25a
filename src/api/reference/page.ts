/** The HTML pages of the reference: one for each resource, and the first one. */
import type { Links } from '../http/links.ts'
import type { OpenApiDocument } from '../openapi/openapi.ts'
import type { SampleWords } from '../openapi/parameters.ts'
import { exampleWords } from '../openapi/parameters.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { commandHtml, prose } from '../pages/parts.ts'
import { table } from '../pages/table.ts'
import type { Writing } from './reference.ts'
import {
  describeHeaders,
  describeObjects,
  describeOperations,
  describeResponses,
  operationsOf,
  pagesOfObjects,
  paragraphs,
} from './reference.ts'
import type { FirstStep, Sample } from './samples.ts'
import { firstSteps, runnable } from './samples.ts'

/** What the pages are made from. */
export interface Reference {
  readonly document: OpenApiDocument
  /** Those of the archive, if it has files: then the examples can be run. */
  readonly words: SampleWords | undefined
  readonly links: Links
}

/** The first page: how to begin, the resources, and what they have in common. */
export function renderIndex({ document, words, links }: Reference): Page {
  const [introduction, ...rules] = paragraphs(document.info.description ?? '')
  const steps = firstSteps(words ?? exampleWords, links)
  const json = '../schema/?format=json'
  const { responses } = document.components
  const writing: Writing = { shown: new Set(), sampleOf: (source) => ({ source, run: undefined }) }
  const objects = describeObjects(document, responses, writing)
  return {
    frame: { title: 'API reference', section: 'docs', up: '../', json },
    body: html`<div>
<p>${introduction} All paths are relative to <code>${document.servers[0]?.url}</code>.
 For programs: <a href="${json}">OpenAPI ${document.openapi}</a>.</p>
<h2 id="first">First steps</h2>
${steps.map((step) => stepHtml(step, words !== undefined))}
<h2 id="resources">Resources</h2>
${document.tags.map((tag) => tagHtml(tag, document))}
<h2 id="rules">Rules of all resources</h2>
${rules.map((text) => html`<p>${prose(text)}</p>\n`)}
<h2 id="responses">Responses of many resources</h2>
${table(describeResponses(document))}
${objects.map(objectHtml)}
<h2 id="headers">Headers of responses</h2>
${table(describeHeaders(document))}
${objectsHtml(document, new Set(objects.map(({ name }) => `object-${name}`)))}
</div>
`,
  }
}

/** The page of a resource; `undefined` if there is none of this name. */
export function renderResource(name: string, reference: Reference): Page | undefined {
  const { document, words, links } = reference
  const sampleOf = (source: string): Sample => ({ source, run: words && runnable(source, links) })
  const writing: Writing = { shown: new Set(), sampleOf }
  const operations = describeOperations(document, name, writing)
  if (operations.length === 0) return undefined
  const own = operationsOf(document).filter(({ page }) => page === name)
  const objects = describeObjects(
    document,
    own.map(({ operation }) => operation),
    writing,
  )
  return {
    frame: {
      title: `${name}/`,
      section: 'docs',
      crumbs: [{ text: 'API', href: '../?format=api' }],
      up: '../../',
      json: '../../schema/?format=json',
    },
    body: html`<div class="sides">
${indexHtml(document, name)}
<div>
${operations.map(operationHtml)}
${objects.length > 0 && html`<h2>Objects</h2>\n${objects.map(objectHtml)}`}
</div>
</div>
`,
  }
}

/** Links to all resources, and to the operations of the one that is shown. */
function indexHtml(document: OpenApiDocument, shown: string): Html {
  const all = operationsOf(document)
  const items = Array.from(new Set(all.map(({ page }) => page)), (page) => {
    if (page !== shown) return html`<li><a href="../${page}/?format=api">${page}/</a></li>\n`
    const own = all.filter((each) => each.page === page).map(({ operation }) => operation)
    return html`<li><b>${page}/</b><ul>${own.map(
      ({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
    )}</ul></li>\n`
  })
  return html`<nav class="index" aria-label="Resources of the API"><details class="fold">
<summary>Resources</summary>
<ul class="plain small">
${items}</ul>
</details></nav>
`
}

/** The operations of a tag: their anchors lead on to the pages of their resources. */
function tagHtml(
  { name, description }: OpenApiDocument['tags'][number],
  document: OpenApiDocument,
) {
  const own = operationsOf(document).filter(({ operation }) => operation.tags[0] === name)
  return html`<h3>${name}</h3>
<p>${description}</p>
<ul class="plain">
${own.map(
  ({ page, method, path, operation: { operationId: id, summary } }) =>
    html`<li id="${id}"><a href="${page}/?format=api#${id}">${summary}</a> <code>${method} ${path}</code></li>\n`,
)}</ul>
`
}

/** Where each object, and each value with an explanation, is described, but for those here. */
function objectsHtml(document: OpenApiDocument, here: ReadonlySet<string>): Html {
  const items = Array.from(pagesOfObjects(document))
    .filter(([id]) => !here.has(id))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return html`<h2 id="objects">Objects and values</h2>
<ul class="plain row">
${items.map(
  ([id, page]) =>
    html`<li id="${id}"><a href="${page}/?format=api#${id}">${id.replace(/^object-/, '')}</a></li>\n`,
)}</ul>
`
}

function stepHtml({ title, run, commands }: FirstStep, canRun: boolean): Html {
  const commandOf = ({ language, source }: FirstStep['commands'][number]) =>
    html`<p class="quiet">${language}</p>\n${commandHtml(source)}`
  const [first, ...others] = commands
  return html`<section>
<h3>${title}${canRun && html` <small><a href="${run}">Run</a></small>`}</h3>
${first && commandOf(first)}
<details>
<summary>${others.map(({ language }) => language).join(', ')}</summary>
${others.map(commandOf)}
</details>
</section>
`
}

type DescribedOperation = ReturnType<typeof describeOperations>[number]

function operationHtml(operation: DescribedOperation): Html {
  const { id, summary, method, path, samples, shared, successes } = operation
  return html`<section>
<h2 id="${id}">${summary}</h2>
<p class="notice"><code><strong>${method}</strong> ${path}</code></p>
${operation.paragraphs.map((text) => html`<p>${prose(text)}</p>\n`)}
${operation.isForAdministrators && html`<p>For administrators: <code>Authorization: Bearer TOKEN</code></p>`}
${samples.map(({ source, run }) => commandHtml(source, run && html` <a href="${run}">Run</a>`))}
${operation.parameters.map(table)}
${operation.body.length > 0 && html`<h3>Body</h3>\n${operation.body.map(contentHtml)}`}
<h3>Responses</h3>
${table(operation.answers)}
${shared.length > 0 && html`<p>As <a href="../?format=api#responses">everywhere</a>: ${shared.map((status) => html`<code>${status}</code> `)}</p>\n`}
${successes.map(({ status, contents }) => html`<h4>${status}</h4>\n${contents.map(contentHtml)}`)}
</section>
`
}

function contentHtml({
  type,
  name,
  isKnown,
  fields,
  example,
}: DescribedOperation['body'][number]): Html {
  const code = html`<code>${type}</code>`
  const described = fields.rows.length > 0 ? table(fields) : html`<p>${code}</p>`
  return html`${
    isKnown
      ? html`<p>${code}, <a href="#object-${name}">${name}</a></p>`
      : html`<div${name && html` id="object-${name}"`}>${described}</div>`
  }
${example && html`<pre tabindex="0"><code>${example}</code></pre>`}
`
}

type DescribedObject = ReturnType<typeof describeObjects>[number]

function objectHtml({ name, isKnown, description, fields, values }: DescribedObject): Html {
  const meanings = values.map(
    ({ id, value, meaning }) => html`<dt id="${id}"><code>${value}</code></dt>
<dd>${prose(meaning)}</dd>
`,
  )
  return html`<h3${!isKnown && html` id="object-${name}"`}>${name}</h3>
<p>${prose(description)}</p>
${fields.rows.length > 0 && table(fields)}
${values.length > 0 && html`<dl>\n${meanings}</dl>`}
`
}
