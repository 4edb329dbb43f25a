/**
 * All questions of a reader: each of these files exports its questions and their types, nothing
 * else. To add a question, write its generator; the reader gets a method of its name.
 */
export * from '../facts/facts.ts'
export * from './changes.ts'
export * from './checksums.ts'
export * from './chunks.ts'
export * from './count-faults.ts'
export * from './directories.ts'
export * from './equipment.ts'
export * from './files.ts'
export * from './flagged-files.ts'
export * from './network-deliveries.ts'
export * from './pages.ts'
export * from './problems.ts'
export * from './series-slots.ts'
export * from './slot-files.ts'
export * from './stations.ts'
export * from './summary.ts'
export * from './volumes.ts'
