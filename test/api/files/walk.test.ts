/** Clients that walk through the whole list: by its links while nothing changes, by id while everything does. */
import t from 'tap'
import { change, newFile } from '../../catalogue/change.ts'
import { fc } from '../../random.ts'
import { openService } from '../service.ts'
import type { Service } from '../service.ts'

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

/** Follows a link as long as there is one. */
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

t.test(
  'the links of a list that does not change lead past every record once, both ways',
  async (t) => {
    const service = await openService(t)
    for (const [index, directory] of directories.entries())
      await service.addNames(directory, namesOf(index * 150, 200))
    for (const query of queries)
      for (const limit of [7, 100, 1000]) {
        const start = `${list}?${query}&limit=${limit}`
        const whole = await get(service, `${list}?${query}&limit=1000`)
        const ids = whole.results.map(({ id }) => id)
        const pages = await walk(service, start, 'next')
        const name = `${query} by ${limit}`
        t.same(
          pages.flatMap(({ results }) => results.map(({ id }) => id)),
          ids,
          name,
        )
        t.equal(new Set(ids).size, whole.count, 'each once')
        t.ok(
          pages.every(({ count }) => count === whole.count),
          'the count stays',
        )
        t.equal(pages.length, Math.max(1, Math.ceil(whole.count / limit)), 'no page too many')
        const last = Math.floor(Math.max(0, whole.count - 1) / limit) * limit
        const back = await walk(service, `${start}&offset=${last}`, 'previous')
        t.same(
          back.reverse().map(({ results }) => results.map(({ id }) => id)),
          pages.map(({ results }) => results.map(({ id }) => id)),
          'and back',
        )
      }
  },
)

/** What a writer does between two pages. */
interface Turn {
  readonly arrive: number
  readonly leave: readonly number[]
  readonly comeBack: boolean
  readonly modify: readonly number[]
}

const turn: fc.Arbitrary<Turn> = fc.record({
  arrive: fc.nat(40),
  leave: fc.array(fc.nat(), { maxLength: 30 }),
  comeBack: fc.boolean(),
  modify: fc.array(fc.nat(), { maxLength: 10 }),
})

/** Files that come and go; it remembers which were there all the time since `start`. */
async function openChurn(service: Service) {
  const { writer } = service
  let given = 0
  let gone: { path: string; name: string }[] = []
  const live = async () => {
    const all: { id: number; path: string; name: string }[] = []
    for (const path of directories)
      for (const [name, { id }] of (await writer.directory(path))?.files ?? [])
        all.push({ id, path, name })
    return all
  }
  const add = async (count: number) => {
    const path = directories[given % directories.length] ?? ''
    const added = namesOf(given, count).map((name) => newFile(name, { size: 1, mtimeUs: 1 }))
    given += count
    await writer.apply([change(path, { added })])
  }
  for (let wave = 0; wave < 3; wave++) await add(100)
  const stayed = new Set((await live()).map(({ id }) => id))
  return {
    stayed,
    async turn({ arrive, leave, comeBack, modify }: Turn) {
      const files = await live()
      const pick = (places: readonly number[]) =>
        [...new Set(places.map((place) => place % files.length))].flatMap((at) => files[at] ?? [])
      const leaving = pick(leave)
      const changing = pick(modify).filter((file) => !leaving.includes(file))
      for (const { id, path } of leaving) {
        stayed.delete(id)
        await writer.apply([change(path, { removed: [id] })])
      }
      for (const { id, path, name } of changing)
        await writer.apply([change(path, { modified: [{ id, name, size: id, mtimeUs: given }] })])
      if (comeBack)
        for (const { path, name } of gone)
          await writer.apply([change(path, { added: [newFile(name, { size: 1, mtimeUs: 1 })] })])
      gone = comeBack ? leaving : [...gone, ...leaving]
      await add(arrive)
    },
  }
}

t.test('by id a list that changes is walked past every record that stayed, once', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 12, maxLength: 12 }),
      fc.integer({ min: 10, max: 60 }),
      fc.constantFrom('', 'file_type=o,n', 'area=obs', 'filename__contains=A'),
      async (turns, limit, filter) => {
        await t.test('walk', async (t) => {
          const service = await openService(t)
          const churn = await openChurn(service)
          const matching = await get(service, `${list}?${filter}&limit=1000`)
          const wanted = new Set(matching.results.map(({ id }) => id))
          const seen: number[] = []
          let before = ''
          for (let page = 0; ; page++) {
            const { results } = await get(service, `${list}?${filter}&limit=${limit}${before}`)
            seen.push(...results.map(({ id }) => id))
            if (results.length === 0) break
            before = `&id__lt=${results.at(-1)?.id ?? 0}`
            const next = turns[page % turns.length]
            if (next !== undefined) await churn.turn(next)
          }
          t.equal(new Set(seen).size, seen.length, 'none twice')
          const missed = [...churn.stayed].filter((id) => wanted.has(id) && !seen.includes(id))
          t.same(missed, [], 'none missed')
          t.ok(
            seen.every((id, index) => index === 0 || id < (seen[index - 1] ?? 0)),
            'from the highest down',
          )
        })
        return t.passing()
      },
    ),
    { numRuns: 8, endOnFailure: true },
  )
})
