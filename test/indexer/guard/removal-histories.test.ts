/**
 * Random histories of removals, failed writes, confirmations and restarts on a real catalogue: an
 * accident never takes more than the limit, and what is confirmed always goes.
 */
import type { Test } from 'tap'
import { manyNames } from '../../catalogue/catalogue.ts'
import { engine } from '../../catalogue/engines.ts'
import { testFolder } from '../../folder.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { openApplyStageOn } from '../apply-stage.ts'
import { emptySnapshotOf } from '../parts.ts'

const days = Array.from(
  { length: 12 },
  (_, index) => `obs/2020/${String(index + 1).padStart(3, '0')}`,
)
const filesPerDay = 600
const names = manyNames(filesPerDay, '0010.20d.gz')
/** Of 7,200 files a fifth may go at once. */
const limit = (days.length * filesPerDay) / 5

const dayIndex = fc.nat(days.length - 1)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ remove: fc.nat(filesPerDay), of: dayIndex }) },
  { weight: 2, arbitrary: fc.record({ restore: dayIndex }) },
  { weight: 2, arbitrary: fc.record({ confirm: dayIndex }) },
  { weight: 2, arbitrary: fc.record({ failing: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ restart: true }) },
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

/** A catalogue of the days, and the tree as it should be. */
async function openDays(t: Test) {
  const folder = testFolder(t, { archive: {} })
  let stage = await openApplyStageOn(t, folder)
  const kept = days.map(() => filesPerDay)
  const confirmed = new Set<string>()
  let unconfirmedLosses = 0
  let isFailing = false
  const filesOf = async (path: string) => (await stage.writer.directory(path))?.files.size ?? 0
  /** Reads some days; several of them go into one transaction. */
  const look = async (indexes: readonly number[]) => {
    const before = await Promise.all(indexes.map((index) => filesOf(days[index] ?? '')))
    for (const index of indexes) {
      const snapshot = { ...emptySnapshotOf(days[index] ?? ''), names: names.slice(0, kept[index]) }
      await stage.applyStage.add({ snapshot, walked: false, requestedMs: Infinity })
    }
    await stage.applyStage.flush()
    for (const [position, index] of indexes.entries()) {
      const path = days[index] ?? ''
      const lost = (before[position] ?? 0) - (await filesOf(path))
      if (lost > 0 && !confirmed.has(path)) unconfirmedLosses += lost
      if ((await filesOf(path)) === kept[index]) confirmed.delete(path)
    }
  }
  const fail = async (wanted: boolean) => {
    if (wanted === isFailing) return
    await stage.sql(wanted ? engine.failing('INSERT ON tombstone') : engine.repaired('failing'))
    isFailing = wanted
  }
  const confirm = (indexes: readonly number[]) => {
    const paths = indexes.map((index) => days[index] ?? '')
    for (const path of paths)
      if (stage.deletionGuard.withheldSinceMs(path) !== undefined) confirmed.add(path)
    stage.deletionGuard.permitWithheld(paths)
  }
  const run = async (each: Step) => {
    if ('remove' in each) {
      kept[each.of] = Math.max(0, (kept[each.of] ?? 0) - each.remove)
      await look([each.of, (each.of + 5) % days.length])
    } else if ('restore' in each) {
      kept[each.restore] = filesPerDay
      await look([each.restore])
    } else if ('confirm' in each) {
      confirm([each.confirm])
      await look([each.confirm])
    } else if ('failing' in each) await fail(each.failing)
    else {
      await fail(false)
      await stage.closeAll()
      stage = await openApplyStageOn(t, folder)
      confirmed.clear()
    }
  }
  const all = days.map((_, index) => index)
  await look(all)
  return {
    run,
    losses: () => unconfirmedLosses,
    /** What is left to do after all is confirmed. */
    end: async () => {
      await fail(false)
      await look(all)
      confirm(all)
      await look(all)
      const found = await Promise.all(days.map(filesOf))
      const withheld = stage.withheld()
      await stage.closeAll()
      return { found, kept, withheld }
    },
  }
}

t.test(
  'random histories of removals lose no more than the limit, and end as the tree',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const opened = await openDays(t)
        for (const each of steps) {
          await opened.run(each)
          if (opened.losses() > limit) throw new Error(`${opened.losses()} lost unconfirmed`)
        }
        const { found, kept, withheld } = await opened.end()
        t.same(found, kept)
        t.same(withheld, [])
      }),
      { numRuns: 12 },
    )
  },
)
