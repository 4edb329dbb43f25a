/** The sizes of damaged files, beside those of their neighbours, and what is wrong inside. */
import { isDamage } from '../../catalogue/filter.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import { joinPath } from '../../parse/layout.ts'
import type { FileDuration } from '../../parse/types.ts'
import type { Period } from '../../series/series.ts'
import { periodRules, startOf } from '../../series/series.ts'
import { insideWords } from '../files/file-words.ts'
import type { Requester } from '../http/limits.ts'
import type { MissingSlot } from './missing-slots.ts'

/** Damaged files whose sizes are read: each needs a query. */
const maxSized = 20

/** Slots before and after a damaged file whose files are its neighbours. */
const besideSlots = 3

const durations: Readonly<Record<Period, FileDuration>> = { '01D': 'd', '01H': 'h', '15M': 'm' }

/** Adds the sizes of the newest damaged files, and of their neighbours. */
export async function withSizes(
  { reader }: { readonly reader: Pick<CatalogueReader, 'page'> },
  slots: readonly MissingSlot[],
  requester: Requester,
): Promise<readonly MissingSlot[]> {
  const newest = slots
    .filter(({ path }) => path !== undefined)
    .toSorted((a, b) => startOf(b.slot, b.series.period) - startOf(a.slot, a.series.period))
    .slice(0, maxSized)
  const sized = new Map<MissingSlot, MissingSlot>()
  for (const each of newest) sized.set(each, await withSize(reader, each, requester))
  return slots.map((each) => sized.get(each) ?? each)
}

async function withSize(
  reader: Pick<CatalogueReader, 'page'>,
  missing: MissingSlot,
  requester: Requester,
): Promise<MissingSlot> {
  const { series, slot, path } = missing
  const { station, fileType, period } = series
  const usOf = (offset: number): number => (slot + offset) * periodRules[period].seconds * 1e6
  const filter = {
    stations: [station.slice(0, 4)],
    types: [fileType],
    durations: [durations[period]],
    start: { fromUs: usOf(-besideSlots), toUs: usOf(besideSlots + 1) - 1e6 },
  }
  const { records } = await reader.page(
    { filter, limit: 50, offset: 0, details: true, facts: true },
    requester,
  )
  const sizes = records.map(({ directory, name, details, ...inside }) => ({
    size: details?.size ?? 0,
    isOwn: joinPath(directory, name) === path,
    why: insideWords(inside),
    isWhole: !isDamage(details?.problem),
  }))
  const beside = sizes
    .filter(({ isOwn, isWhole, size }) => !isOwn && isWhole && size > 0)
    .map(({ size }) => size)
    .toSorted((a, b) => a - b)
  const own = sizes.find(({ isOwn }) => isOwn)
  return {
    ...missing,
    size: own?.size,
    why: own?.why,
    usualSize: beside[Math.floor(beside.length / 2)],
  }
}
