/** Up to which time the states are computed, and why the catalogue is not current. */
import type { Currency, IndexerReport } from '../../src/series/currency.ts'
import { currencyOf } from '../../src/series/currency.ts'
import t from '../tap.ts'

/** The last heartbeat, in seconds since 1970: 20 s after a minute. */
const beat = 1_800_000_020
const heartbeat = { atUs: beat * 1e6 + 700_000, limitSeconds: 180 }

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
  found: { heartbeat?: typeof heartbeat; indexer: IndexerReport; now: number },
  wanted: Partial<Currency>,
])[] = [
  ['no scan has ended', { indexer: watching, now: beat }, { notCurrent: unscanned }],
  ['no scan has ended, and no indexer runs', { indexer: away, now: beat }, { notCurrent: stopped }],
  [
    'the first scan has a problem',
    { indexer: lostArea, now: beat },
    { notCurrent: lost, problems: [withheld] },
  ],
  ['a heartbeat', { heartbeat, indexer: watching, now: beat + 1 }, { asOf: beat }],
  [
    'a heartbeat exactly at its limit',
    { heartbeat, indexer: watching, now: beat + 180.7 },
    { asOf: beat },
  ],
  [
    'a heartbeat older than its limit',
    { heartbeat, indexer: watching, now: beat + 180.75 },
    { asOf: beat, notCurrent: old },
  ],
  [
    'a heartbeat of an archive whose sweeps take longer',
    {
      heartbeat: { ...heartbeat, limitSeconds: 1830 },
      indexer: watching,
      now: beat + 1830,
    },
    { asOf: beat },
  ],
  [
    'an old heartbeat of an archive whose sweeps take longer',
    {
      heartbeat: { ...heartbeat, limitSeconds: 1830 },
      indexer: watching,
      now: beat + 1832,
    },
    { asOf: beat, notCurrent: old.replace('3', '30') },
  ],
  [
    'the indexer is stopped',
    { heartbeat, indexer: away, now: beat + 1 },
    { asOf: beat, notCurrent: stopped },
  ],
  [
    'the indexer has been stopped for long',
    { heartbeat, indexer: away, now: beat + 1000 },
    { asOf: beat, notCurrent: stopped },
  ],
  ['the indexer does not answer', { heartbeat, indexer: silent, now: beat + 1 }, { asOf: beat }],
  [
    'the indexer does not answer, and the heartbeat is old',
    { heartbeat, indexer: silent, now: beat + 200 },
    { asOf: beat, notCurrent: old },
  ],
  [
    'a problem of the indexer that stops nothing',
    { heartbeat, indexer: degraded, now: beat + 1 },
    { asOf: beat, problems: [withheld] },
  ],
  [
    'a problem that stops the catalogue',
    { heartbeat, indexer: lostArea, now: beat + 1 },
    { asOf: beat, notCurrent: lost, problems: [withheld] },
  ],
  [
    'a problem that stops the catalogue comes before the age of the heartbeat',
    { heartbeat, indexer: lostArea, now: beat + 1000 },
    { asOf: beat, notCurrent: lost, problems: [withheld] },
  ],
  ['the clock went back', { heartbeat, indexer: watching, now: beat - 40 }, { asOf: beat - 80 }],
  [
    'the clock went back by less than a second',
    { heartbeat, indexer: watching, now: beat - 0.5 },
    { asOf: beat - 20 },
  ],
  [
    'the clock went back by a year',
    { heartbeat, indexer: watching, now: beat - 365 * 86_400 },
    { asOf: beat - 20 - 365 * 86_400 },
  ],
]

for (const [name, { heartbeat, indexer, now }, wanted] of cases)
  t.test(`the currency: ${name}`, async (t) => {
    const { asOf, notCurrent, problems = [] } = wanted
    const isOld = heartbeat !== undefined && now - heartbeat.atUs / 1e6 > heartbeat.limitSeconds
    t.strictSame(currencyOf(heartbeat, indexer, now), { asOf, notCurrent, isOld, problems })
  })
