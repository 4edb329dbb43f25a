/**
 * Metrics that the server itself counts: requests, bytes, rejected clients, files that it could not
 * send.
 */
import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { RecordAccess } from '../http/access-log.ts'

/** Buckets in seconds. A page takes a fraction of a millisecond, a large download minutes. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300]

/** Matches the regular expression of a path parameter in a route, which the label leaves out. */
const parameterPattern = /\(.*?\)/

/**
 * Counts requests. The number of time series is limited, because the routes are those of this
 * server, and the methods and statuses are those that Node knows.
 */
export function countRequests(registry: Registry): RecordAccess {
  const requests = new Counter({
    name: 'rinex_http_requests_total',
    help: 'HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'rinex_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response, in seconds.',
    labelNames: ['route'],
    buckets,
    registers: [registry],
  })
  const sent = new Counter({
    name: 'rinex_http_response_bytes_total',
    help: 'Bytes of responses with their headers, counted at the end of each response.',
    labelNames: ['route'],
    registers: [registry],
  })
  return ({ method, route: pattern, status, ms, bytes }) => {
    const route = pattern.replace(parameterPattern, '')
    requests.inc({ method, route, status })
    duration.observe({ route }, ms / 1000)
    sent.inc({ route }, bytes)
  }
}

/**
 * Counts by reason. Each reason starts at 0, because `rate()` does not see the first increment of a
 * series that did not exist before.
 */
export function countByReason<Reason extends string>(
  registry: Registry,
  reasons: readonly Reason[],
  described: { readonly name: string; readonly help: string },
): (reason: Reason) => void {
  const counter = new Counter({ ...described, labelNames: ['reason'], registers: [registry] })
  for (const reason of reasons) counter.inc({ reason }, 0)
  return (reason) => {
    counter.inc({ reason })
  }
}
