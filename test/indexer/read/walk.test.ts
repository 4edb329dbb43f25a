import { walkTree } from '../../../src/indexer/read/walk.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'

t.test('a walk visits every directory once, oldest date first across the areas', async (t) => {
  const archive = testFolder(t, {
    obs: { '2025': { '365': {} }, '2026': { '001': {}, '003': {} } },
    nrt: { '2026': { '001': { '00': {}, '23': {} }, '002': { '05': {} } } },
  })
  const steps = [
    ...walkTree({ archive, layout: defaultLayout, linkedDirectories: [] }, ['obs', 'nrt']),
  ]
  t.same(
    steps.map(({ snapshot }) => snapshot.path).filter((path) => path.split('/').length > 2),
    [
      'obs/2025/365',
      'nrt/2026/001',
      'obs/2026/001',
      'nrt/2026/001/00',
      'nrt/2026/001/23',
      'nrt/2026/002',
      'nrt/2026/002/05',
      'obs/2026/003',
    ],
  )
  const shares = steps.map(({ done }) => done)
  t.same(
    shares,
    shares.toSorted((a, b) => a - b),
    'what is done never falls',
  )
  t.ok(Math.abs((shares.at(-1) ?? 0) - 1) < 1e-9, 'and ends with all of it')
  t.equal(steps.at(-1)?.pending, 0)
})
