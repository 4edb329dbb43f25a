/** Sends messages to the receiver of the alerts (`alerts_webhook_url`). */
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
 * Returns a function that sends a message once, as a POST with the HMAC-SHA256 of the body in
 * `X-Signature-256`. It returns `undefined` if the message was delivered, otherwise the reason
 * without the URL, which may contain a token. A redirect is a failure.
 */
export function createWebhook({ url, secret, version, timeoutMs }: WebhookOptions) {
  return async (message: Message): Promise<string | undefined> => {
    const body = JSON.stringify(message)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        redirect: 'manual',
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

/**
 * Returns a short reason. The message of the error is not used, because it contains the address.
 */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: unknown } }
  if (name === 'TimeoutError') return 'no response in time'
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed'
}
