/** Words and days mean the same in every resource. */
import t from '../../tap.ts'
import { openService } from '../service.ts'

const day = '2026-01-05'
const station = '/rinex/api/station/GRAZ00AUT'

t.test('words and days are understood alike everywhere', async (t) => {
  const service = await openService(t)
  await service.addNames('obs/2026/005', ['GRAZ00AUT_R_20260050000_01D_30S_MO.crx.gz'])
  const get = async (url: string) => {
    const answer = await service.app.inject(url)
    t.equal(answer.statusCode, 200, url)
    return answer.body.replaceAll(/"(?:next|previous)":"[^"]*"/g, '')
  }
  const same: readonly (readonly [path: string, name: string, ...values: readonly string[]])[] = [
    ['rinex-file/?', 'file_type', 'o', 'O', 'obs', 'OBS'],
    ['rinex-file/?', 'file_duration', 'd', '01D', '24h'],
    ['rinex-file/?', 'area', 'obs', 'OBS'],
    ['rinex-file/?', 'source', 'R', 'r'],
    ['rinex-file/?', 'interval', '30S', '30s'],
    ['rinex-file/?', 'content', 'MO', 'mo'],
    ['rinex-file/?', 'startDate', day, '2026-005T00:00:00Z', '20260104T240000Z', '5.1.2026'],
    ['series/?', 'file_type', 'o', 'obs'],
    ['series/?', 'period', '01D', '24H', 'd', '01d'],
    ['missing/?', 'file_type', 'o', 'OBS'],
    ['station/?', 'area', 'obs', 'OBS'],
    [`station/GRAZ00AUT/availability/?`, 'file_type', 'o', 'O', 'obs'],
    [
      `station/GRAZ00AUT/availability/?to=${day}&`,
      'from',
      '2026-01-01',
      '2026-01',
      '2026',
      '2026001',
    ],
    [`station/GRAZ00AUT/availability/?from=${day}&`, 'to', '2026-01-31', '2026-01'],
    [`station/GRAZ00AUT/latency/?`, 'period', '01D', '24H'],
  ]
  for (const [path, name, first = '', ...others] of same) {
    const wanted = await get(`/rinex/api/${path}${name}=${first}`)
    for (const other of others)
      t.equal(await get(`/rinex/api/${path}${name}=${other}`), wanted, `${path}${name}=${other}`)
  }
  const ask = async (line: string) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/rinex/api/availability/',
      headers: { 'content-type': 'text/plain' },
      payload: line,
    })
    t.equal(answer.statusCode, 200, line)
    return answer.json<{ series: unknown }>().series
  }
  const wanted = await ask('GRAZ o 01D 2026-01-01 2026-01-31')
  for (const line of ['GRAZ obs 24H 2026-01 2026-01', 'graz O d 2026001 31.1.2026'])
    t.strictSame(await ask(line), wanted, line)
})

t.test('a range that ends before it begins is rejected everywhere', async (t) => {
  const service = await openService(t)
  await service.addNames('obs/2026/005', ['GRAZ00AUT_R_20260050000_01D_30S_MO.crx.gz'])
  for (const [url, field] of [
    ['/rinex/api/rinex-file/?startDate=2026-01-05&endDate=2026-01-04', 'startDate'],
    ['/rinex/api/rinex-file/?format=csv&id__gt=5&id__lt=3', 'id__gt'],
    ['/rinex/api/rinex-file/?overlaps=2026-01-05/2026-01-04', 'overlaps'],
    ['/rinex/api/changes/?since=0&startDate=2026-01-05&endDate=2026-01-04', 'startDate'],
    ['/rinex/api/missing/?from=2026-01-05&to=2026-01-04', 'from'],
    [`${station}/availability/?from=2026-01-05&to=2026-01-04`, 'from'],
    [`${station}/latency/?from=2026-01-05&to=2026-01-04`, 'from'],
  ] as const) {
    const answer = await service.app.inject(url)
    t.equal(answer.statusCode, 400, url)
    t.strictSame(answer.json(), { [field]: ['The range ends before it begins.'] }, url)
  }
})
