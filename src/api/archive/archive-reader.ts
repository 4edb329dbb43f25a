/** Reads what the figures of the archive follow from; the metrics read it too. */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Volumes } from '../../catalogue/questions/volumes.ts'
import type { Head } from '../../catalogue/records.ts'
import type { Asker } from '../../catalogue/turns.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ApiSettings } from '../http/settings.ts'
import { usPerDay } from '../parameters/when.ts'
import type { ArchiveDisk } from './disks.ts'
import { ArchiveDisks } from './disks.ts'
import { RecentFlagsReader } from './recent-flags.ts'
import { shownDays } from './serialise.ts'

interface ArchiveDeps {
  readonly reader: Pick<CatalogueReader, 'head' | 'volumes' | 'flaggedFiles'>
  readonly nowUs: Clock
  readonly settings: Pick<ApiSettings, 'archive' | 'layout' | 'linkedDirectories'>
}

/** All but the volumes, which take longer. */
export interface ArchiveState {
  readonly head: Head
  readonly disks: readonly ArchiveDisk[]
  /** The UTC day since 1970. */
  readonly today: number
}

/** Milliseconds for which answers show the same free space. */
const maxAgeMs = 60_000

export class ArchiveReader {
  readonly #deps: ArchiveDeps
  /** Looks at the disks now. */
  readonly disks: ArchiveDisks
  /** What is flagged of the newest files. */
  readonly flags: RecentFlagsReader
  #seen: { readonly atMs: number; readonly disks: readonly ArchiveDisk[] } | undefined
  #known: { readonly key: string; readonly volumes: Volumes } | undefined

  constructor(deps: ArchiveDeps) {
    this.#deps = deps
    this.disks = new ArchiveDisks(deps.settings)
    this.flags = new RecentFlagsReader(deps)
  }

  async state(): Promise<ArchiveState> {
    const [head, disks] = await Promise.all([this.#deps.reader.head(), this.recentDisks()])
    return { head, disks, today: this.today() }
  }

  /** The UTC day since 1970. */
  today(): number {
    return Math.floor(this.#deps.nowUs() / usPerDay)
  }

  /** Free space changes all the time; the tags of answers should not. */
  async recentDisks(): Promise<readonly ArchiveDisk[]> {
    const atMs = performance.now()
    if (this.#seen !== undefined && atMs - this.#seen.atMs < maxAgeMs) return this.#seen.disks
    const disks = await this.disks.read()
    if (disks.every(({ space }) => space !== undefined)) this.#seen = { atMs, disks }
    return disks
  }

  /** The volumes, and those of the last days; those of the last answer if nothing has changed. */
  async volumes(
    { head, today }: Pick<ArchiveState, 'head' | 'today'>,
    asker?: Asker,
  ): Promise<Volumes> {
    const key = keyOf(head, today)
    if (this.#known?.key === key) return this.#known.volumes
    const days = { fromDay: today - shownDays, toDay: today }
    const volumes = await this.#deps.reader.volumes({ days }, asker)
    // The indexes that a first scan leaves out are built without a change.
    if (volumes.months !== undefined) this.#known = { key: keyOf(volumes.head, today), volumes }
    return volumes
  }

  async volumesNow(): Promise<Volumes> {
    return this.volumes({ head: await this.#deps.reader.head(), today: this.today() })
  }
}

function keyOf({ epoch, seq, detailsSeq }: Head, today: number): string {
  return [epoch, seq, detailsSeq, today].join()
}
