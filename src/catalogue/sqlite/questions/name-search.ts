/**
 * Finds names by what they hold, in the excerpts: an end of the name that many files share is looked at once for all of them.
 */
import type { Database } from 'better-sqlite3'
import type { NameCondition } from '../../filter.ts'
import { excerptOf, excerptSize, readCohort, readExcerpt } from '../excerpt-layout.ts'
import type { Excerpt } from '../excerpt-layout.ts'

/** All live records from one id to another, themselves included, whose names meet all conditions. */
export interface FoundNames {
  readonly count: number
  /** In rising order; `undefined` where they are more than were to be told. */
  readonly ids: readonly number[] | undefined
}

export interface NameSearch {
  readonly names: readonly NameCondition[]
  readonly fromId: number
  readonly toId: number
  /** So many ids are told. */
  readonly most: number
}

/** Prepares the statement. The result is to be used within a read transaction. */
export function prepareNameSearch(db: Database): (search: NameSearch) => FoundNames {
  const select = db
    .prepare('SELECT id, text FROM excerpt WHERE id BETWEEN ? AND ? ORDER BY id')
    .raw()
  return ({ names, fromId, toId, most }) => {
    // Names are ASCII, and their case does not count.
    if (names.some(({ text }) => /[^\0-\x7f]/.test(text))) return { count: 0, ids: [] }
    const conditions = names.map(({ how, text }) => ({ how, text: text.toLowerCase() }))
    const rows = select.all(excerptOf(fromId), excerptOf(toId)) as [id: number, text: string][]
    const ids: number[] = []
    let count = 0
    for (const [id, text] of rows) {
      const firstId = id * excerptSize
      const excerpt = readExcerpt(text)
      const agrees = judgeOf(excerpt, { conditions, lowerCase: text.toLowerCase() })
      if (agrees === undefined) continue
      const end = Math.min(excerpt.slots, toId - firstId + 1)
      for (let slot = Math.max(fromId - firstId, 0); slot < end; slot++)
        if (excerpt.isLive(slot) && agrees(slot) && count++ < most) ids.push(firstId + slot)
    }
    return { count, ids: count > most ? undefined : ids }
  }
}

/** What is looked for, and the whole text of the excerpt, all in lower case. */
interface Sought {
  readonly conditions: readonly NameCondition[]
  readonly lowerCase: string
}

/** Says of live slots whether their names meet all conditions; `undefined` where none can. */
function judgeOf(
  { cohorts, cohortOf, stationOf }: Excerpt,
  sought: Sought,
): ((slot: number) => boolean) | undefined {
  const endings = cohorts.map((line) => readCohort(line).ending.toLowerCase())
  const verdicts = endings.map((ending) => verdictOf(ending, sought))
  if (verdicts.every((verdict) => verdict === false)) return undefined
  return (slot) => {
    const cohort = cohortOf(slot)
    const verdict = verdicts[cohort]
    if (verdict !== undefined) return verdict
    const name = stationOf(slot).toLowerCase() + (endings[cohort] ?? '')
    return sought.conditions.every((condition) => isMet(name, condition))
  }
}

/** What names with an ending have in common: all meet the conditions, none does, or, `undefined`, it depends on the station. */
function verdictOf(ending: string, { conditions, lowerCase }: Sought): boolean | undefined {
  if (conditions.every(({ how, text }) => how === 'contains' && ending.includes(text))) return true
  return conditions.every((condition) => mayBeMet(condition, { ending, lowerCase }))
    ? undefined
    : false
}

const longestStation = 9

/** Whether there could be a station with which a name of that ending meets a condition. */
function mayBeMet(
  { how, text }: NameCondition,
  { ending, lowerCase }: { ending: string; lowerCase: string },
): boolean {
  if (how === 'is') return text.endsWith(ending)
  if (how === 'contains' && ending.includes(text)) return true
  if (text.length <= longestStation && lowerCase.includes(text)) return true
  // Or some of its characters are the station's, and the others begin the ending.
  for (let own = 1; own <= longestStation && own < text.length; own++)
    if (ending.startsWith(text.slice(own))) return true
  return false
}

function isMet(name: string, { how, text }: NameCondition): boolean {
  if (how === 'is') return name === text
  return how === 'starts' ? name.startsWith(text) : name.includes(text)
}
