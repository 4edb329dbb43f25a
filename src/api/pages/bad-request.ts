import { page } from './layout.ts'

const template = `<p>Nothing was looked for, because of these parameters:</p>
<dl>
<% for (const fault of it.faults) { %>
<dt><code><%= fault.name %></code></dt>
<dd><%= fault.messages.join(' ') %></dd>
<% } %>
</dl>
<p><a href="<%= it.without %>">The same without them</a></p>
`

const render = page('refused', template)

/**
 * What is wrong with the parameters of a resource directly below the API's root.
 * @param query of the request, without its question mark
 */
export function renderRefused(
  fields: Readonly<Record<string, readonly string[]>>,
  query: string,
): string {
  const without = new URLSearchParams(query)
  for (const name of Object.keys(fields)) without.delete(name)
  const json = new URLSearchParams(query)
  json.set('format', 'json')
  return render(
    { title: 'Bad request', up: '../', json: `?${json.toString()}` },
    {
      faults: Object.entries(fields).map(([name, messages]) => ({ name, messages })),
      without: `?${without.toString()}`,
    },
  )
}
