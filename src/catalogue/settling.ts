/**
 * A file that changed less than this ago may be incomplete: the indexer lists it only if its gzip stream has an end, and the API
 * sends it only if it is unchanged since it was catalogued. A file that is older is listed with any content. Milliseconds.
 */
export const settleMs = 10 * 60_000
