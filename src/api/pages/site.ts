/** What every page says of the archive: its name, its operator, and how many alerts are open. */
import type { FastifyInstance } from 'fastify'
import type { Identity } from '../http/settings.ts'
import { prefersHtml } from '../http/formats.ts'
import { layOut } from './layout.ts'
import type { Page, SiteFact, SiteFacts } from './layout.ts'

/** Counts the open alerts for the header; pages are laid out with the latest count. */
export class Site {
  readonly #identity: Identity
  readonly #countAlerts: () => Promise<number>
  #openAlerts = 0

  constructor(identity: Identity, countAlerts: () => Promise<number>) {
    this.#identity = identity
    this.#countAlerts = countAlerts
  }

  /** What changes pages besides their own content: a part of the tags of all pages. */
  version(): string {
    return `a${this.#openAlerts}`
  }

  /** Lays out all pages of a server, and counts the alerts before a request for a page. */
  addTo(app: FastifyInstance): void {
    app.decorate('layOut', (page) => layOut(page as Page, this.#current()))
    app.addHook('onRequest', async (request) => {
      const mayBePage = request.headers.accept?.includes('text/html') === true
      if (mayBePage && prefersHtml(request)) await this.#count()
    })
  }

  #current(): SiteFacts {
    const { title, notice } = this.#identity
    return { title, notice, facts: factsOf(this.#identity), openAlerts: this.#openAlerts }
  }

  async #count(): Promise<void> {
    try {
      this.#openAlerts = await this.#countAlerts()
    } catch {
      // The page itself says that there is no catalogue.
      this.#openAlerts = 0
    }
  }
}

/** Operator, contact and licence, as far as they are configured. */
export function factsOf({ operator, contact, licence }: Identity): readonly SiteFact[] {
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
