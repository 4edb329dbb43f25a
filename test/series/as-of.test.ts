/** Up to which time the states are computed, and why the catalogue is not current. */
import type { AsOf, IndexerReport } from '../../src/series/as-of.ts'
import { asOfNow } from '../../src/series/as-of.ts'
import t from '../tap.ts'

/** The stored as-of, in seconds since 1970: 20 s after a minute. */
const beat = 1_800_000_020
const stored = { atUs: beat * 1e6 + 700_000, limitSeconds: 180 }

const unscanned = 'the archive has not been compared with the catalogue yet'
const stopped = 'the indexer is stopped'
const old = 'the archive has not been compared with the catalogue for more than 3 minutes'
const lost = 'obs/ cannot be read (EIO)'
const withheld = '5 removals in obs/ withheld'

/** What an indexer says that watches, is stopped, does not answer, or has problems. */
const watching = { isStopped: false, reasons: [] }
const away = { isStopped: true }
const silent = { isStopped: false }
const degraded = { isStopped: false, reasons: [withheld] }
const lostArea = { isStopped: false, notCurrent: lost, reasons: [withheld, lost] }

const cases: readonly (readonly [
  name: string,
  found: { stored?: typeof stored; indexer: IndexerReport; now: number },
  wanted: Partial<AsOf>,
])[] = [
  ['no scan has ended', { indexer: watching, now: beat }, { notCurrent: unscanned }],
  ['no scan has ended, and no indexer runs', { indexer: away, now: beat }, { notCurrent: stopped }],
  [
    'the first scan has a problem',
    { indexer: lostArea, now: beat },
    { notCurrent: lost, problems: [withheld] },
  ],
  ['what is stored', { stored, indexer: watching, now: beat + 1 }, { seconds: beat }],
  [
    'what is stored is exactly at its limit',
    { stored, indexer: watching, now: beat + 180.7 },
    { seconds: beat },
  ],
  [
    'what is stored is older than its limit',
    { stored, indexer: watching, now: beat + 180.75 },
    { seconds: beat, notCurrent: old },
  ],
  [
    'an archive whose sweeps take longer',
    {
      stored: { ...stored, limitSeconds: 1830 },
      indexer: watching,
      now: beat + 1830,
    },
    { seconds: beat },
  ],
  [
    'too old, of an archive whose sweeps take longer',
    {
      stored: { ...stored, limitSeconds: 1830 },
      indexer: watching,
      now: beat + 1832,
    },
    { seconds: beat, notCurrent: old.replace('3', '30') },
  ],
  [
    'the indexer is stopped',
    { stored, indexer: away, now: beat + 1 },
    { seconds: beat, notCurrent: stopped },
  ],
  [
    'the indexer has been stopped for long',
    { stored, indexer: away, now: beat + 1000 },
    { seconds: beat, notCurrent: stopped },
  ],
  ['the indexer does not answer', { stored, indexer: silent, now: beat + 1 }, { seconds: beat }],
  [
    'the indexer does not answer, and what is stored is old',
    { stored, indexer: silent, now: beat + 200 },
    { seconds: beat, notCurrent: old },
  ],
  [
    'a problem of the indexer that stops nothing',
    { stored, indexer: degraded, now: beat + 1 },
    { seconds: beat, problems: [withheld] },
  ],
  [
    'a problem that stops the catalogue',
    { stored, indexer: lostArea, now: beat + 1 },
    { seconds: beat, notCurrent: lost, problems: [withheld] },
  ],
  [
    'a problem that stops the catalogue comes before the age of what is stored',
    { stored, indexer: lostArea, now: beat + 1000 },
    { seconds: beat, notCurrent: lost, problems: [withheld] },
  ],
  ['the clock went back', { stored, indexer: watching, now: beat - 40 }, { seconds: beat - 80 }],
  [
    'the clock went back by less than a second',
    { stored, indexer: watching, now: beat - 0.5 },
    { seconds: beat - 20 },
  ],
  [
    'the clock went back by a year',
    { stored, indexer: watching, now: beat - 365 * 86_400 },
    { seconds: beat - 20 - 365 * 86_400 },
  ],
]

for (const [name, { stored, indexer, now }, wanted] of cases)
  t.test(`as of: ${name}`, async (t) => {
    const { seconds, notCurrent, problems = [] } = wanted
    t.strictSame(asOfNow(stored, indexer, now), { seconds, notCurrent, problems })
  })
