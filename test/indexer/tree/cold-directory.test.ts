import t from '../../tap.ts'
import { isCold } from '../../../src/indexer/tree/directory-snapshot.ts'
import { parseDirectory } from '../../../src/parse/archive-path.ts'

t.test('a directory is cold when its date is past and its mtime is old', async (t) => {
  const hourMs = 3_600_000
  const nowMs = Date.UTC(2026, 0, 10)
  const cases = [
    { path: 'obs/2026/005', touchedHours: 25, cold: true },
    { path: 'obs/2026/005', touchedHours: 23, cold: false },
    { path: 'obs/2026/007', touchedHours: 48, cold: false },
    { path: 'obs/2026/008', touchedHours: 48, cold: false },
    { path: 'nrt/2026/007/22', touchedHours: 25, cold: true },
    { path: 'nrt/2026/007/23', touchedHours: 25, cold: false },
    { path: 'obs/2026', touchedHours: 48, cold: false },
    { path: 'obs/2025', touchedHours: 48, cold: true },
    { path: 'obs', touchedHours: 1000, cold: false },
    { path: 'obs/2020/001/deeper', touchedHours: 1000, cold: false },
    { path: 'elsewhere/2020', touchedHours: 1000, cold: false },
    { path: 'obs/2020/001', touchedHours: -1000, cold: false },
  ]
  for (const { path, touchedHours, cold } of cases) {
    const touchedMs = nowMs - touchedHours * hourMs
    const directory = parseDirectory(path)
    t.equal(isCold({ directory, touchedMs, nowMs }), cold, `${path}, ${touchedHours} h ago`)
  }
})
