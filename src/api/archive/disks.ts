/** The space on the disks of the archive, without waiting for a disk that hangs. */
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DiskSpace } from '../../catalogue/questions/reader.ts'
import { isMissing } from '../../runtime/error-code.ts'
import type { ApiSettings } from '../http/settings.ts'

/** A file system of the archive. */
export interface ArchiveDisk {
  /**
   * What of the archive is on it: `archive` (its root), the areas, and the linked directories by
   * their number, `linked-1`. Their paths are nobody's business.
   */
  readonly holds: readonly string[]
  /** `undefined` if the disk does not answer in time, or its space cannot be read. */
  readonly space: DiskSpace | undefined
}

interface DeviceSpace extends DiskSpace {
  readonly device: number
}

async function look(path: string): Promise<DeviceSpace> {
  const { dev: device } = await stat(path)
  const { bavail, blocks, bsize } = await statfs(path)
  return { device, freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** Milliseconds that an answer waits for a disk. */
const diskTimeoutMs = 500

type DiskSettings = Pick<ApiSettings, 'archive' | 'layout' | 'linkedDirectories'>

export class ArchiveDisks {
  readonly #places: ReadonlyMap<string, string>
  readonly #look: typeof look
  /** Calls that have not returned, each of which blocks a thread of Node, by their place. */
  readonly #pending = new Map<string, Promise<DeviceSpace | 'missing' | undefined>>()
  #reading: Promise<readonly ArchiveDisk[]> | undefined

  constructor({ archive, linkedDirectories, layout }: DiskSettings, lookAt = look) {
    this.#places = new Map([
      ['archive', archive],
      ...layout.areas.map(
        (area, index) => [area, join(archive, layout.roots[index] ?? '')] as const,
      ),
      ...linkedDirectories.map((path, index) => [`linked-${index + 1}`, path] as const),
    ])
    this.#look = lookAt
  }

  /** The disks, that of the archive root first. Never waits longer than a second. */
  read(): Promise<readonly ArchiveDisk[]> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readAll(): Promise<readonly ArchiveDisk[]> {
    const byDevice = new Map<number | string, ArchiveDisk>()
    for (const [name, path] of this.#places) {
      const found = await this.#ask(name, path)
      if (found === 'missing') continue
      // What does not answer may be on any disk.
      const key = found?.device ?? name
      const { freeBytes = 0, totalBytes = 0 } = found ?? {}
      const space = found && { freeBytes, totalBytes }
      byDevice.set(key, { holds: [...(byDevice.get(key)?.holds ?? []), name], space })
    }
    return [...byDevice.values()]
  }

  /**
   * While a disk hangs, it is not asked again, and of the others only that of the root: so at most
   * two threads are blocked.
   */
  async #ask(name: string, path: string): Promise<DeviceSpace | 'missing' | undefined> {
    if (this.#pending.has(name) || (this.#pending.size > 0 && name !== 'archive')) return undefined
    const asked = this.#look(path)
      .catch((error: unknown) => (isMissing(error) ? 'missing' : undefined))
      .finally(() => this.#pending.delete(name))
    this.#pending.set(name, asked)
    return Promise.race([asked, delay(diskTimeoutMs, undefined, { ref: false })])
  }
}
