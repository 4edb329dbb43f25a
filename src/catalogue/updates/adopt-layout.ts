/**
 * Makes the catalogue one of another layout, in one transaction: records, ids and change numbers
 * stay. What the layout covers no more is found by the next sweep or scan as removed; what comes is
 * found by a scan, as before the first one.
 */
import type { Layout, LayoutLists } from '../../parse/layout.ts'
import { areSameLists, createLayout, isWithin, wholeArchive } from '../../parse/layout.ts'
import type { Dialect } from '../dialect.ts'
import type { Question, Statement, Values } from '../question.ts'
import { column, execute, value } from '../question.ts'
import { deferredCounts, kindCounts } from '../tables/count-tables.ts'
import { isInDirectory } from '../tables/paths.ts'
import { kindColumns } from '../tables/record.ts'
import { storedLayout, storedText } from '../tables/stored-layout.ts'
import { raiseDetails } from './checksum-rows.ts'
import { recount } from './recount.ts'

/** @returns true if the records were those of another layout */
export function* adoptLayout(dialect: Dialect, lists: LayoutLists): Question<boolean> {
  const former = yield* storedLayout()
  const text = storedText(lists)
  yield* execute({ sql: 'UPDATE catalogue SET layout = @text WHERE one = 1', values: { text } })
  const directory = yield* value('SELECT id FROM directory LIMIT 1')
  if (directory === undefined || areSameLists(former.lists, lists)) return false
  const layout = createLayout(lists)
  yield* moveAreas(dialect, layout)
  // Other names may be listed in directories that are in an area as before.
  const isWhole = !areSameLists({ ...former.lists, areas: lists.areas }, lists)
  const lacksStamp = isWhole ? undefined : uncovered(layout)
  yield* execute({
    sql: `UPDATE directory SET mtime_us = NULL WHERE gone = 0 ${lacksStamp?.sql ?? ''}`,
    values: lacksStamp?.values ?? {},
  })
  const hasNew = layout.roots.some((root) => former.rootOf(root) === undefined)
  // Nothing that is found now was seen arriving, and what is old need not be read to its end.
  if (isWhole || hasNew)
    yield* execute({
      sql: `UPDATE catalogue SET last_scan = NULL, as_of_us = NULL, as_of_limit_s = NULL
        WHERE one = 1`,
    })
  return true
}

/** A condition on directories: those in no area. */
function uncovered({ roots }: Layout): { readonly sql: string; readonly values: Values } {
  const within = roots.map((root, index) => isInDirectory(root, String(index)))
  return {
    sql: `AND NOT (${within.map(({ sql }) => sql).join(' OR ')})`,
    values: Object.assign({}, ...within.map(({ values }) => values)) as Values,
  }
}

/** The properties of a kind but its area. */
const others = kindColumns.filter((name) => name !== 'area')

/** Gives records in directories whose area has another name a kind of this area. */
function* moveAreas(dialect: Dialect, { areas, roots }: Layout): Question<void> {
  const known = yield* column<string>(`SELECT DISTINCT k.area ${kindCounts}`)
  const moved = areas.flatMap((area, index) => {
    const root = roots[index] ?? ''
    const isFrom = (other: string): boolean => {
      const above = other === wholeArchive ? '' : other
      return other !== area && (isWithin(root, above) || isWithin(above, root))
    }
    return known.some(isFrom) ? [{ area, root }] : []
  })
  if (moved.length === 0) return
  for (const { area, root } of moved) {
    yield* execute({ sql: newKinds, values: { area } })
    for (const table of ['file', 'tombstone']) yield* execute(moving(table, area, root))
  }
  yield* recount(dialect, 'id_count')
  yield* execute(
    {
      sql: `DELETE FROM built WHERE ${dialect.isIn('name', 'names', 'text')}`,
      values: { names: deferredCounts },
    },
    // Answers change, although no record did.
    raiseDetails,
  )
}

/** All kinds of other areas, for this one. */
const newKinds = `INSERT INTO kind (id, area, ${others.join(', ')})
  SELECT (SELECT max(id) FROM kind) + row_number() OVER (ORDER BY ${others.join(', ')}),
    CAST(@area AS text), ${others.join(', ')}
  FROM (SELECT DISTINCT ${others.join(', ')} FROM kind WHERE area <> @area) AS k
  WHERE NOT EXISTS (SELECT 1 FROM kind own WHERE own.area = @area AND ${sameAs('own', 'k')})`

function moving(table: string, area: string, root: string): Statement {
  const { sql, values } = isInDirectory(root)
  return {
    sql: `UPDATE ${table} SET kind = own.id FROM kind own JOIN kind k ON ${sameAs('own', 'k')}
      WHERE own.area = @area AND k.area <> @area AND k.id = ${table}.kind
        AND EXISTS (SELECT 1 FROM directory WHERE directory.id = ${table}.directory AND ${sql})`,
    values: { area, ...values },
  }
}

function sameAs(a: string, b: string): string {
  return others.map((name) => `${a}.${name} = ${b}.${name}`).join(' AND ')
}
