import type { Logger } from 'pino'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { StatusReply } from '../../control/client.ts'
import type {
  RegisterAnswer,
  RescanAnswer,
  RescanOrder,
  SettlingFile,
} from '../../control/protocol.ts'

export interface ConnectionLimits {
  /** Most connections of one address; behind a trusted proxy, most requests in flight of one address. */
  readonly connectionsPerAddress: number
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Most connections of all. */
  readonly connections?: number
}

/** How downloads are handed to the web server in front. */
export interface Offload {
  readonly header: 'x-accel-redirect' | 'x-sendfile'
  /** Location under which nginx has the archive root, with a slash at both ends. */
  readonly internalPrefix: string
}

/** What the API is told of its surroundings. */
export interface ApiSettings extends ConnectionLimits {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Real paths of the directories outside of the archive that symlinks in it may lead to. */
  readonly linkedDirectories: readonly string[]
  /** What every link begins with, without a slash at its end; known once the server listens. */
  readonly baseUrl: () => string
  /** Path below the base URL, without slashes at its ends: `rinex`. */
  readonly datasetPrefix: string
  /** How downloads are handed to the web server in front; absent where this process sends them itself. */
  readonly offload?: Offload | undefined
  /** Most records on a page, whatever is asked for. */
  readonly maxLimit: number
  /** How long removed files are remembered. */
  readonly keepRemovalsDays: number
  /** Who sees the paths of problems: everybody, or only the users of this machine. */
  readonly problems: 'public' | 'command-line'
  readonly version: string
}

/** What administrators may order, and how they are known. Orders may fail with `IndexerAway` or `IndexerRefused`. */
export interface Administration {
  /** SHA-256 of the token they show. */
  readonly tokenHash: Buffer
  /** Has one file looked at, given by its path below the archive root. */
  readonly register: (path: string) => Promise<RegisterAnswer>
  readonly rescan: (order: RescanOrder) => Promise<RescanAnswer>
}

export interface ApiDeps {
  readonly reader: CatalogueReader
  /** What the indexer is doing; `undefined` when there is none, which is to say it is stopped. */
  readonly indexerStatus: () => Promise<StatusReply>
  /** Files that are not complete yet; none when the indexer cannot be asked. */
  readonly settlingFiles: () => Promise<readonly SettlingFile[]>
  /** `undefined` while writing is off. */
  readonly administration?: Administration | undefined
  readonly settings: ApiSettings
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}
