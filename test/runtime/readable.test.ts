/** Times, sizes and changes as texts for people. */
import { changeLabel } from '../../src/api/pages/labels.ts'
import {
  exactTime,
  hourWords,
  readableDate,
  readableDuration,
  readableSize,
  readableTime,
} from '../../src/runtime/readable.ts'
import t from '../tap.ts'

t.test('a date has its day of the year, and its time unless the time is midnight', async (t) => {
  for (const [iso, text] of [
    ['2026-01-22T05:00:00Z', '22 Jan 2026 (022) 05:00'],
    ['2026-01-01T00:00:00Z', '1 Jan 2026 (001)'],
    ['2024-12-31T00:00:00Z', '31 Dec 2024 (366)'],
    ['2026-12-31', '31 Dec 2026 (365)'],
    ['0099-12-31T23:45:00Z', '31 Dec 0099 (365) 23:45'],
    [null, ''],
  ] as const)
    t.equal(readableDate(iso), text)
  const thisYear = 2026
  t.equal(readableDate('2026-01-22T05:00:00Z', { thisYear }), '22 Jan (022) 05:00')
  t.equal(readableDate('2025-01-22T05:00:00Z', { thisYear }), '22 Jan 2025 (022) 05:00')
  t.equal(readableDate('2026-01-22T00:00:00Z', { hasClock: true }), '22 Jan 2026 (022) 00:00')
  t.equal(readableDate('2026-01-22T05:00:00Z', { hasClock: false }), '22 Jan 2026 (022)')
  t.equal(readableTime('2026-01-22T00:00:07Z', 'second'), '22 Jan 2026 00:00:07')
  t.equal(readableTime('2026-01-02T05:06:07Z', 'minute', thisYear), '2 Jan 05:06')
  t.equal(exactTime('2026-01-22'), '2026-01-22 (022)')
})

t.test('an hour of data has its begin and its end', async (t) => {
  t.equal(hourWords(13 * 3600), '13–14')
  t.equal(hourWords(86_400 + 23 * 3600), '23–24')
})

t.test('a size has at most three digits', async (t) => {
  for (const [bytes, text] of [
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [1_440_000, '1.4 MB'],
    [123_456_789, '123 MB'],
    [5e15, '5000 TB'],
  ] as const)
    t.equal(readableSize(bytes), text)
})

t.test('a duration has at most two units', async (t) => {
  for (const [seconds, text] of [
    [null, ''],
    [0, '0 s'],
    [119, '119 s'],
    [120, '2 min'],
    [7170, '2 h'],
    [20_400, '5 h 40 min'],
    [3600 * 47 + 59 * 60, '47 h 59 min'],
    [172_800, '2 days'],
    [9 * 86_400 + 3600, '9 days'],
    [10 * 86_400 - 60, '9 days'],
  ] as const)
    t.equal(readableDuration(seconds), text)
  t.equal(exactTime('2026-01-22T05:06:07.000008Z'), '2026-01-22 (022) 05:06:07 UTC')
})

t.test('a change is described by its kind and its times', async (t) => {
  for (const [kind, created, modified, text] of [
    ['created', 3, 3, 'new'],
    ['created', 1, 1, 'restored'],
    ['created', 1, 2, 'restored'],
    ['created', 1, 3, 'restored, with another size or time'],
    ['modified', 1, 3, 'replaced'],
    ['removed', 1, 1, 'removed'],
  ] as const)
    t.equal(changeLabel({ kind, atUs: 3, createdUs: created, modifiedUs: modified }), text)
})
