/** The volumes agree with a naive sum over all records, on both engines. */
import type { CatalogueReader } from '../../src/catalogue/questions/reader.ts'
import type { Volume } from '../../src/catalogue/sums.ts'
import { parseFilename } from '../../src/parse/filename.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'
import { checksumOf, openCatalogue } from './catalogue.ts'
import { newFile } from './change.ts'
import { engine, sqlite } from './engines.ts'
import { history, startUs, take } from './random-histories.ts'

const shortPeriods: Readonly<Record<string, string>> = { d: '01D', h: '01H', m: '15M' }

/** A line of the naive sum for each group: `2026-01 obs o 01D: 3 files, 20 bytes`. */
async function naive(reader: CatalogueReader) {
  const { records } = await reader.page({ limit: 100_000, offset: 0, details: true })
  const files = records.map(({ directory, name, details }) => {
    const parsed = parseFilename(name)
    if (parsed.kind === 'rejected') throw new Error(name)
    const period = parsed.period || shortPeriods[parsed.duration]
    const start = new Date(parsed.startSeconds * 1000).toISOString()
    const group = `${directory.slice(0, 3)} ${parsed.type} ${period ?? ''}`
    return { start, group, size: details?.size }
  })
  const linesBy = (keyOf: (file: (typeof files)[number]) => string): string[] => {
    const groups = Map.groupBy(files, keyOf)
    const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([key, group]) => {
      const bytes = group.reduce((sum, { size }) => sum + (size ?? NaN), 0)
      return `${key}: ${group.length} files, ${bytes} bytes`
    })
  }
  return {
    totals: linesBy(({ group }) => group),
    months: linesBy(({ start, group }) => `${start.slice(0, 7)} ${group}`),
    days: linesBy(({ start, group }) => `${start.slice(0, 10)} ${group.slice(0, 3)}`),
  }
}

const iso = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

async function asked(reader: CatalogueReader, days = { fromDay: -800_000, toDay: 3_000_000 }) {
  const found = await reader.volumes({ days })
  const line = (key: string, { files, bytes }: Volume): string =>
    `${key}: ${files} files, ${bytes} bytes`
  return {
    totals: found.totals.map((each) =>
      line(`${each.area} ${each.fileType} ${each.period ?? ''}`, each),
    ),
    months: found.months?.map((each) =>
      line(`${each.month} ${each.area} ${each.fileType} ${each.period ?? ''}`, each),
    ),
    days: found.days?.map((each) => line(`${iso(each.day)} ${each.area}`, each)),
  }
}

t.test('the volumes are those of the records', async (t) => {
  const share = engine === sqlite ? 1 : 0.25
  const property = fc.asyncProperty(
    fc.array(history, { minLength: 2, maxLength: 4 }),
    async (histories) => {
      const opened = await openCatalogue(t, { stepUs: 1 })
      opened.clock.us = startUs
      for (const steps of histories) {
        for (const step of steps) await take(opened, step)
        t.strictSame(await asked(opened.reader), await naive(opened.reader))
      }
      await opened.close()
    },
  )
  await fc.assert(property, { numRuns: 40 * share, endOnFailure: true })
})

t.test('the first and last days of months and years, and misdated files', async (t) => {
  const { add, reader } = await openCatalogue(t)
  const dates = ['0000001', '1899365', '1900059', '1970001', '1969365', '2023365', '2024001']
  const more = ['2024060', '2024061', '2024366', '2025059', '2025060', '2025365', '9999365']
  await add(...[...dates, ...more].map((date) => `GRAZ00AUT_R_${date}0000_01D_30S_MO.crx.gz`))
  await add('graz0010.26d.gz', 'graz001a.26d.gz', 'graz0011.26d.gz')
  await add('GRAZ00AUT_R_20260010000_07D_30S_MO.crx.gz', 'GRAZ00AUT_R_20260010000_00U_MN.rnx.gz')
  const found = await asked(reader)
  t.strictSame(found, await naive(reader))
  t.equal(found.months?.length, 19)
  const some = await asked(reader, { fromDay: 19_782, toDay: 19_783 })
  t.strictSame(some.days, [
    '2024-02-29 obs: 1 files, 10 bytes',
    '2024-03-01 obs: 1 files, 10 bytes',
  ])
  const { days } = await reader.volumes({})
  t.equal(days, undefined, 'days are not read without being asked for')
})

t.test('an empty catalogue, and a first scan', async (t) => {
  const { add, reader, writer } = await openCatalogue(t)
  const empty = await reader.volumes({})
  t.strictSame([empty.totals, empty.months], [[], []])
  await writer.deferIndexes()
  await add('graz0010.26d.gz')
  const { totals, months } = await reader.volumes({})
  t.equal(totals.length, 1)
  t.equal(months, undefined, 'the days are counted at the end of a first scan')
  await writer.buildIndexes()
  t.equal((await reader.volumes({})).months?.length, 1)
})

t.test('a sum stays exact above 2^32 bytes', async (t) => {
  const { apply, reader } = await openCatalogue(t)
  const names = ['graz0010.26d.gz', 'graz0020.26d.gz', 'wtzr0010.26d.gz']
  await apply({ added: names.map((name) => newFile(name, { size: 2 ** 50 + 1, mtimeUs: 1 })) })
  t.equal((await reader.volumes({})).totals[0]?.bytes, 3 * (2 ** 50 + 1))
})

t.test('the files with a checksum, and when the oldest and the newest were listed', async (t) => {
  const { add, reader, writer, clock } = await openCatalogue(t)
  const none = { files: 0, stale: 0, oldestUs: undefined, newestUs: undefined }
  t.strictSame((await reader.volumes({})).hashed, none)
  const startedUs = clock.us
  for (const name of ['graz0010.26d.gz', 'wtzr0010.26d.gz', 'zimm0010.26d.gz', 'bor10010.26d.gz']) {
    await add(name)
    clock.us += 10
  }
  await writer.keepChecksums(
    [2, 3].map((id) => checksumOf(id)),
    0,
  )
  const two = { files: 2, stale: 0, oldestUs: startedUs + 10, newestUs: startedUs + 20 }
  t.strictSame((await reader.volumes({})).hashed, two)
  await writer.hashAgain([2], clock.us)
  const { hashed } = await reader.volumes({})
  t.strictSame(hashed, { files: 1, stale: 1, oldestUs: startedUs + 20, newestUs: startedUs + 20 })
})
