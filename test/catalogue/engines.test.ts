/**
 * The engines compared with each other: after the same random history both give the same answers to
 * random questions, in the same order. Without SLOW=1 there are 100 histories and 1,000 questions.
 */
import assert from 'node:assert/strict'
import type { Test } from 'tap'
import type { CatalogueReader } from '../../src/catalogue/questions/reader.ts'
import { lacksPostgres } from '../postgres.ts'
import { fc } from '../random.ts'
import { directoryOf, nameOf, startOf } from '../rinex-names.ts'
import t from '../tap.ts'
import type { OpenedCatalogue } from './catalogue.ts'
import { openCatalogue } from './catalogue.ts'
import { arriving, newFile } from './change.ts'
import { oddPostgres, postgres, sqlite } from './engines.ts'
import { history, startUs, take } from './random-histories.ts'
import type { RandomQuestion } from './random-questions.ts'
import { question } from './random-questions.ts'

const skip = lacksPostgres()
const times = process.env['SLOW'] === '1' ? 10 : 1

async function openBoth(t: Test, second = postgres): Promise<readonly OpenedCatalogue[]> {
  const both = []
  for (const engine of [sqlite, second]) {
    const opened = await openCatalogue(t, { engine, stepUs: 1 })
    opened.clock.us = startUs
    await opened.sql("UPDATE catalogue SET epoch = 'the same'")
    both.push(opened)
  }
  return both
}

/** An answer, or the kind of error. */
async function outcomeOf(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === undefined || /^(SQLITE|\d)/.test(code)) throw error
    return { code }
  }
}

async function compare(
  both: readonly OpenedCatalogue[],
  what: string,
  ask: (opened: OpenedCatalogue) => Promise<unknown>,
): Promise<unknown> {
  const [first, second] = await Promise.all(both.map((each) => outcomeOf(ask(each))))
  // An answer from a query worker has the same bytes in another class.
  assert.deepEqual(structuredClone(second), structuredClone(first), what)
  return first
}

const ofReader = ({ kind, query, ask }: RandomQuestion) =>
  [
    `${kind} ${JSON.stringify(query)}`,
    ({ reader }: { reader: CatalogueReader }) => ask(reader),
  ] as const

/** What the writer knows, and the facts of all files. */
const ofWriter: Readonly<Record<string, (opened: OpenedCatalogue) => Promise<unknown>>> = {
  directories: async ({ writer }) =>
    [...(await writer.directories())].sort((a, b) => (a.path < b.path ? -1 : 1)),
  directory: ({ writer }) => writer.directory('obs/2026/001'),
  part: ({ writer }) => writer.directory('obs/odd', { after: 'G', through: 'h' }),
  removed: ({ writer }) => writer.removalsAfter({ seq: 0, us: startUs + 20 }),
  ends: async ({ writer }) =>
    [...(await writer.dataEnds(Array.from({ length: 500 }, (_, id) => id)))].sort(
      ([a], [b]) => a - b,
    ),
  count: ({ writer }) => writer.count('obs'),
  arrived: ({ writer }) => writer.arrivedUnhashed(undefined),
  unhashed: ({ writer }) => writer.unhashedBelow(1e9, false),
  unread: ({ writer }) => writer.unhashedBelow(1e9, true),
  facts: ({ reader }) => reader.facts({ ids: Array.from({ length: 500 }, (_, id) => id) }),
  stale: ({ writer, clock }) => writer.staleChecksums(clock.us),
  faults: ({ differences }) => differences(),
}

const cases = [
  { name: '', deferred: false, second: postgres, runs: 5 * times },
  { name: ' from a first scan on', deferred: true, second: postgres, runs: 5 * times },
  { name: ' for a role with odd settings', deferred: false, second: oddPostgres, runs: 2 * times },
]

for (const { name, deferred, second, runs } of cases)
  t.test(`after random histories${name}`, { skip }, async (t) => {
    let asked = 0
    const kinds = new Map<string, number>()
    // Each history goes on where the one before it ended.
    const some = fc.array(fc.tuple(history, fc.array(question, { minLength: 10, maxLength: 10 })), {
      minLength: 10,
      maxLength: 10,
    })
    const property = fc.asyncProperty(some, async (histories) => {
      const both = await openBoth(t, second)
      if (deferred) await compare(both, 'defer', ({ writer }) => writer.deferIndexes())
      for (const [at, [steps, questions]] of histories.entries()) {
        for (const step of steps) await compare(both, step.does, (each) => take(each, step))
        if (deferred && at === 3)
          await compare(both, 'build', async ({ writer }) => (await writer.buildIndexes()).left)
        for (const [what, ask] of Object.entries(ofWriter)) await compare(both, what, ask)
        for (const each of questions) {
          const found = await compare(both, ...ofReader(each))
          if (JSON.stringify(found ?? []).length > 120)
            kinds.set(each.kind, (kinds.get(each.kind) ?? 0) + 1)
          asked++
        }
      }
      for (const each of both) await each.close()
    })
    await fc.assert(property, { numRuns: runs, endOnFailure: true })
    t.equal(asked, 100 * runs)
    t.ok(kinds.size >= 12, `${JSON.stringify(Object.fromEntries(kinds))} have found something`)
  })

/** Archives whose files are spread unevenly. */
const skewed: Readonly<Record<string, (opened: OpenedCatalogue) => Promise<void>>> = {
  'one station with half of all files': async ({ apply }) => {
    for (let day = 1; day <= 6; day++) {
      const codes = ['GRAZ00AUT', 'GRAZ00AUT', 'GRAZ00AUT', 'WTZR00DEU', 'GRAZ01DEU', 'ZIMM00CHE']
      const added = codes.map((code, n) =>
        newFile(nameOf(code, startOf(2026, day, n), { period: '01H' }), { size: n, mtimeUs: n }),
      )
      await apply({ added }, directoryOf('obs', startOf(2026, day)))
    }
  },
  'a year that arrives last': async ({ apply }) => {
    for (const year of [2026, 2300, 1960])
      for (let day = 1; day <= 4; day++) {
        const start = startOf(year, day)
        const added = ['GRAZ00AUT', 'WTZR00DEU', 'GRAZ01DEU'].map((code) =>
          newFile(nameOf(code, start)),
        )
        await apply({ added }, directoryOf('obs', start))
      }
  },
  'all files of one day': async ({ apply }) => {
    const added = Array.from({ length: 72 }, (_, n) => {
      const code = ['GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'][n % 3] ?? ''
      return newFile(nameOf(code, startOf(2026, 1, Math.floor(n / 3)), { period: '01H' }))
    })
    await apply({ added: arriving(added, startUs) })
  },
}

for (const [name, fill] of Object.entries(skewed))
  t.test(`in an archive with ${name}`, { skip }, async (t) => {
    const both = await openBoth(t)
    for (const each of both) await fill(each)
    const property = fc.asyncProperty(question, async (each) => {
      await compare(both, ...ofReader(each))
    })
    await fc.assert(property, { numRuns: 100 * times, endOnFailure: true })
  })
