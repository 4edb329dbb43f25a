/** Slots whose files are incomplete, broken or empty: no delivery, and a better copy is wanted. */
import type { Test } from 'tap'
import t, { exact } from '../../tap.ts'
import { daySeconds, firstDay, iso, nameOf, openNetwork } from './network.ts'

const station = 'GRAZ00AUT'
const hour = (n: number): number => (firstDay + 1) * 24 + n
const endOf = (n: number): number => (hour(n) + 1) * 3600
const data = 'https://archive.example/rinex/data/obs/2026/001/'

interface Answer {
  readonly states: string
  readonly possible: number
  readonly delivered: number
  readonly gaps: readonly (readonly unknown[])[]
}

/** A day of hours, of which that of 05 h is still to come. The next two days are asked for. */
async function open(t: Test) {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  for (let n = -24; n < 5; n++) {
    await service.setNow(endOf(n) + 60)
    await service.put(nameOf(hour(n), station, '01H'))
  }
  const json = async <Body>(target: string) => JSON.parse(await service.text(target)) as Body
  const availability = async () => {
    const path = `station/${station}/availability/?period=01H&from=${iso(hour(0) * 3600)}`
    return json<Answer>(path.slice(0, -10))
  }
  const latencies = async () =>
    json<{ arrivals: number; p95_s: number }>(
      `station/${station}/latency/?from=${iso(hour(0) * 3600).slice(0, 10)}`,
    )
  return { ...service, json, availability, latencies, name: nameOf(hour(5), station, '01H') }
}

for (const [what, flags] of [
  ['an incomplete file', { isDamaged: true }],
  ['an empty file', { isEmpty: true }],
] as const)
  t.test(`${what} is no delivery, but a sign of life; a good copy is one`, async (t) => {
    const { put, setNow, json, availability, latencies, name } = await open(t)
    await setNow(endOf(5) + 120)
    await put(name, flags)
    await setNow(endOf(6))
    t.match(await availability(), { states: 'P5X1D1F17', possible: 6, delivered: 5 })
    t.strictSame((await availability()).gaps, [[iso(endOf(4)), iso(endOf(5)), 1, 'damaged']])
    const rows = { results: exact([{ state: 'present', last_slot: iso(hour(4) * 3600) }]) }
    t.match(await json('series/'), rows)
    t.match(await json('missing/?state=damaged'), {
      results: exact([
        {
          start: iso(hour(5) * 3600),
          state: 'damaged',
          since: iso(endOf(5) + 120),
          file: `${data}${name}`,
        },
      ]),
    })
    t.match(await json('missing/?state=late,missing'), { count: 0 })
    t.match(await latencies(), { arrivals: 5, p95_s: 60 })
    await setNow(endOf(6) + 600)
    await put(name)
    t.match(await availability(), { states: 'P6L1F17', possible: 7, delivered: 6 })
    t.match(await latencies(), { arrivals: 6, p95_s: 4200 }, 'it has its own arrival')
    t.match(await json('missing/?state=damaged'), { count: 0 })
  })

t.test('a good file that is overwritten, or found broken, is no delivery any more', async (t) => {
  const { put, findBroken, setNow, availability, json } = await open(t)
  await setNow(endOf(4) + 300)
  await put(nameOf(hour(1), station, '01H'), { isDamaged: true })
  await findBroken(nameOf(hour(3), station, '01H'))
  await setNow(endOf(4) + 420)
  t.match(await availability(), { states: 'P1X1P1X1P1F19', delivered: 3, possible: 5 })
  const { results } = await json<{ results: object[] }>('missing/')
  t.match(results, exact([{ start: iso(hour(3) * 3600) }, { start: iso(hour(1) * 3600) }]))
})

t.test('one good file of several is enough, also one that was removed', async (t) => {
  const { put, findBroken, removeName, setNow, availability, latencies } = await open(t)
  const [first, second] = ['R', 'S'].map((source) => nameOf(hour(4), station, '01H', source))
  if (first === undefined || second === undefined) return
  await setNow(endOf(4) + 300)
  await put(second)
  await findBroken(first)
  t.match(await availability(), { states: 'P5F19', delivered: 5 })
  t.match(await latencies(), { arrivals: 5, p95_s: 300 }, 'the first good one counts')
  await removeName(second)
  t.match(await availability(), { states: 'P4R1F19', delivered: 5 }, 'a purge changes nothing')
  await removeName(first)
  t.match(await availability(), { states: 'P4R1F19', delivered: 5 })
  await removeName(nameOf(hour(3), station, '01H'))
  await put(nameOf(hour(3), station, '01H'), { isDamaged: true })
  t.match(await availability(), { states: 'P3R2F19', delivered: 5 }, 'a good one was there')
})

t.test('files that were never good and are removed were never delivered', async (t) => {
  const { put, removeName, setNow, availability, name } = await open(t)
  await setNow(endOf(5) + 120)
  await put(name, { isDamaged: true })
  await removeName(name)
  await setNow(endOf(6))
  t.match(await availability(), { states: 'P5L1D1F17', delivered: 5 })
  await put(name)
  t.match(await availability(), { states: 'P6D1F17', delivered: 6 }, 'it came back, and is good')
})

t.test('what is found damaged later, without a change of a record, has new tags', async (t) => {
  const { app, findBroken, setNow, passTo } = await open(t)
  await setNow(endOf(4) + 300)
  const targets = [
    ...['network/', 'alerts/', 'series/', 'missing/', 'report/', 'station/?ordering=worst'],
    `station/${station}/availability/?period=01H`,
  ]
  const read = async (target: string, accept: string, tag = '"none"') =>
    app.inject({
      url: `/rinex/api/${target}`,
      headers: { accept, 'if-none-match': tag },
    })
  const asked = targets.flatMap((target): [target: string, accept: string][] => [
    [target, 'application/json'],
    [target, 'text/html'],
  ])
  // What all pages say of the archive is read in the background at first.
  for (const each of asked) await read(...each)
  const tags = await Promise.all(
    asked.map(async (each) => String((await read(...each)).headers.etag)),
  )
  for (const [at, each] of asked.entries())
    t.equal((await read(...each, tags[at])).statusCode, 304, each.join(' '))
  await findBroken(nameOf(hour(3), station, '01H'))
  // The states may be a second old; the time for which they are stays.
  passTo(endOf(4) + 302)
  for (const [at, each] of asked.entries())
    t.equal((await read(...each, tags[at])).statusCode, 200, each.join(' '))
})
