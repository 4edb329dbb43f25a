/** Which files were seen arriving, and when: real directories, and a clock that the test sets. */
import { appendFileSync, mkdirSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { arrivalOf, notChangedUs } from '../../../src/indexer/accept/arrival.ts'
import { dayDirectory, pathIn } from '../../acceptance/tree.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { openParts, startOn } from '../parts.ts'

const minute = 60
const hour = 3600
// No latency is negative: the data have ended, also by a clock that is set back by hours.
const daysAgo = 2
const day = Math.floor(Date.now() / 86_400_000) - daysAgo
const old = pathIn(dayDirectory(daysAgo + 1), 0)
const came = pathIn(dayDirectory(daysAgo), 0)
const content = gzipSync('observations '.repeat(1000))

/** An indexer that has made its first scan and is not told of file events. */
async function openIndexer(t: Test) {
  const folder = testFolder(t, { archive: {} })
  let aheadSeconds = 0
  const now = () => Date.now() / 1000 + aheadSeconds
  const nowUs = () => Math.round(now() * 1e6)
  const start = async () => {
    const parts = await openParts(t, folder, { nowUs })
    const opened = await startOn(t, parts)
    return {
      ...opened,
      end: async () => {
        await opened.close()
        await parts.close()
      },
    }
  }
  let running = await start()
  running.put(old)
  await running.indexer.catchUp({ scan: false, patient: false })
  const at = (path: string) => join(running.archive, path)
  return {
    now,
    at,
    get: () => running,
    /** Writes a file, with an mtime of this many seconds ago. */
    put: (path: string, secondsAgo: number, bytes = content) => {
      const file = running.put(path, bytes)
      utimesSync(file, now() - secondsAgo, now() - secondsAgo)
    },
    sweep: () => running.indexer.catchUp({ scan: false, patient: false }),
    rescan: () => running.indexer.catchUp({ scan: true, patient: false }),
    /** The clock goes on, or is set. */
    pass: (seconds: number) => void (aheadSeconds += seconds),
    restart: async () => {
      await running.end()
      running = await start()
    },
    /** How long ago the file of the day arrived, in seconds; `undefined` if that was not seen. */
    arrivedAgo: async () => {
      const query = { code: 'A00000AUT', fileType: 'o', period: '01D', from: day, to: day } as const
      const found = await running.reader.seriesArrivals({ ...query, now: day + daysAgo + 1 })
      const [arrival] = found?.arrivals ?? []
      return arrival && now() - ((day + 1) * 86_400 + arrival[1])
    },
    isListed: async () => {
      const slash = came.lastIndexOf('/')
      const [directory, name] = [came.slice(0, slash), came.slice(slash + 1)]
      return (await running.reader.file({ directory, name })) !== undefined
    },
  }
}

type Opened = Awaited<ReturnType<typeof openIndexer>>

/** The file comes; its arrival was `ago` seconds before now, or was not seen. */
const cases: readonly {
  readonly title: string
  readonly ago: number | undefined
  readonly act: (opened: Opened) => unknown
}[] = [
  {
    title: 'found by a sweep, with its own time',
    ago: 30,
    act: async ({ put, sweep, pass }) => {
      pass(50)
      put(came, 30)
      await sweep()
    },
  },
  {
    title: 'found by a rescan',
    ago: 20,
    act: async ({ put, rescan, pass }) => {
      pass(40)
      put(came, 20)
      await rescan()
    },
  },
  {
    title: 'announced by POST',
    ago: 20,
    act: async ({ put, get, pass }) => {
      pass(40)
      put(came, 20)
      await get().indexer.register(came)
    },
  },
  {
    title: 'a copy that keeps an old time arrives when it is found',
    ago: 0,
    act: async ({ put, sweep, pass }) => {
      pass(40)
      put(came, 9 * hour)
      await sweep()
    },
  },
  {
    title: 'a file server whose clock is ahead',
    ago: 0,
    act: async ({ put, sweep, pass }) => {
      pass(40)
      put(came, -15 * minute)
      await sweep()
    },
  },
  {
    title: 'a directory that is moved into the archive with its files',
    ago: 0,
    act: async ({ put, sweep, at }) => {
      const whole = dayDirectory(daysAgo)
      put(came.replace(whole, 'aside'), 9 * hour)
      mkdirSync(join(at(whole), '..'), { recursive: true })
      renameSync(at('aside'), at(whole))
      await sweep()
    },
  },
  {
    title: 'nine minutes after the last time that was reached',
    ago: 8 * minute,
    act: async ({ put, sweep, pass }) => {
      pass(9 * minute)
      put(came, 8 * minute)
      await sweep()
    },
  },
  {
    title: 'eleven minutes after it',
    ago: undefined,
    act: async ({ put, sweep, pass }) => {
      pass(11 * minute)
      put(came, 20)
      await sweep()
    },
  },
  {
    title: 'after a restart of five minutes',
    ago: 2 * minute,
    act: async ({ put, sweep, pass, restart }) => {
      pass(5 * minute)
      put(came, 2 * minute)
      await restart()
      await sweep()
    },
  },
  {
    title: 'after a restart of eleven minutes',
    ago: undefined,
    act: async ({ put, sweep, pass, restart }) => {
      pass(11 * minute)
      put(came, 2 * minute)
      await restart()
      await sweep()
    },
  },
  {
    title: 'after the clock was set forward',
    ago: undefined,
    act: async ({ put, sweep, pass }) => {
      put(came, 2)
      pass(3 * hour)
      await sweep()
    },
  },
  {
    title: 'after it was set back',
    ago: 0,
    act: async ({ put, sweep, pass }) => {
      put(came, 2)
      pass(-3 * hour)
      await sweep()
    },
  },
  {
    title: 'set back while no indexer ran',
    ago: undefined,
    act: async ({ put, sweep, pass, restart }) => {
      pass(-3 * hour)
      put(came, 2)
      await restart()
      await sweep()
    },
  },
  {
    title: 'a file that settles for a quarter of an hour arrives when its last bytes come',
    ago: 90,
    act: async ({ put, get, pass, at, now }) => {
      const { indexer } = get()
      indexer.watch()
      put(came, 0, content.subarray(0, -10))
      await until('it settles', () => indexer.status().settlingFiles === 1)
      for (let passed = 0; passed < 15; passed++) {
        pass(minute)
        const sweptUs = indexer.status().lastSweepUs ?? 0
        await until('a sweep', () => (indexer.status().lastSweepUs ?? 0) > sweptUs)
      }
      appendFileSync(at(came), content.subarray(-10))
      utimesSync(at(came), now() - 90, now() - 90)
    },
  },
]

for (const { title, ago, act } of cases)
  t.test(title, async (t) => {
    const opened = await openIndexer(t)
    await act(opened)
    await until('the file is listed', opened.isListed)
    const found = await opened.arrivedAgo()
    if (ago === undefined || found === undefined) t.equal(found, ago)
    // A latency has whole seconds, and the test takes some of its own.
    else t.ok(found >= ago - 1 && found < ago + 30, `${found} seconds ago, not ${ago}`)
  })

t.test('what a first scan finds was not seen arriving', async (t) => {
  const { put, arrivedAgo, isListed, restart, sweep, get } = await openIndexer(t)
  const { sql } = get()
  await sql('UPDATE catalogue SET as_of_us = NULL')
  put(came, 5)
  await restart()
  await sweep()
  t.ok(await isListed())
  t.equal(await arrivedAgo(), undefined)
})

t.test('the arrival is the mtime between the last look and the find, else the find', async (t) => {
  const sight = { notThereUs: 100, foundUs: 200 }
  for (const [mtimeUs, arrival] of [
    [100, 100],
    [150, 150],
    [200, 200],
    [99, 200],
    [201, 200],
  ] as const)
    t.equal(arrivalOf(mtimeUs, sight), arrival, `${mtimeUs}`)
  t.equal(arrivalOf(150, { ...sight, notThereUs: undefined }), undefined)
})

t.test('what is overwritten in place has only its own time', async (t) => {
  const sight = { notThereUs: 100, foundUs: 200, showsContents: false }
  t.equal(notChangedUs({ mtimeUs: 150 }, sight), 100)
  t.equal(notChangedUs({ mtimeUs: 50 }, sight), undefined, 'it may be long ago')
  t.equal(notChangedUs({ mtimeUs: 50 }, { ...sight, showsContents: true }), 100, 'a rename')
})
