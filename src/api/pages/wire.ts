/** The request for the JSON of a page and the head of its response, as programs see them. */
import type { Html } from './html.ts'
import { html } from './html.ts'

/** @param headers of the response besides those of all JSON, with names in lower case */
export function wireOf(json: URL, headers: Readonly<Record<string, string>>): Html {
  const { href, host, pathname, search } = json
  const nameOf = (name: string): string =>
    name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  const lines = [
    `Host: ${host}`,
    '',
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    'Vary: Accept',
    'Cache-Control: no-cache',
    ...Object.entries(headers).map(([name, value]) => `${nameOf(name)}: ${value}`),
  ]
  return html`<details class="wire" open>
<summary>Request and response</summary>
<pre tabindex="0">GET <a href="${href}">${pathname}${search}</a> HTTP/1.1
${lines.map((line) => `${line}\n`)}</pre>
</details>
`
}
