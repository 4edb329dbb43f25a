/** The examples of the reference, with a station and files that this archive has. */
import { isTemporary } from '../../catalogue/errors.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import { dayOfYearAt, dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import { countryOf, isMergedNavigation } from '../../parse/countries.ts'
import type { Layout } from '../../parse/layout.ts'
import { hasSeedAreas } from '../../parse/layout.ts'
import type { Links } from '../http/links.ts'
import type { SampleWords } from '../openapi/parameters.ts'
import { exampleWords } from '../openapi/parameters.ts'

/**
 * Words of the station with the most files, its latest day and its latest files; `undefined` if
 * there is none, or if it cannot be found now.
 */
export async function findWords(
  reader: Pick<CatalogueReader, 'stations' | 'records'>,
  layout: Layout,
): Promise<SampleWords | undefined> {
  try {
    const ordering = { key: 'count', descending: true } as const
    const { stations } = await reader.stations({ limit: 20, offset: 0, ordering })
    const found = stations.find(({ code }) => !isMergedNavigation(code))
    if (found === undefined) return undefined
    const { code: station, codes, lastDay } = found
    const latest = async (areas?: readonly string[]) => {
      const { records } = await reader.records({
        limit: 1,
        filter: { stations: codes, types: ['o'], ...(areas && { areas }) },
        ordering: { key: 'data_date', descending: true },
      })
      return records[0]
    }
    // Samples of the areas of the seed have a file of each.
    const [obs, nrt] = hasSeedAreas(layout)
      ? await Promise.all([latest(['obs']), latest(['nrt'])])
      : [await latest()]
    return {
      station,
      country: countryOf(station) ?? exampleWords.country,
      id: String((obs ?? nrt)?.id ?? exampleWords.id),
      date: dayToIso(lastDay),
      days: `${dayToIso(lastDay - 1)}/${dayToIso(lastDay)}`,
      from: `${dayOfYearAt(lastDay * secondsPerDay).year}-01-01`,
      obs: obs ? partsOf(obs) : exampleWords.obs,
      nrt: nrt ? partsOf(nrt) : exampleWords.nrt,
    }
  } catch (error) {
    if (isTemporary(error)) return undefined
    throw error
  }
}

/** A file of `nrt` lies in a directory of its hour, one of `obs` in that of its day. */
function partsOf({ directory, name: filename }: Pick<ListedFile, 'directory' | 'name'>) {
  const [, year = '', day = '', hour = ''] = directory.split('/')
  return { directory, year, day, hour, filename }
}

/** An example: the command, and the URL at which a browser shows what it gets. */
export interface Sample {
  readonly source: string
  readonly run: string | undefined
}

/** Commands whose answer a browser cannot show, or that would send it a whole archive. */
const notForBrowsers = /^curl -|since=|\?format=(?:urls|csv|ndjson)/

export function runnable(source: string, links: Links): string | undefined {
  const [, url] = /'(https?:[^']+)'$/.exec(source) ?? []
  if (url === undefined || notForBrowsers.test(source)) return undefined
  const isJson = url.startsWith(links.api) && !/[?&]format=|\/docs\//.test(url)
  return isJson ? `${url}${url.includes('?') ? '&' : '?'}format=json` : url
}

/** A question that people begin with, and how to ask it. */
export interface FirstStep {
  readonly title: string
  readonly run: string
  readonly commands: readonly { readonly language: string; readonly source: string }[]
}

/** Three commands to begin with, each in three languages. */
export function firstSteps({ station, date }: SampleWords, { api }: Links): readonly FirstStep[] {
  const list = `${api}rinex-file/?station=${station}`
  const list5 = `${list}&limit=5`
  const urls = `${list}&date=${date}&format=urls`
  const series = `${api}station/${station}/availability/?period=01D`
  const commands = (curl: string, python: readonly string[], r: readonly string[]) => [
    { language: 'curl', source: curl },
    { language: 'Python', source: python.join('\n') },
    { language: 'R', source: r.join('\n') },
  ]
  return [
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
      title: `Download its files of ${date}`,
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
}
