/** Clients that read the whole list: by links while nothing changes, by id during changes. */
import { change, newFile } from '../../catalogue/change.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import type { Service } from '../service.ts'
import { openService } from '../service.ts'

const list = '/rinex/api/rinex-file/'
const base = 'https://archive.example'
const directories = ['obs/2026/001', 'nrt/2026/001/05', 'obs/2026/002']

interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly { readonly id: number; readonly filename: string }[]
}

async function get({ app }: Service, target: string): Promise<Page> {
  const answer = await app.inject(target.replace(base, ''))
  if (answer.statusCode !== 200) throw new Error(`${target}: ${answer.body}`)
  return answer.json<Page>()
}

/** Follows a link to the last page. */
async function walk(service: Service, start: string, link: 'next' | 'previous'): Promise<Page[]> {
  const pages: Page[] = []
  for (let target: string | null = start; target !== null;) {
    const page = await get(service, target)
    pages.push(page)
    target = page[link]
  }
  return pages
}

const namesOf = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => {
    const number = first + i
    const station = `${'abcx'.charAt(number % 4)}${String(number).padStart(4, '0').slice(-3)}`
    const session = 'abcdefghijklmnopqrstuvwx'.charAt(Math.floor(number / 1000) % 24)
    return `${station}001${session}.26${'dnm'.charAt(number % 3)}.gz`
  })

const queries = [
  '',
  'ordering=id',
  'ordering=filename',
  'ordering=-filename',
  'ordering=data_date',
  'ordering=-modified',
  'ordering=created&file_type=n',
  'file_type=o,m&area=obs',
  'filename__contains=A0&ordering=filename',
  'id__gt=100&id__lt=400',
  'station=a000,b001,c002,d003',
  'station=none',
]

t.test('in an unchanged catalogue the links lead to each record once, both ways', async (t) => {
  const service = await openService(t)
  for (const [index, directory] of directories.entries())
    await service.addNames(directory, namesOf(index * 150, 200))
  for (const query of queries)
    for (const limit of [7, 100, 1000]) {
      const start = `${list}?${query}&limit=${limit}`
      const all = await get(service, `${list}?${query}&limit=1000`)
      const ids = all.results.map(({ id }) => id)
      const pages = await walk(service, start, 'next')
      const name = `${query} by ${limit}`
      t.same(
        pages.flatMap(({ results }) => results.map(({ id }) => id)),
        ids,
        name,
      )
      t.equal(new Set(ids).size, all.count, 'no id twice')
      t.ok(
        pages.every(({ count }) => count === all.count),
        'the count is constant',
      )
      t.equal(pages.length, Math.max(1, Math.ceil(all.count / limit)), 'number of pages')
      const last = Math.floor(Math.max(0, all.count - 1) / limit) * limit
      const back = await walk(service, `${start}&offset=${last}`, 'previous')
      t.same(
        back.reverse().map(({ results }) => results.map(({ id }) => id)),
        pages.map(({ results }) => results.map(({ id }) => id)),
        'the same pages backwards',
      )
    }
})

/** Changes between two pages. */
interface Step {
  readonly add: number
  readonly remove: readonly number[]
  readonly restore: boolean
  readonly modify: readonly number[]
}

const step: fc.Arbitrary<Step> = fc.record({
  add: fc.nat(40),
  remove: fc.array(fc.nat(), { maxLength: 30 }),
  restore: fc.boolean(),
  modify: fc.array(fc.nat(), { maxLength: 10 }),
})

/** Applies steps; `stayed` has the ids that were live all the time. */
async function openChanges(service: Service) {
  const { writer } = service
  let nextName = 0
  let removed: { path: string; name: string }[] = []
  const live = async () => {
    const all: { id: number; path: string; name: string }[] = []
    for (const path of directories)
      for (const [name, { id }] of (await writer.directory(path))?.files ?? [])
        all.push({ id, path, name })
    return all
  }
  const addFiles = async (count: number) => {
    const path = directories[nextName % directories.length] ?? ''
    const added = namesOf(nextName, count).map((name) => newFile(name, { size: 1, mtimeUs: 1 }))
    nextName += count
    await writer.apply([change(path, { added })])
  }
  for (let wave = 0; wave < 3; wave++) await addFiles(100)
  const stayed = new Set((await live()).map(({ id }) => id))
  return {
    stayed,
    async apply({ add, remove, restore, modify }: Step) {
      const files = await live()
      const pick = (places: readonly number[]) =>
        [...new Set(places.map((place) => place % files.length))].flatMap((at) => files[at] ?? [])
      const removing = pick(remove)
      const modifying = pick(modify).filter((file) => !removing.includes(file))
      for (const { id, path } of removing) {
        stayed.delete(id)
        await writer.apply([change(path, { removed: [id] })])
      }
      for (const { id, path, name } of modifying)
        await writer.apply([
          change(path, { modified: [{ id, name, size: id, mtimeUs: nextName }] }),
        ])
      if (restore)
        for (const { path, name } of removed)
          await writer.apply([change(path, { added: [newFile(name, { size: 1, mtimeUs: 1 })] })])
      removed = restore ? removing : [...removed, ...removing]
      await addFiles(add)
    },
  }
}

t.test('in a changing catalogue paging by id finds each record that stayed, once', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 12, maxLength: 12 }),
      fc.integer({ min: 10, max: 60 }),
      fc.constantFrom('', 'file_type=o,n', 'area=obs', 'filename__contains=A'),
      async (steps, limit, filter) => {
        await t.test('paging by id finds each record that stayed, once', async (t) => {
          const service = await openService(t)
          const changes = await openChanges(service)
          const matching = await get(service, `${list}?${filter}&limit=1000`)
          const wanted = new Set(matching.results.map(({ id }) => id))
          const seen: number[] = []
          let before = ''
          for (let page = 0; ; page++) {
            const { results } = await get(service, `${list}?${filter}&limit=${limit}${before}`)
            seen.push(...results.map(({ id }) => id))
            if (results.length === 0) break
            before = `&id__lt=${results.at(-1)?.id ?? 0}`
            const next = steps[page % steps.length]
            if (next !== undefined) await changes.apply(next)
          }
          t.equal(new Set(seen).size, seen.length, 'no id twice')
          const missed = [...changes.stayed].filter((id) => wanted.has(id) && !seen.includes(id))
          t.same(missed, [], 'no record is missing')
          t.ok(
            seen.every((id, index) => index === 0 || id < (seen[index - 1] ?? 0)),
            'descending ids',
          )
        })
        return t.passing()
      },
    ),
    { numRuns: 8, endOnFailure: true },
  )
})
