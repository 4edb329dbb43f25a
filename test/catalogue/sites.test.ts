/**
 * Only codes with live files join short codes: in the list, the stations, the series and the
 * network.
 */
import type { Test } from 'tap'
import { openReader } from '../../src/catalogue/engines/engine.ts'
import t, { exact } from '../tap.ts'
import { day, openCatalogue } from './catalogue.ts'

const short = 'graz0010.26d.gz'
const long = 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'
const twin = 'GRAZ01DEU_R_20260010000_01D_30S_MO.crx.gz'
/** 2026-01-01, the day of the files. */
const slot = 20_454

async function openSite(t: Test) {
  const opened = await openCatalogue(t)
  const { apply, clock, reader } = opened
  clock.us = (slot + 1) * 86_400_000_000
  const remove = async (name: string) => {
    const known = await reader.file({ directory: day, name })
    await apply({ removed: [known?.id ?? 0] })
  }
  const slots = (code: string) =>
    reader.seriesSlots({
      code,
      fileType: 'o',
      period: '01D',
      from: slot,
      to: slot,
      now: slot,
      mostSlots: 1,
    })
  /** What each part of the catalogue shows of the site. */
  const shown = async () => {
    const { stations } = await reader.stations({ limit: 10, offset: 0 })
    const { series } = await reader.deliveries({ fromDay: slot, toDay: slot })
    const codes = await slots('GRAZ')
    const inCountry = async (country: string) => {
      const filter = { countries: [country] }
      return (await reader.page({ limit: 10, offset: 0, filter })).count
    }
    return {
      stations: stations.map((station) => `${station.code}: ${station.codes.join()}`),
      station: (await reader.station('GRAZ')).station?.codes,
      countries: [await inCountry('AUT'), await inCountry('DEU')],
      series: codes?.codes,
      ambiguous: codes?.ambiguous,
      network: series.map(({ station, ids }) => `${station}: ${ids.length}`).sort(),
    }
  }
  return { ...opened, remove, slots, shown }
}

t.test('a series begins with the slot that is running', async (t) => {
  const { add, reader } = await openSite(t)
  await add(long)
  const query = { code: 'GRAZ', fileType: 'o', period: '01D', mostSlots: 9 } as const
  for (const [now, first] of [
    [slot - 1, undefined],
    [slot, slot],
    [slot + 1, slot],
  ] as const)
    t.equal((await reader.seriesSlots({ ...query, from: now, to: now, now }))?.first, first)
})

const joined = {
  stations: ['GRAZ00AUT: GRAZ,GRAZ00AUT'],
  station: ['GRAZ', 'GRAZ00AUT'],
  countries: [2, 0],
  series: ['GRAZ', 'GRAZ00AUT'],
  ambiguous: [],
  network: ['GRAZ00AUT: 2'],
}

t.test('a second long code separates a site only as long as it has files', async (t) => {
  const { database, add, remove, shown } = await openSite(t)
  await add(short, long)
  t.strictSame(await shown(), joined)
  await add(twin)
  t.strictSame(await shown(), {
    stations: ['GRAZ: GRAZ', 'GRAZ00AUT: GRAZ00AUT', 'GRAZ01DEU: GRAZ01DEU'],
    station: ['GRAZ', 'GRAZ00AUT', 'GRAZ01DEU'],
    countries: [1, 1],
    series: ['GRAZ'],
    ambiguous: ['GRAZ00AUT', 'GRAZ01DEU'],
    network: ['GRAZ00AUT: 1', 'GRAZ01DEU: 1', 'GRAZ: 1'],
  })
  await remove(twin)
  // The delivery of the removed file is kept, as a series of its own.
  const after = { ...joined, network: ['GRAZ00AUT: 2', 'GRAZ01DEU: 1'] }
  t.strictSame(await shown(), after)
  const restarted = await openReader({ database })
  t.teardown(() => restarted.close())
  t.match(await restarted.stations({ limit: 10, offset: 0 }), { count: 1 })
})

t.test('a long code that lost its files joins nothing', async (t) => {
  const { reader, add, remove, shown, slots } = await openSite(t)
  await add(short, long)
  await remove(long)
  t.strictSame(await shown(), {
    stations: ['GRAZ: GRAZ'],
    station: ['GRAZ'],
    countries: [0, 0],
    series: ['GRAZ'],
    ambiguous: [],
    network: ['GRAZ00AUT: 1', 'GRAZ: 1'],
  })
  t.strictSame((await slots('GRAZ00AUT'))?.recorded, [slot], 'its deliveries are kept')
  await remove(short)
  t.strictSame((await slots('GRAZ'))?.recorded, [slot])
  t.equal((await reader.station('GRAZ')).station, undefined)
  await add(long)
  t.strictSame(await shown(), {
    ...joined,
    stations: ['GRAZ00AUT: GRAZ00AUT'],
    station: ['GRAZ00AUT'],
    countries: [1, 0],
  })
})

t.test('readers notice that a repair of the counts joins or separates a site', async (t) => {
  const { writer, reader, add, sql, shown } = await openSite(t)
  await add(short, long, twin)
  const before = await shown()
  const { seq } = await reader.head()
  await sql(
    `DELETE FROM station_count WHERE station = (SELECT id FROM station WHERE code = 'GRAZ01DEU');
     UPDATE station SET live_seq = 0;
     UPDATE catalogue SET details_seq = details_seq + 1`,
  )
  t.match(await shown(), exact({ stations: joined.stations, countries: [2, 0] }))
  await writer.repairCounts()
  t.strictSame(await shown(), before)
  const changes = await reader.changes({ since: seq, limit: 1, filters: { countries: ['AUT'] } })
  t.equal(changes.joinedSeq, seq)
})

t.test('no code joins another before the counts are built', async (t) => {
  const { writer, reader, add, shown, slots } = await openSite(t)
  await writer.deferIndexes()
  await add(short, long)
  const notBuilt = { code: 'NOT_BUILT' }
  const filters = { countries: ['AUT'] }
  await t.rejects(reader.changes({ since: 0, limit: 1, filters }), notBuilt)
  t.match(await reader.changes({ since: 0, limit: 9, filters: {} }), { throughSeq: 2 })
  await t.rejects(slots('GRAZ'), notBuilt)
  const arrivals = reader.seriesArrivals({
    code: 'GRAZ',
    fileType: 'o',
    period: '01D',
    from: slot,
    to: slot,
    now: slot,
  })
  await t.rejects(arrivals, notBuilt)
  await writer.buildIndexes()
  t.strictSame(await shown(), joined)
  t.match(await reader.changes({ since: 2, limit: 1, filters }), { joinedSeq: 2 })
})
