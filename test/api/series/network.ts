/** The API on a catalogue with the files of a few series, whose arrivals a test chooses. */
import type { Test } from 'tap'
import type { StatusReply } from '../../../src/control-socket/client.ts'
import type { ExpectedSeries } from '../../../src/series/expectation.ts'
import { ExpectedRules } from '../../../src/series/expectation.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { arriving, change, newFile } from '../../catalogue/change.ts'
import { flagged } from '../../catalogue/some-facts.ts'
import * as names from '../../rinex-names.ts'
import type { ServiceOptions } from '../service.ts'
import { openService } from '../service.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

export const daySeconds = 86_400
export const dayOf = (year: number, month: number, day: number) =>
  Date.UTC(year, month - 1, day) / 1000 / daySeconds
/** 2025-12-01, a Monday. */
export const firstDay = dayOf(2025, 12, 1)

export type Period = '15M' | '01H' | '01D'
export const lengths = { '15M': 900, '01H': 3600, '01D': daySeconds } as const

/**
 * Opens the API on an empty catalogue that is made at a time; the clock stands still until
 * `setNow`.
 */
export async function openNetwork(
  t: Test,
  { startUs, expected }: { startUs: number; expected?: readonly ExpectedSeries[] },
) {
  const settings: ServiceOptions['settings'] = {
    maxLimit: 10_000,
    ...(expected && { expected: new ExpectedRules(expected) }),
  }
  let indexer: StatusReply = watchingIndexer
  const service = await openService(t, {
    settings,
    nowUs: startUs,
    deps: () => ({ indexerStatus: () => Promise.resolve(indexer) }),
  })
  const { clock } = service
  await service.setNow(startUs / 1e6)
  await service.writer.adoptDamagedBy(['cut'], 0)
  return {
    ...service,
    /** Sets the clock only, as if the indexer had stopped. */
    passTo: (seconds: number) => (clock.us = seconds * 1e6),
    /** What the indexer says from now on; the API asks again after a second. */
    setIndexer: (status: StatusReply) => (indexer = status),
    /** Files that a scan finds, all at once. */
    scan: async (files: readonly (readonly [slot: number, station: string, period: Period])[]) => {
      const added = files.map((file) => newFile(nameOf(...file)))
      await service.writer.apply([change('obs/2026/001', { added })])
    },
    text: async (target: string) => (await service.app.inject(`/rinex/api/${target}`)).body,
    /** A file of the slot that is seen arriving, or found by a scan. */
    arrive: async (
      slot: number,
      station: string,
      period: Period,
      { source = 'R', arrived = true } = {},
    ) => {
      const added = [newFile(nameOf(slot, station, period, source))]
      await service.writer.apply([
        change('obs/2026/001', { added: arrived ? arriving(added, clock.us) : added }),
      ])
    },
    /** A file, or another version of it, by its name; with `seen` it is seen arriving now. */
    put: async (name: string, { isDamaged = false, isEmpty = false, isSeen = true } = {}) => {
      const facts = { size: isEmpty ? 0 : 100, mtimeUs: clock.us }
      const seen = isSeen ? { arrivalUs: clock.us } : {}
      const file = { name, ...facts, incomplete: isDamaged && !isEmpty, ...seen }
      const known = await service.reader.file({ directory: 'obs/2026/001', name })
      const parts =
        known === undefined ? { added: [file] } : { modified: [{ id: known.id, ...file }] }
      await service.writer.apply([change('obs/2026/001', parts)])
    },
    /** Reads a file to its end, and finds that it is broken, or if its id is even, cut. */
    findBroken: async (name: string) => {
      const file = await service.reader.file({ directory: 'obs/2026/001', name })
      if (file === undefined) return
      const { id, size, mtimeUs } = file
      const found = id % 2 === 0 ? { facts: flagged('cut') } : ({ problem: 'broken' } as const)
      await service.writer.keepChecksums([checksumOf(id, { size, mtimeUs, ...found })], 0)
    },
    /** Reads a good file to its end, and counts its epochs. @param share `undefined` if unknown */
    count: async (name: string, share: number | undefined) => {
      const file = await service.reader.file({ directory: 'obs/2026/001', name })
      if (file === undefined) return
      const { id, size, mtimeUs } = file
      const epochs =
        share === undefined ? {} : { epochs: Math.round(share * 1000), expected_epochs: 1000 }
      const facts = { ...epochs, flags: [] }
      await service.writer.keepChecksums([checksumOf(id, { size, mtimeUs, facts })], 0)
    },
    removeName: async (name: string) => {
      const file = await service.reader.file({ directory: 'obs/2026/001', name })
      if (file === undefined) return
      await service.writer.apply([change('obs/2026/001', { removed: [file.id] })])
    },
    removeIds: (directory: string, removed: readonly number[]) =>
      service.writer.apply([change(directory, { removed: [...removed] })]),
    remove: async (slot: number, station: string, period: Period) => {
      const name = nameOf(slot, station, period)
      const file = await service.reader.file({ directory: 'obs/2026/001', name })
      if (file === undefined) return
      await service.writer.apply([change('obs/2026/001', { removed: [file.id] })])
    },
  }
}

/** How the long names of a series are written: another unit, or the actual start of the data. */
export type NameStyle = 'usual' | 'unit' | 'start'

const otherUnits = { '15M': '15M', '01H': '60M', '01D': '24H' } as const

export function nameOf(
  slot: number,
  station: string,
  period: Period,
  source = 'R',
  style: NameStyle = 'usual',
): string {
  const start = slot * lengths[period]
  // A short name has no other unit, and not the actual start.
  if (station.length === 4 || style === 'usual')
    return names.nameOf(station, start, { period, source })
  if (style === 'unit') return names.nameOf(station, start, { period: otherUnits[period], source })
  return names.nameOf(station, start + 60 * (Math.abs(slot) % 15), { period, source })
}

export const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
