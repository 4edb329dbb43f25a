/**
 * A file younger than this may still be in the making: the indexer lists it only when its gzip stream is complete, and the
 * API sends it only if it is as it was catalogued. One that has not changed for this time is listed whatever it holds.
 * Milliseconds.
 */
export const settleMs = 10 * 60_000
