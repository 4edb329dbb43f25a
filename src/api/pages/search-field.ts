/** The large search field of the start page, the page of the search and the pages of errors. */
import type { Html } from './html.ts'
import { html } from './html.ts'

/**
 * @param up the relative path to the API root
 * @param text that was searched
 */
export function searchField(up: string, text = ''): Html {
  return html`<form class="search large" method="get" action="${up}search/" role="search" aria-label="Station, country, file, path or date">
<input type="search" name="q" value="${text}" maxlength="1000" placeholder="GRAZ, Austria, obs/2026/022, 2026-01-22, a file name" aria-label="A station, a country, a file name, a path or a date" autocomplete="off" spellcheck="false" autocapitalize="off"><button>Search</button>
</form>
`
}
