/** The stations, kinds and sites of the catalogue, in memory between questions. */
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'
import { NotBuilt } from '../errors.ts'
import type { FileFilter } from '../filter.ts'
import type { Question } from '../question.ts'
import { all, rows } from '../question.ts'
import { deferredCounts } from '../tables/count-tables.ts'
import type { CatalogueState } from '../tables/head.ts'
import { stateStatement, toState } from '../tables/head.ts'
import { indexNames } from '../tables/indexes.ts'
import { Headers } from './headers.ts'
import type { Kind } from './kinds.ts'
import type { Selection } from './selection.ts'
import { select } from './selection.ts'
import type { CodeRow, StationCodes } from './sites.ts'
import { codesOfStations, Sites } from './sites.ts'

const deferred = [...indexNames, ...deferredCounts]

type KindRow = [number, string, FileVersion, FileDuration, FileType, string, string, string, string]

/**
 * The tables `station` and `kind`, whose rows are only added, so that only new rows are read. The
 * sites are read again when a question needs them after the catalogue has changed.
 */
export class Lookups {
  /** Station codes by id. */
  readonly stations = new Map<number, string>()
  readonly kinds = new Map<number, Kind>()
  readonly headers = new Headers()
  readonly #last = { station: 0, kind: 0 }
  /** True if all indexes and counts are built. */
  isBuilt = false
  #version = ''
  #sites: { readonly version: string; readonly sites: Sites } | undefined;

  /**
   * Call at the start of a question.
   * @param options.needsBuilt true if it reads indexes or counts that a first scan leaves out
   * @throws NotBuilt if it does, and some are not built yet
   */
  *refresh({ needsBuilt = false } = {}): Question<CatalogueState> {
    const [found, built, stations, kinds] = (yield* all(
      stateStatement,
      { sql: 'SELECT name FROM built' },
      {
        sql: 'SELECT id, code FROM station WHERE id > @station ORDER BY id',
        values: { station: this.#last.station },
      },
      {
        sql: `SELECT id, area, file_version, file_duration, file_type, source, period, interval,
            content FROM kind WHERE id > @kind ORDER BY id`,
        values: { kind: this.#last.kind },
      },
    )) as unknown as [[never], [string][], [number, string][], KindRow[]]
    for (const [id, code] of stations) this.stations.set(id, code)
    for (const [id, area, version, duration, type, source, period, interval, content] of kinds)
      this.kinds.set(id, { area, version, duration, type, source, period, interval, content })
    this.#last.station = stations.at(-1)?.[0] ?? this.#last.station
    this.#last.kind = kinds.at(-1)?.[0] ?? this.#last.kind
    const state = toState(found[0])
    const { epoch, seq, detailsSeq } = state.head
    this.isBuilt = deferred.every((name) => built.some(([each]) => each === name))
    this.#version = [epoch, seq, detailsSeq, built.length].join()
    if (needsBuilt && !this.isBuilt) throw new NotBuilt('indexes and counts are being built')
    return state
  }

  /** What a filter selects in the state of the last `refresh`; `undefined`: no file. */
  *select(filter: FileFilter): Question<Selection | undefined> {
    const sites = filter.countries && (yield* this.sites())
    const headers = yield* this.headers.select(filter)
    return select(filter, { stations: this.stations, kinds: this.kinds, sites, headers })
  }

  /** The sites, as they are in the state of the last `refresh`. */
  *sites(): Question<Sites> {
    if (this.#sites?.version !== this.#version) {
      const sites = new Sites(yield* rows<CodeRow>(codesOfStations))
      this.#sites = { version: this.#version, sites }
    }
    return this.#sites.sites
  }
  /**
   * The station of a code, with the ids of its codes; `undefined` for a code that the catalogue
   * does not have.
   */
  *stationOf(
    code: string,
  ): Question<(StationCodes & { readonly ids: readonly number[] }) | undefined> {
    const sites = yield* this.sites()
    const main = sites.mainCode(code)
    const found = [...this.stations].filter(([, each]) => sites.mainCode(each) === main)
    const shortCode = code.slice(0, 4)
    const sharing = sites.longCodes(shortCode)
    if (found.length === 0 && (code.length === 9 || sharing.length === 0)) return undefined
    const hasShort = code.length === 4 || [...this.stations.values()].includes(shortCode)
    return {
      ids: found.map(([id]) => id),
      codes: found.map(([, each]) => each),
      ambiguous: sharing.length > 1 && hasShort ? [...sharing].sort() : [],
    }
  }
}
