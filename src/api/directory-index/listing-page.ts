/**
 * The page of a directory listing. Programs parse its `<pre>`, which is that of nginx, and follow
 * every link. So there is no other link, and nothing that a mirror would download with the files:
 * style and icon are inside, and what people click is a button. A form without `action` sends `go`
 * to the listing itself, which redirects.
 */
import { createHash } from 'node:crypto'
import { parseDirectory } from '../../parse/archive-path.ts'
import { dayToIso, secondsPerDay, secondsPerHour, secondsToIso } from '../../parse/calendar.ts'
import { pageHeaders } from '../http/headers.ts'
import { escaped } from '../pages/html.ts'
import { counted, readableSize } from '../pages/labels.ts'
import { iconData } from '../pages/assets.ts'

/** The virtual file with the checksums of a directory; a real file of this name is not served. */
export const checksumsName = 'SHA256SUMS'

const style = `
:root { color-scheme: light dark; --link: #0550ae; --line: #cfd5db; }
@media (prefers-color-scheme: dark) {
  :root { --link: #7ab8ff; --line: #3d444d; background: #14171b; color: #e6e9ed; }
}
body { margin: 0 auto; max-width: 84rem; padding: 0 1rem 2rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.2; overflow-wrap: anywhere; }
a { color: var(--link); }
pre { overflow-x: auto; padding: 0.5rem 0; border: solid var(--line); border-width: 1px 0; line-height: 1.6; }
form { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 0.5rem; }
@media (max-width: 40rem) { pre { font-size: 0.75rem; line-height: 2; } }
nav form { padding-top: 0.75rem; }
button { font: inherit; color: var(--link); cursor: pointer; padding: 0.25rem 0.75rem; border: 1px solid var(--line); border-radius: 0.25rem; background: none; }
nav button { padding: 0.25rem 0; border: 0; text-decoration: underline; }
`

const styleHash = createHash('sha256').update(style).digest('base64')

/** The headers of the page: the only style is its own, known by its hash. */
export const listingHeaders = {
  ...pageHeaders,
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

/** The directory of a listing. */
export interface Place {
  /** Path in the catalogue; empty for the root. */
  readonly directory: string
  /** Path of the request, with a trailing slash. */
  readonly path: string
  /** Name of the archive. */
  readonly title: string
}

/** What a listing contains, when all of it was written. */
export interface Totals {
  directories: number
  files: number
  bytes: number
  /** Number of files whose size is not known. */
  unknown: number
}

const segmentsOf = (directory: string) => (directory === '' ? [] : directory.split('/'))

/** The page up to its first entry. */
export function beginPage({ directory, path, title }: Place): string {
  const heading = `Index of ${escaped(path)}`
  const names = ['data', ...segmentsOf(directory)]
  const here = names.pop() ?? ''
  const steps = names.map((name, index) => button(String(names.length - index), name))
  const crumbs = [
    button('overview', title),
    ...steps,
    `<span aria-current="page">${escaped(here)}</span>`,
  ]
  const isRoot = directory === ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<link rel="icon" href="${iconData}">
<style>${style}</style>
</head>
<body>
<header><nav aria-label="Path"><form>${crumbs.join(' / ')}</form></nav></header>
<main>
<h1>${heading}</h1>
<form>${button('files', isRoot ? 'All files in the catalogue' : 'These files in the catalogue')}${
    mayHaveFiles(directory) ? ` ${button('checksums', 'Checksums')}` : ''
  }</form>
<pre>
${isRoot ? '' : '<a href="../">../</a>\n'}`
}

/** True for the directory of a day in `obs` and of an hour in `nrt`. */
function mayHaveFiles(directory: string): boolean {
  const parsed = parseDirectory(directory)
  if (parsed.kind === 'rejected') return false
  return parsed.spanSeconds === (parsed.area === 'obs' ? secondsPerDay : secondsPerHour)
}

function button(go: string, text: string): string {
  return `<button name="go" value="${go}">${escaped(text)}</button>`
}

/** The page after its last entry. */
export function endPage({ directories, files, bytes, unknown }: Totals): string {
  const parts = [
    ...(directories > 0 ? [counted(directories, 'directory', 'directories')] : []),
    ...(files > 0 || directories === 0 ? [counted(files, 'file', 'files')] : []),
    ...(files > unknown ? [readableSize(bytes)] : []),
    ...(unknown > 0 ? [`${counted(unknown, 'size', 'sizes')} not known yet`] : []),
  ]
  return `</pre>\n<p>${parts.join(', ')}</p>\n</main>\n</body>\n</html>\n`
}

/**
 * Where a button leads.
 * @param go the value of the button: `overview`, `files`, `checksums`, or the levels upwards
 * @param apiPath path of the API, with a trailing slash
 * @returns a path, or a relative one; `undefined` for a value of no button
 */
export function destinationOf(go: string, directory: string, apiPath: string): string | undefined {
  if (go === 'overview') return `${apiPath}?format=api`
  if (go === 'files') return `${apiPath}rinex-file/?${filterOf(directory).toString()}`
  if (go === 'checksums') return checksumsName
  const levels = /^[1-8]$/.test(go) ? Number(go) : NaN
  return levels <= segmentsOf(directory).length ? '../'.repeat(levels) : undefined
}

/** The filter of the list that finds the files of a directory and below it, by their dates. */
function filterOf(directory: string): URLSearchParams {
  const filter = new URLSearchParams({ format: 'api' })
  const parsed = parseDirectory(directory)
  if (parsed.kind === 'rejected') return filter
  filter.set('area', parsed.area)
  const { startSeconds: start, spanSeconds: span } = parsed
  if (start === undefined || span === undefined) return filter
  if (span === secondsPerHour) {
    filter.set('data_date__gte', secondsToIso(start))
    filter.set('data_date__lt', secondsToIso(start + span))
  } else if (span === secondsPerDay) filter.set('date', dayToIso(start / secondsPerDay))
  else filter.set('year', secondsToIso(start).slice(0, 4))
  return filter
}
