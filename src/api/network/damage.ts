/** The sizes of single damaged files, beside those of their neighbours. */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { readableSize } from '../../runtime/readable.ts'
import { startOf } from '../../series/series.ts'
import type { Requester } from '../http/limits.ts'
import { withSizes } from '../missing/damaged-sizes.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import { keyOf } from '../series/known-series.ts'

/** Losses whose file is read of: each needs a query. */
const maxLosses = 6

/** `: 131 kB, its neighbours 290 kB`, by the ids of losses of one damaged file. */
export async function damageWords(
  { reader }: { readonly reader: Pick<CatalogueReader, 'page' | 'damagedFiles'> },
  { states, losses }: Pick<NetworkStatus, 'states' | 'losses'>,
  requester: Requester,
): Promise<ReadonlyMap<string, string>> {
  const known = new Map(states.map((each) => [keyOf(each), each]))
  const single = losses.flatMap(({ id, series: [lost, ...others] }) => {
    const [slot, ...more] = lost?.damaged ?? []
    const series = lost && known.get(keyOf(lost))
    const isOne = slot !== undefined && more.length + others.length === 0
    return isOne && series ? [{ id, series, slot, state: 'damaged' as const }] : []
  })
  const shown = single.slice(0, maxLosses)
  if (shown.length === 0) return new Map()
  const days = shown.map(({ series, slot }) =>
    Math.floor(startOf(slot, series.period) / secondsPerDay),
  )
  const range = { fromDay: Math.min(...days), toDay: Math.max(...days) }
  const files = await reader.damagedFiles(range, requester)
  const paths = new Map(files.map((file) => [`${keyOf(file)} ${file.slot}`, file.path]))
  const found = await withSizes(
    { reader },
    shown.map((each) => ({ ...each, path: paths.get(`${keyOf(each.series)} ${each.slot}`) })),
    requester,
  )
  return new Map(
    found.flatMap(({ size, usualSize }, index) => {
      const id = shown[index]?.id
      if (id === undefined || size === undefined || usualSize === undefined) return []
      return [[id, `: ${readableSize(size)}, its neighbours ${readableSize(usualSize)}`] as const]
    }),
  )
}
