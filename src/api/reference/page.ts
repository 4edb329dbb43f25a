/** The HTML page of the reference. */
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
  paragraphs,
} from './reference.ts'
import type { FirstStep, Sample } from './samples.ts'
import { firstSteps, runnable } from './samples.ts'

/** @param words those of the archive, if it has files: then the examples can be run */
export function renderDocs(
  document: OpenApiDocument,
  words: SampleWords | undefined,
  links: Links,
): Page {
  const [introduction, ...rules] = paragraphs(document.info.description ?? '')
  const sampleOf = (source: string): Sample => ({ source, run: words && runnable(source, links) })
  const steps = firstSteps(words ?? exampleWords, links)
  const writing: Writing = { shown: new Set(), sampleOf }
  const tags = describeOperations(document, writing)
  const json = '../schema/?format=json'
  return {
    frame: { title: 'API reference', section: 'docs', up: '../', json },
    body: html`<div class="reference">
${indexHtml(tags)}
<div>
<p>${introduction} All paths are relative to <code>${document.servers[0]?.url}</code>.
 For programs: <a href="${json}">OpenAPI ${document.openapi}</a>.</p>
<h2 id="first">First steps</h2>
${steps.map((step) => stepHtml(step, words !== undefined))}
${tags.map(tagHtml)}
<h2 id="rules">Rules of all resources</h2>
${rules.map((text) => html`<p>${prose(text)}</p>\n`)}
<h2 id="responses">Responses of many resources</h2>
${table(describeResponses(document))}
<h2 id="objects">Objects</h2>
${describeObjects(document, writing).map(objectHtml)}
<h2 id="headers">Headers of responses</h2>
${table(describeHeaders(document))}
</div>
</div>
`,
  }
}

type Tag = ReturnType<typeof describeOperations>[number]
type DescribedOperation = Tag['operations'][number]

function indexHtml(tags: readonly Tag[]): Html {
  const parts = tags.map(
    ({ name, operations }) => html`<p>${name}</p>
<ul>
${operations.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>\n`)}</ul>
`,
  )
  return html`<nav class="index" aria-label="Contents">
<p><a href="#first">First steps</a></p>
${parts}
<p>Shared</p>
<ul><li><a href="#rules">Rules</a></li><li><a href="#responses">Responses</a></li>
<li><a href="#objects">Objects</a></li><li><a href="#headers">Headers</a></li></ul>
</nav>
`
}

function stepHtml({ title, run, commands }: FirstStep, canRun: boolean): Html {
  return html`<section class="step">
<h3>${title}${canRun && html` <a href="${run}">Run</a>`}</h3>
${commands.map(({ language, source }) => html`<p>${language}</p>\n${commandHtml(source)}`)}
</section>
`
}

function tagHtml({ name, description, operations }: Tag): Html {
  return html`<h2>${name}</h2>
<p>${description}</p>
${operations.map(operationHtml)}
`
}

function operationHtml(operation: DescribedOperation): Html {
  const { id, summary, method, path, samples, shared, successes } = operation
  return html`<section>
<h3 id="${id}">${summary}</h3>
<p class="request"><code><strong>${method}</strong> ${path}</code></p>
${operation.paragraphs.map((text) => html`<p>${prose(text)}</p>\n`)}
${operation.isForAdministrators && html`<p>For administrators: <code>Authorization: Bearer TOKEN</code></p>`}
${samples.map(({ source, run }) => commandHtml(source, run && html` <a href="${run}">Run</a>`))}
${operation.parameters.map(table)}
${operation.body.length > 0 && html`<h4>Body</h4>\n${operation.body.map(contentHtml)}`}
<h4>Responses</h4>
${table(operation.answers)}
${shared.length > 0 && html`<p>As <a href="#responses">everywhere</a>: ${shared.map((status) => html`<code>${status}</code> `)}</p>\n`}
${successes.map(({ status, contents }) => html`<h5>${status}</h5>\n${contents.map(contentHtml)}`)}
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
