import { page } from './layout.ts'

const template = `<p>A catalogue of the RINEX files of a GNSS archive: what there is, and where to download it.</p>
<dl>
<% for (const resource of it.resources) { %>
<dt><a href="<%= resource.url %>"><%= resource.name %></a></dt>
<dd><%= resource.description %></dd>
<% } %>
</dl>
`

export interface ListedResource {
  readonly name: string
  readonly url: string
  readonly description: string
}

const render = page('root', template)

export function renderRoot(resources: readonly ListedResource[]): string {
  return render({ title: 'Api Root', up: '', json: '?format=json' }, { resources })
}
