/** `expand=file` and `problem`: details of files, and the ETags of responses with them. */
import type { Test } from 'tap'
import type { Checksum } from '../../../src/catalogue/updates/checksum-rows.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { allFacts } from '../../catalogue/some-facts.ts'
import t, { exact } from '../../tap.ts'
import type { Service } from '../service.ts'
import { day, dayFile, openService, shortFile } from '../service.ts'

const api = '/rinex/api'
const facts = { size: 12, mtimeUs: 1_769_058_367_000_008 }
const sha256 = Buffer.alloc(32, 0xab)
const md5 = Buffer.alloc(16, 0xcd)
const misplacedDay = 'obs/2026/002'

const whole = {
  size: 12,
  mtime: '2026-01-22T05:06:07.000008Z',
  sha256: sha256.toString('hex'),
  md5: md5.toString('hex'),
  station: dayFile.slice(0, 9),
  area: 'obs',
  country: dayFile.slice(6, 9),
  interval: '30S',
  content: 'MO',
  source: 'R',
  problem: null,
}
const misplaced = {
  size: 10,
  mtime: '1970-01-01T00:00:00.001000Z',
  sha256: null,
  md5: null,
  station: shortFile.slice(0, 4).toUpperCase(),
  area: 'obs',
  country: null,
  interval: null,
  content: null,
  source: null,
  problem: 'misplaced',
}

async function openWithFiles(t: Test): Promise<Service> {
  const service = await openService(t)
  await service.writer.apply([change(day, { added: [newFile(dayFile, facts)] })])
  await hash(service)
  await service.addNames(misplacedDay, [shortFile])
  return service
}

async function hash({ writer }: Service, other: Partial<Checksum> = {}): Promise<void> {
  await writer.keepChecksums([checksumOf(1, { ...facts, sha256, md5, ...other })], 0)
}

interface Expanded {
  readonly file?: object
  readonly facts?: object | null
}

interface Answer extends Expanded {
  readonly results: readonly (Expanded & { record?: Expanded })[]
  readonly next: string
}

t.test('expand=file adds the details to pages, records, streams and changes', async (t) => {
  const { app } = await openWithFiles(t)
  const get = async (path: string) => (await app.inject(`${api}/${path}`)).json<Answer>()
  const both = [misplaced, whole]
  t.same(
    (await get('rinex-file/?expand=file')).results.map(({ file }) => file),
    both,
  )
  t.same((await get('rinex-file/1/?expand=file')).file, whole)
  t.same(
    (await get('changes/?since=0&expand=file')).results.map(({ record }) => record?.file),
    [whole, misplaced],
  )
  const lines = (await app.inject(`${api}/rinex-file/?format=ndjson&expand=file`)).body
  t.same(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Answer).file),
    both,
  )
  const csv = (await app.inject(`${api}/rinex-file/?format=csv&expand=file`)).body.split('\n')
  t.match(
    csv[0],
    /,modified,size,mtime,sha256,md5,station,area,country,interval,content,source,problem$/,
  )
  t.ok(csv[1]?.endsWith(`,10,${misplaced.mtime},,,${misplaced.station},obs,,,,,misplaced`))
  t.ok(csv[2]?.endsWith(`,${Object.values(whole).join(',')}`))
  for (const path of ['rinex-file/', 'changes/?since=0'])
    t.notMatch(JSON.stringify(await get(path)), '"file"', 'not without expand')
  t.notOk('file' in (await get('rinex-file/1/')))
  t.match((await get('rinex-file/?expand=file&limit=1')).next, 'expand=file&')
  t.match((await get('changes/?since=0&expand=file')).next, 'expand=file&')
})

t.test('expand=facts adds what is inside the files', async (t) => {
  const service = await openWithFiles(t)
  const { app } = service
  const get = async (path: string) => (await app.inject(`${api}/${path}`)).json<Answer>()
  const known = async () => ({
    page: (await get('rinex-file/?expand=facts')).results.map((record) => record.facts),
    record: (await get('rinex-file/1/?expand=facts')).facts,
    feed: (await get('changes/?since=0&expand=facts')).results.map(({ record }) => record?.facts),
    stream: (await app.inject(`${api}/rinex-file/?format=ndjson&expand=facts`)).body
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Answer).facts),
  })
  const [none, all] = [null, allFacts]
  t.strictSame(await known(), {
    page: [none, none],
    record: none,
    feed: [none, none],
    stream: [none, none],
  })
  const url = `${api}/rinex-file/1/?expand=facts`
  const { etag } = (await app.inject(url)).headers
  await hash(service, { facts: allFacts })
  t.strictSame(await known(), {
    page: [none, all],
    record: all,
    feed: [all, none],
    stream: [none, all],
  })
  const again = await app.inject({ url, headers: { 'if-none-match': String(etag) } })
  t.equal(again.statusCode, 200, 'facts change the tag')
  const both = await get('rinex-file/1/?expand=file,facts')
  t.strictSame(Object.keys(both).slice(10), ['file', 'facts'])
  t.notOk('file' in (await get('rinex-file/1/?expand=facts')))
  t.notOk('facts' in (await get('rinex-file/1/?expand=file')))
  const few = (await app.inject(`${api}/rinex-file/?format=csv&expand=facts`)).body.split('\n')
  t.match(few[0], /,modified,rinex_version,systems,interval_s,first,.*,height,flags$/)
  t.match(few[1], /Z,{17}$/)
  const { latitude, longitude, height } = allFacts.position
  t.equal(
    few[2]?.slice(few[2].indexOf(',3.04')),
    ',3.04,GE,30,2026-01-01T18:00:00,2026-01-01T18:44:30.000125,90,120,0.75,GRAZ,' +
      `SEPT POLARX5,5.4.0,LEIAR25.R4,LEIT,${latitude},${longitude},${height},cut short`,
  )
  const feed = await app.inject(`${api}/rinex-file/?format=ndjson&expand=facts`)
  t.match(feed.headers['link'], 'expand=facts', 'the feed that follows a stream has facts too')
  await service.writer.apply([change(day, { removed: [1] })])
  const removed = await get('changes/?since=2&expand=facts')
  t.match(removed.results, exact([{ change: 'removed', record: { id: 1, facts: null } }]))
})

t.test('a removed file has no checksum and no problem', async (t) => {
  const { app, writer } = await openWithFiles(t)
  await writer.apply([change(day, { removed: [1] })])
  const { results } = (await app.inject(`${api}/changes/?since=2&expand=file`)).json<Answer>()
  t.match(
    results,
    exact([
      {
        change: 'removed',
        record: { id: 1, file: { ...whole, sha256: null, md5: null, problem: null } },
      },
    ]),
  )
})

t.test('the parameter expand accepts only file and facts', async (t) => {
  const { app } = await openWithFiles(t)
  const detail = 'Select a valid choice. files is not one of the available choices.'
  for (const path of ['rinex-file/', 'rinex-file/1/', 'changes/', 'rinex-file/?format=csv']) {
    const get = (value: string) =>
      app.inject(`${api}/${path}${path.includes('?') ? '&' : '?'}expand=${value}`)
    const bad = await get('files')
    t.equal(bad.statusCode, 400, path)
    t.same(bad.json(), { expand: [detail] })
    t.equal((await get('')).statusCode, 200, 'an empty value is ignored')
    t.equal((await get('file,facts,file')).statusCode, 200)
  }
})

t.test('files are filtered by their problem', async (t) => {
  const service = await openWithFiles(t)
  const count = async (query: string) =>
    (await service.app.inject(`${api}/rinex-file/?${query}`)).json<{ count: number }>().count
  t.equal(await count('problem=misplaced'), 1)
  t.equal(await count('problem=broken'), 0)
  await hash(service, { problem: 'broken' })
  t.equal(await count('problem=broken'), 1)
  t.equal(await count('problem=broken,misplaced'), 2)
  t.equal(await count('problem=broken&area=nrt'), 0)
  await hash(service, { problem: 'incomplete' })
  t.equal(await count('problem=incomplete'), 1)
  const bad = await service.app.inject(`${api}/rinex-file/?problem=lost`)
  t.match(bad.json(), { problem: exact([/^Select a valid choice\. lost/]) })
  const feed = await service.app.inject(`${api}/changes/?problem=broken`)
  t.equal(feed.statusCode, 400, 'a problem is no change')
  const stream = await service.app.inject(`${api}/rinex-file/?problem=incomplete&format=urls`)
  t.match(stream.body, dayFile)
})

t.test('a new problem changes only the ETags of responses with details', async (t) => {
  const service = await openWithFiles(t)
  const html = { accept: 'text/html' }
  const dependent: [string, object?][] = [
    ['rinex-file/?expand=file'],
    ['rinex-file/?problem=broken'],
    ['rinex-file/1/?expand=file'],
    ['rinex-file/1/', html],
    ['rinex-file/', html],
    ['changes/?since=0&expand=file'],
  ]
  const others: [string, object?][] = [
    ['rinex-file/'],
    ['rinex-file/1/'],
    ['changes/?since=0'],
    ['station/'],
  ]
  const get = async ([path, headers = {}]: [string, object?], tag = '"none"') =>
    service.app.inject({
      url: `${api}/${path}`,
      headers: { ...headers, 'if-none-match': tag },
    })
  const tagsOf = async (all: [string, object?][]) =>
    Promise.all(all.map(async (each) => String((await get(each)).headers.etag)))
  const before = { dependent: await tagsOf(dependent), others: await tagsOf(others) }
  const fresh = await Promise.all(dependent.map((each, at) => get(each, before.dependent[at])))
  for (const { statusCode } of fresh) t.equal(statusCode, 304)
  await hash(service, { problem: 'broken' })
  for (const [at, each] of dependent.entries()) {
    const answer = await get(each, before.dependent[at])
    t.equal(answer.statusCode, 200, each[0])
    if (!each[0].includes('problem')) t.match(answer.body, /\bbroken\b|Damaged: /, each[0])
  }
  for (const [at, each] of others.entries())
    t.equal((await get(each, before.others[at])).statusCode, 304, each[0])
})

t.test('HTML pages show the details of files', async (t) => {
  const { page } = await openWithFiles(t)
  t.match((await page('rinex-file/1/')).text, whole.sha256)
  t.match((await page('rinex-file/2/')).text, 'in the directory of another date')
  t.ok((await page('rinex-file/')).texts('small').includes('misplaced'))
})
