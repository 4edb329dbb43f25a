/** Draws what d3-geo projects as a short path. Pure. */
import type { GeoContext } from 'd3-geo'

/** Points closer than this to the last one are left out (pixels, along both axes). */
const leastStep = 3

/**
 * Whole pixels from point to point, without those that nobody would see: a coast of a continent in
 * a few kilobytes.
 */
export class Outline implements GeoContext {
  #text = ''
  #line: (readonly [x: number, y: number])[] = []

  beginPath(): void {
    this.#line = []
  }

  moveTo(x: number, y: number): void {
    this.#end('')
    this.lineTo(x, y)
  }

  lineTo(x: number, y: number): void {
    const [left, top] = [Math.round(x), Math.round(y)]
    const last = this.#line.at(-1)
    if (last !== undefined && Math.abs(last[0] - left) + Math.abs(last[1] - top) < leastStep) return
    this.#line.push([left, top])
  }

  closePath(): void {
    // What has less than three points is a small island.
    if (this.#line.length > 2) this.#end('z')
    this.#line = []
  }

  /** Only points are drawn so, and there are none. */
  arc(): void {
    this.#line = []
  }

  /** The value of the attribute `d`. */
  toString(): string {
    this.#end('')
    return this.#text
  }

  #end(close: string): void {
    const [first, ...others] = this.#line
    this.#line = []
    if (first === undefined || others.length === 0) return
    let [x, y] = first
    const steps = others.map(([left, top]) => {
      const step = `${left - x} ${top - y}`
      ;[x, y] = [left, top]
      return step
    })
    // A sign separates numbers too.
    this.#text += `M${first.join(' ')}l${steps.join(' ').replaceAll(' -', '-')}${close}`
  }
}
