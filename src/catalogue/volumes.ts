/** How many files there are, and how many bytes they have. */

export interface Volume {
  readonly files: number
  /** The sum of the known sizes. */
  readonly bytes: number
  /** Number of files of known size. */
  readonly sized: number
}

/** Adds up volumes. */
export function sumOfVolumes(volumes: readonly Volume[]): Volume {
  const sum = { files: 0, bytes: 0, sized: 0 }
  for (const { files, bytes, sized } of volumes) {
    sum.files += files
    sum.bytes += bytes
    sum.sized += sized
  }
  return sum
}
