/** SQL of the columns of records that the writer sets. */

/**
 * SQL for the new `modified_us` of a record whose file has changed at `@now`. Even if the clock was set back, it is later than
 * `created_us` and differs from the previous value.
 */
export const movedModified = `max(@now, created_us + 1)
  + (max(@now, created_us + 1) IS modified_us)`
