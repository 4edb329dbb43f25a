/**
 * Requests, counted and timed for Prometheus. A library that counts anything makes a text of the labels each time, which took
 * a seventh of an answer from memory; here texts are made when they are asked for.
 */
import type { Observe } from './observation.ts'

/** Seconds. A page takes a fraction of a millisecond, a large download minutes. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300]

/** What the router matches a parameter with, which says nothing to who reads a graph. */
const parameterPattern = /\(.*?\)/

export interface RequestMetrics {
  readonly observe: Observe
  /** A counter and a histogram in Prometheus' text format, version 0.0.4. */
  readonly text: () => string
}

/** Routes come from ourselves, methods and statuses from those that Node knows, so there are only so many of each. */
interface RouteCounts {
  readonly answers: Map<string, Map<number, number>>
  /** Of each bound, those that took no longer and are in none before it; the last are those beyond all. */
  readonly inBucket: number[]
  seconds: number
}

export function openRequestMetrics(): RequestMetrics {
  const routes = new Map<string, RouteCounts>()
  const countsOf = (route: string): RouteCounts => {
    let counts = routes.get(route)
    if (counts === undefined) {
      counts = {
        answers: new Map(),
        inBucket: Array<number>(bounds.length + 1).fill(0),
        seconds: 0,
      }
      routes.set(route, counts)
    }
    return counts
  }
  return {
    observe({ method, route, status, ms }) {
      const counts = countsOf(route)
      let statuses = counts.answers.get(method)
      if (statuses === undefined) counts.answers.set(method, (statuses = new Map<number, number>()))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const seconds = ms / 1000
      let bucket = 0
      while (seconds > (bounds[bucket] ?? Infinity)) bucket++
      counts.inBucket[bucket] = (counts.inBucket[bucket] ?? 0) + 1
      counts.seconds += seconds
    },
    text: () => `${countedText(routes)}${timedText(routes)}`,
  }
}

function countedText(routes: ReadonlyMap<string, RouteCounts>): string {
  const name = 'rinex_http_requests_total'
  let text = describe(name, 'counter', 'Requests answered.')
  for (const [pattern, { answers }] of routes)
    for (const [method, statuses] of answers)
      for (const [status, count] of statuses)
        text += series(name, { method, route: routeOf(pattern), status: String(status) }, count)
  return text
}

function timedText(routes: ReadonlyMap<string, RouteCounts>): string {
  const name = 'rinex_http_request_duration_seconds'
  let text = describe(name, 'histogram', 'Time from the request to the end of its answer.')
  for (const [pattern, { inBucket, seconds }] of routes) {
    const route = routeOf(pattern)
    let soFar = 0
    for (const [index, count] of inBucket.entries()) {
      soFar += count
      const le = bounds[index] === undefined ? '+Inf' : String(bounds[index])
      text += series(`${name}_bucket`, { le, route }, soFar)
    }
    text += series(`${name}_sum`, { route }, seconds) + series(`${name}_count`, { route }, soFar)
  }
  return text
}

function routeOf(pattern: string): string {
  return pattern.replace(parameterPattern, '')
}

function describe(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

/** Quotes, backslashes and line ends in a label are escaped as JSON escapes them. */
function series(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([key, label]) => `${key}=${JSON.stringify(label)}`)
  return `${name}{${pairs.join()}} ${value}\n`
}
