/** Chromium for tests. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import type { Test } from 'tap'

/** The first one has no windows, and so needs a third of the time of the others for each page. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const program = programs.map((name) => `/usr/bin/${name}`).find(existsSync)

/** The reason to skip tests that need Chromium. */
export const needsBrowser = program === undefined ? 'needs Chromium' : false

export async function openBrowser(t: Test): Promise<Browser> {
  if (program === undefined) throw new Error('there is no Chromium')
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  return browser
}

/** A page in a new context, with all errors that the browser reports. */
export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Messages of the console, errors of scripts, requests to other hosts, and refused requests. */
  readonly complaints: string[]
}

export async function openPage(
  browser: Browser,
  url: URL,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: url.origin, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser logs each status of 400 or more; some tests request them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url.origin)) complaints.push(`request to ${request.url()}`)
  })
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {}
    if (errorText !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${errorText}`)
  })
  return { page, context, complaints }
}

/** Clicks a link or a button that opens another page, and waits until that page is loaded. */
export async function follow(page: Page, linkOrButton: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('load'), linkOrButton.click()])
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Accessibility faults of a page, of all rules or of some: the rule, and the elements. */
export async function accessibilityFaults(
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> {
  await page.evaluate(axe)
  return page.evaluate(async (rules) => {
    interface Axe {
      run(options: { runOnly?: readonly string[] }): Promise<{
        violations: readonly { id: string; nodes: readonly { html: string }[] }[]
      }>
    }
    const { axe } = globalThis as unknown as { axe: Axe }
    const { violations } = await axe.run(rules === undefined ? {} : { runOnly: rules })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, rules)
}
