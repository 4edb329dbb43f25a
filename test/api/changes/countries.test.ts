/**
 * The change feed with a filter on countries: clients hold exactly the filtered list, or must start
 * again.
 */
import type { Test } from 'tap'
import { change } from '../../catalogue/change.ts'
import { applySteps, steps } from '../../catalogue/random-steps.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import type { Service } from '../service.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'

const list = '/rinex/api/rinex-file/'
const feed = '/rinex/api/changes/'
const twin = 'GRAZ01AUT_R_20260010000_01D_30S_MO.crx.gz'

interface Entry {
  readonly id: number
  readonly filename: string
}

interface Page {
  readonly next: string
  readonly results: readonly { readonly change: string; readonly record: Entry }[]
}

const target = (url: string): string => url.replace('https://archive.example', '')

const listed = async ({ app }: Service, country = 'AUT'): Promise<readonly Entry[]> =>
  (await app.inject(`${list}?country=${country}&limit=1000`)).json<{ results: Entry[] }>().results

/** A client that keeps the list of a country. After 410 it starts again with the whole list. */
function openClient({ app }: Service, limit: number) {
  const held = new Map<number, Entry>()
  // A client without a list may also begin with the first change.
  let next = `${feed}?country=AUT&since=0&limit=${limit}`
  const begin = async (during = () => Promise.resolve()): Promise<void> => {
    held.clear()
    const streaming = app.inject(`${list}?country=AUT&format=ndjson`)
    await during()
    const { headers, body } = await streaming
    for (const line of body.split('\n').slice(0, -1)) {
      const record = JSON.parse(line) as Entry
      held.set(record.id, record)
    }
    next = `${feed}?country=AUT&since=${String(headers['catalogue-seq'])}&limit=${limit}`
  }
  return {
    held,
    begin,
    async follow(): Promise<void> {
      for (let restarts = 0; ;) {
        const answer = await app.inject(target(next))
        if (answer.statusCode === 410) {
          if (++restarts > 1) throw new Error('410 directly after the whole list')
          await begin()
          continue
        }
        const page = answer.json<Page>()
        for (const { change: kind, record } of page.results)
          if (kind === 'removed') held.delete(record.id)
          else held.set(record.id, record)
        next = page.next
        if (page.results.length === 0) return
      }
    },
    /** Applies one page of changes. */
    async followPage(): Promise<void> {
      const page = (await app.inject(target(next))).json<Partial<Page>>()
      for (const { change: kind, record } of page.results ?? [])
        if (kind === 'removed') held.delete(record.id)
        else held.set(record.id, record)
      next = page.next ?? next
    },
  }
}

async function holdTheList(t: Test): Promise<void> {
  const names = ['graz0010.26d.gz', dayFile, twin, 'GRAZ00DEU_R_20260010000_01D_30S_MO.crx.gz']
  const service = await openService(t)
  const { writer } = service
  const holds = fc.asyncProperty(
    ...[steps, steps, steps, steps, fc.integer({ min: 1, max: 5 })],
    async (before, during, between, after, limit) => {
      const walker = openClient(service, limit)
      const client = openClient(service, limit)
      await applySteps(writer, before, names)
      await walker.followPage()
      await client.begin(() => applySteps(writer, during, names))
      for (const some of [between, after]) {
        await applySteps(writer, some, names)
        for (const each of [client, walker]) await each.follow()
        const live = await listed(service)
        const expected = live.map((record) => [record.id, record] as const)
        t.strictSame([...client.held].sort(), [...expected].sort(), 'from the whole list')
        t.strictSame([...walker.held].sort(), [...expected].sort(), 'from the first change')
        // The next steps happen when the clients have read a part of the changes.
        await applySteps(writer, before, names)
        for (const each of [client, walker]) await each.followPage()
      }
    },
  )
  await fc.assert(holds, { numRuns: 8 })
}

t.test('a client of a country always ends with exactly its list', holdTheList)

t.test('list and feed of a country have the same files', async (t) => {
  const service = await openService(t)
  const { app } = service
  await service.addNames(day, [dayFile, shortFile, 'zimm0010.26d.gz'])
  await service.addNames(hour, [hourFile, 'graz001f.26n.gz'])
  const ids = (entries: readonly Entry[]): number[] => entries.map(({ id }) => id).sort()
  for (const limit of [1, 2, 1000]) {
    const found: Entry[] = []
    for (let next = `${feed}?country=AUT&since=0&limit=${limit}`; ;) {
      const page = (await app.inject(target(next))).json<Page>()
      if (page.results.length === 0) break
      found.push(...page.results.map(({ record }) => record))
      next = page.next
    }
    t.strictSame(ids(found), ids(await listed(service)), `${limit} on a page`)
    t.equal(found.length, 4)
  }
})

t.test('a client must start again if files entered or left its country', async (t) => {
  const service = await openService(t)
  const { app, writer } = service
  const seq = async () => (await service.reader.head()).seq
  const codeFrom = async (since: number, country = 'AUT'): Promise<number> =>
    (await app.inject(`${feed}?country=${country}&since=${since}`)).statusCode
  await service.addNames(day, [shortFile, 'ZIMM00CHE_R_20260010000_01D_30S_MO.crx.gz'])
  const alone = await seq()
  t.equal(await codeFrom(alone), 200, 'no file is in the country')
  await service.addNames(day, [dayFile])
  t.equal(await codeFrom(alone), 410, 'the short name entered')
  t.equal(await codeFrom(alone, 'CHE'), 200, 'no file of another country moved')
  const joined = await seq()
  await service.addNames(hour, [hourFile])
  t.equal(await codeFrom(joined), 200, 'another file of the long code')
  const both = await seq()
  await service.addNames(hour, [twin])
  t.equal(await codeFrom(both), 410, 'the short name left')
  const apart = await seq()
  t.equal(await codeFrom(apart), 200)
  const [{ id } = { id: 0 }] = await listed(service)
  await writer.apply([change(hour, { removed: [id] })])
  const answer = await app.inject(`${feed}?country=AUT&since=${apart}`)
  t.equal(answer.statusCode, 410, 'the short name entered again')
  t.match(answer.json(), {
    detail: `Files with short names entered or left the countries up to number ${await seq()}: start again with the whole list.`,
  })
  t.equal((await app.inject(`${feed}?since=${alone}`)).statusCode, 200, 'without a country')
})

t.test('a client that waits learns that files entered its country', async (t) => {
  let polls = 0
  const service = await openService(t, {
    reader: (reader) => ({ head: () => (polls++, reader.head()) }),
  })
  await service.addNames(day, [shortFile])
  const port = await service.listen()
  const waiting = fetch(`http://127.0.0.1:${port}${feed}?country=AUT&since=1&wait=30`)
  await until('the client waits', () => polls > 10)
  await service.addNames(day, [dayFile])
  t.equal((await waiting).status, 410)
  t.strictSame(
    service.log.filter(({ level }) => Number(level) >= 50),
    [],
  )
})

t.test('the page for people shows the latest changes of a country', async (t) => {
  const service = await openService(t)
  await service.addNames(day, [shortFile, 'graz0010.26d.gz', 'graz0010.26n.gz'])
  await service.addNames(day, [dayFile])
  t.match((await service.page('changes/?country=AUT&limit=2')).text, dayFile)
})
