/** The box that says how to hear of alerts. */
import { pageUrl } from '../http/context.ts'
import type { Links, Parameter } from '../http/context.ts'
import { fragment } from '../pages/layout.ts'

const render = fragment(
  'subscribe',
  `<section class="subscribe">
<h2>Subscribe</h2>
<ul>
<li><strong>Feed reader:</strong> <a href="<%= it.feed %>">this Atom feed</a><% if (it.isFiltered) { %>, of what is filtered above<% } %>. It has an entry for each alert, and one for its end. <code><%= it.feed %></code></li>
</ul>
</section>
`,
)

/** @param kept the filter of the page, which the feed has too */
export function subscribeBox(links: Links, kept: readonly Parameter[]): string {
  const filter = kept.filter(([name]) =>
    ['station', 'country', 'file_type', 'period'].includes(name),
  )
  const feed = pageUrl(links, 'alerts', [...filter, ['format', 'atom']])
  return render({ feed, isFiltered: filter.length > 0 })
}
