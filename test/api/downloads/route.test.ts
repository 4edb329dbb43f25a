import { parseDataTarget } from '../../../src/api/downloads/route.ts'
import t from '../../tap.ts'
import { dayFile, hourFile } from '../service.ts'

const long = 'a'.repeat(64)

t.test('the target of a file, or of a directory without its slash, is an entry', async (t) => {
  const place = { directory: 'obs/2026/001', name: dayFile }
  const file = `obs/2026/001/${dayFile}`
  const cases: [string, string, object | undefined][] = [
    ['rinex', `/rinex/data/${file}`, place],
    ['rinex', `/rinex/data/${file}?`, place],
    ['rinex', `/rinex/data/${file}?a=../..&b=%00`, place],
    ['gnss/rinex', `/gnss/rinex/data/${file}`, place],
    ['gnss/rinex', `/rinex/data/${file}`, undefined],
    ['rinex', '/rinex/data/obs/x.gz', { directory: 'obs', name: 'x.gz' }],
    ['rinex', `/rinex/data/nrt/${hourFile}`, { directory: 'nrt', name: hourFile }],
    ['rinex', `/rinex/data/obs/${long}/x`, { directory: `obs/${long}`, name: 'x' }],
    ['rinex', `/rinex/data/obs/${long}a/x`, undefined],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/x', { directory: 'obs/b/c/d/e/f/g/h', name: 'x' }],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/x', undefined],
    ['rinex', `/rinex/data/obs/${'x'.repeat(255)}`, { directory: 'obs', name: 'x'.repeat(255) }],
    ['rinex', `/rinex/data/obs/${'x'.repeat(256)}`, undefined],
    ['p'.repeat(1000), `/${'p'.repeat(1000)}/data/${file}`, place],
    ['a.b', `/a.b/data/${file}`, place],
    ['a.b', `/axb/data/${file}`, undefined],
    ['rinex', '/rinex/data', undefined],
    ['rinex', '/rinex/data/x', undefined],
    ['rinex', '/rinex/data/obs', { directory: '', name: 'obs' }],
    ['rinex', '/rinex/data/OBS', undefined],
    ['rinex', '/rinex/data/other/x', undefined],
    ['rinex', '/rinex/data/obs/.x', undefined],
    ['rinex', '/rinex/data/obs/..', undefined],
    ['rinex', '/rinex/data/obs/%78', undefined],
    ['rinex', '/rinex/data/obs/-a/x', undefined],
    ['rinex', '/rinex/data/obs/a-b.c_d/x', { directory: 'obs/a-b.c_d', name: 'x' }],
    ['rinex', '/rinex/data/obs/a-b', { directory: 'obs', name: 'a-b' }],
    ['rinex', '/rinex/data/obs/-a', undefined],
    ['rinex', '/rinex/data/obs/2026/001?/', { directory: 'obs/2026', name: '001' }],
    ['rinex', `/rinex/data/${'obs/'.padEnd(1024, 'x')}`, undefined],
  ]
  for (const [prefix, target, entry] of cases) {
    const expected = entry && { kind: 'entry', ...entry }
    t.strictSame(parseDataTarget(target, prefix), expected, target.slice(0, 60))
  }
})

t.test('the target of a listing or of checksums is parsed into a directory', async (t) => {
  const cases: [string, string, string | undefined][] = [
    ['rinex', '/rinex/data/', ''],
    ['rinex', '/rinex/data/?x', ''],
    ['gnss/rinex', '/gnss/rinex/data/', ''],
    ['gnss/rinex', '/rinex/data/', undefined],
    ['rinex', '/rinex/data//', undefined],
    ['rinex', '/rinex/data/./', undefined],
    ['rinex', '/rinex/data/../', undefined],
    ['rinex', '/rinex/data/obs/', 'obs'],
    ['rinex', '/rinex/data/obs//', undefined],
    ['rinex', '/rinex/data/OBS/', undefined],
    ['rinex', '/rinex/data/other/', undefined],
    ['rinex', '/rinex/data/obs/2026/001/?C=N;O=D', 'obs/2026/001'],
    ['rinex', '/rinex/data/obs/2026/../', undefined],
    ['rinex', '/rinex/data/obs/2026/%30%30%31/', undefined],
    ['rinex', '/rinex/data/obs/2026/.hidden/', undefined],
    ['rinex', '/rinex/data/obs/a-b.c_d/', 'obs/a-b.c_d'],
    ['rinex', '/rinex/data/obs/-a/', undefined],
    ['rinex', `/rinex/data/obs/${long}/`, `obs/${long}`],
    ['rinex', `/rinex/data/obs/${long}a/`, undefined],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/', 'obs/b/c/d/e/f/g/h'],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/', undefined],
  ]
  for (const [prefix, target, directory] of cases) {
    const known = directory !== undefined
    const listing = known ? { kind: 'listing', directory } : undefined
    t.strictSame(parseDataTarget(target, prefix), listing, target.slice(0, 60))
    // The root has no checksums.
    const checksums = known && directory !== '' ? { kind: 'checksums', directory } : undefined
    const [path = ''] = target.split('?')
    t.strictSame(parseDataTarget(`${path}SHA256SUMS?x`, prefix), checksums, `${path}SHA256SUMS`)
  }
})
