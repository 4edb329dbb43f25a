/** Stores the announced alerts and the messages that are not delivered yet in a file. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileTypes } from '../parse/types.ts'
import { alertKinds } from '../series/alerts.ts'
import type { Alert } from '../series/alerts.ts'
import type { AlertSeries } from '../series/incidents.ts'
import { errorCode } from '../runtime/error-code.ts'
import { periods } from '../series/series.ts'
import type { AlertMemory, Message } from './announcements.ts'

const version = 2

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
  async store({ open: alerts, messages }: AlertMemory): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    const text = JSON.stringify({ version, open: alerts, messages })
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
  if (!isTable(stored) || stored['version'] !== version)
    throw new DamagedMemory(`not of version ${version}`)
  const { open: alerts, messages } = stored
  if (!isListOf(alerts, isAlert)) throw new DamagedMemory('a member of "open" is not an alert')
  if (!isListOf(messages, isMessage))
    throw new DamagedMemory('a member of "messages" is not a message')
  return { open: alerts, messages }
}

// The shape of the file. All of it is checked here, because the rest of the process relies on it.

function isAlert(value: unknown): value is Alert {
  return (
    isTable(value) &&
    isText(value['id']) &&
    isOneOf(alertKinds, value['kind']) &&
    (value['since'] === null || isTime(value['since'])) &&
    isTime(value['opened']) &&
    hasSeries(value)
  )
}

function isMessage(value: unknown): value is Message {
  return (
    isTable(value) &&
    isText(value['id']) &&
    isTime(value['at']) &&
    isOneOf(alertKinds, value['kind']) &&
    isOneOf(['open', 'closed'], value['state']) &&
    (value['reason'] === undefined || isText(value['reason'])) &&
    hasSeries(value)
  )
}

/**
 * An alert is found again by the first of its series, so it has at least one, unless its kind has
 * none.
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
