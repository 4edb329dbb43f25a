/**
 * The page of a directory listing, as common web servers write it. Programs parse its `<pre>`,
 * which is that of nginx, and take every `href` for an entry: so there is no other one.
 */
import { counted, readableSize } from '../../runtime/readable.ts'
import { html } from '../pages/html.ts'

/** What a listing contains, when all of it was written. */
export interface Totals {
  directories: number
  files: number
  bytes: number
}

/** The page up to its first entry. @param path that of the request, with a trailing slash */
export function beginPage(path: string, isRoot: boolean): string {
  const heading = `Index of ${path}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
</head>
<body>
<h1>${heading}</h1>
<pre>
${!isRoot && html`<a href="../">../</a>\n`}`.toString()
}

/** Column widths of nginx, in characters. */
const nameWidth = 50
const sizeWidth = 19

/** An entry as nginx writes it, but with its whole name. */
export function entryLine(name: string, time: string, size: number | undefined): string {
  const padding = ' '.repeat(Math.max(0, nameWidth - name.length))
  const end = `${padding} ${time} ${String(size ?? '-').padStart(sizeWidth)}`
  return html`<a href="${name}">${name}</a>${end}\n`.toString()
}

/** The page after its last entry. */
export function endPage({ directories, files, bytes }: Totals): string {
  const parts = [
    ...(directories > 0 ? [counted(directories, 'directory', 'directories')] : []),
    ...(files > 0 || directories === 0 ? [counted(files, 'file', 'files')] : []),
    ...(files > 0 ? [readableSize(bytes)] : []),
  ]
  return html`</pre>\n<p>${parts.join(', ')}</p>\n</body>\n</html>\n`.toString()
}
