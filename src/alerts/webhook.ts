import { createHmac } from 'node:crypto'
import type { Message } from './announcements.ts'

const defaultTimeoutMs = 10_000

export interface WebhookOptions {
  readonly url: string
  readonly secret: string
  /** The release of this program. */
  readonly version: string
  readonly timeoutMs?: number
}

/**
 * Returns a function that sends a message once: a POST with the HMAC-SHA256 of the body in `X-Signature-256`. It returns why the message
 * was not delivered, without the URL, which may contain a token, or `undefined`. A redirect is a failure.
 */
export function openWebhook({ url, secret, version, timeoutMs }: WebhookOptions) {
  return async (message: Message): Promise<string | undefined> => {
    const body = JSON.stringify(message)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    try {
      const response = await fetch(url, {
        ...{ method: 'POST', body, redirect: 'manual' },
        headers: {
          'content-type': 'application/json',
          'user-agent': `rinex-catalogue/${version}`,
          'x-signature-256': `sha256=${signature}`,
        },
        signal: AbortSignal.timeout(timeoutMs ?? defaultTimeoutMs),
      })
      await response.body?.cancel()
      if (response.ok) return undefined
      const isRedirect = response.status >= 300 && response.status < 400
      return `HTTP status ${response.status}${isRedirect ? ', and redirects are not followed' : ''}`
    } catch (error) {
      return reasonOf(error)
    }
  }
}

/** The messages of these errors contain the address. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: unknown } }
  if (name === 'TimeoutError') return 'no response in time'
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed'
}
