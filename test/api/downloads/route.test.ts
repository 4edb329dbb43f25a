import { parseDataTarget } from '../../../src/api/downloads/route.ts'
import type { Layout } from '../../../src/parse/layout.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { createLayout } from '../../../src/parse/layout.ts'
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
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/j/k/l/m/x', undefined],
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
    t.strictSame(parseDataTarget(target, prefix, defaultLayout), expected, target.slice(0, 60))
  }
})

t.test('targets in other areas, above them, and of what is excluded', async (t) => {
  const lists = { suffixes: ['.gz'], exclude: ['raw/', '*.bad.gz'] }
  const deep = createLayout({ ...lists, areas: ['pub/rinex3', 'data'] })
  const whole = createLayout({ ...lists, areas: ['.'] })
  const cases: [Layout, string, string, object | undefined][] = [
    [deep, 'pub/', 'above an area', { kind: 'listing', directory: 'pub' }],
    [deep, 'pub', 'to be redirected', { kind: 'entry', directory: '', name: 'pub' }],
    [deep, 'pub/rinex3', 'an area', { kind: 'entry', directory: 'pub', name: 'rinex3' }],
    [deep, 'pub/rinex3/', 'an area', { kind: 'listing', directory: 'pub/rinex3' }],
    [deep, 'pub/other/', 'beside an area', undefined],
    [deep, 'pub/x', 'beside an area', undefined],
    [deep, 'pub/SHA256SUMS', 'no files are there', undefined],
    [deep, 'obs/', 'no area', undefined],
    [deep, 'data/x', 'in an area', { kind: 'entry', directory: 'data', name: 'x' }],
    [deep, 'data/x.bad.gz', 'excluded', undefined],
    [deep, 'data/raw', 'a file of this name', { kind: 'entry', directory: 'data', name: 'raw' }],
    [deep, 'data/raw/', 'excluded', undefined],
    [deep, 'data/raw/x', 'excluded', undefined],
    [deep, 'data/raw/SHA256SUMS', 'excluded', undefined],
    [whole, 'x.gz', 'in the root', { kind: 'entry', directory: '', name: 'x.gz' }],
    [whole, 'SHA256SUMS', 'of the root', { kind: 'checksums', directory: '', name: 'SHA256SUMS' }],
    [deep, 'data/MD5SUMS', 'MD5', { kind: 'checksums', directory: 'data', name: 'MD5SUMS' }],
    [whole, 'a/b/', 'anywhere', { kind: 'listing', directory: 'a/b' }],
    [whole, '/', 'no path', undefined],
    [whole, '/x.gz', 'no path', undefined],
  ]
  for (const [layout, target, note, expected] of cases)
    t.strictSame(parseDataTarget(`/rinex/data/${target}`, 'rinex', layout), expected, note)
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
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/j/k/l/', 'obs/b/c/d/e/f/g/h/i/j/k/l'],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/j/k/l/m/', undefined],
  ]
  for (const [prefix, target, directory] of cases) {
    const known = directory !== undefined
    const listing = known ? { kind: 'listing', directory } : undefined
    t.strictSame(parseDataTarget(target, prefix, defaultLayout), listing, target.slice(0, 60))
    // The root has no checksums.
    const name = 'SHA256SUMS'
    const checksums = known && directory !== '' ? { kind: 'checksums', directory, name } : undefined
    const [path = ''] = target.split('?')
    t.strictSame(
      parseDataTarget(`${path}SHA256SUMS?x`, prefix, defaultLayout),
      checksums,
      `${path}SHA256SUMS`,
    )
  }
})
