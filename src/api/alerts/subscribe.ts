/** The box that says how to hear of alerts. */
import { pageUrl } from '../http/context.ts'
import type { Links, Parameter } from '../http/context.ts'
import { fragment } from '../pages/layout.ts'

/** Mails what is new in a feed. docs/operate.md has the same program. @param feed its URL */
export function mailProgram(feed: string): string {
  return `#!/bin/sh
# Mails what is new in the feed. Run it every ten minutes, for example by cron.
feed='${feed}'
known="$HOME/.rinex-alerts"
touch "$known"
curl -fsS -o "$known.xml" "$feed" || exit 1
awk -F'[<>]' '/^<entry/ {e = 1} e && /^<id/ {id = $3} e && /^<title/ {title = $3}
  e && /^<updated/ {print id, $3 "\\t" title; e = 0}' "$known.xml" >"$known.new"
awk -F'\\t' 'FILENAME == ARGV[1] {old[$1]; next} !($1 in old) {print $2}' \\
  "$known" "$known.new" >"$known.mail"
if [ -s "$known.mail" ]; then mail -s 'RINEX alerts' you@example.org <"$known.mail" || exit 1; fi
mv "$known.new" "$known"
`
}

const render = fragment(
  'subscribe',
  `<section class="subscribe">
<h2>Subscribe</h2>
<ul>
<li><strong>Feed reader:</strong> <a href="<%= it.feed %>">this Atom feed</a><% if (it.isFiltered) { %>, of what is filtered above<% } %>. It has an entry for each alert, and one for its end. <code><%= it.feed %></code></li>
<li><strong>Webhook:</strong> <code>rinex-catalogue alerts</code> sends a signed message to a URL when an incident opens, is down or ends. The operator of the archive sets <code>alerts_webhook_url</code> and <code>alerts_secret_file</code>, and starts the service <code>rinex-alerts</code>; <code>docs/operate.md</code> of the program describes the messages, and has a receiver.</li>
<li><details><summary><strong>Mail</strong>, by a program that reads the feed</summary>
<pre tabindex="0"><code><%= it.program %></code></pre></details></li>
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
  return render({ feed, isFiltered: filter.length > 0, program: mailProgram(feed) })
}
