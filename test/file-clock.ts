import { rmSync, statSync, writeFileSync } from 'node:fs'

/** Waits until what is done to a file now gets another time than what was done to it last: times of files are coarse. */
export async function laterThan(file: string): Promise<void> {
  const probe = `${file}.probe`
  for (;;) {
    writeFileSync(probe, '')
    if (statSync(probe).ctimeMs > statSync(file).ctimeMs) break
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  rmSync(probe)
}
