/** The layouts that docs/layouts.md shows, as their lines of configuration read them. */
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { createLayout, parentOf } from '../../src/parse/layout.ts'
import { layoutFaults } from '../../src/parse/layout-faults.ts'
import { placementIn } from '../../src/parse/placement.ts'
import t from '../tap.ts'

const rows = readFileSync('docs/layouts.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| .*`\[/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))

t.equal(rows.length, 12)

for (const [, archive = '', path = '', areas = '', suffixes = '', exclude = ''] of rows)
  t.test(`a file of ${archive} is listed, and in its place`, async (t) => {
    const text = `areas = ${areas}\nsuffixes = ${suffixes}\nexclude = ${exclude}\n`
    const lists = parse(text) as Record<'areas' | 'suffixes' | 'exclude', string[]>
    t.same(layoutFaults(lists), [])
    const layout = createLayout(lists)
    t.equal(layout.parseDirectory(parentOf(path)).kind, 'directory')
    t.notOk(layout.isExcluded(path, false))
    const parsed = layout.parseFilename(path.slice(parentOf(path).length + 1))
    if (parsed.kind === 'rejected') throw new Error(parsed.reason)
    const placement = placementIn(parentOf(path))
    t.notOk(placement.isMisplaced(parsed))
    // The path says something of the date: a file of another year is not in its place.
    const other = { ...parsed, startSeconds: parsed.startSeconds - 400 * 86_400 }
    t.ok(placement.isMisplaced(other))
  })
