/**
 * What every page says of the archive: its name, its operator, how many alerts are open, and that
 * its first scan has not ended, or that it is empty.
 */
import type { FastifyInstance } from 'fastify'
import type { ScanProgress } from '../../control-socket/protocol.ts'
import type { Layout } from '../../parse/layout.ts'
import { readableDuration } from '../../runtime/readable.ts'
import { digest } from '../http/context.ts'
import { prefersHtml } from '../http/formats.ts'
import type { ApiSettings, Identity, SiteFact, SiteFacts } from '../http/settings.ts'
import { emptyWords } from './labels.ts'

/** What a page says of the archive besides its own content. */
interface SiteState extends Pick<SiteFacts, 'openAlerts' | 'missingOf'> {
  /** The codes of the countries of the stations. */
  readonly countries: readonly string[]
  /** False until the first scan of the archive has ended. */
  readonly isScanned: boolean
  /** True if it is scanned, and no station has files or is expected. */
  readonly isEmpty: boolean
  /** Why the catalogue does not follow the archive now. */
  readonly banner: readonly string[]
  /** How far the first scan is, if the indexer says so. */
  readonly scan?: Pick<ScanProgress, 'done' | 'secondsLeft'> | undefined
}

/** Counts the open alerts for the header; pages are laid out with the latest count. */
export class Site {
  readonly #identity: Identity
  readonly #layout: Pick<Layout, 'areas'>
  readonly #read: () => Promise<SiteState>
  #state: SiteState = nothingKnown

  constructor(
    { identity, layout }: Pick<ApiSettings, 'identity' | 'layout'>,
    read: () => Promise<SiteState>,
  ) {
    this.#identity = identity
    this.#layout = layout
    this.#read = read
  }

  /** What changes pages besides their own content: a part of the tags of all pages. */
  version(): string {
    const { openAlerts, missingOf, countries, isScanned, isEmpty, scan, banner } = this.#state
    const counts = `a${openAlerts}m${missingOf(['*'])}c${countries.length}${isEmpty ? 'e' : ''}`
    const said = banner.length === 0 ? '' : `-b${digest(banner.join('\n')).slice(0, 8)}`
    return `${counts}${isScanned ? '' : `-s${percentOf(scan)}`}${said}`
  }

  /** Reads the state before a request for a page. */
  addTo(app: FastifyInstance): void {
    app.addHook('onRequest', async (request) => {
      const mayBePage = request.headers.accept?.includes('text/html') === true
      if (mayBePage && prefersHtml(request)) await this.#update()
    })
  }

  facts(): SiteFacts {
    const { title, notice } = this.#identity
    const { isScanned, isEmpty, scan, ...said } = this.#state
    const known = isEmpty ? emptyWords(this.#layout) : undefined
    const unknown = said.banner.length > 0 ? undefined : unscannedWords(scan)
    const progress = isScanned ? known : unknown
    return { title, notice, progress, facts: factsOf(this.#identity), ...said }
  }

  async #update(): Promise<void> {
    // The page itself says that there is no catalogue.
    this.#state = await this.#read().catch(() => nothingKnown)
  }
}

const nothingKnown: SiteState = {
  openAlerts: 0,
  missingOf: () => 0,
  countries: [],
  isScanned: true,
  isEmpty: false,
  banner: [],
}

const unscanned =
  'The first scan of the archive has not ended: not all files are listed, and states are not known yet.'

/** `…: not all files are listed, and states are not known yet. 12 % is done, about 58 s left.` */
function unscannedWords(scan: SiteState['scan']): string {
  if (scan === undefined) return unscanned
  const { secondsLeft } = scan
  const left = secondsLeft === undefined ? '' : `, about ${readableDuration(secondsLeft)} left`
  return `${unscanned} ${percentOf(scan)} % is done${left}.`
}

function percentOf(scan: SiteState['scan']): number {
  return Math.floor((scan?.done ?? 0) * 100)
}

/** Operator, contact and licence, as far as they are configured. */
function factsOf({ operator, contact, licence }: Identity): readonly SiteFact[] {
  return [
    ...factOf('Operator', operator),
    ...factOf('Contact', contact),
    ...factOf('Licence', licence),
  ]
}

/** A configured text; a URL and a mail address are links. */
function factOf(name: string, text: string | undefined): readonly SiteFact[] {
  if (text === undefined) return []
  if (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)) return [{ name, text, href: text }]
  const isMail = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text)
  return [
    {
      name,
      text,
      href: isMail ? `mailto:${encodeURIComponent(text).replace('%40', '@')}` : undefined,
    },
  ]
}
