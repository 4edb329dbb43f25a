/** Since when a file was not there, on file systems that tell what changed, and on silent ones. */
import { SilentFileSystems } from '../../../src/indexer/state/silent-file-systems.ts'
import { stamp } from '../../catalogue/catalogue.ts'
import t, { exact } from '../../tap.ts'

const named = { ...stamp, namesSum: 7 }
const asOf = { us: 1e9, steadyMs: 1000 }
const now = { us: 2e9, steadyMs: 2000 }
const [day, hour] = ['nrt/2026/001', 'nrt/2026/001/05']

/** On device 1, which is silent. */
function openSilent() {
  const reported: (string | undefined)[] = []
  const report = (_: string, problem?: { readonly text: string }) => {
    reported.push(problem?.text)
    return problem === undefined
  }
  const silent = new SilentFileSystems({ report }, new Set(['nrt/2026', day]))
  silent.add(1, { path: day, stamp })
  const since = (path: string, stored: typeof stamp | undefined, device = 1) =>
    silent.notThereSince({ path, device, stamp: named }, stored, asOf)
  return { silent, since, reported }
}

t.test('the last time says it where sweeps see what changes', async (t) => {
  const { since } = openSilent()
  t.equal(since('obs/2020/001', { ...stamp, mtimeUs: 9 }, 2), asOf, 'by its times')
  t.equal(since('obs/2020/001', undefined, 2), asOf)
  t.equal(since(day, stamp), asOf, 'by its names')
  t.equal(since(hour, undefined), asOf, 'a new directory, in the one above it')
  t.equal(since(`${hour}/x`, undefined), asOf, 'a new one in this one')
})

t.test('elsewhere the begin of the last read of the directory says it', async (t) => {
  const { silent, since } = openSilent()
  const old = 'obs/2020/001'
  t.equal(since(old, stamp, 2), undefined, 'other names under the same times')
  t.equal(since(old, undefined), undefined)
  silent.seen(1, { path: old, stamp }, now)
  t.equal(since(old, stamp), now)
  silent.swept(new Set([old]), { us: 3e9, steadyMs: 3000 })
  t.equal(since(old, stamp), asOf, 'sweeps read it by name from now on')
  t.equal(since(day, stamp), undefined, 'and another one no more')
  silent.swept(new Set(), { us: 3e9, steadyMs: 602_001 })
  t.equal(since(old, stamp), undefined, 'after ten minutes the read says nothing')
})

t.test('a file system is silent until times come after the names', async (t) => {
  const { silent, reported } = openSilent()
  silent.add(1, { path: 'obs/2020/001', stamp })
  silent.seen(1, { path: day, stamp }, now)
  silent.seen(1, { path: day, stamp: { ...named, mtimeUs: 9 } }, now)
  silent.seen(1, { path: 'obs/2020/001', stamp: { ...stamp, mtimeUs: 9 } }, now)
  t.ok(silent.has(1))
  t.equal(reported.length, 1)
  t.match(reported, exact([/^directories keep their times .* file system of nrt\/2026\/001\//]))
  silent.seen(1, { path: day, stamp: { ...stamp, mtimeUs: 9 } }, now)
  t.notOk(silent.has(1))
  t.strictSame(reported.slice(1), [undefined])
})
