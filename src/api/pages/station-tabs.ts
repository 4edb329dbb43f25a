/** The tabs of a station: its own pages, and the lists of its files and of what it misses. */
import { readableNumber } from '../../runtime/readable.ts'
import type { QueryPair } from '../http/links.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import type { SiteFacts } from '../http/settings.ts'
import type { Html } from './html.ts'
import { html } from './html.ts'

export type StationTab = 'Overview' | 'Files' | 'Missing' | 'Availability' | 'Latency' | 'Equipment'

/** The codes of one station, those of the files that are meant. */
export interface OfStation {
  readonly codes: readonly string[]
  readonly tab: StationTab
}

/** The parameters of lists that mean the files of these codes. */
export function codesQuery(codes: readonly string[]): readonly QueryPair[] {
  // Without `file_version`, a code of 4 characters also matches all long codes that begin with it.
  const isShort = codes.every((each) => each.length === 4)
  return [...(isShort ? ([['file_version', 'r2']] as const) : []), ['station', codes.join()]]
}

/** @param of.up the relative path to the API root */
export function stationTabs(
  { codes, tab, up }: OfStation & { readonly up: string },
  { missingOf }: Pick<SiteFacts, 'missingOf'>,
): Html {
  const own = stationUrl({ api: up }, mainCode(codes))
  const below = (name: string): string => own.replace('/?', `/${name}/?`)
  const hrefs: Readonly<Record<StationTab, string>> = {
    Overview: own,
    Files: pageUrl({ api: up }, 'rinex-file', codesQuery(codes)),
    Missing: pageUrl({ api: up }, 'missing', [['station', codes.join()]]),
    Availability: below('availability'),
    Latency: below('latency'),
    Equipment: below('equipment'),
  }
  const items = Object.entries(hrefs).map(([label, href]) => {
    const isCurrent = label === tab && html` aria-current="page"`
    const count = label === 'Missing' ? missingOf(codes) : 0
    return html`<li><a href="${href}"${isCurrent}>${label}${count > 0 && ` ${readableNumber(count)}`}</a></li>`
  })
  return html`<nav class="tabs" aria-label="Pages of the station"><ul class="plain row">${items}</ul></nav>\n`
}

function mainCode(codes: readonly string[]): string {
  return codes.find((code) => code.length === 9) ?? codes[0] ?? ''
}

const tabsOfLists: ReadonlyMap<string, StationTab> = new Map([
  ['rinex-file', 'Files'],
  ['missing', 'Missing'],
])

/** The station that a list shows, if it is one. @param kept the parameters of the list */
export function stationOfList(
  section: string | undefined,
  kept: readonly QueryPair[],
): OfStation | undefined {
  const tab = tabsOfLists.get(section ?? '')
  const codes = kept
    .filter(([name]) => name === 'station')
    .flatMap(([, value]) => value.toUpperCase().split(','))
  const isOne = new Set(codes.map((code) => code.slice(0, 4))).size === 1
  const isKnown = codes.every((code) => /^[A-Z0-9]{4}(?:[A-Z0-9]{5})?$/.test(code))
  const long = codes.filter((code) => code.length === 9)
  return tab !== undefined && isOne && isKnown && long.length < 2 ? { codes, tab } : undefined
}
