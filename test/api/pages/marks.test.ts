/** The marks of states: one colour and one shape for each, in all pictures. */
import { readFileSync } from 'node:fs'
import type { SlotMark } from '../../../src/api/pages/marks.ts'
import {
  cellMarks,
  runMark,
  slotLegend,
  slotMark,
  slotMarks,
  stationLegend,
  stationMark,
  stationMarks,
} from '../../../src/api/pages/marks.ts'
import type { StationDelivery } from '../../../src/series/station-states.ts'
import t from '../../tap.ts'
import { readFragment } from '../html.ts'

const style = readFileSync(
  new URL('../../../src/api/pages/assets/page.css', import.meta.url),
  'utf8',
)
const names = Object.keys(slotMarks) as readonly SlotMark[]

t.test('each state has its own shape and its class, without a color of its own', (t) => {
  const drawn = names.map((name) => String(slotMark(name)))
  const shapes = drawn.map((mark) => / d="([^"]+)"/.exec(mark)?.[1])
  t.equal(new Set(shapes.filter((shape) => shape !== undefined)).size, names.length)
  for (const [index, name] of names.entries()) t.match(drawn[index], `class="${name}"`)
  t.notMatch(drawn.join(''), /#[0-9a-f]{3}/i)
  t.end()
})

t.test('the style has the color of each state once, also for the dark', (t) => {
  for (const name of ['present', 'removed', 'late', 'missing', 'damaged']) {
    t.equal(style.match(new RegExp(`^ +--${name}: light-dark\\(`, 'gm'))?.length, 1, name)
    t.match(style, new RegExp(`\nsvg [^{]*\\.${name}\\b[^{]*\\{\n  color: var\\(--${name}\\);`))
  }
  t.end()
})

t.test(
  'a row is one path a state: a bar a run, a shape for each lost slot, nothing for others',
  (t) => {
    const cells = [
      'present',
      'present',
      'silent',
      undefined,
      'missing',
      'missing',
      'future',
      'late',
    ]
    t.strictSame(cellMarks(cells, { cell: 9, height: 8, x: 10, y: 1 }).map(String), [
      '<path class="present" d="M10 1h17v8h-17z"/>',
      '<path class="missing" d="M48.5 0h3v10h-3zM57.5 0h3v10h-3z"/>',
      '<path class="late" d="M73 5h8v4h-8z"/>',
    ])
    t.strictSame(cellMarks(['toString', 'constructor'], { cell: 9, height: 8 }), [])
    t.end()
  },
)

t.test('narrow cells touch each other', (t) => {
  t.strictSame(cellMarks(['missing', 'missing', 'present'], { cell: 2, height: 8 }).map(String), [
    '<path class="missing" d="M0 0h4v8h-4z"/>',
    '<path class="present" d="M4 0h2v8h-2z"/>',
  ])
  t.end()
})

t.test('the text of a run is escaped', (t) => {
  const run = runMark('late', { first: 1, count: 2 }, { cell: 9, height: 8 }, '<x-mark>')
  t.match(String(run), '&lt;x-mark&gt;</path>')
  t.end()
})

t.test('a legend has the marks that occur, in their order, and what an empty cell means', (t) => {
  const legend = readFragment(String(slotLegend(['missing', undefined, 'present'], 'not asked')))
  t.strictSame(legend.texts('li'), ['delivered', 'missing', 'empty: not asked'])
  const stations = readFragment(String(stationLegend(['gaps', 'down', 'gaps'])))
  t.strictSame(stations.texts('li'), ['down', 'delivers, with gaps'])
  t.end()
})

t.test('each state of a station has its own shape', (t) => {
  const states = Object.keys(stationMarks) as readonly StationDelivery[]
  t.equal(new Set(states.map((state) => String(stationMark(state)))).size, states.length)
  t.end()
})
