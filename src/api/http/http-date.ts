const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const time = String.raw`\d\d:\d\d:\d\d`

/** The current format and the two obsolete ones that a server must accept (RFC 9110, 5.6.7). */
const fixed = new RegExp(String.raw`^${day}, \d\d ${month} \d{4} ${time} GMT$`)
const rfc850 = new RegExp(
  String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-${month}-\d\d ${time} GMT$`,
)
const asctime = new RegExp(String.raw`^${day} ${month} [ \d]\d ${time} \d{4}$`)

/** Seconds since 1970 of an HTTP date; `undefined` for other text: the header is then ignored. */
export function parseHttpDate(text: string): number | undefined {
  if (text.length > 40) return undefined
  const readable =
    fixed.test(text) || rfc850.test(text) ? text : asctime.test(text) ? `${text} GMT` : ''
  const ms = Date.parse(readable)
  return Number.isNaN(ms) ? undefined : ms / 1000
}

export function formatHttpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString()
}
