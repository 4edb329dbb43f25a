/** Finds the pages that a text may mean, and the reasons why there is none. */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import type { SettlingFile } from '../../control-socket/protocol.ts'
import { dayToIso, microsecondsToIso, secondsPerDay } from '../../parse/calendar.ts'
import { countriesNamed, countryName, countryOf } from '../../parse/countries.ts'
import { suffixOf } from '../../parse/filename.ts'
import type { Layout } from '../../parse/layout.ts'
import { hasSeedAreas, joinPath } from '../../parse/layout.ts'
import { counted, readableTime } from '../../runtime/readable.ts'
import { reasonMeanings } from '../file-problems/problem-list.ts'
import type { Requester } from '../http/limits.ts'
import type { Links } from '../http/links.ts'
import { pageUrl, recordUrl, stationUrl } from '../http/links.ts'
import { withAreas } from '../openapi/area-words.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import type { KnownStation } from '../stations/how-words.ts'
import { howWords } from '../stations/how-words.ts'
import { knownStations } from '../stations/known-stations.ts'
import { similarStations } from '../stations/station-fields.ts'
import type { AskedFile, AskedTime } from './meanings.ts'
import { meaningsOf } from './meanings.ts'

/** The kinds of results. */
export const kinds = ['station', 'country', 'file', 'directory', 'day'] as const

export interface Result {
  readonly kind: (typeof kinds)[number]
  readonly title: string
  /** Its page; null if there is none. */
  readonly url: string | null
  /** Why there is no page, or why this is not quite what was asked for. */
  readonly why: string | null
  /** What a page says besides or instead. */
  readonly page?: {
    readonly title?: string
    readonly why?: string
    /** What is known of a station. */
    readonly about?: string
    /** The list of what the station of a file misses on its day. */
    readonly missing?: string
  }
}

/** Where the search looks. */
interface SearchSources {
  readonly reader: CatalogueReader
  readonly layout: Layout
  readonly links: Links
  readonly settlingFiles: () => Promise<readonly SettlingFile[]>
  /** True if the paths of files that are not catalogued may be shown. */
  readonly isPublic: boolean
  /** Days for which removed files are known. */
  readonly keepRemovalsDays: number
  /** The states of the stations, if they are in memory. */
  readonly network: () => Promise<NetworkStatus | undefined>
  /** Why the catalogue does not follow the archive now; `undefined` if it does. */
  readonly notCurrent: () => Promise<string | undefined>
}

/** Maximum number of results of a kind. */
const most = 10

/** @param text without spaces at its ends; nothing has the empty text */
export async function search(
  sources: SearchSources,
  text: string,
  requester: Requester,
): Promise<readonly Result[]> {
  if (text === '') return []
  return new Search(sources, requester).of(text)
}

class Search {
  readonly #sources: SearchSources
  readonly #requester: Requester

  constructor(sources: SearchSources, requester: Requester) {
    this.#sources = sources
    this.#requester = requester
  }

  async of(text: string): Promise<readonly Result[]> {
    const { codes, time, path, file } = meaningsOf(text, this.#sources.layout)
    const [code, ...others] = codes
    const found = [
      ...(code === undefined ? [] : await this.#stations(codes)),
      ...(await this.#countries(text)),
      ...(path === undefined ? [] : await this.#path(path, file)),
      ...(path !== undefined || file === undefined ? [] : await this.#file(file)),
      ...(time === undefined ? [] : await this.#time(time)),
    ]
    const isOne = code !== undefined && others.length === 0
    return found.length === 0 && isOne ? this.#similar(code) : found
  }

  async #stations(starts: readonly string[]): Promise<Result[]> {
    const { reader, links } = this.#sources
    const { stations, count } = await reader.stations(
      { starts, limit: most, offset: 0 },
      this.#requester,
    )
    const states = await this.#states()
    const results = stations.map(({ code }) => ({
      ...pageOf('station', code, stationUrl(links, code)),
      page: { about: aboutStation(code, states?.get(code)?.known) },
    }))
    const [start = '', ...others] = starts
    if (count <= most || others.length > 0) return results
    const all = pageUrl(links, 'station', [['search', start]])
    return [...results, pageOf('station', `All stations with ${start} in their codes`, all)]
  }

  async #states() {
    const network = await this.#sources.network()
    return network && knownStations(network)
  }

  /** Codes that are mistyped; a word of four letters is seldom meant as a code. */
  async #similar(code: string): Promise<Result[]> {
    const { reader, links } = this.#sources
    if (code.length !== 4 && code.length !== 9) return []
    const edits = code.length === 4 ? 1 : 2
    const codes = await similarStations(reader, code, this.#requester, edits)
    return codes.map((each) => ({
      ...pageOf('station', each, stationUrl(links, each)),
      why: `No station has the code ${code}; this one is similar.`,
    }))
  }

  async #countries(text: string): Promise<Result[]> {
    const { reader, links } = this.#sources
    const results: Result[] = []
    for (const country of bestCountries(text)) {
      const query = { countries: [country], limit: 1, offset: 0 }
      const { count } = await reader.stations(query, this.#requester)
      const title = `${countryName(country)} (${country})`
      if (count > 0)
        results.push(pageOf('country', title, pageUrl(links, 'station', [['country', country]])))
      else if (isCountry(country, text))
        results.push(withoutPage('country', title, 'No station is in this country.'))
    }
    return results
  }

  /** A directory, or else a file, by its path below the archive root. */
  async #path(path: string, file: AskedFile | undefined): Promise<Result[]> {
    const { reader, layout, links } = this.#sources
    const pattern = layout.excludedBy(path)
    if (pattern !== undefined)
      return [withoutPage(file === undefined ? 'directory' : 'file', path, excluded(pattern))]
    const parsed = layout.parseDirectory(path)
    const mayBeThere = parsed.kind === 'directory' || layout.leadsToArea(path)
    const isThere = mayBeThere && (await reader.directory(path)) !== undefined
    if (isThere) return [pageOf('directory', `${path}/`, `${links.data}${path}/`)]
    if (file !== undefined) return this.#file(file)
    if (parsed.kind === 'rejected')
      return [withoutPage('directory', path, rejected(parsed.reason, layout))]
    return [withoutPage('directory', `${path}/`, 'No file is in this directory or below it.')]
  }

  async #file(asked: AskedFile): Promise<Result[]> {
    const { reader, layout } = this.#sources
    const { records } = await reader.records(
      {
        filter: { names: [{ how: 'starts', text: asked.start }] },
        ordering: { key: 'filename', descending: false },
        limit: most + 1,
        details: true,
      },
      this.#requester,
    )
    const same = records.filter(({ name }) => asked.names.includes(name.toLowerCase()))
    const here = same.filter(({ directory }) => directory === asked.directory)
    if (here.length > 0) return here.map((file) => this.#listed(file))
    if (same.length > 0) return same.map((file) => this.#listed(file, elsewhere(file, asked)))
    const reasons = await this.#unlisted(asked)
    if (reasons.length > 0) return reasons
    const place = asked.directory === undefined ? undefined : layout.parseDirectory(asked.directory)
    if (place?.kind === 'rejected') {
      const path = joinPath(asked.directory ?? '', asked.name)
      return [withoutPage('directory', path, rejected(place.reason, layout))]
    }
    if (records.length > 0) return this.#beginning(asked, records)
    const pattern = this.#excludedBy(asked)
    if (pattern !== undefined) return [withoutPage('file', asked.name, excluded(pattern))]
    if (asked.fault !== undefined)
      return [withoutPage('file', asked.name, rejected(asked.fault, layout))]
    const why = await this.#neverSeen(asked)
    const never = withoutPage('file', asked.name, why)
    const missing = await this.#missing(asked)
    const result = missing === undefined ? never : { ...never, page: { missing } }
    return [result, ...(await this.#near(asked))]
  }

  /** The pattern that excludes a file of this name where it is looked for. */
  #excludedBy({ name, directories }: AskedFile): string | undefined {
    const { layout } = this.#sources
    const paths = [name, ...directories.map((directory) => joinPath(directory, name))]
    return paths.map(layout.excludedBy).find((pattern) => pattern !== undefined)
  }

  /** What is missing of the station on that day; `undefined` if nothing is expected of it. */
  async #missing({ parsed }: AskedFile): Promise<string | undefined> {
    const known = parsed && (await this.#states())?.get(parsed.station)
    if (parsed === undefined || known === undefined) return undefined
    const day = dayToIso(Math.floor(parsed.startSeconds / secondsPerDay))
    return pageUrl(this.#sources.links, 'missing', [
      ['station', parsed.station],
      ['when', day],
    ])
  }

  #listed(file: ListedFile, why: string | null = null): Result {
    const { id, directory, name } = file
    return { ...pageOf('file', joinPath(directory, name), recordUrl(this.#sources.links, id)), why }
  }

  /** The files whose names begin with the name that was asked for. */
  #beginning({ start, name }: AskedFile, records: readonly ListedFile[]): Result[] {
    const results = records.slice(0, most).map((file) => this.#listed(file))
    if (records.length <= most) return results
    const url = pageUrl(this.#sources.links, 'rinex-file', [['filename__startswith', start]])
    return [...results, pageOf('file', `All files whose names begin with ${name}`, url)]
  }

  /** Files of these names that are still being written, were removed or rejected. */
  async #unlisted({ names, directories }: AskedFile): Promise<Result[]> {
    const { reader, layout, links, settlingFiles, isPublic } = this.#sources
    const { removed, rejected: known } = await reader.unlisted(
      { directories, names },
      this.#requester,
    )
    const settling = (isPublic ? await settlingFiles() : []).filter(({ path }) =>
      names.includes(path.slice(path.lastIndexOf('/') + 1).toLowerCase()),
    )
    return [
      ...settling.map(({ path, reason, sinceUs }) =>
        withoutPage(
          'file',
          path,
          reason === 'unreadable'
            ? `It is not listed yet, because the indexer cannot read it since ${at(sinceUs)}.`
            : `It is still being written: ${suffixOf(path) === '.gz' ? 'its gzip stream has no end yet' : 'it does not stand still yet'}, since ${at(sinceUs)}.`,
        ),
      ),
      ...removed.map(({ directory, name, seq, atUs }) => ({
        ...pageOf(
          'file',
          joinPath(directory, name),
          pageUrl(links, 'changes', [
            ['filename', name],
            ['limit', '1'],
            ['since', String(seq - 1)],
          ]),
        ),
        why: `It was removed on ${at(atUs)}.`,
      })),
      ...(isPublic ? known : []).map(({ directory, name, reason, sinceUs }) =>
        withoutPage('file', joinPath(directory, name), rejected(reason, layout, sinceUs)),
      ),
    ]
  }

  async #neverSeen({ parsed, start }: AskedFile): Promise<string> {
    const { layout, keepRemovalsDays, notCurrent } = this.#sources
    const reason = await notCurrent()
    const late = reason === undefined ? '' : ` Newer files are not known: ${reason}.`
    if (parsed === undefined) return `No listed file has a name that begins with ${start}.${late}`
    if (!hasSeedAreas(layout)) return `It was never seen: no file of this name is listed.${late}`
    const days = counted(keepRemovalsDays, 'day', 'days')
    return `It was never seen: no file of this name is listed, and none was removed from the directories of its date in the last ${days}.${late}`
  }

  /** Files of the same station on the same day; or the station, or stations with similar codes. */
  async #near({ parsed }: AskedFile): Promise<Result[]> {
    if (parsed === undefined) return []
    const { reader } = this.#sources
    const { station, startSeconds } = parsed
    const filter = {
      stations: [station.slice(0, 4)],
      days: [Math.floor(startSeconds / secondsPerDay)],
    }
    const { records } = await reader.page({ filter, limit: 5, offset: 0 }, this.#requester)
    if (records.length > 0)
      return records.map((file) => this.#listed(file, 'Of the same station, on the same day.'))
    const stations = await this.#stations([station.slice(0, 4)])
    return stations.length > 0
      ? stations.map((each) => ({ ...each, why: 'It has no file of this day.' }))
      : this.#similar(station)
  }

  async #time({ title, words, filter, parameters }: AskedTime): Promise<Result[]> {
    const { reader, links } = this.#sources
    const { count } = await reader.page({ filter, limit: 1, offset: 0 }, this.#requester)
    const none = (name: string) => `No file has data of ${name}.`
    if (count === 0) {
      const page = { title: words, why: none(words) }
      return [{ ...withoutPage('day', title, none(title)), page }]
    }
    const withCount = (name: string) => `${name}: ${counted(count, 'file', 'files')}`
    const result = pageOf('day', withCount(title), pageUrl(links, 'rinex-file', parameters))
    return [{ ...result, page: { title: withCount(words) } }]
  }
}

/** `Austria, delivers` */
function aboutStation(code: string, known: KnownStation | undefined): string {
  const country = countryOf(code)
  const words = [country && countryName(country), known && howWords(known)]
  return words.filter((each) => each !== undefined).join(', ')
}

function pageOf(kind: Result['kind'], title: string, url: string): Result {
  return { kind, title, url, why: null }
}

function withoutPage(kind: Result['kind'], title: string, why: string): Result {
  return { kind, title, url: null, why }
}

/** Maximum number of countries whose names begin with a text. */
const maxCountries = 10

/** The country that has the text as its name or code; otherwise those that begin with it. */
function bestCountries(text: string): readonly string[] {
  const codes = countriesNamed(text)
  const exact = codes.filter((code) => isCountry(code, text))
  return exact.length > 0 ? exact : codes.slice(0, maxCountries)
}

function isCountry(code: string, text: string): boolean {
  const wanted = text.toLowerCase()
  return wanted === code.toLowerCase() || wanted === countryName(code).toLowerCase()
}

/** Why a file is not quite the one that was asked for. */
function elsewhere({ details }: ListedFile, { directory }: AskedFile): string | null {
  const isMisplaced = details?.problem === 'misplaced'
  if (directory === undefined) return isMisplaced ? 'It is in the directory of another date.' : null
  const text = 'It is in another directory than the one asked for'
  return isMisplaced ? `${text}, which is that of another date.` : `${text}.`
}

/** A reason of this or an earlier release as a sentence. */
function rejected(reason: string, layout: Layout, sinceUs?: number): string {
  const meanings: Readonly<Record<string, string>> = reasonMeanings
  const since = sinceUs === undefined ? '' : `, since ${at(sinceUs)}`
  return `It is rejected${since}: ${withAreas(meanings[reason] ?? reason, layout).replaceAll('`', '')}`
}

function excluded(pattern: string): string {
  return `It is excluded by ${pattern}.`
}

function at(us: number): string {
  return `${readableTime(microsecondsToIso(us), 'second')} UTC`
}
