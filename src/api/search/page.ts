/** The page of the search: results by kind, or what may be searched. */
import { page } from '../pages/eta.ts'
import type { Page } from '../pages/layout.ts'
import { counted, shortened } from '../pages/labels.ts'
import type { Result } from './search.ts'

const render = page(
  'search',
  `<%~ include('@search-field', { up: '../', text: it.text }) %>
<% if (it.text === '') { %><p>The search field takes:</p>
<dl class="examples">
<% for (const [what, example] of it.examples) { %><div><dt><%= what %></dt><dd><a href="?format=api&amp;q=<%= encodeURIComponent(example) %>"><%= example %></a></dd></div>
<% } %></dl>
<p>For a file that is not in the list, it says why: still being written, rejected, removed, in another directory, or never seen.</p>
<% } else if (it.groups.length === 0) { %><p class="notice" role="status">Nothing has this name. A station code, a country, a file name, a path below <code>data/</code> or a date lead to their pages; <a href="../rinex-file/?format=api">all files</a> have filters by further properties.</p>
<% } %><% for (const { title, results } of it.groups) { %><h2><%= title %></h2>
<ul class="results">
<% for (const { title, url, why } of results) { %><li><% if (url === null) { %><b><%= title %></b><% } else { %><a href="<%= url %>"><%= title %></a><% } %><% if (why !== null) { %> <span class="why"><%= why %></span><% } %></li>
<% } %></ul>
<% } %>`,
)

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
  ['A path, or a URL of a file or directory', 'obs/2026/022/'],
  ['A day, month or year', '2026-01-22'],
  ['A day of the year', '2026/022'],
] as const

export function renderSearch(text: string, results: readonly Result[], json: string): Page {
  // In the order of the results: the first one is the answer.
  const groups = Array.from(
    Map.groupBy(results, ({ kind }) => kind),
    ([kind, own]) => ({ title: titles[kind], results: own }),
  )
  const found =
    results.length === 0 ? 'nothing found' : counted(results.length, 'result', 'results')
  const title = text === '' ? 'Search' : `Search for ${shortened(text)}: ${found}`
  return render({ title, heading: 'Search', up: '../', json }, { text, examples, groups })
}
