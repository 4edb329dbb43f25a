/** The indexes that are built at the end of a first scan, for all engines. */
import type { Dialect } from '../dialect.ts'
import { modifiedOf } from './record.ts'

/**
 * The indexes that a first scan leaves out and that are built at its end, by name, with their
 * columns. The table `built` names the complete ones; readers must not use any other. Equal keys of
 * an index are in the order of the id.
 */
const indexColumns: Readonly<Record<string, (dialect: Dialect) => string>> = {
  // For filters on station and country (alone, or with dates and kinds), for the slots of a series,
  // and for the dates in station_count.
  file_station: () => 'station, data_date, kind',
  // For filters on the time of the data, the counts of parts of days, and ordering by data_date.
  file_date: () => 'data_date, kind',
  // For filters on type, duration, version, area, interval, content and source, in the order of
  // ids.
  file_kind: () => 'kind',
  // For the filters filename and filename__startswith, and ordering by filename.
  file_name: (dialect) => dialect.ignoringCase('name'),
  // For the filters created__…, and ordering by created.
  file_created: () => 'created_us',
  // For the filters modified__…, and ordering by modified.
  file_modified: () => modifiedOf(),
}

export const indexNames = Object.keys(indexColumns)

/** SQL that builds an index. */
export function createIndex(name: string, dialect: Dialect): string {
  return `CREATE INDEX ${name} ON file (${indexColumns[name]?.(dialect)}${dialect.indexEnd})`
}
