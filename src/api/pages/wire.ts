/** The request for the JSON of a page and the head of its response, as programs see them. */
import { partial } from './layout.ts'

partial(
  'wire',
  `<details class="wire" open>
<summary>Request and response</summary>
<pre tabindex="0">GET <a href="<%= it.json %>"><%= it.target %></a> HTTP/1.1
<% for (const line of it.lines) { %><%= line %>
<% } %></pre>
</details>
`,
)

export interface Wire {
  readonly json: string
  readonly target: string
  /** The other lines: the rest of the request, and the head of the response. */
  readonly lines: readonly string[]
}

/** @param headers of the response besides those of all JSON, with names in lower case */
export function wireOf(json: URL, headers: Readonly<Record<string, string>>): Wire {
  const { href, host, pathname, search } = json
  const nameOf = (name: string): string =>
    name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  return {
    json: href,
    target: `${pathname}${search}`,
    lines: [
      `Host: ${host}`,
      '',
      'HTTP/1.1 200 OK',
      'Content-Type: application/json',
      'Vary: Accept',
      'Cache-Control: no-cache',
      ...Object.entries(headers).map(([name, value]) => `${nameOf(name)}: ${value}`),
    ],
  }
}
