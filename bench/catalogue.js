/**
 * Makes a catalogue of any size without a tree, with the writer of the indexer, as a first scan
 * does.
 *
 *   node bench/catalogue.js --records 10000000 --out DIR/catalogue.db
 *
 * The network has 1,500 stations, half of them with long names: daily observations of all,
 * navigation files of every third, oldest day first, and hourly files of the last ten days. The
 * same options give the same names.
 */
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { openWriter } from '../dist/catalogue/engines/engine.js'

export const stationCount = 1500
const hourlyDays = 10
const countries = ['AUT', 'DEU', 'FRA', 'ITA', 'USA', 'AUS', 'JPN', 'BRA', 'ZAF', 'CAN']
const stations = Array.from({ length: stationCount }, (_, index) => {
  const site = `${'abcdefghij'[index % 10]}${String(Math.floor(index / 10)).padStart(3, '0')}`
  const country = countries[(index >> 1) % countries.length]
  return { site, code: index % 2 === 0 ? undefined : `${site.toUpperCase()}00${country}` }
})

/** The last day of a catalogue: 2026-01-22. */
const lastDay = Date.UTC(2026, 0, 22) / 86_400_000

function nameOf({ site, code }, date, { session, type, period }) {
  const ddd = String(date.ordinal).padStart(3, '0')
  if (code === undefined) {
    const letter = type === 'N' ? 'n' : 'd'
    return `${site}${ddd}${session}.${String(date.year).slice(2)}${letter}.gz`
  }
  const hour = session === '0' ? '00' : String(session.charCodeAt(0) - 97).padStart(2, '0')
  const rest = type === 'N' ? `${period}_MN.rnx.gz` : `${period}_30S_MO.crx.gz`
  return `${code}_R_${date.year}${ddd}${hour}00_${rest}`
}

function dateOf(day) {
  const date = new Date(day * 86_400_000)
  const year = date.getUTCFullYear()
  return { year, ordinal: day - Date.UTC(year, 0, 1) / 86_400_000 + 1 }
}

/** Directories with their names, oldest first. */
function* directoriesOf(records) {
  const daily = Math.floor((stationCount * 4) / 3)
  const hourly = Math.min(records / 2, hourlyDays * 24 * stationCount)
  const days = Math.ceil((records - hourly) / daily)
  const hours = Math.ceil(hourly / stationCount)
  for (let day = lastDay - days + 1; day <= lastDay; day++) {
    const date = dateOf(day)
    const ddd = String(date.ordinal).padStart(3, '0')
    const names = stations.map((each) =>
      nameOf(each, date, { session: '0', type: 'O', period: '01D' }),
    )
    for (let index = 0; index < stationCount; index += 3)
      names.push(nameOf(stations[index], date, { session: '0', type: 'N', period: '01D' }))
    yield { path: `obs/${date.year}/${ddd}`, names }
    const first = Math.max(0, (day - lastDay + hourlyDays - 1) * 24)
    for (let hour = 0; hour < 24 && lastDay - day < hourlyDays && first + hour < hours; hour++) {
      const session = 'abcdefghijklmnopqrstuvwx'[hour]
      const path = `nrt/${date.year}/${ddd}/${String(hour).padStart(2, '0')}`
      yield {
        path,
        names: stations.map((each) => nameOf(each, date, { session, type: 'O', period: '01H' })),
      }
    }
  }
}

/** @param arrivalUs when the files arrived; `undefined` as for files that a first scan finds */
export function changeOf({ path, names }, arrivalUs) {
  return {
    path,
    gone: false,
    stamp: { mtimeUs: 1, ctimeUs: 1, inode: 1, namesSum: 1 },
    withheldSinceUs: undefined,
    directories: [],
    added: names.map((name) => ({
      name,
      size: 50_000,
      mtimeUs: 1_700_000_000_000_000,
      arrivalUs,
    })),
    modified: [],
    attributes: [],
    rehash: [],
    removed: [],
    rejections: [],
  }
}

/** Writes a catalogue into a new file, or an empty database on a server. */
export async function generateCatalogue({ records, out }) {
  let us = Date.now() * 1000
  const writer = await openWriter({ database: out }, () => us++)
  await writer.deferIndexes()
  let batch = []
  let pending = 0
  let left = records
  const flush = async () => {
    await writer.apply(batch)
    batch = []
    pending = 0
  }
  for (const directory of directoriesOf(records)) {
    const names = directory.names.slice(0, left)
    left -= names.length
    pending += names.length
    batch.push(changeOf({ ...directory, names }))
    if (pending >= 5000) await flush()
    if (left === 0) break
  }
  await flush()
  const now = Date.now() * 1000
  const scan = { startedUs: now, endedUs: now, directories: 0, files: records }
  await writer.scanned({ ...scan, added: records, modified: 0, removed: 0 })
  while ((await writer.buildIndexes()).left > 0);
  await writer.checkpoint()
  writer.close()
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { records: { type: 'string' }, out: { type: 'string' } },
  })
  await generateCatalogue({ records: Number(values.records), out: values.out })
}
