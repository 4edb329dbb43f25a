/** The formats of a listing, HTML and JSON, line by line. Pure. */
import type { FileEntry, Subdirectory } from '../../catalogue/records.ts'
import { formatHttpDate } from '../http/http-date.ts'

export interface ListingFormat {
  readonly name: 'html' | 'json'
  /** @param path of the request, with a trailing slash @param isRoot omits the link to the parent */
  readonly begin: (path: string, isRoot: boolean) => string
  /** The time of a directory is the latest change of anything in it or below it. */
  readonly directory: (entry: Subdirectory) => string
  readonly file: (entry: FileEntry) => string
  readonly separator: string
  readonly end: string
}

/** Column widths of nginx, in characters. */
const nameWidth = 50
const sizeWidth = 19

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/**
 * The format of nginx, because programs that read listings parse it; names are not truncated. It has no stylesheet, because a
 * mirror would download it with the files.
 */
const html: ListingFormat = {
  name: 'html',
  begin: (path, isRoot) => {
    const title = `Index of ${escapeHtml(path)}`
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
<hr>
<pre>
${isRoot ? '' : '<a href="../">../</a>\n'}`
  },
  directory: ({ name, changedUs }) => htmlLine(`${name}/`, changedUs, undefined),
  file: ({ name, mtimeUs, size }) => htmlLine(name, mtimeUs, size),
  separator: '',
  end: '</pre>\n<hr>\n</body>\n</html>\n',
}

/** The format of nginx's `autoindex_format json`. Unknown values are null; a directory has no size. */
const json: ListingFormat = {
  name: 'json',
  begin: () => '[\n',
  directory: ({ name, changedUs }) =>
    JSON.stringify({ name, type: 'directory', mtime: httpDate(changedUs) }),
  file: ({ name, mtimeUs, size = null }) =>
    JSON.stringify({ name, type: 'file', mtime: httpDate(mtimeUs), size }),
  separator: ',\n',
  end: '\n]\n',
}

export const listingFormats = { html, json } as const

function htmlLine(name: string, us: number | undefined, size: number | undefined): string {
  const safe = escapeHtml(name)
  const padding = ' '.repeat(Math.max(0, nameWidth - name.length))
  return `<a href="${safe}">${safe}</a>${padding} ${shortTime(us)} ${String(size ?? '-').padStart(sizeWidth)}\n`
}

/** `22-Jan-2026 05:00`; a dash padded to the same width when unknown. */
function shortTime(us: number | undefined): string {
  if (us === undefined) return '-'.padStart(17)
  const time = new Date(us / 1000)
  const day = twoDigits(time.getUTCDate())
  const month = months[time.getUTCMonth()] ?? ''
  const clock = `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}`
  return `${day}-${month}-${time.getUTCFullYear()} ${clock}`
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

function httpDate(us: number | undefined): string | null {
  return us === undefined ? null : formatHttpDate(Math.floor(us / 1_000_000))
}

const special: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Catalogued names need no escaping; this does not rely on it. */
function escapeHtml(text: string): string {
  return /[&<>"']/.test(text)
    ? text.replace(/[&<>"']/g, (character) => special[character] ?? '')
    : text
}
