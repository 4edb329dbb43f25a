/** The large search field of the start page, the page of the search and the pages of errors. */
import { partial } from './layout.ts'

/** Includes with `up`, the relative path to the API root, and the text that was searched. */
partial(
  'search-field',
  `<form class="search large" method="get" action="<%= it.up %>search/" role="search" aria-label="Station, country, file, path or date">
<input type="search" name="q" value="<%= it.text ?? '' %>" maxlength="1000" placeholder="GRAZ, Austria, obs/2026/022, 2026-01-22, a file name" aria-label="A station, a country, a file name, a path or a date" autocomplete="off" spellcheck="false" autocapitalize="off"><button>Search</button>
</form>
`,
)
