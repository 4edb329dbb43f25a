/** What the status says of files with problems, and of names that are not catalogued. */
import { counted, readableNumber } from '../../runtime/readable.ts'
import { reasonLabel } from '../file-problems/problem-list.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { link } from '../pages/parts.ts'
import type { WireStatus } from './serialise.ts'

export const problemLink = (problem: string, isPublic: boolean): string | undefined =>
  isPublic ? `problems/?format=api&problem=${problem}` : undefined

/** @param kinds the files by the kind of their problem, with links to their lists */
export function problemsHtml(status: WireStatus, kinds: Child, isPublic: boolean): Html {
  return html`<p>${kinds}</p>
${rejectedHtml(status)}
${unservedHtml(status, isPublic)}
${
  isPublic
    ? html`<p><a href="problems/?format=api">All files with problems, with their paths</a></p>`
    : html`<p>The paths are shown on the command line only: <code>rinex-catalogue status --problems</code></p>`
}
`
}

/** Why names are not catalogued, and how many each. */
function rejectedHtml({ rejected }: WireStatus): Child {
  const items = rejected.map(({ reason, count }) => {
    const words = link(reasonLabel(reason), `../docs/status/?format=api#reason-${reason}`)
    return html`<li>${readableNumber(count)}: ${words}</li>\n`
  })
  return items.length > 0 && html`<p>Not catalogued:</p>\n<ul>${items}</ul>`
}

function unservedHtml({ unserved: { count } }: WireStatus, isPublic: boolean): Child {
  const words = `${counted(count, 'answer', 'answers')} 404 for listed files since the start of the API`
  return count > 0 && html`<p>${link(words, problemLink('unservable', isPublic))}</p>`
}
