/** The types of receivers and antennas as JSON, as CSV and as pages, against the list of files. */
import type { Test } from 'tap'
import type { Antenna, Equipment } from '../../../src/rinex/facts.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { openService, startUs } from '../service.ts'

/** A service with a daily file of each of these, of a day after the other. */
async function open(t: Test, files: readonly (Equipment | undefined)[]) {
  const service = await openService(t, { nowUs: startUs })
  const nameOf = (id: number) =>
    `GRAZ00AUT_R_2026${String(id).padStart(3, '0')}0000_01D_30S_MO.crx.gz`
  for (const [index, equipment] of files.entries()) {
    const id = index + 1
    await service.writer.apply([change('obs/2026/001', { added: [newFile(nameOf(id))] })])
    const facts = equipment && { ...equipment, flags: [] }
    if (facts) await service.writer.keepChecksums([checksumOf(id, { facts })], id)
  }
  const get = (path: string) => service.app.inject(`/rinex/api/${path}`)
  const list = async (path: string) => {
    const answer = await get(path)
    t.equal(answer.statusCode, 200, path)
    return answer.json<{ count: number; results: readonly Wire[] }>()
  }
  return { ...service, nameOf, get, list }
}

interface Wire {
  readonly receiver?: string
  readonly antenna?: string
  readonly radome?: string | null
  readonly count: number
  readonly newest: string
  readonly newest_url: string
  readonly files: string | null
}

const polarx = (type = 'SEPT POLARX5'): Equipment => ({
  receiver: { type, serial: '1', version: '5.4.0' },
  antenna: { type: 'LEIAR25.R4', radome: 'LEIT', serial: '2' },
})

t.test('types with their files, the most files first', async (t) => {
  const { list, nameOf } = await open(t, [
    polarx(),
    polarx('Sept PolaRx5'),
    { receiver: { type: 'TRIMBLE NETR9' }, antenna: { type: 'LEIAR25.R4' } },
    { receiver: { serial: 'no type' }, antenna: { radome: 'NONE' } },
    { agency: 'nothing' },
    undefined,
  ])
  const api = 'https://archive.example/rinex/api/'
  t.strictSame((await list('receiver/')).results, [
    {
      // As the newest one writes it.
      receiver: 'Sept PolaRx5',
      count: 2,
      newest: nameOf(2),
      newest_url: `${api}rinex-file/2/?format=api`,
      files: `${api}rinex-file/?format=api&receiver=Sept+PolaRx5`,
    },
    {
      receiver: 'TRIMBLE NETR9',
      count: 1,
      newest: nameOf(3),
      newest_url: `${api}rinex-file/3/?format=api`,
      files: `${api}rinex-file/?format=api&receiver=TRIMBLE+NETR9`,
    },
  ])
  const antennas = (await list('antenna/')).results
  t.strictSame(
    antennas.map(({ antenna, radome, count, files }) => [antenna, radome, count, files]),
    [
      ['LEIAR25.R4', 'LEIT', 2, `${api}rinex-file/?antenna=LEIAR25.R4&format=api&radome=LEIT`],
      // A filter by the type alone finds those with a radome too.
      ['LEIAR25.R4', null, 1, null],
    ],
  )
})

t.test('a part of a type, an order, pages and what is refused', async (t) => {
  const types = ['SEPT POLARX5', 'SEPT POLARX5TR', 'SEPT POLARX5', 'TRIMBLE NETR9']
  const { get, list } = await open(
    t,
    types.map((type) => ({
      receiver: { type },
      antenna: { type: 'ASH701945C_M', radome: 'SCIS' },
    })),
  )
  const found = async (query: string) => {
    const { count, results } = await list(`receiver/?${query}`)
    return [count, ...results.map(({ receiver }) => receiver)]
  }
  t.strictSame(await found(''), [3, 'SEPT POLARX5', 'SEPT POLARX5TR', 'TRIMBLE NETR9'])
  t.strictSame(await found('search=polarx5t'), [1, 'SEPT POLARX5TR'])
  t.strictSame(await found('search=Trimble%20'), [1, 'TRIMBLE NETR9'])
  t.strictSame(await found('search=LEICA'), [0])
  t.strictSame(await found('ordering=-receiver&limit=1'), [3, 'TRIMBLE NETR9'])
  t.strictSame(await found('ordering=receiver&offset=1&limit=1'), [3, 'SEPT POLARX5TR'])
  t.strictSame(await found('offset=7'), [3])
  t.equal((await list('antenna/?search=_M%20sc')).count, 1)
  t.equal((await get('receiver/?ordering=radome')).statusCode, 400)
  t.match((await get('receiver/?receiver=x')).headers, { 'ignored-parameters': 'receiver' })
  t.equal((await get('receiver/?format=csv&receiver=x&strict=1')).statusCode, 400)
  const [head, line = '', ...others] = (await get('antenna/?format=csv')).body
    .trimEnd()
    .split(/\r?\n/)
  t.equal(head, 'antenna,radome,count,newest,newest_url,files')
  t.ok(line.startsWith('ASH701945C_M,SCIS,4,'), line)
  t.strictSame(others, [])
})

t.test('facts are a change of the answer', async (t) => {
  const { app, writer } = await open(t, [polarx(), undefined])
  const url = '/rinex/api/receiver/'
  const before = await app.inject(url)
  const again = { url, headers: { 'if-none-match': String(before.headers.etag) } }
  t.equal((await app.inject(again)).statusCode, 304)
  await writer.keepChecksums([checksumOf(2, { facts: { ...polarx(), flags: [] } })], 2)
  const { results } = (await app.inject(again)).json<{ results: readonly Wire[] }>()
  t.equal(results[0]?.count, 2)
})

t.test('what headers say is text', async (t) => {
  const type = '<b>"\u202e&+%/?#=' + 'W'.repeat(20)
  const { page, list } = await open(t, [{ receiver: { type }, antenna: { type, radome: '<i>' } }])
  for (const kind of ['receiver', 'antenna']) {
    const { results } = await list(`${kind}/`)
    const files = new URL(results[0]?.files ?? '')
    t.match(await list(`rinex-file/${files.search}`), { count: 1 })
    const found = await page(`${kind}/`)
    t.ok(found.text.includes(type), kind)
    const href = found.links().find(({ text }) => text === type)?.href ?? ''
    t.match(
      await list(`rinex-file/${new URL(href, 'http://a/b/').search.replace('format=api', '')}`),
      { count: 1 },
    )
  }
})

const some = fc.constantFrom('SEPT POLARX5', 'sept PolaRx5', 'SEPT POLARX5', 'Ä,b', 'ä,b', 'a b')
const anyEquipment = fc.option(
  fc.record(
    {
      receiver: fc.record(
        { type: some, version: fc.constantFrom('1', '2') },
        { requiredKeys: ['version'] },
      ),
      antenna: fc.record(
        { type: some, radome: fc.constantFrom('LEIT', 'leit', 'NONE') },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined, freq: 9 },
)

t.test('numbers and newest files are those of the list with the filter', async (t) => {
  const histories = fc.array(anyEquipment, { minLength: 1, maxLength: 25, size: 'max' })
  const property = fc.asyncProperty(histories, async (files) => {
    const { list } = await open(t, files)
    for (const kind of ['receiver', 'antenna'] as const) {
      const { count, results } = await list(`${kind}/?limit=1000`)
      const low = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
      const named = files.flatMap((each) => {
        const { type, radome = '' }: Antenna = each?.[kind] ?? {}
        return type === undefined ? [] : [low(`${type}\n${kind === 'antenna' ? radome : ''}`)]
      })
      t.equal(count, new Set(named).size, kind)
      t.equal(
        results.reduce((sum, each) => sum + each.count, 0),
        named.length,
      )
      for (const each of results) {
        if (each.files === null) continue
        const ofFilter = await list(`rinex-file/${new URL(each.files).search}`)
        t.equal(ofFilter.count, each.count)
        t.match(ofFilter.results[0], { filename: each.newest, url: each.newest_url })
      }
    }
    return t.passing()
  })
  await fc.assert(property, { numRuns: 12 })
})
