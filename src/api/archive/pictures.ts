/** Draws how much there is of each year and of each day, the areas on each other. Pure. */
import type { DayVolume, MonthVolume } from '../../catalogue/questions/volumes.ts'
import type { Volume } from '../../catalogue/sums.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import type { Area } from '../../parse/archive-path.ts'
import { areas } from '../../parse/archive-path.ts'
import { readableNumber, readableSize } from '../../runtime/readable.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { days as dayScale, plotSvg, quantities, years as yearScale } from '../pages/plot.ts'

type AreaVolumes = Readonly<Record<Area, Volume>>

/** The files of a year, by area. */
export interface YearVolumes extends AreaVolumes {
  readonly year: number
}

/** All years from the first to the last with files, also those without. */
export function yearsOf(months: readonly MonthVolume[]): readonly YearVolumes[] {
  const byYear = Map.groupBy(months, ({ month }) => Number(month.slice(0, 'yyyy'.length)))
  const [first, last] = [Math.min(...byYear.keys()), Math.max(...byYear.keys())]
  if (byYear.size === 0) return []
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const year = first + index
    return { year, ...byArea(byYear.get(year) ?? []) }
  })
}

function byArea(volumes: readonly MonthVolume[]): AreaVolumes {
  const sum = (area: Area): Volume => sumOfVolumes(volumes.filter((each) => each.area === area))
  return { obs: sum('obs'), nrt: sum('nrt') }
}

/** Bars of bytes, each year as wide as the others. */
export function yearsSvg(years: readonly YearVolumes[]): Html {
  const most = Math.max(...years.map((each) => sumOfVolumes([each.obs, each.nrt]).bytes))
  const [first = NaN, last = NaN] = [years[0]?.year, years.at(-1)?.year]
  return plotSvg({
    title: 'Bytes by year',
    x: yearScale(first, last),
    y: quantities(most, readableSize),
    height: 300,
    draw: ({ bar }) =>
      years.map((each) => {
        const { year, obs, nrt } = each
        const across = [year + 0.1, year + 0.9] as const
        const top = obs.bytes + nrt.bytes
        const bars = [
          obs.bytes > 0 && html`<g class="obs">${bar(across, [0, obs.bytes])}</g>`,
          nrt.bytes > 0 && html`<g class="nrt">${bar(across, [obs.bytes, top])}</g>`,
        ]
        return top > 0 && html`<g><title>${yearWords(each)}</title>${bars}</g>\n`
      }),
  })
}

/** `2026: obs 13.1 GB, nrt 1.2 GB` */
function yearWords(of: YearVolumes): string {
  const parts = areas.filter((area) => of[area].files > 0)
  return `${of.year}: ${parts.map((area) => `${area} ${readableSize(of[area].bytes)}`).join(', ')}`
}

/** Files or bytes of an area, from the first day with files to the last; nothing without files. */
export function daysSvg(days: readonly DayVolume[], area: Area, of: keyof Volume): Child {
  const byDay = new Map(days.flatMap((each) => (each.area === area ? [[each.day, each[of]]] : [])))
  if (byDay.size === 0) return undefined
  const [first, last] = [Math.min(...byDay.keys()), Math.max(...byDay.keys())]
  const values = Array.from({ length: last - first + 1 }, (_, n) => byDay.get(first + n) ?? 0)
  return html`<p class="quiet">${area}, ${of}</p>
${plotSvg({
  title: `${area}, ${of} a day`,
  x: dayScale(first, last),
  y: quantities(Math.max(...values), of === 'bytes' ? readableSize : wholeNumber),
  height: 64,
  // The outline is stretched to the width of the plot.
  draw({ y }) {
    const base = y(0)
    const steps = values.map((value, index) => `V${y(value)}H${index + 1}`)
    const box = html`width="100%" height="${base}" viewBox="0 0 ${values.length} ${base}"`
    return html`<svg class="${area}" ${box} preserveAspectRatio="none"><path d="M0 ${base}${steps.join('')}V${base}z"/></svg>
`
  },
})}`
}

function wholeNumber(value: number): string {
  return Number.isInteger(value) ? readableNumber(value) : ''
}
