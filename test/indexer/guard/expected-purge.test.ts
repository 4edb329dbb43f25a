/** Purges that the configuration declares (`purged_after_days`) are not withheld; accidents are. */
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import type { PurgedAfterDays } from '../../../src/indexer/guard/expected-purge.ts'
import { isPurge } from '../../../src/indexer/guard/expected-purge.ts'
import { testFolder } from '../../folder.ts'
import { nameOf, startOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { openParts, startOn } from '../parts.ts'

const secondsPerDay = 86_400
/** 2026-02-27T00:00:00Z, the day of the year 58. */
const firstDay = 58
const startOfYear = Date.UTC(2026, 0, 1) / 1000

t.test('a purge is a removal long enough after the end of the data', async (t) => {
  const ended = Date.UTC(2026, 1, 1) / 1000
  const is = (days: PurgedAfterDays, endSeconds: number | undefined, atSeconds: number): boolean =>
    isPurge(days, { area: 'nrt', endSeconds, atUs: atSeconds * 1e6 })
  const due = ended + 3 * secondsPerDay
  t.ok(is({ nrt: 3 }, ended, due + 1))
  t.notOk(is({ nrt: 3 }, ended, due), 'not before')
  t.notOk(is({ nrt: 3 }, undefined, due + 1), 'the end is not known')
  t.notOk(is({ obs: 3 }, ended, due + 1), 'of the other area')
  t.notOk(is({}, ended, due + 1), 'none is declared')
  t.ok(is({ nrt: 0 }, ended, ended + 1), 'at once after the end')
})

const stations = Array.from({ length: 50 }, (_, index) => `S${100 + index}00AUT`)
const dayOf = (day: number): string => `nrt/2026/${String(day).padStart(3, '0')}`

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

/** An archive that keeps three days of hourly files of 50 stations, ten minutes after midnight. */
async function openShort(t: Test, purgedAfterDays: PurgedAfterDays) {
  let today = firstDay
  const nowUs = (): number => (startOfYear + (today - 1) * secondsPerDay + 600) * 1e6
  const folder = testFolder(t, { archive: {} })
  const archive = join(folder, 'archive')
  // All files are links to one file, because thousands of files take seconds.
  const source = join(folder, 'source')
  writeFileSync(source, gzipSync('x'))
  const deliver = (day: number): void => {
    for (const hour of hours) {
      const directory = join(archive, dayOf(day), hour)
      mkdirSync(directory, { recursive: true })
      const start = startOf(2026, day, Number(hour))
      for (const station of stations)
        linkSync(source, join(directory, nameOf(station, start, { period: '01H' })))
    }
  }
  for (const day of [today - 3, today - 2, today - 1]) deliver(day)
  return {
    /** A day later: its files have come. @returns the day */
    nextDay: (): number => {
      deliver(today)
      return ++today
    },
    /** Removes a day, or some hours of it. */
    remove: (day: number, some?: readonly string[]): void => {
      for (const path of some?.map((hour) => join(dayOf(day), hour)) ?? [dayOf(day)])
        rmSync(join(archive, path), { recursive: true })
    },
    /** Starts an indexer, which scans when it is asked. */
    start: async () => {
      const parts = await openParts(t, folder, { nowUs })
      const { indexer, close } = await startOn(t, parts, { purgedAfterDays })
      return {
        stop: async () => {
          await close()
          await parts.close()
        },
        scan: async () => {
          await indexer.catchUp({ scan: true, patient: false })
          const { problems, withheldRemovals: withheld } = indexer.status()
          return { problems, withheld, files: await parts.writer.count('nrt') }
        },
      }
    },
  }
}

/** The files of the three days. */
const kept = 3 * 24 * stations.length

t.test('three days of nrt with a nightly purge run for a week without a problem', async (t) => {
  const { start, nextDay, remove } = await openShort(t, { nrt: 3 })
  let { scan, stop } = await start()
  t.match(await scan(), { files: kept, problems: { length: 0 } })
  let today = firstDay
  for (let night = 1; night <= 7; night++) {
    today = nextDay()
    remove(today - 4)
    t.match(await scan(), { files: kept, withheld: 0, problems: { length: 0 } }, `night ${night}`)
  }
  await t.test('the purges count in nothing, also not after a restart', async (t) => {
    await stop()
    ;({ scan, stop } = await start())
    remove(today - 1, hours.slice(0, 18))
    t.match(await scan(), { files: kept - 900, withheld: 0 }, 'so few may vanish')
  })
  await t.test('an accident at the time of a purge is withheld', async (t) => {
    today = nextDay()
    remove(today - 4)
    remove(today - 3, hours.slice(0, 18))
    const { files, withheld, problems } = await scan()
    // Between none and two directories more are below the limit of 1,000 files.
    t.ok(withheld >= 800 && withheld <= 900, `${withheld} withheld`)
    t.equal(files, kept - 900 - 900 + withheld, 'the purge is not')
    t.match(problems[0]?.advice, /no purge by `purged_after_days`, .* less than 3 days ago/)
  })
  await t.test('withheld removals that become a purge are applied', async (t) => {
    today = nextDay()
    t.match(await scan(), { withheld: 0, problems: { length: 0 } })
  })
})

t.test(
  'a nightly purge that is not declared is withheld, and the advice names the key',
  async (t) => {
    const { start, nextDay, remove } = await openShort(t, {})
    const { scan } = await start()
    await scan()
    remove(nextDay() - 4)
    const { withheld, problems } = await scan()
    t.equal(withheld, 200)
    t.match(
      problems[0]?.advice,
      /If old files of nrt\/ are purged regularly, set `purged_after_days`/,
    )
  },
)
