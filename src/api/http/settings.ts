/** The settings and dependencies with which the API is built. */
import type { Logger } from 'pino'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { StatusReply } from '../../control-socket/client.ts'
import type {
  RegisterAnswer,
  RescanAnswer,
  RescanOrder,
  SettlingFile,
} from '../../control-socket/protocol.ts'
import type { Layout } from '../../parse/layout.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ExpectedRules } from '../../series/expectation.ts'
import type { StationPlaces } from '../../series/station-places.ts'

export interface ConnectionLimits {
  /** Maximum number of connections, or behind a proxy of requests, of one address. */
  readonly connectionsPerAddress: number
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  readonly connections?: number
}

/** What pages say of the archive, as its operator configured it: text, which pages escape. */
export interface Identity {
  readonly title: string
  readonly operator?: string | undefined
  /** A mail address, a URL or a text. */
  readonly contact?: string | undefined
  /** A URL or a text. */
  readonly licence?: string | undefined
  /** URL of a page about a station, in which a code takes the place of `{code}`. */
  readonly stationLink?: string | undefined
  /** A sentence at the top of every page, for example that this archive is a demonstration. */
  readonly notice?: string | undefined
}

/** Configuration of the API. */
export interface ApiSettings extends ConnectionLimits {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** The areas, suffixes and exclusions of the archive. */
  readonly layout: Layout
  /** Real paths of directories outside the archive that symlinks may lead to. */
  readonly linkedDirectories: readonly string[]
  /** Base URL of every link, without a trailing slash; known once the server listens. */
  readonly baseUrl: () => string
  /** Path below the base URL, without leading or trailing slash: `rinex`. */
  readonly datasetPrefix: string
  /**
   * nginx location of the archive root, with a slash at both ends, if nginx sends the files by
   * `X-Accel-Redirect`.
   */
  readonly internalPrefix?: string | undefined
  /** Maximum number of records on a page. */
  readonly maxLimit: number
  /** Days after which tombstones of removed files are purged. */
  readonly keepRemovalsDays: number
  /** The files that the indexer hashes. */
  readonly checksums: 'all' | 'arriving' | 'none'
  /** Where the paths of files with problems are shown: by the API too, or not. */
  readonly problems: 'public' | 'command-line'
  readonly version: string
  readonly identity: Identity
  /** Series that must arrive (`expected_file`); none without it. */
  readonly expected?: ExpectedRules
  /** Where stations are (`stations_file`); nowhere without it. */
  readonly places?: StationPlaces
}

/** Requests to the indexer; they fail with `IndexerUnreachable` or `RequestRejected`. */
export interface Administration {
  /** SHA-256 of the administrators' token. */
  readonly tokenHash: Buffer
  /** Reads one file now, given by its path below the archive root. */
  readonly register: (path: string) => Promise<RegisterAnswer>
  readonly rescan: (order: RescanOrder) => Promise<RescanAnswer>
}

export interface ApiDeps {
  readonly reader: CatalogueReader
  /** Status of the indexer; `undefined` when it is stopped. */
  readonly indexerStatus: () => Promise<StatusReply>
  /** Metrics of the indexer in the text format of Prometheus; empty when it does not answer. */
  readonly indexerMetrics: () => Promise<string>
  /** At most 1,000 files that are not complete or not readable; none without an answer. */
  readonly settlingFiles: () => Promise<readonly SettlingFile[]>
  /** `undefined` while writing is disabled. */
  readonly administration?: Administration | undefined
  readonly settings: ApiSettings
  readonly logger: Logger
  readonly nowUs: Clock
}

/** What every page says of the archive. */
export interface SiteFacts {
  readonly title: string
  /** A sentence of the operator above all pages. */
  readonly notice?: string | undefined
  /** How far the first scan of the archive is, until it has ended. */
  readonly progress?: string | undefined
  /** Why the catalogue does not follow the archive now, on all pages. */
  readonly banner?: readonly string[] | undefined
  readonly facts: readonly SiteFact[]
  /** The countries of the stations; none while they are not known. */
  readonly countries: readonly string[]
  /** 0 also while it is not known. */
  readonly openAlerts: number
  /** How many files stations miss in 28 days; codes as `stationMatcher` takes them. */
  readonly missingOf: (codes: readonly string[]) => number
}

/** A fact of the footer: a text, and its link. */
export interface SiteFact {
  readonly name: string
  readonly text: string
  readonly href?: string | undefined
}
