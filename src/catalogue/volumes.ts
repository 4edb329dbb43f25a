/** How many files there are, and how many bytes they have. */

export interface Volume {
  readonly files: number
  /** The sum of the sizes. */
  readonly bytes: number
}

/** Adds up volumes. */
export function sumOfVolumes(volumes: readonly Volume[]): Volume {
  const sum = { files: 0, bytes: 0 }
  for (const { files, bytes } of volumes) {
    sum.files += files
    sum.bytes += bytes
  }
  return sum
}
