/** The manual page rinex-catalogue.toml(5), made from the commented configuration. */

/**
 * @param {string} toml config/rinex-catalogue.toml: `# --- heading ---`, and paragraphs of
 *   comments that end with `# key = default`
 * @param {Date} date
 */
export function configurationManPage(toml, date) {
  const [introduction = '', ...sections] = toml.split(/^# --- (?=.* ---$)/m)
  return [
    `.Dd ${date.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })}`,
    '.Dt RINEX-CATALOGUE.TOML 5',
    '.Os "RINEX file catalogue"',
    '.Sh NAME',
    '.Nm rinex-catalogue.toml',
    '.Nd configuration of the RINEX file catalogue',
    '.Sh SYNOPSIS',
    '.Pa /etc/rinex-catalogue/config.toml',
    '.Sh DESCRIPTION',
    ...paragraphsOf(introduction).flatMap((text, index) => [
      ...(index === 0 ? [] : ['.Pp']),
      ...sentences(text),
    ]),
    ...sections.flatMap(sectionLines),
    '.Sh SEE ALSO',
    '.Xr rinex-catalogue 1',
    '',
  ].join('\n')
}

function sectionLines(section) {
  const [heading = ''] = section.split(' ---', 1)
  const lines = [`.Sh ${heading.toUpperCase()}`]
  let listed = false
  for (const text of paragraphsOf(section.slice(section.indexOf('\n')))) {
    const [, meaning, key, value] = /^(.*?) ?\b([a-z_]+) = (\S.*)$/.exec(text) ?? []
    if (key === undefined) lines.push(...sentences(text))
    else {
      if (!listed) lines.push('.Bl -tag -width Ds')
      listed = true
      lines.push(`.It Ic ${key} No = ${escape(value)}`, ...sentences(meaning))
    }
  }
  return listed ? [...lines, '.El'] : lines
}

/** The paragraphs of comments, each on one line without its `#`. */
function paragraphsOf(text) {
  return text
    .split(/\n(?:#)?\n/)
    .map((paragraph) => paragraph.replaceAll(/^# ?/gm, '').trim().replaceAll('\n', ' '))
    .filter((paragraph) => paragraph !== '')
}

/** One sentence a line, as mdoc(7) wants it. */
function sentences(text) {
  return escape(text).split(/(?<=[.!?]) (?=[A-Z`])/)
}

/**
 * Text that begins no macro and holds no escape; a quotation mark is none in text lines, but is in
 * macros.
 */
function escape(text) {
  return text.replaceAll('\\', '\\e').replaceAll('"', '\\(dq').replace(/^[.']/, '\\&$&')
}
