/** The page of the search: results by kind, or what may be searched. */
import type { Layout } from '../../parse/layout.ts'
import { counted, shortened } from '../../runtime/readable.ts'
import { inFirst, withAreas } from '../openapi/area-words.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { link } from '../pages/parts.ts'
import type { Result } from './search.ts'

const titles: Readonly<Record<Result['kind'], string>> = {
  station: 'Stations',
  country: 'Countries',
  file: 'Files',
  directory: 'Directories',
  day: 'Days',
}

const examples = [
  ['A station, or the beginning of its code', 'GRAZ'],
  ['A country by its name or code', 'Austria'],
  ['A file name, or its beginning', 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz'],
  ['A path, or a URL of a file or directory', `${inFirst}2026/022/`],
  ['A day, month or year', '2026-01-22'],
  ['A day of the year', '2026/022'],
  ['A GPS week', 'week 2402'],
] as const

export function renderSearch(
  text: string,
  results: readonly Result[],
  { json, layout }: { readonly json: string; readonly layout: Layout },
): Page {
  // In the order of the results: the first one is the answer.
  const groups = Array.from(
    Map.groupBy(results, ({ kind }) => kind),
    ([kind, own]) => ({ title: titles[kind], results: own }),
  )
  const found =
    results.length === 0 ? 'nothing found' : counted(results.length, 'result', 'results')
  const title = text === '' ? 'Search' : `Search for ${shortened(text)}: ${found}`
  return {
    frame: { title, heading: 'Search', search: text, up: '../', json },
    body: html`${text === '' ? examplesHtml(layout) : groups.length === 0 && nothing}
${groups.map(
  ({ title, results }) => html`<h2>${title}</h2>
<ul>
${results.map(resultHtml)}</ul>
`,
)}`,
  }
}

function resultHtml({ title, url, why, page = {} }: Result): Html {
  const text = page.title ?? title
  const words = [page.about ?? '', page.why ?? why ?? ''].filter((each) => each !== '')
  return html`<li>${url === null ? html`<b>${text}</b>` : link(text, url)}${words.map((each) => html` <div class="quiet">${each}</div>`)}${page.missing && html` ${link('What is missing of that day', page.missing)}`}</li>
`
}

/** What may be searched. */
function examplesHtml(layout: Layout): Html {
  return html`<p>The search field takes:</p>
<dl class="facts">
${withAreas(examples, layout).map(
  ([
    what,
    example,
  ]) => html`<div><dt>${what}</dt><dd><a href="?format=api&amp;q=${encodeURIComponent(example)}">${example}</a></dd></div>
`,
)}</dl>
<p>For a file that is not in the list, it says why: still being written, rejected, removed, in another directory, or never seen.</p>
`
}

const nothing = html`<p class="notice" role="status">Nothing has this name. A station code, a country,
 a file name, a path below <code>data/</code> or a date lead to their pages;
 <a href="../rinex-file/?format=api">all files</a> have filters by further properties.</p>
`
