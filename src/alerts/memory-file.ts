/** Stores the announced alerts and the messages that are not delivered yet in a file. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileTypes } from '../parse/types.ts'
import { alertKinds } from '../series/alerts.ts'
import type { AlertSeries } from '../series/incidents.ts'
import { errorCode } from '../runtime/error-code.ts'
import { periods } from '../series/series.ts'
import type { Announced, AnnouncedIncident } from './announced-incidents.ts'
import type { AlertMemory, Message } from './announcements.ts'

const version = 3

/** In files of this version, each open alert has one series, and is no incident. */
const versionOfSeries = 2

/** The file has another content than `store` writes. */
export class DamagedMemory extends Error {
  readonly code = 'DAMAGED_MEMORY'
}

export class MemoryFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Returns an empty memory if there is no file. @throws DamagedMemory if `store` did not write it
   */
  async load(): Promise<AlertMemory> {
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    })
    return text === undefined ? { open: [], messages: [] } : parseMemory(text)
  }

  /** Replaces the file; after a crash it is either the old or the new one. */
  async store({ open, messages }: AlertMemory): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    const text = JSON.stringify({ version, open, messages })
    await writeFile(`${this.#path}.new`, text, { mode: 0o600, flush: true })
    await rename(`${this.#path}.new`, this.#path)
  }

  /** Renames the file, so that `load` finds none. @returns its new path */
  async putAside(): Promise<string> {
    const aside = `${this.#path}.damaged`
    await rename(this.#path, aside)
    return aside
  }
}

/** @throws DamagedMemory */
function parseMemory(text: string): AlertMemory {
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch (error) {
    throw new DamagedMemory((error as Error).message, { cause: error })
  }
  if (!isTable(stored) || ![version, versionOfSeries].includes(Number(stored['version'])))
    throw new DamagedMemory(`not of version ${version}`)
  const { open, messages } = stored
  const isOld = stored['version'] === versionOfSeries
  const alerts = isOld && Array.isArray(open) ? open.map(announcedBefore) : open
  if (!isListOf(alerts, isAnnounced)) throw new DamagedMemory('a member of "open" is not an alert')
  if (!isListOf(messages, isMessage))
    throw new DamagedMemory('a member of "messages" is not a message')
  return { open: alerts, messages }
}

/**
 * An alert of the earlier version, as one that was announced: that of a series is an incident of
 * its station. The first check joins those that are one incident now.
 */
function announcedBefore(alert: unknown): unknown {
  if (!isTable(alert)) return alert
  const { id, kind, since, series } = alert
  const first: unknown = Array.isArray(series) ? series[0] : undefined
  const isOfSeries = kind === 'late' || kind === 'down'
  const station = isTable(first) ? first['station'] : undefined
  const incident = { id, station, country: null, since }
  return { kind, ...(isOfSeries && { incident }), series, back: [] }
}

// The shape of the file. All of it is checked here, because the rest of the process relies on it.

function isAnnounced(value: unknown): value is Announced {
  return (
    isTable(value) &&
    isOneOf(alertKinds, value['kind']) &&
    hasIncident(value) &&
    hasSeries(value) &&
    isListOf(value['back'], isSeries) &&
    (value['tooFewSince'] === undefined || typeof value['tooFewSince'] === 'number')
  )
}

function isMessage(value: unknown): value is Message {
  return (
    isTable(value) &&
    isText(value['id']) &&
    isTime(value['at']) &&
    isOneOf(alertKinds, value['kind']) &&
    isOneOf(['open', 'closed'], value['state']) &&
    (value['incident'] === undefined || isIncident(value['incident'])) &&
    (value['reason'] === undefined || isText(value['reason'])) &&
    hasSeries(value)
  )
}

/** The alerts `late` and `down` have an incident, the others have none. */
function hasIncident({ kind, incident }: Table): boolean {
  return isOneOf(['late', 'down'], kind) ? isIncident(incident) : incident === undefined
}

function isIncident(value: unknown): value is AnnouncedIncident {
  return (
    isTable(value) &&
    isText(value['id']) &&
    isText(value['station'] ?? value['country']) &&
    (value['since'] === null || isTime(value['since'])) &&
    ['replaces', 'continues'].every(
      (name) => value[name] === undefined || isListOf(value[name], isText),
    )
  )
}

/**
 * An incident is found again by its series, so it has at least one; only `not-current` has none.
 */
function hasSeries({ kind, series }: Table): boolean {
  return isListOf(series, isSeries) && (series.length > 0 || kind === 'not-current')
}

function isSeries(value: unknown): value is AlertSeries {
  return (
    isTable(value) &&
    isText(value['station']) &&
    isOneOf(fileTypes, value['file_type']) &&
    isOneOf(periods, value['period']) &&
    (value['since'] === null || isTime(value['since']))
  )
}

type Table = Readonly<Record<string, unknown>>

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null
}

function isListOf<T>(value: unknown, is: (each: unknown) => each is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTime(value: unknown): value is string {
  return isText(value) && !Number.isNaN(Date.parse(value))
}

function isOneOf(words: readonly string[], value: unknown): boolean {
  return words.some((word) => word === value)
}
