import type { WireStatus } from './serialise.ts'
import { page } from '../pages/layout.ts'
import { readableNumber, readableTime } from '../pages/labels.ts'

const template = `<div data-live>
<p class="lead">The indexer is <strong><%= it.state %></strong><% if (it.since !== '') { %> since <%= it.since %> UTC<% } %>.</p>
<% if (it.reasons.length > 0) { %>
<ul>
<% for (const reason of it.reasons) { %><li><%= reason %></li>
<% } %></ul>
<% } %>
<% if (it.scan !== null) { %>
<p><label>Scan: <progress max="1" value="<%= it.scan.done %>"></progress></label>
<%= it.scan.directories %> directories, <%= it.scan.files %> files<%= it.scan.left %></p>
<% } %>
<h2>Files</h2>
<table>
<thead><tr><th scope="col">Area</th><th scope="col" class="number">Files</th><th scope="col" class="number">Directories</th></tr></thead>
<tbody>
<% for (const area of it.areas) { %>
<tr><th scope="row"><%= area.name %></th><td class="number"><%= area.files %></td><td class="number"><%= area.directories %></td></tr>
<% } %>
</tbody>
</table>
<h2>Not catalogued</h2>
<p><a href="problems/?format=api">All files with problems, with their paths</a></p>
<% if (it.rejected.length === 0) { %>
<p>None.</p>
<% } else { %>
<div class="wide" tabindex="0">
<table>
<thead><tr><th scope="col">Reason</th><th scope="col" class="number">Count</th><th scope="col">Examples</th></tr></thead>
<tbody>
<% for (const rejection of it.rejected) { %>
<tr><th scope="row"><%= rejection.reason %></th><td class="number"><%= rejection.count %></td><td><% for (const example of rejection.examples) { %><code><%= example %></code> <% } %></td></tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<% if (it.broken.examples.length > 0) { %>
<h2>Broken</h2>
<p>Files whose gzip stream is damaged or has no end: <%= it.broken.count %>. Examples:</p>
<ul>
<% for (const example of it.broken.examples) { %><li><code><%= example %></code></li>
<% } %></ul>
<% } %>
<% if (it.missing.files.length > 0) { %>
<h2>Missing files</h2>
<p>Catalogued files that the API could not send. 404 responses since its start: <%= it.missing.count %>. The latest:</p>
<div class="wide" tabindex="0">
<table>
<thead><tr><th scope="col">File</th><th scope="col">Reason</th><th scope="col">Time (UTC)</th></tr></thead>
<tbody>
<% for (const file of it.missing.files) { %>
<tr><td><code><%= file.path %></code></td><td><%= file.reason %></td><td><%= file.at %></td></tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<h2>More</h2>
<dl>
<% for (const fact of it.facts) { %>
<dt><%= fact.name %></dt><dd><%= fact.value %></dd>
<% } %>
</dl>
</div>
`

const render = page('status', template)

export function renderStatus(status: WireStatus): string {
  return render(
    { title: 'Status', section: 'status', up: '../', json: '?format=json' },
    {
      state: status.state,
      since: readableTime(status.since, 'second'),
      reasons: status.reasons,
      scan: scanOf(status),
      areas: Object.entries(status.areas).map(([name, area]) => ({
        name,
        files: readableNumber(area.files),
        directories: readableNumber(area.directories),
      })),
      rejected: status.rejected.map((rejection) => ({
        ...rejection,
        count: readableNumber(rejection.count),
      })),
      broken: {
        count: readableNumber(status.checksums.broken.count),
        examples: status.checksums.broken.examples,
      },
      missing: {
        count: readableNumber(status.unserved.count),
        files: status.unserved.latest.map((file) => ({
          ...file,
          at: readableTime(file.at, 'second'),
        })),
      },
      facts: factsOf(status),
    },
  )
}

function scanOf({ scan }: WireStatus) {
  if (scan === null) return null
  return {
    done: scan.done,
    directories: readableNumber(scan.directories_done),
    files: readableNumber(scan.files),
    left: scan.seconds_left === null ? '' : `, about ${Math.ceil(scan.seconds_left)} s left`,
  }
}

function factsOf(status: WireStatus) {
  const lastScan = status.last_scan
  return [
    { name: 'Last complete scan (UTC)', value: readableTime(lastScan?.ended ?? null, 'second') },
    { name: 'Files found by it', value: lastScan === null ? '' : readableNumber(lastScan.files) },
    { name: 'Last sweep (UTC)', value: readableTime(status.last_sweep, 'second') },
    { name: 'Dirty directories', value: status.dirty_directories },
    { name: 'Watched directories', value: status.watching?.directories },
    { name: 'Files still being written', value: status.settling_files },
    { name: 'Removals withheld', value: status.held_removals },
    { name: 'Files whose gzip stream has no end', value: readableNumber(status.incomplete.count) },
    { name: 'Files in the directory of another date', value: readableNumber(status.misplaced) },
    { name: 'Files with a checksum', value: readableNumber(status.checksums.files) },
    { name: 'Files to be hashed', value: status.checksums.waiting },
    { name: 'Latest change', value: status.seq },
    { name: 'Catalogue', value: status.epoch },
    { name: 'Indexer process', value: status.indexer?.pid },
    { name: 'Indexer release', value: status.indexer?.version },
    { name: 'API release', value: status.version },
  ].filter(({ value }) => value !== undefined && value !== null && value !== '')
}
