/** The examples of the reference, with a station and files that this archive has. */
import type { CatalogueReader } from '../../catalogue/reader.ts'
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { Area } from '../../parse/archive-path.ts'
import { dayOfYearAt, dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import { countryOf, isMergedNavigation } from '../../parse/countries.ts'
import type { Links } from '../http/context.ts'
import { filePlace } from '../openapi/parameters.ts'

/** A station of the archive, with its latest day and files. */
export interface SamplePlace {
  readonly station: string
  /** UTC day since 1970-01-01. */
  readonly lastDay: number
  /** Path and id of its latest file in each area. */
  readonly latest: Readonly<Partial<Record<Area, { readonly path: string; readonly id: number }>>>
}

type Reader = Pick<CatalogueReader, 'stations' | 'records'>

/** The station with the most files; `undefined` if there is none, or if it cannot be found now. */
export async function findPlace(reader: Reader): Promise<SamplePlace | undefined> {
  try {
    const ordering = { key: 'count', descending: true } as const
    const { stations } = await reader.stations({ limit: 20, offset: 0, ordering })
    const found = stations.find(({ code }) => !isMergedNavigation(code))
    if (found === undefined) return undefined
    const { code: station, lastDay } = found
    const areas = (['obs', 'nrt'] as const).filter((area) => (found.byArea[area] ?? 0) > 0)
    const latest = areas.map(async (area) => {
      const { records } = await reader.records({
        limit: 1,
        filter: { stations: found.codes, areas: [area], types: ['o'] },
        ordering: { key: 'data_date', descending: true },
      })
      return records.map((record) => [area, pathAndId(record)] as const)
    })
    return { station, lastDay, latest: Object.fromEntries((await Promise.all(latest)).flat()) }
  } catch (error) {
    if (isTemporary(error)) return undefined
    throw error
  }
}

function pathAndId({ directory, name, id }: { directory: string; name: string; id: number }) {
  return { path: `${directory}/${name}`, id }
}

/** An example: the command, and the URL at which a browser shows what it gets. */
export interface Sample {
  readonly source: string
  readonly run: string | undefined
}

/**
 * Puts the station and the files of a place into an example of the OpenAPI document.
 * @param links the roots of all links, as in the example
 */
export function localised(source: string, place: SamplePlace | undefined, links: Links): Sample {
  if (place === undefined) return { source, run: undefined }
  const text = replacements(place).reduce(
    (rest, [from, to]) => (to === undefined ? rest : rest.replaceAll(from, to)),
    source,
  )
  return { source: text, run: runnable(text, links) }
}

/** What of the examples becomes what, in this order. */
function replacements({ station, lastDay, latest }: SamplePlace) {
  const { obs, nrt } = latest
  const { year, day, hour, filename } = filePlace
  const [hourFolder, dayFolder] = [`nrt/${year}/${day}/${hour}`, `obs/${year}/${day}`]
  const folderOf = (path: string | undefined, depth: number) =>
    path?.split('/').slice(0, depth).join('/')
  const oldest = dayOfYearAt(lastDay * secondsPerDay).year
  return [
    [`${hourFolder}/${filename}`, nrt?.path],
    [`${dayFolder}/${filename}`, obs?.path],
    [hourFolder, folderOf(nrt?.path, 4)],
    [dayFolder, folderOf(obs?.path, 3)],
    [`nrt/${year}/${day}/`, nrt && `${folderOf(nrt.path, 3) ?? ''}/`],
    [`nrt/${year}/?`, nrt && `${folderOf(nrt.path, 2) ?? ''}/?`],
    [`obs/${year}/?`, obs && `${folderOf(obs.path, 2) ?? ''}/?`],
    ['rinex-file/1/', obs && `rinex-file/${obs.id}/`],
    ['station=graz', `station=${station.toLowerCase()}`],
    ['station=GRAZ', `station=${station}`],
    ['station/GRAZ/', `station/${station}/`],
    ['country=AUT', `country=${countryOf(station) ?? 'AUT'}`],
    ['2026-01-22/2026-01-23', `${dayToIso(lastDay - 1)}/${dayToIso(lastDay)}`],
    ['from=2026-01-01', `from=${oldest}-01-01`],
  ] as const
}

/** Commands whose answer a browser cannot show, or that would send it a whole archive. */
const notForBrowsers = /^curl -|since=|\?format=(?:urls|csv|ndjson)/

function runnable(source: string, links: Links): string | undefined {
  const [, url] = /'(https?:[^']+)'$/.exec(source) ?? []
  if (url === undefined || notForBrowsers.test(source)) return undefined
  const isJson = url.startsWith(links.api) && !/[?&]format=|\/docs\/$/.test(url)
  return isJson ? `${url}${url.includes('?') ? '&' : '?'}format=json` : url
}

/** A question that people begin with, and how to ask it. */
interface FirstStep extends Pick<Sample, 'run'> {
  readonly title: string
  readonly commands: readonly { readonly language: string; readonly source: string }[]
}

/** Three commands to begin with, each in three languages; with no station, of any. */
export function firstSteps(place: SamplePlace | undefined, { api }: Links): readonly FirstStep[] {
  const { station = 'GRAZ', lastDay = 0 } = place ?? {}
  const list = `${api}rinex-file/?station=${station}`
  const list5 = `${list}&limit=5`
  const day = place === undefined ? '2026-01-22' : dayToIso(lastDay)
  const urls = `${list}&date=${day}&format=urls`
  const series = `${api}station/${station}/availability/?period=01D`
  const commands = (curl: string, python: readonly string[], r: readonly string[]) => [
    { language: 'curl', source: curl },
    { language: 'Python', source: python.join('\n') },
    { language: 'R', source: r.join('\n') },
  ]
  const steps: readonly FirstStep[] = [
    {
      title: `The five newest files of ${station}`,
      run: `${list5}&format=json`,
      commands: commands(
        `curl '${list5}'`,
        [
          'import json, urllib.request',
          `page = json.load(urllib.request.urlopen('${list5}'))`,
          "for file in page['results']:",
          "    print(file['data_date'], file['download_path'])",
        ],
        [
          `page <- jsonlite::fromJSON('${list5}')`,
          "page$results[, c('data_date', 'download_path')]",
        ],
      ),
    },
    {
      title: `Download its files of ${day}`,
      run: urls,
      commands: commands(
        `curl -s '${urls}' | xargs -n 1 curl -sO`,
        [
          'import urllib.request',
          `for url in urllib.request.urlopen('${urls}').read().decode().split():`,
          "    urllib.request.urlretrieve(url, url.rsplit('/', 1)[1])",
        ],
        [`for (url in readLines('${urls}'))`, "  download.file(url, basename(url), mode = 'wb')"],
      ),
    },
    {
      title: 'How complete are its daily files, and which are missing?',
      run: `${series}&format=json`,
      commands: commands(
        `curl '${series}'`,
        [
          'import json, urllib.request',
          `series = json.load(urllib.request.urlopen('${series}'))`,
          "print(series['completeness'], series['gaps'])",
        ],
        [`series <- jsonlite::fromJSON('${series}')`, 'series$completeness', 'series$gaps'],
      ),
    },
  ]
  return place === undefined ? steps.map((step) => ({ ...step, run: undefined })) : steps
}
